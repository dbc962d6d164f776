/** The same signals of each part of a question, against the same evidence. */
import { partsAtMarks } from '../text/marked-sentences.ts'
import { stretchesOf } from '../text/stretches.ts'
import type { PartSignals } from './measure.ts'
import { createMemory, isOfWords, type Signal, type Subject } from './signal.ts'
import type { ChunkFeatures, TextFeatures } from './text-features.ts'
import { textFeatures } from './text-signals.ts'

/**
 * What is measured of the parts of a question: `parts`, empty for a question of one, and `stretches`: those of long parts
 * (`stretchesOf`), and the ends of parts of which the best chunk holds nothing, with `end` 1. Of parts, `asksAlone` is 1 of the only
 * one that asks among others that state, and `leans` 1 where the best chunk of the whole question holds something of it.
 *
 * @param signals those that are measured of each, as far as they differ between parts
 */
export function piecesOf(signals: readonly Signal[]): readonly Signal<readonly PartSignals[]>[] {
  const measured = signals.filter(isOfWords)
  const each = (subject: Subject, pieces: readonly string[]): readonly PartSignals[] =>
    pieces.map((words) => {
      const piece = pieceOf(subject, words)
      return Object.fromEntries(
        measured.map((signal) => {
          const value = signal.measure(piece)
          // The chunks were found for the whole: the one among them that holds a foreign word leads by chance.
          return [signal.name, signal.name === 'bm25Lead' ? Math.min(value, signal.measure(subject)) : value]
        }),
      )
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
          ...(at === subject.asksAlone && { asksAlone: 1 }),
          ...(holdsAny(textFeatures(pieceOf(subject, parts[at]!)).chunks[best]) && { leans: 1 }),
        }))
      },
    },
    {
      name: 'stretches',
      measure: (subject) => {
        const parts = partsOf(subject)
        const ends = parts.flatMap((part) => endsNotInBestPassage(textFeatures(pieceOf(subject, part))))
        return [
          ...each(subject, stretchesOf(parts, subject.language)),
          ...each(subject, ends).map((end) => ({ ...end, end: 1 })),
        ]
      },
    },
  ]
}

/** A part or stretch as a subject of its own. */
function pieceOf(subject: Subject, words: string): Subject {
  if (words === subject.words) return subject
  return subject.memory(words, () => ({ ...subject, words, memory: createMemory() }))
}

function partsOf({ parts, question, memory }: Subject): readonly string[] {
  return parts ?? memory(partsOf, () => partsAtMarks(question).parts)
}

/** Distinct terms of an end, and of the rest, at least. */
const END_TERMS = 2
const REST_TERMS = 3

/**
 * The first and the last terms of a part, where the best chunk holds none of them: what is put before or behind a question
 * without any mark, and asks something else.
 */
function endsNotInBestPassage(features: TextFeatures): readonly string[] {
  const { questionTerms, chunks } = features
  const best = chunks[bestOf(features)]
  const said = questionTerms.flatMap((_, at) => (holds(best, at) ? at : []))
  return [questionTerms.slice(0, said[0]), questionTerms.slice((said.at(-1) ?? -1) + 1)]
    .filter(({ length }) => length >= END_TERMS && questionTerms.length - length >= REST_TERMS)
    .map((end) => end.map(({ term }) => term).join(' '))
}

/** Place of the best chunk by BM25. */
function bestOf({ chunks }: TextFeatures): number {
  return chunks.reduce((best, { bm25 }, at) => (bm25 > chunks[best]!.bm25 ? at : best), 0)
}

function holdsAny(chunk: ChunkFeatures | undefined): boolean {
  return chunk?.counts.some((_, at) => holds(chunk, at)) === true
}

/** Whether a chunk or its title holds a term of the question, or one that begins like it. */
function holds(chunk: ChunkFeatures | undefined, at: number): boolean {
  return chunk !== undefined && (chunk.counts[at]! > 0 || chunk.nearness[at]! > 0 || chunk.titled.includes(at))
}
