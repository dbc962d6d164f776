/** HTML within Markdown, by the rules of CommonMark. */

const NAME = '[a-z][a-z\\d-]*'
const ATTRIBUTE = `\\s+[a-z_:][\\w.:-]*(?:\\s*=\\s*(?:[^\\s"'=<>\`]+|'[^']*'|"[^"]*"))?`
const TAG = `<${NAME}(?:${ATTRIBUTE})*\\s*/?>|</${NAME}\\s*>`

/** A tag, a comment or the like, within a line. */
export const HTML_TAG = new RegExp(
  `${TAG}|<!---?>|<!--[^]*?-->|<\\?[^]*?\\?>|<![a-z][^>]*>|<!\\[CDATA\\[[^]*?\\]\\]>`,
  'iy',
)

const BLOCK_ELEMENTS =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|' +
  'fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|' +
  'menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul'

const BLANK = /^$/

/** How a block of HTML begins, and what is in its last line. */
const BLOCKS: readonly (readonly [begins: RegExp, ends: RegExp])[] = [
  [/^<(?:script|pre|style|textarea)(?:\s|>|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [new RegExp(`^</?(?:${BLOCK_ELEMENTS})(?:\\s|/?>|$)`, 'i'), BLANK],
]
/** Any other tag begins one where it is alone in its line, and not within a paragraph. */
const TAG_ALONE = new RegExp(`^(?:${TAG})\\s*$`, 'i')

/** What the last line of the block of HTML has that a line begins; undefined for another line. */
export function htmlBlockEnd(rest: string, inParagraph: boolean): RegExp | undefined {
  const [, end] = rest.startsWith('<') ? (BLOCKS.find(([begins]) => begins.test(rest)) ?? []) : []
  return end ?? (!inParagraph && TAG_ALONE.test(rest) ? BLANK : undefined)
}
