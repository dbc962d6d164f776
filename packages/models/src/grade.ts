/** A language model's grades of passages, read from what it wrote. */

/** Grades go from 0, irrelevant, to this. */
const TOP_GRADE = 3

/** What an unreadable grade counts as: below the threshold of relevance, and above nothing at all. */
const DEFAULT_GRADE = 1

/** A grade, and whether it was read or is the default. */
export interface ReadGrade {
  /** Whole, 0..3. */
  readonly grade: number
  readonly readable: boolean
}

const UNREADABLE: ReadGrade = { grade: DEFAULT_GRADE, readable: false }

/** A grade behind `Score:`, perhaps with a fraction, perhaps `of 3`; prose may follow, but nothing that changes it. */
const SCORED =
  /^(\p{Nd}+)(?:\.\p{Nd}+)?(?:\s*(?:\/|out of|of)\s*3)?(?:[.,;:)*_]*\s+(?!(?:out\s+)?of\b)[^\s\p{Nd}/%+*=-].*|[.,;:)*_]*)$/iu

/**
 * The grade in a reply about one passage: a whole number alone, or the last line of the form `Score: 2`; of a broken
 * number its whole part. Every other text, a number outside of 0..3 or one on another scale too, is unreadable and
 * counts as 1: no misreading makes a passage relevant.
 *
 * @see the specification of two-tier, grades of the reranker
 */
export function readGrade(reply: string): ReadGrade {
  const trimmed = reply.trim()
  const alone = /^\p{Nd}+$/u.test(trimmed) ? trimmed : undefined
  const scored = [...trimmed.matchAll(/^[^\S\r\n]*score:[^\S\r\n]*(.*)$/gimu)].at(-1)?.[1]?.trim()
  const digits = alone ?? SCORED.exec(scored ?? '')?.[1]
  if (digits === undefined) return UNREADABLE
  const grade = Number(digits.replaceAll(/\p{Nd}/gu, latinDigit))
  return grade <= TOP_GRADE ? { grade, readable: true } : UNREADABLE
}

/** Digits of every script come in rows of ten that begin with their zero. */
function latinDigit(digit: string): string {
  // One code point: the expression that found it takes whole ones.
  const code = digit.codePointAt(0)!
  let start = code
  while (/\p{Nd}/u.test(String.fromCodePoint(start - 1))) start--
  return String((code - start) % 10)
}

/** One passage's line in a reply about several: its number, and the grade. */
const NUMBERED = /^\s*\[?(\d{1,4})\]?\s*[:=)]\s*(\S.*)$/

/**
 * The grades in a reply of one line for each passage, `1: 3`. A passage that is graded twice otherwise is unreadable.
 *
 * @param count passages asked about; for a single one a bare grade will do
 * @returns one for each passage, in order; `undefined` for one that is not mentioned
 */
export function readGrades(reply: string, count: number): readonly (ReadGrade | undefined)[] {
  const found = new Map<number, ReadGrade>()
  for (const line of reply.split(/\r?\n/)) {
    const [, number, rest] = NUMBERED.exec(line) ?? []
    const at = Number(number)
    if (rest === undefined || at < 1 || at > count) continue
    const read = readGrade(rest)
    const known = found.get(at)
    found.set(at, known === undefined || known.grade === read.grade ? read : UNREADABLE)
  }
  if (count === 1 && found.size === 0) return [readGrade(reply)]
  return Array.from({ length: count }, (_, at) => found.get(at + 1))
}
