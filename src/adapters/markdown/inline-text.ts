/** What a line of Markdown says in words: without the marks of emphasis, code and links, and without HTML. */
import { decodeReference } from './characters.ts'
import { HTML_TAG } from './html-in-markdown.ts'
import { labelAt, labelKey, targetEnd } from './links.ts'

const PLAIN = /[^\\`*_[\]!<&\n]+/y
const ESCAPED = /\\[!-/:-@[-`{-~]/y
const BREAK = /\\?\n[ \t]*/y
const BACKTICKS = /`+/y
const EMPHASIS = /\*+|_+/y
const BRACKET = /!?\[/y
const ADDRESS = /<([a-z][a-z\d+.-]{1,31}:[^\p{Cc} <>]*|[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d.-]*[a-z\d])?)>/iuy
const REFERENCE = /&(?:#x[\da-f]{1,6}|#\d{1,7}|[a-z][a-z\d]{1,31});/iy

/** Marks of emphasis that stand together. */
interface Marks {
  readonly mark: string
  readonly at: number
  readonly length: number
  readonly opens: boolean
  readonly closes: boolean
  /** Its place among the pieces of the text. */
  readonly piece: number
  /** Those that belong to no emphasis: they are text. */
  left: number
}

/** A bracket that may begin a link or an image. */
interface Bracket {
  readonly at: number
  readonly image: boolean
  readonly piece: number
  /** How many `Marks` stand before it. */
  readonly marks: number
  /** False within the text of a link: no link holds another. */
  active: boolean
}

/** @param isDefined whether a label (`labelKey`) is that of a link */
export function inlineText(written: string, isDefined: (key: string) => boolean): string {
  const pieces: string[] = []
  const marks: Marks[] = []
  const brackets: Bracket[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(written)
    if (found !== null) at = pattern.lastIndex
    return found ?? undefined
  }
  while (at < written.length) {
    const start = at
    let found = take(PLAIN)
    if (found !== undefined) pieces.push(written[at] === '\n' ? found[0].trimEnd() : found[0])
    else if (take(BREAK)) pieces.push(' ')
    else if (take(ESCAPED)) pieces.push(written[start + 1]!)
    else if (take(BACKTICKS)) pieces.push(codeFrom(start))
    else if (take(EMPHASIS)) {
      marks.push(marksAt(written, start, at, pieces.length))
      pieces.push('')
    } else if (take(BRACKET)) {
      brackets.push({ at, image: written[start] === '!', piece: pieces.length, marks: marks.length, active: true })
      pieces.push(written.slice(start, at))
    } else if (written[at] === ']') {
      at++
      closeBracket()
    } else if ((found = take(ADDRESS)) !== undefined) pieces.push(found[1]!)
    else if ((found = take(REFERENCE)) !== undefined) pieces.push(decodeReference(found[0]))
    else if (take(HTML_TAG) === undefined) pieces.push(written[at++]!)
  }
  pairMarks(0)
  return pieces.join('')

  /** Code up to as many backticks as begin it; without these they are text. */
  function codeFrom(start: number): string {
    const fence = written.slice(start, at)
    for (const { 0: ticks, index } of written.slice(at).matchAll(/`+/g)) {
      if (ticks !== fence) continue
      const code = written.slice(at, at + index).replaceAll('\n', ' ')
      at += index + ticks.length
      return /^ .*[^ ].* $/.test(code) ? code.slice(1, -1) : code
    }
    return fence
  }

  function closeBracket(): void {
    const bracket = brackets.pop()
    const end = bracket?.active === true ? linkEnd(bracket) : undefined
    if (bracket === undefined || end === undefined) {
      pieces.push(']')
      return
    }
    at = end
    pieces[bracket.piece] = ''
    pairMarks(bracket.marks)
    if (!bracket.image) for (const around of brackets) around.active &&= around.image
  }

  /** @returns where the link ends whose text ends here; undefined where it is none */
  function linkEnd(bracket: Bracket): number | undefined {
    const target = targetEnd(written, at)
    if (target !== undefined) return target
    const label = labelAt(written, at)
    if (label !== undefined) return isDefined(label.key) ? label.end : undefined
    if (!isDefined(labelKey(written.slice(bracket.at, at - 1)))) return undefined
    return written.startsWith('[]', at) ? at + 2 : at
  }

  /** Pairs the marks of emphasis from the first given on; those that are left over are text. */
  function pairMarks(first: number): void {
    // By kind of the closing marks, how far back none is to be found that opens.
    const searched = new Map<string, number>()
    for (let closing = first; closing < marks.length; closing++) {
      const closer = marks[closing]!
      while (closer.closes && closer.left > 0) {
        const kind = `${closer.mark}${closer.opens}${closer.length % 3}`
        const lowest = searched.get(kind) ?? 0
        let opening = closing - 1
        while (opening >= first && marks[opening]!.at >= lowest && !belongTogether(marks[opening]!, closer)) opening--
        const opener = opening < first ? undefined : marks[opening]
        if (opener === undefined || opener.at < lowest) {
          searched.set(kind, closer.at)
          break
        }
        const used = Math.min(opener.left, closer.left, 2)
        opener.left -= used
        closer.left -= used
        for (const { piece, mark, left } of marks.splice(opening + 1, closing - opening - 1)) {
          pieces[piece] = mark.repeat(left)
        }
        closing = opening + 1
      }
    }
    for (const { piece, mark, left } of marks.splice(first)) pieces[piece] = mark.repeat(left)
  }
}

const SPACE = /[\p{Zs}\t\n\f\r]/u
const PUNCTUATION = /[\p{P}\p{S}]/u

/** Emphasis begins before a word and ends behind one; with `_` not within one. */
function marksAt(text: string, at: number, end: number, piece: number): Marks {
  const before = /.$/su.exec(text.slice(Math.max(0, at - 2), at))?.[0] ?? ' '
  const after = /^./su.exec(text.slice(end, end + 2))?.[0] ?? ' '
  const spaceBefore = SPACE.test(before)
  const spaceAfter = SPACE.test(after)
  const punctuatedBefore = PUNCTUATION.test(before)
  const punctuatedAfter = PUNCTUATION.test(after)
  const begins = !spaceAfter && (!punctuatedAfter || spaceBefore || punctuatedBefore)
  const ends = !spaceBefore && (!punctuatedBefore || spaceAfter || punctuatedAfter)
  const mark = text[at]!
  return {
    mark,
    at,
    length: end - at,
    opens: begins && (mark === '*' || !ends || punctuatedBefore),
    closes: ends && (mark === '*' || !begins || punctuatedAfter),
    piece,
    left: end - at,
  }
}

/** Marks that could do both belong together unless their number is a multiple of three, as CommonMark says (rule 9). */
function belongTogether(opener: Marks, closer: Marks): boolean {
  if (!opener.opens || opener.left === 0 || opener.mark !== closer.mark) return false
  if (!opener.closes && !closer.opens) return true
  return (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0)
}
