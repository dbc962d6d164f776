/** Link definitions, which open a paragraph and are no part of its text. */

const TITLE = String.raw`"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\((?:[^()\\]|\\[^])*\)`
/** Parentheses in it are balanced, two levels of them at most; a few addresses that CommonMark takes are not seen. */
const ADDRESS = String.raw`<(?:[^<>\n\\]|\\.)*>|(?!<)(?:[^\s()]|\((?:[^\s()]|\([^\s()]*\))*\))+`
/** `[label]: address "title"`; address and title may each begin another line. */
const DEFINITION = new RegExp(
  String.raw`[ \t]*\[((?:[^[\]\\]|\\[^]){1,999})\]:\s*(?:${ADDRESS})(?:\s+(?:${TITLE}))?[ \t]*(?:\r?\n|\r|$)`,
  'y',
)
const DEFINITION_UNTITLED = new RegExp(DEFINITION.source.replace(String.raw`(?:\s+(?:${TITLE}))?`, ''), 'y')

/** What the definitions at the beginning of a paragraph are called, and where they end. */
export interface Definitions {
  readonly labels: readonly string[]
  readonly end: number
}

/** Reads the definitions that a paragraph opens with. */
export function definitionsOf(paragraph: string): Definitions {
  const labels: string[] = []
  let end = 0
  while (end < paragraph.length) {
    const found = matchAt(DEFINITION, paragraph, end) ?? matchAt(DEFINITION_UNTITLED, paragraph, end)
    if (found === null || found[1]!.trim() === '') break
    labels.push(labelOf(found[1]!))
    end += found[0].length
  }
  return { labels, end }
}

/** A label as it is compared: case and width of spaces make no difference. */
export function labelOf(written: string): string {
  return written.replaceAll(/\s+/g, ' ').trim().toLowerCase().toUpperCase()
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at
  return sticky.exec(text)
}
