/** Stretches of long parts of a question: two sentences may be run together without any mark between them. */
import type { Language } from './language.ts'
import { terms } from './terms.ts'
import { words } from './words.ts'

/** Words that count in a stretch, at least, in English; half as many lie between two beginnings. A long part has six more. */
const LEAST_WORDS = 4
/** Stretches of a question, at most. */
const MOST_STRETCHES = 16

/**
 * The overlapping stretches of those parts that are long, in words that count (not stop words); none of short ones. With
 * more to cover they are longer and begin further apart.
 *
 * @param parts of a question (`questionParts`)
 * @param factor how many words count where English has one
 * @returns at most 16
 */
export function stretchesOf(parts: readonly string[], language: Language | undefined, factor = 1): readonly string[] {
  const least = LEAST_WORDS * factor
  const long = parts
    .map((part) => words(part).filter((word) => terms(word, language).length > 0))
    .filter(({ length }) => length >= least + 6)
  const most = Math.max(1, Math.floor(MOST_STRETCHES / Math.max(1, long.length)))
  return long.slice(0, MOST_STRETCHES).flatMap((counted) => {
    if (most === 1) return [counted.join(' ')]
    const step = Math.max(least / 2, Math.ceil((counted.length - least) / (most - 1)))
    const length = Math.max(least, step)
    const starts = Array.from({ length: Math.ceil((counted.length - length) / step) }, (_, at) => at * step)
    return [...starts, counted.length - length].map((start) => counted.slice(start, start + length).join(' '))
  })
}
