/** Splits Markdown with inline HTML into comments and tags, and the text and code between them. */
import { NEVER_SHOWN } from './html/elements.ts'

/** Source of a comment or tag, or text that is not HTML. */
export type HtmlPiece = { readonly html: string } | { readonly text: string }

/** Start of a comment, of a bogus comment, or of an element whose content is never shown. */
const COMMENT_OR_MACHINERY = new RegExp(`<\\?|<![a-z[-]|<(?:dialog|${[...NEVER_SHOWN].join('|')})[\\s>/]`, 'i')
const ELEMENT = /<[a-z]/i
/** Attributes that may hide an element; `>` within an attribute's value does not end the tag. */
const HIDING = /[\s"'/](?:hidden[\s=>/]|style\s*=)/i

/** Whether HTML in a text may hide parts of it. */
export function mayHide(text: string): boolean {
  return COMMENT_OR_MACHINERY.test(text) || (ELEMENT.test(text) && HIDING.test(text))
}

/** The name of a tag, and the character after it. */
const TAG = /<\/?[a-z][a-z0-9-]*(?:\s|\/?>)/iy
/** Ends an unquoted part of a tag. */
const PART = /[<>"']/g
/** Start of a comment, or of what browsers treat as one. */
const COMMENT = /<(?:!--|\?|![a-z[])/iy
/** A possible start of a comment or tag, or of code; what a backslash escapes is neither. */
const MARK = /\\[^]|`+|</g

/**
 * Splits a paragraph of Markdown at its HTML, in linear time. Inline code is text. An unclosed comment is text, as in
 * CommonMark.
 *
 * @param isHtml whether it is a block of HTML, in which backticks and backslashes are text
 */
export function htmlPieces(text: string, isHtml = false): HtmlPiece[] {
  const pieces: HtmlPiece[] = []
  const endAt = endsOf(text)
  const codeEndAt = codeEndsOf(text)
  const marks = isHtml ? /</g : new RegExp(MARK)
  let from = 0
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const at = mark.index
    const end = endAt(at)
    marks.lastIndex = codeEndAt(marks.lastIndex, mark[0])
    if (end === 0) continue
    const html = text.slice(at, end)
    if (at > from) pieces.push({ text: text.slice(from, at) })
    // A `<br>` within a sentence or a table cell must not break the line.
    pieces.push(/^<br[\s/>]/i.test(html) ? { text: ' ' } : { html })
    from = end
    marks.lastIndex = from
  }
  if (from < text.length) pieces.push({ text: text.slice(from) })
  return pieces
}

/** @returns gives the end of the code whose backticks end at a position, in ascending order; the position itself if nothing closes it, or for another mark */
function codeEndsOf(text: string): (from: number, ticks: string) => number {
  /** Starts of the runs of as many backticks, the next one last. */
  const runs = new Map<string, number[]>()
  for (const { 0: run, index } of [...text.matchAll(/`+/g)].reverse()) {
    const starts = runs.get(run)
    if (starts === undefined) runs.set(run, [index])
    else starts.push(index)
  }
  return (from, ticks) => {
    const starts = runs.get(ticks) ?? []
    while ((starts.at(-1) ?? from) < from) starts.pop()
    const start = starts.at(-1)
    return start === undefined ? from : start + ticks.length
  }
}

/** @returns gives the end of the comment or tag at a position, in ascending order; 0 if there is none */
function endsOf(text: string): (at: number) => number {
  /** Comment ends that do not occur any more. */
  const over = new Set<string>()
  /** Starts of unquoted parts of tags without an end: tags within their quotes share them and do not end either. */
  const passed = new Set<number>()
  return (at) => {
    COMMENT.lastIndex = at
    const [comment] = COMMENT.exec(text) ?? ['']
    if (comment !== '') {
      const end = comment === '<!--' ? '-->' : comment === '<?' ? '?>' : '>'
      const found = over.has(end) ? -1 : text.indexOf(end, at + 2)
      if (found >= 0) return found + end.length
      over.add(end)
      return 0
    }
    TAG.lastIndex = at
    if (!TAG.test(text)) return 0
    let here = TAG.lastIndex
    if (text[here - 1] === '>') return here
    while (here > 0 && !passed.has(here)) {
      passed.add(here)
      PART.lastIndex = here
      const [part] = PART.exec(text) ?? ['<']
      if (part === '<') return 0
      if (part === '>') return PART.lastIndex
      here = text.indexOf(part, PART.lastIndex) + 1
    }
    return 0
  }
}
