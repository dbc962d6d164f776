/** The same signals of each part of a question, against the same evidence. */
import { joinSmallest, partsAtMarks } from '../text/marked-sentences.ts'
import { words } from '../text/words.ts'
import type { PartSignals } from './measure.ts'
import { createMemory, isOfWords, type Signal, type Subject } from './signal.ts'
import type { TextFeatures } from './text-features.ts'
import { textFeatures } from './text-signals.ts'

/**
 * What is measured of the parts of a question: `parts`, empty for a question of one, and `stretches`: what the best chunk
 * lacks of either end of a part, and what stands beside words that are quoted: `besideQuoted` is 1 there. Of parts, `leans` is 1
 * where the best chunk of the whole question holds something of it.
 *
 * @param signals those that are measured of each, as far as they differ between parts
 */
export function piecesOf(signals: readonly Signal[]): readonly Signal<readonly PartSignals[]>[] {
  const measured = signals.filter(isOfWords)
  const each = (subject: Subject, pieces: readonly string[], mark?: PartSignals): readonly PartSignals[] =>
    pieces.map((text) => {
      const piece = pieceOf(subject, text)
      const values = measured.map((signal) => {
        const value = signal.measure(piece)
        // The chunks were found for the whole: the one among them that holds a foreign word leads by chance.
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

/** A piece as a subject of its own. */
function pieceOf(subject: Subject, text: string): Subject {
  if (text === subject.words) return subject
  return subject.memory(text, () => ({ ...subject, words: text, memory: createMemory() }))
}

function partsOf({ parts, question, memory }: Subject): readonly string[] {
  return parts ?? memory(partsOf, () => partsAtMarks(question).parts)
}

/** Terms of a passage for each of its words, at most, where it is read without those that say little: .89 and up in others. */
const TERMS_FOR_A_WORD = 0.88
/**
 * Distinct terms of an end that the best chunk lacks, beyond those that it holds, at least: where those that say little
 * are left out, are read too, and where pairs of letters are.
 */
const END_TERMS = [2, 5, 10] as const
/** Distinct terms of the rest, at least. */
const REST_TERMS = 3
/** Words that the first chunk says in the same order, one other between two at most, to be quoted; of pairs of letters twice as many. */
const QUOTED_IN_A_ROW = 5
/** Words quoted in all, at least; one less is enough where the question begins with them. */
const QUOTED_IN_ALL = 8

/**
 * What the best chunk lacks of the first and of the last terms of a part, where it holds none of them, or few where those
 * that say little are read too: what is put before or behind a question without any mark, and asks something else.
 */
function endsNotInBestPassage(features: TextFeatures, factor: number): readonly string[] {
  const held = heldBy(features)
  const all = [...held.keys()]
  return [all, [...all].reverse()]
    .map((side) => {
      let lacks = 0
      const beyond = side.map((at) => (lacks += held[at] ? (factor > 1 ? -1 : -Infinity) : 1))
      const length = beyond.lastIndexOf(Math.max(END_TERMS[factor - 1]!, ...beyond)) + 1
      return side.slice(0, length).filter((at) => !held[at])
    })
    .filter(({ length }) => length > 0 && all.length - length >= REST_TERMS)
    .map((end) => end.map((at) => features.questionTerms[at]!.term).join(' '))
}

/**
 * What a question says beside what it quotes of a text, in sixteen pieces at most, from two terms on of which the best chunk
 * lacks one: hardly a question says so many words in a passage's order, unless they were copied to support something else.
 */
function besideQuoted(subject: Subject, text: string, factor: number): readonly string[] {
  const times = factor > 2 ? 2 : 1
  const asked = words(subject.words)
  const said = words(text)
  const beside = [...asked]
  // For each distance between the two: a word in place of another moves none of those behind it.
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
    return held.length > 1 && held.includes(false)
  })
}

/** Place of the best chunk by BM25. */
function bestOf({ chunks }: TextFeatures): number {
  return chunks.reduce((best, { bm25 }, at) => (bm25 > chunks[best]!.bm25 ? at : best), 0)
}

/** Which terms a chunk or its title holds, or of which it holds one that begins like it. @default the best chunk by BM25 */
function heldBy(features: TextFeatures, chunkAt = bestOf(features)): readonly boolean[] {
  const chunk = features.chunks[chunkAt]
  return features.questionTerms.map(
    (_, at) => !!(chunk?.counts[at] || chunk?.nearness[at] || chunk?.titled.includes(at)),
  )
}
