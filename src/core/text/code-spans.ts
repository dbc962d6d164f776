/** Finds code in Markdown text, where nothing is a citation or prose. */

/** A range of a text, in code units. */
export interface Span {
  readonly from: number
  readonly to: number
}

const FENCE = /^[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})/
const TICKS = /`+/g

/**
 * Ranges of fenced blocks and inline code, including their delimiters, in order; takes linear time. An unclosed fence extends
 * to the end of the text; unclosed backticks are not code.
 */
export function codeSpans(text: string): Span[] {
  const spans: Span[] = []
  let paragraph = 0
  let fence: { readonly from: number; readonly mark: string } | undefined
  let at = 0
  const endParagraph = (end: number): void => {
    for (const span of inlineSpans(text.slice(paragraph, end), paragraph)) spans.push(span)
  }
  while (at <= text.length) {
    const found = text.indexOf('\n', at)
    const end = found < 0 ? text.length : found
    const line = text.slice(at, end)
    const next = end + 1
    if (fence !== undefined) {
      const closing = line.replace(/^[\s>]+/, '').trimEnd()
      if (closing.startsWith(fence.mark) && closing.replaceAll(fence.mark.charAt(0), '') === '') {
        spans.push({ from: fence.from, to: end })
        fence = undefined
        paragraph = next
      }
    } else {
      const mark = FENCE.exec(line)?.[1]
      if (mark !== undefined) {
        endParagraph(at)
        fence = { from: at, mark }
      } else if (line.trim() === '') {
        endParagraph(at)
        paragraph = next
      }
    }
    at = next
  }
  if (fence === undefined) endParagraph(text.length)
  else spans.push({ from: fence.from, to: text.length })
  return spans
}

/** Inline code: as many backticks at its end as at its beginning. */
function inlineSpans(text: string, offset: number): Span[] {
  const runs = [...text.matchAll(TICKS)].map(({ 0: { length }, index }) => ({ length, index }))
  const closing: number[] = []
  const later = new Map<number, number>()
  for (let run = runs.length - 1; run >= 0; run--) {
    const { length } = runs[run]!
    closing[run] = later.get(length) ?? -1
    later.set(length, run)
  }
  const spans: Span[] = []
  for (let run = 0; run < runs.length; run++) {
    const end = closing[run]!
    if (end < 0 || text[runs[run]!.index - 1] === '\\') continue
    spans.push({ from: offset + runs[run]!.index, to: offset + runs[end]!.index + runs[end]!.length })
    run = end
  }
  return spans
}

/** Maps the code of a text with one function and the rest with another. */
export function mapCode(text: string, code: (part: string) => string, others: (part: string) => string): string {
  let [made, last] = ['', 0]
  for (const { from, to } of codeSpans(text)) {
    made += others(text.slice(last, from)) + code(text.slice(from, to))
    last = to
  }
  return made + others(text.slice(last))
}
