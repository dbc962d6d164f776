/** A question and its evidence, cut into terms once: every signal measured from text looks at this. */
import type { Evidence } from '../evidence/evidence.ts'
import { BM25_B, BM25_K1 } from '../text/bm25.ts'
import { type CountedTerms, countTerms, type Lexicon } from '../text/lexicon.ts'
import type { SentenceTerms, TermReader } from '../text/term-reader.ts'
import { respelled } from './respelled.ts'
import { type TermStatistics, termStatistics } from './term-statistics.ts'

/** Chunks read, the best. */
const CHUNKS = 10

/** Chunks whose sentences and titles are told apart, the best. */
const CHUNKS_IN_SENTENCES = 5

/** Chunks in which terms that begin like missing ones are looked for, the best. */
const CHUNKS_NEAR = 3

/** Share of the longer of two terms that their common beginning must be, for one to count as near the other. */
const NEAR_FROM = 0.6

/** Shorter terms are not compared by their beginnings. */
const NEAR_LENGTH = 4

/** A distinct term of the question. */
export interface QuestionTerm {
  readonly term: string
  readonly idf: number
  /** Share of the collection's terms that it is (`TermStatistics`). */
  readonly rate: number
}

/** One sentence. */
export interface SentenceFeatures {
  /** Which terms of the question it holds, as indexes into `questionTerms`. */
  readonly held: readonly number[]
  /** Squared idf, summed over its distinct terms: all of its words have to be looked up for it. */
  readonly squaredIdf: () => number
}

/** One chunk. */
export interface ChunkFeatures {
  /** Which terms of the question its title holds, as indexes into `questionTerms`; none beyond the five best chunks. */
  readonly titled: readonly number[]
  /** Its sentences that hold any question term; none are told apart beyond the five best chunks. */
  readonly sentences: readonly SentenceFeatures[]
  /** How often it holds each of `questionTerms`. */
  readonly counts: readonly number[]
  /**
   * How near the three best chunks come to each of `questionTerms` that they do not hold: the share of the nearest term,
   * .6 to 1, that both begin with (`immigr`, `immigrant`). 0 for terms that are held, and in other chunks.
   */
  readonly nearness: readonly number[]
  /** Number of its terms. */
  readonly length: number
  /** BM25 of this chunk for the question, k1 1.2, b .75, against the collection lexicon. 0 and up. */
  readonly bm25: number
}

/** What signals are measured from. */
export interface TextFeatures {
  readonly evidence: Evidence
  readonly questionTerms: readonly QuestionTerm[]
  /** Idf summed over `questionTerms`; 0 when the question has no term. */
  readonly idfMass: number
  /** Distinct terms in the title of the best chunk; none when it has no title. */
  readonly titleTerms: readonly string[]
  /** The ten best chunks of different terms, best first. */
  readonly chunks: readonly ChunkFeatures[]
}

/**
 * Reads a question and its evidence against the collection's lexicon, or `EMPTY_LEXICON`: then the chunks stand for the
 * collection. A chunk with the same terms as a better one is passed over. A term of the question that neither the
 * collection nor the chunks know is read as the one that it is a misspelling of, if the chunks hold such a one, and they know
 * another of its terms.
 *
 * @param reader reads the terms of texts
 */
export function read(
  question: string,
  evidence: Evidence,
  lexicon: Lexicon,
  { terms, sentences }: TermReader,
): TextFeatures {
  const asked = [...new Set(terms(question))]
  const read = distinctChunks(evidence, sentences)
  const known = lexicon.chunkCount === 0 ? countTerms(read.map((chunk) => chunk.sentences.flat())) : lexicon
  const statistics = termStatistics(known)
  const questionTerms = correctedTerms(asked, known, read).map((term) => ({
    term,
    idf: statistics.idf(term),
    rate: statistics.rate(term),
  }))
  const places = new Map(questionTerms.map(({ term }, at) => [term, at]))
  return {
    evidence,
    questionTerms,
    idfMass: questionTerms.reduce((mass, { idf }) => mass + idf, 0),
    titleTerms: [...new Set(terms(evidence.chunks[0]?.title ?? ''))],
    chunks: read.map(({ title, sentences: said, length }, rank) => {
      const counts = questionTerms.map(() => 0)
      const found: SentenceFeatures[] = []
      for (const sentence of said) {
        const held = placesOf(sentence, places)
        for (const at of held) counts[at]!++
        if (rank < CHUNKS_IN_SENTENCES && held.length > 0) {
          found.push({ held: [...new Set(held)], squaredIdf: () => squaredIdf(sentence, statistics) })
        }
      }
      return {
        titled: rank < CHUNKS_IN_SENTENCES ? placesOf(terms(title), places) : [],
        sentences: found,
        counts,
        nearness: questionTerms.map(({ term }, at) =>
          rank < CHUNKS_NEAR && counts[at] === 0 ? nearness(term, said) : 0,
        ),
        length,
        bm25: bm25(questionTerms, counts, length, statistics.meanChunkLength),
      }
    }),
  }
}

