/** The same signals of each part of a question, against the same evidence. */
import { partsAtMarks } from '../text/marked-sentences.ts'
import { stretchesOf } from '../text/stretches.ts'
import type { PartSignals } from './measure.ts'
import { createMemory, isOfWords, type Signal, type Subject } from './signal.ts'
import type { ChunkFeatures, TextFeatures } from './text-features.ts'
import { textFeatures } from './text-signals.ts'

/**
 * What is measured of the parts of a question: `parts`, empty for a question of one, where `asksAlone` is 1 of the only one that
 * asks among others that state, and `stretches` of long parts
 * (`stretchesOf`), and of its end where nothing was found of that.
 *
 * @param signals those that are measured of each, as far as they differ between parts
 */
export function piecesOf(signals: readonly Signal[]): readonly Signal<readonly PartSignals[]>[] {
  const measured = signals.filter(isOfWords)
  const each = (subject: Subject, pieces: readonly string[]): readonly PartSignals[] =>
    pieces.map((words) => {
      const piece = { ...subject, words, memory: createMemory() }
      return Object.fromEntries(measured.map((signal) => [signal.name, signal.measure(piece)]))
    })
  return [
    {
      name: 'parts',
      measure: (subject) => {
        const parts = partsOf(subject)
        if (parts.length < 2) return []
        return each(subject, parts).map((part, at) => (at === subject.asksAlone ? { ...part, asksAlone: 1 } : part))
      },
    },
    {
      name: 'stretches',
      measure: (subject) =>
        each(subject, [...stretchesOf(partsOf(subject), subject.language), ...unsaidEnd(textFeatures(subject))]),
    },
  ]
}

function partsOf({ parts, question, memory }: Subject): readonly string[] {
  return parts ?? memory(partsOf, () => partsAtMarks(question).parts)
}

/** Distinct terms of the end, and before it at least. */
const END_TERMS = 2
const LEAST_BEFORE = 3

/**
 * The last terms of a question, where neither a sentence nor a title of the best chunks holds one of them: what is added
 * behind a question without any mark, and asks something else.
 *
 * @returns at most one stretch, of two terms
 */
function unsaidEnd({ questionTerms, chunks }: TextFeatures): readonly string[] {
  const first = questionTerms.length - END_TERMS
  const holdsEnd = (held: readonly number[]): boolean => held.some((at) => at >= first)
  const isSaid = ({ titled, sentences }: ChunkFeatures): boolean =>
    holdsEnd(titled) || sentences.some(({ held }) => holdsEnd(held))
  if (first < LEAST_BEFORE || chunks.some(isSaid)) return []
  const end = questionTerms.slice(first).map(({ term }) => term)
  return [end.join(' ')]
}
