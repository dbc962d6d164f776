/** Parses a language model's grades of passages. */

/** Grades range from 0 (irrelevant) to this. */
const TOP_GRADE = 3

/** Grade for an unreadable reply: not relevant, but above irrelevant. */
const DEFAULT_GRADE = 1

/** A grade, and whether it was parsed or is the default. */
export interface ReadGrade {
  /** Whole, 0..3. */
  readonly grade: number
  readonly readable: boolean
}

const UNREADABLE: ReadGrade = { grade: DEFAULT_GRADE, readable: false }

/** A grade after `Score:`, optionally with a fraction or `of 3`; text may follow unless it changes the value. */
const SCORED =
  /^(\p{Nd}+)(?:\.\p{Nd}+)?(?:\s*(?:\/|out of|of)\s*3)?(?:[.,;:)*_]*\s+(?!(?:out\s+)?of\b)[^\s\p{Nd}/%+*=-].*|[.,;:)*_]*)$/iu

/**
 * Parses the grade in a reply about one passage: a whole number alone, or a last line of the form `Score: 2`; decimals
 * are truncated. Any other text, a number outside 0..3, or one on another scale is unreadable and gives 1, so that no
 * parsing error makes a passage relevant.
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

/** Unicode digits of every script form runs of ten that start with zero. */
function latinDigit(digit: string): string {
  // A single code point: the regular expression matches whole code points.
  const code = digit.codePointAt(0)!
  let start = code
  while (/\p{Nd}/u.test(String.fromCodePoint(start - 1))) start--
  return String((code - start) % 10)
}

/** One line of a reply about several passages: number and grade, perhaps with markup around them. */
const NUMBERED = /^[\s*_-]*(?:passage\s+)?\[?(\d{1,4})\]?[\s*_]*(?:[:=)]|\.(?=\s)|[-–—](?=\s))[\s*_]*(\S.*)$/iu

/**
 * Parses grades from a reply with one line per passage, `1: 3`; what may follow a score may follow each. A passage with
 * two different grades is unreadable; a line about it without a grade counts only if there is no other.
 *
 * @param count number of passages; for a single one a reply in the form for one passage is read as well (`readGrade`)
 * @returns one for each passage, in order; `undefined` for one that is not mentioned
 */
export function readGrades(reply: string, count: number): readonly (ReadGrade | undefined)[] {
  const found = new Map<number, ReadGrade[]>()
  for (const line of reply.split(/\r?\n/)) {
    const [, number, rest] = NUMBERED.exec(line) ?? []
    const at = Number(number)
    if (rest === undefined || at < 1 || at > count) continue
    const reads = found.get(at) ?? []
    reads.push(readGrade(rest.replace(/^(?!score:)/i, 'Score: ')))
    found.set(at, reads)
  }
  return Array.from({ length: count }, (_, at) => {
    const reads = found.get(at + 1)
    const [first, ...others] = reads?.filter(({ readable }) => readable) ?? []
    if (first !== undefined) return others.every(({ grade }) => grade === first.grade) ? first : UNREADABLE
    return count === 1 ? readGrade(reply) : reads && UNREADABLE
  })
}
