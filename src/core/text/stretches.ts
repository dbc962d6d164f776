/** Stretches of long parts of a question: two sentences may be run together without any mark between them. */
import type { Language } from './language.ts'
import { terms } from './terms.ts'

/** A part with fewer words that count is short enough to be judged as a whole. */
const LONG_WORDS = 10
/** Words that count in a stretch, at least; each begins two words after the one before, at least. */
const LEAST_WORDS = 4
const LEAST_STEP = 2
/** Stretches of a question, at most. */
const MOST_STRETCHES = 16

/**
 * The overlapping stretches of those parts that are long, in words that count (not stop words); none of short ones. With
 * more to cover they are longer and begin further apart.
 *
 * @param parts of a question (`questionParts`)
 * @returns at most 16
 */
export function stretchesOf(parts: readonly string[], language: Language | undefined): readonly string[] {
  const long = parts
    .map((part) => part.split(/\s+/u).filter((word) => terms(word, language).length > 0))
    .filter(({ length }) => length >= LONG_WORDS)
  const most = Math.max(1, Math.floor(MOST_STRETCHES / Math.max(1, long.length)))
  return long.slice(0, MOST_STRETCHES).flatMap((counted) => stretchesOfOne(counted, most))
}

function stretchesOfOne(counted: readonly string[], most: number): readonly string[] {
  if (most === 1) return [counted.join(' ')]
  const step = Math.max(LEAST_STEP, Math.ceil((counted.length - LEAST_WORDS) / (most - 1)))
  const length = Math.max(LEAST_WORDS, step)
  const starts = Array.from({ length: Math.ceil((counted.length - length) / step) }, (_, at) => at * step)
  return [...starts, counted.length - length].map((start) => counted.slice(start, start + length).join(' '))
}
