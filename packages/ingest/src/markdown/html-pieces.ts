/** The HTML within lines of Markdown: comments and tags, apart from the text and the code around them. */
import { codeSpans } from 'hono-rag-gate/core/text'

/** A comment or a tag as it is written, or text that is no HTML. */
export type HtmlPiece = { readonly html: string } | { readonly text: string }

/** What begins a comment, or an element of which nothing is shown. */
const COMMENT_OR_MACHINERY = /<!--|<(?:script|style|template|noscript|iframe|object|audio|video|canvas)[\s>/]/i
const ELEMENT = /<[a-z]/i
/** Attributes that may hide an element; a bracket in the value of another is no end of its tag. */
const HIDING = /[\s"'/](?:hidden[\s=>/]|style\s*=)/i

/** Whether some of a text may be hidden from its reader. */
export function mayHide(text: string): boolean {
  return COMMENT_OR_MACHINERY.test(text) || (ELEMENT.test(text) && HIDING.test(text))
}

const TAG = /^<\/?[a-z][a-z0-9-]*(?:\s[^<>"']*(?:"[^"]*"[^<>"']*|'[^']*'[^<>"']*)*)?\/?>/i
/** Longer tags are text. */
const LONGEST_TAG = 500
/** What may begin a comment or a tag; an escaped one begins nothing. */
const MARK = /\\[^]|</g

/**
 * Takes a text of Markdown apart, in time that rises with its length. Code is text, in lines or between fences. A comment
 * that does not end is text, as CommonMark has it.
 */
export function htmlPieces(text: string): HtmlPiece[] {
  const pieces: HtmlPiece[] = []
  const code = codeSpans(text)
  const lastEnd = text.lastIndexOf('-->')
  const marks = new RegExp(MARK)
  let from = 0
  let span = 0
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const at = mark.index
    while ((code[span]?.to ?? Infinity) <= at) span++
    const within = code[span]
    if (within !== undefined && within.from <= at) {
      marks.lastIndex = within.to
      continue
    }
    const html = mark[0] === '<' ? htmlAt(text, at, lastEnd) : undefined
    if (html === undefined) continue
    if (at > from) pieces.push({ text: text.slice(from, at) })
    // A line that breaks in a sentence, or in the cell of a table, is one line still.
    pieces.push(/^<br[\s/>]/i.test(html) ? { text: ' ' } : { html })
    from = at + html.length
    marks.lastIndex = from
  }
  if (from < text.length) pieces.push({ text: text.slice(from) })
  return pieces
}

function htmlAt(text: string, at: number, lastEnd: number): string | undefined {
  const end = text.startsWith('<!--', at) && lastEnd > at ? text.indexOf('-->', at + 2) : -1
  return end < 0 ? TAG.exec(text.slice(at, at + LONGEST_TAG))?.[0] : text.slice(at, end + 3)
}
