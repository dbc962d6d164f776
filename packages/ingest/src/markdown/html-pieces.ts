/** The HTML within lines of Markdown: comments and tags, apart from the text and the code around them. */
import { codeSpans } from 'hono-rag-gate/core/text'
import { NEVER_SHOWN } from './html/elements.ts'

/** A comment or a tag as it is written, or text that is no HTML. */
export type HtmlPiece = { readonly html: string } | { readonly text: string }

/** What begins a comment, or what is read as one, or an element of which nothing is shown. */
const COMMENT_OR_MACHINERY = new RegExp(`<\\?|<![a-z[-]|<(?:dialog|${[...NEVER_SHOWN].join('|')})[\\s>/]`, 'i')
const ELEMENT = /<[a-z]/i
/** Attributes that may hide an element; a bracket in the value of another is no end of its tag. */
const HIDING = /[\s"'/](?:hidden[\s=>/]|style\s*=)/i

/** Whether some of a text may be hidden from its reader. */
export function mayHide(text: string): boolean {
  return COMMENT_OR_MACHINERY.test(text) || (ELEMENT.test(text) && HIDING.test(text))
}

/** The name of a tag, and what comes first behind it. */
const TAG = /<\/?[a-z][a-z0-9-]*(?:\s|\/?>)/iy
/** What ends a part of a tag that stands in no quotes. */
const PART = /[<>"']/g
/** What begins a comment, or what browsers read as one. */
const COMMENT = /<(?:!--|\?|![a-z[])/iy
/** What may begin a comment or a tag; an escaped one begins nothing. */
const MARK = /\\[^]|</g
/** How often code is looked for anew, since a mark of it stands in a tag or a comment. */
const MOST_LOOKS = 20

/**
 * Takes a text of Markdown apart, in time that rises with its length. Code is text, in lines or between fences. A comment
 * that does not end is text, as CommonMark has it. Behind twenty tags and comments with a mark of code that would end
 * behind them no more code is looked for.
 */
export function htmlPieces(text: string): HtmlPiece[] {
  const pieces: HtmlPiece[] = []
  const endAt = endsOf(text)
  let code = codeSpans(text)
  let looks = 0
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
    const end = mark[0] === '<' ? endAt(at) : 0
    if (end === 0) continue
    const html = text.slice(at, end)
    if (at > from) pieces.push({ text: text.slice(from, at) })
    // A line that breaks in a sentence, or in the cell of a table, is one line still.
    pieces.push(/^<br[\s/>]/i.test(html) ? { text: ' ' } : { html })
    from = end
    marks.lastIndex = from
    while ((code[span]?.to ?? Infinity) <= from) span++
    if ((code[span]?.from ?? from) >= from) continue
    code = looks++ < MOST_LOOKS ? codeSpans('x'.repeat(from) + text.slice(from)) : []
    span = 0
  }
  if (from < text.length) pieces.push({ text: text.slice(from) })
  return pieces
}

/** @returns what finds the end of the comment or tag that begins at a place, asked in order; 0 where none does */
function endsOf(text: string): (at: number) => number {
  /** Ends of comments that do not come any more. */
  const over = new Set<string>()
  /** Where parts of tags begin that stand in no quotes: tags in the quotes of others share them, and do not end either. */
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
