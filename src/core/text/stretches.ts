/** Stretches of long parts of a question: two sentences may be run together without any mark between them. */
import type { Language } from './language.ts'
import { terms } from './terms.ts'
import { words } from './words.ts'

/** Words that count in a stretch, at least; half as many lie between two beginnings. */
const LEAST_WORDS = 4
/** Words that count in a long part, at least. */
const LONG_WORDS = 10
/** Stretches of a question, about. */
const STRETCHES = 16

/**
 * The overlapping stretches of those parts that are long, in words that count (not stop words); none of short ones. With
 * more to cover they are longer and begin further apart.
 *
 * @param parts of a question (`questionParts`)
 * @returns at most 16, and one for each long part
 */
export function stretchesOf(parts: readonly string[], language: Language | undefined): readonly string[] {
  const long = parts
    .map((part) => words(part).filter((word) => terms(word, language).length > 0))
    .filter(({ length }) => length >= LONG_WORDS)
  const step = Math.max(LEAST_WORDS / 2, Math.ceil(long.flat().length / STRETCHES))
  const length = Math.max(LEAST_WORDS, step)
  return long.flatMap((counted) => {
    const last = Math.max(0, counted.length - length)
    const starts = Array.from({ length: Math.ceil(last / step) }, (_, at) => at * step)
    return [...starts, last].map((start) => counted.slice(start, start + length).join(' '))
  })
}