/** A chunk, read sentence by sentence. */
interface ReadChunk {
  readonly title: string
  readonly sentences: SentenceTerms
  /** Number of its terms. */
  readonly length: number
}

/** The best chunks, without those that say the same as a better one. */
function distinctChunks({ chunks }: Evidence, sentencesOf: TermReader['sentences']): readonly ReadChunk[] {
  const distinct: ReadChunk[] = []
  for (const { title = '', text } of chunks) {
    if (distinct.length === CHUNKS) break
    const sentences = sentencesOf(text)
    const read = { title, sentences, length: sentences.flat().length }
    if (!distinct.some((better) => saysTheSame(better, read))) distinct.push(read)
  }
  return distinct
}

function saysTheSame(a: ReadChunk, b: ReadChunk): boolean {
  return a.length === b.length && JSON.stringify(a.sentences) === JSON.stringify(b.sentences)
}

/** The distinct terms of a question, misspelled ones as the chunks write them. */
function correctedTerms(
  asked: readonly string[],
  { documentFrequency }: CountedTerms,
  chunks: readonly ReadChunk[],
): readonly string[] {
  const sentences = chunks.flatMap((chunk) => chunk.sentences)
  const isKnown = (term: string): boolean =>
    documentFrequency.has(term) || sentences.some((terms) => terms.includes(term))
  // Alone nothing says what it should be: "what is love" asks nothing of what moves.
  return asked.some(isKnown)
    ? [...new Set(asked.map((term) => (isKnown(term) ? term : (respelled(term, sentences) ?? term))))]
    : asked
}

/** Where each term of a question stands in `questionTerms`. */
type Places = ReadonlyMap<string, number>

/** The question terms of a text, repeats too. */
function placesOf(text: readonly string[], places: Places): readonly number[] {
  const found: number[] = []
  for (const term of text) {
    const at = places.get(term)
    if (at !== undefined) found.push(at)
  }
  return found
}

function nearness(term: string, parts: SentenceTerms): number {
  if (term.length < NEAR_LENGTH) return 0
  let nearest = 0
  for (const part of parts) {
    for (const other of part) {
      // Hardly any term begins like another: the first letter settles most.
      if (other.charCodeAt(0) !== term.charCodeAt(0)) continue
      let shared = 1
      // Beyond an end there is NaN, which equals nothing.
      while (other.charCodeAt(shared) === term.charCodeAt(shared)) shared++
      nearest = Math.max(nearest, shared / Math.max(term.length, other.length))
    }
  }
  return nearest >= NEAR_FROM ? nearest : 0
}

function squaredIdf(part: readonly string[], { idf }: TermStatistics): number {
  let sum = 0
  for (const term of new Set(part)) sum += idf(term) ** 2
  return sum
}

function bm25(terms: readonly QuestionTerm[], counts: readonly number[], length: number, meanLength: number): number {
  // A lexicon of one term a chunk is the empty one's: then every chunk has the mean length.
  const saturation = BM25_K1 * (1 - BM25_B + BM25_B * (meanLength > 1 ? length / meanLength : 1))
  let score = 0
  terms.forEach(({ idf }, at) => {
    const count = counts[at]!
    score += (idf * count * (BM25_K1 + 1)) / (count + saturation)
  })
  return score
}
