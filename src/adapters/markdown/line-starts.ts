/** What a line of Markdown can begin, by CommonMark: each is read in time in proportion to the line. */

/** What stands open under the containers of a line. */
export type Leaf =
  | { readonly kind: 'none' | 'paragraph' | 'code' }
  | { readonly kind: 'fence'; readonly mark: string }
  /** @see https://spec.commonmark.org/0.31.2/#html-blocks; without an end it ends before a blank line */
  | { readonly kind: 'html'; readonly end: RegExp | undefined }

/** A quote, or an item of a list. */
export type Container =
  | { readonly kind: 'quote' }
  /** @property width columns that its lines are indented by; `empty` while nothing but its mark was seen */
  | { readonly kind: 'item'; readonly mark: string; readonly width: number; empty: boolean }

/** What begins at a place of a line. */
export type Start =
  | { readonly kind: 'container'; readonly container: Container; readonly after: number }
  | { readonly kind: 'heading'; readonly depth: number }
  | { readonly kind: 'underline'; readonly depth: 1 | 2 }
  | { readonly kind: 'rule' }
  | { readonly kind: 'fence' | 'html'; readonly leaf: Leaf }

const HTML_BLOCKS =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|' +
  'fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|' +
  'menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|' +
  'track|ul'

const HTML_STARTS: readonly (readonly [start: RegExp, end: RegExp | undefined])[] = [
  [/<(?:script|pre|style|textarea)(?=[\s>]|$)/iy, /<\/(?:script|pre|style|textarea)>/i],
  [/<!--/y, /-->/],
  [/<\?/y, /\?>/],
  [/<![a-z]/iy, />/],
  [/<!\[CDATA\[/y, /\]\]>/],
  [new RegExp(`</?(?:${HTML_BLOCKS})(?=\\s|/?>|$)`, 'iy'), undefined],
]

const ATTRIBUTE = String.raw`\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>\x60]+|'[^']*'|"[^"]*"))?`
/** A whole tag, alone in its line: begins HTML where no paragraph goes on. */
const LONE_TAG = new RegExp(String.raw`<(?:[a-z][a-z0-9-]*(?:${ATTRIBUTE})*\s*/?|/[a-z][a-z0-9-]*\s*)>\s*$`, 'iy')

const HEADING = /(#{1,6})(?=\s|$)/y
const UNDERLINE = /(=+|-+)\s*$/y
const RULE = /(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/y
const FENCE = /(`{3,})[^`]*$|(~{3,})/y
const ITEM = /([-+*]|(\d{1,9})([.)]))(?=\s|$)/y

/**
 * What begins at a place that is not indented; `undefined` for plain text.
 *
 * @param at of the first character that is no space
 * @param indent columns of space before it, up to three
 * @param open what is open
 * @param isWithin whether this line is within all that is open, and so would go on with it
 */
export function startOf(line: string, at: number, indent: number, open: Leaf, isWithin: boolean): Start | undefined {
  const inParagraph = open.kind === 'paragraph' && isWithin
  if (line[at] === '>') {
    const after = line[at + 1] === ' ' ? at + 2 : at + 1
    return { kind: 'container', container: { kind: 'quote' }, after }
  }
  const heading = matchAt(HEADING, line, at)
  if (heading !== null) return { kind: 'heading', depth: heading[1]!.length }
  const fence = matchAt(FENCE, line, at)
  if (fence !== null) return { kind: 'fence', leaf: { kind: 'fence', mark: (fence[1] ?? fence[2])! } }
  const html = line[at] === '<' ? htmlAt(line, at, open) : undefined
  if (html !== undefined) return { kind: 'html', leaf: html }
  const underline = inParagraph ? matchAt(UNDERLINE, line, at) : null
  if (underline !== null) return { kind: 'underline', depth: underline[1]!.startsWith('=') ? 1 : 2 }
  if (matchAt(RULE, line, at) !== null) return { kind: 'rule' }
  return itemAt(line, at, indent, inParagraph)
}

/** Whether a line ends a block of code that a fence began. @param at of the first character that is no space */
export function closesFence(line: string, at: number, mark: string): boolean {
  const rest = line.slice(at).trimEnd()
  return rest.length >= mark.length && rest === mark[0]!.repeat(rest.length)
}

function htmlAt(line: string, at: number, open: Leaf): Leaf | undefined {
  for (const [start, end] of HTML_STARTS) if (matchAt(start, line, at) !== null) return { kind: 'html', end }
  return open.kind !== 'paragraph' && matchAt(LONE_TAG, line, at) !== null
    ? { kind: 'html', end: undefined }
    : undefined
}

/** An item that interrupts a paragraph has text, and the number 1: else a year that begins a line would make a list. */
function itemAt(line: string, at: number, indent: number, inParagraph: boolean): Start | undefined {
  const item = matchAt(ITEM, line, at)
  if (item === null) return undefined
  const [mark, , number, delimiter] = [item[0], item[1], item[2], item[3]]
  const after = at + mark.length
  let spaces = 0
  while (spaces < 5 && line[after + spaces] === ' ') spaces++
  const empty = line.slice(after).trim() === ''
  if (inParagraph && (empty || (number !== undefined && Number(number) !== 1))) return undefined
  const padding = empty || spaces === 5 ? 1 : spaces
  const width = indent + mark.length + padding
  return {
    kind: 'container',
    container: { kind: 'item', mark: delimiter ?? mark, width, empty },
    after: after + padding,
  }
}

function matchAt(sticky: RegExp, line: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at
  return sticky.exec(line)
}
