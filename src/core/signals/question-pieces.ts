/** Measures the signals of each piece of a question against the evidence of the whole question. */
import { joinSmallest, partsAtMarks } from '../text/marked-sentences.ts'
import { words } from '../text/words.ts'
import type { PartSignals } from './measure.ts'
import { createMemory, isOfWords, type Signal, type Subject } from './signal.ts'
import type { TextFeatures } from './text-features.ts'
import { textFeatures } from './text-signals.ts'

/**
 * Signals of the pieces of a question. `parts`: its parts, empty for a question of one part; `leans` is 1 if the best chunk of
 * the whole question contains a term of the part. `stretches`: the ends of parts that are missing from the best chunk, and the
 * text beside words copied from it, with `besideQuoted` 1.
 *
 * @param signals signals to measure; only those that differ between parts are used
 */
export function piecesOf(signals: readonly Signal[]): readonly Signal<readonly PartSignals[]>[] {
  const measured = signals.filter(isOfWords)
  const each = (subject: Subject, pieces: readonly string[], mark?: PartSignals): readonly PartSignals[] =>
    pieces.map((text) => {
      const piece = pieceOf(subject, text)
      const values = measured.map((signal) => {
        const value = signal.measure(piece)
        // At most the lead for the whole: the chunks were found for the whole, and one with a foreign word leads by chance.
        return [signal.name, signal.name === 'bm25Lead' ? Math.min(value, signal.measure(subject)) : value] as const
      })
      return { ...Object.fromEntries(values), ...mark }
    })
  return [
    {
      name: 'parts',
      measure: (subject) => {
        const parts = partsOf(subject)
        if (parts.length < 2) return []
        const best = bestOf(textFeatures(subject))
        return each(subject, parts).map((part, at) => ({
          ...part,
          ...(heldBy(textFeatures(pieceOf(subject, parts[at]!)), best).includes(true) && { leans: 1 }),
        }))
      },
    },
    {
      name: 'stretches',
      measure: (subject) => {
        const parts = partsOf(subject)
        const text = subject.evidence.chunks[0]?.text ?? ''
        const written = text.split(/\s+/).length
        const read = textFeatures(subject).chunks[0]?.length ?? 0
        const factor = Math.min(3, Math.ceil(read / written / TERMS_FOR_A_WORD) || 1)
        const ends = parts.flatMap((part) => endsNotInBestPassage(textFeatures(pieceOf(subject, part)), factor))
        return [...each(subject, ends), ...each(subject, besideQuoted(subject, text, factor), { besideQuoted: 1 })]
      },
    },
  ]
}

/** The subject for a piece of the question. */
function pieceOf(subject: Subject, text: string): Subject {
  if (text === subject.words) return subject
  return subject.memory(text, () => ({ ...subject, words: text, memory: createMemory() }))
}

function partsOf({ parts, question, memory }: Subject): readonly string[] {
  return parts ?? memory(partsOf, () => partsAtMarks(question).parts)
}

/** Highest ratio of terms to words in a language whose stop words are removed; others have .89 and above. */
const TERMS_FOR_A_WORD = 0.88
/**
 * By how many the distinct terms of an end that the best chunk lacks must exceed those it contains: in languages with stop
 * words removed, in others, and in those read by letter pairs. Where stop words are not removed, terms are weighted by their idf
 * relative to the question's mean: that a passage contains "the" does not show that it supports an end.
 */
const END_TERMS = [2, 5, 11] as const
/** Fewest distinct terms of the rest. */
const REST_TERMS = 3
/** Fewest words in the order of the first chunk, with at most one other word between two, to count as copied; twice as many letter pairs. */
const QUOTED_IN_A_ROW = 5
/** Fewest copied words in total; one less if the question begins with them. */
const QUOTED_IN_ALL = 8

/**
 * Beginnings and ends of a part whose terms are missing from the best chunk (all of them, or most in languages whose stop words
 * are not removed): another question put before or after without punctuation.
 */
function endsNotInBestPassage(features: TextFeatures, factor: number): readonly string[] {
  const held = heldBy(features)
  const all = [...held.keys()]
  const mean = features.idfMass / held.length
  return [all, [...all].reverse()]
    .map((side) => {
      let lacks = 0
      const beyond = side.map((at) => {
        const weight = factor > 1 ? features.questionTerms[at]!.idf / mean : 1
        return (lacks += held[at] ? (factor > 1 ? -weight : -Infinity) : weight)
      })
      const length = beyond.lastIndexOf(Math.max(END_TERMS[factor - 1]!, ...beyond)) + 1
      return side.slice(0, length).filter((at) => !held[at])
    })
    .filter(({ length }) => length > 0 && all.length - length >= REST_TERMS)
    .map((end) => end.map((at) => features.questionTerms[at]!.term).join(' '))
}

/**
 * The text beside words copied from a passage, in at most sixteen pieces: all that stands before them; elsewhere, pieces of which
 * the best chunk lacks a term, if they have two or, between copied words, begin with a word that asks. Questions rarely repeat
 * so many words in a passage's order, unless these were copied to support something else.
 */
function besideQuoted(subject: Subject, text: string, factor: number): readonly string[] {
  const times = factor > 2 ? 2 : 1
  const asked = words(subject.words)
  const said = words(text)
  const beside = [...asked]
  // For each offset between the two texts, because replacing a word does not shift those after it.
  for (let by = 1 - asked.length; by < said.length; by++) {
    let [first, last, same] = [0, -Infinity, 0]
    for (let at = Math.max(0, -by); at < asked.length && at + by < said.length; at++) {
      if (asked[at] !== said[at + by]) continue
      if (at - last > 2) [first, same] = [at, 0]
      last = at
      if (++same < QUOTED_IN_A_ROW * times) continue
      beside.fill('\n', first, at + 1)
      first = at
    }
  }
  const pieces = beside.join(' ').split('\n')
  if (pieces.length <= (QUOTED_IN_ALL - (pieces[0] ? 0 : 1)) * times) return []
  return joinSmallest(pieces.filter((piece) => piece.trim())).filter((piece) => {
    const held = heldBy(textFeatures(pieceOf(subject, piece)))
    return piece === pieces[0]
      ? held.length > 0
      : held.length > (piece !== pieces.at(-1) && subject.language?.asks(words(piece)[0]!) ? 0 : 1) &&
          held.includes(false)
  })
}

/** Index of the best chunk by BM25. */
function bestOf({ chunks }: TextFeatures): number {
  return chunks.reduce((best, { bm25 }, at) => (bm25 > chunks[best]!.bm25 ? at : best), 0)
}

/** For each term, whether a chunk or its title contains it or one with the same beginning. @param chunkAt the chunk. @default the best by BM25 */
function heldBy(features: TextFeatures, chunkAt = bestOf(features)): readonly boolean[] {
  const chunk = features.chunks[chunkAt]
  return features.questionTerms.map(
    (_, at) => !!(chunk?.counts[at] || chunk?.nearness[at] || chunk?.titled.includes(at)),
  )
}
