/** Features of question and evidence, computed once for all text signals. */
import type { Evidence } from '../evidence/evidence.ts'
import { BM25_B, BM25_K1 } from '../text/bm25.ts'
import { type CountedTerms, countTerms, type Lexicon } from '../text/lexicon.ts'
import type { SentenceTerms, TermReader } from '../text/term-reader.ts'
import { respelled } from './respelled.ts'
import { type TermStatistics, termStatistics } from './term-statistics.ts'

/** Number of best chunks read. */
const CHUNKS = 10

/** Number of best chunks whose sentences and titles are read separately. */
const CHUNKS_IN_SENTENCES = 5

/** Number of best chunks in which terms with the same beginning as missing ones are searched. */
const CHUNKS_NEAR = 3

/** Smallest length of a common beginning, relative to the longer of two terms, for them to count as near. */
const NEAR_FROM = 0.6

/** Shortest terms that are compared by their beginnings. */
const NEAR_LENGTH = 4

/** A distinct term of the question. */
export interface QuestionTerm {
  readonly term: string
  readonly idf: number
  /** Its rate in the collection (`TermStatistics`). */
  readonly rate: number
}

/** Features of a sentence. */
export interface SentenceFeatures {
  /** Question terms that it contains, as indexes into `questionTerms`. */
  readonly held: readonly number[]
  /** Sum of squared idf of its distinct terms; lazy, because it looks up all of its words. */
  readonly squaredIdf: () => number
}

/** Features of a chunk. */
export interface ChunkFeatures {
  /** Question terms in its title, as indexes into `questionTerms`; empty beyond the five best chunks. */
  readonly titled: readonly number[]
  /** Its sentences that contain a question term; empty beyond the five best chunks. */
  readonly sentences: readonly SentenceFeatures[]
  /** Number of occurrences of each of `questionTerms`. */
  readonly counts: readonly number[]
  /**
   * For each of `questionTerms` that is missing: the relative length, .6 to 1, of the longest common beginning with a term of
   * the chunk (`immigr`, `immigrant`). 0 for terms that occur, and beyond the three best chunks.
   */
  readonly nearness: readonly number[]
  /** Number of its terms. */
  readonly length: number
  /** BM25 of this chunk for the question, k1 1.2, b .75, against the collection lexicon. 0 and up. */
  readonly bm25: number
}

/** Features from which text signals are computed. */
export interface TextFeatures {
  readonly evidence: Evidence
  readonly questionTerms: readonly QuestionTerm[]
  /** Sum of idf over `questionTerms`; 0 if the question has no term. */
  readonly idfMass: number
  /** Distinct terms in the best chunk's title; empty if it has none. */
  readonly titleTerms: readonly string[]
  /** The ten best chunks with different terms, best first. */
  readonly chunks: readonly ChunkFeatures[]
}

/**
 * Computes the features of a question and its evidence with the collection's lexicon; with `EMPTY_LEXICON`, document
 * frequencies come from the chunks. A chunk with the same terms as a better one is skipped. A question term that occurs in
 * neither collection nor chunks is corrected to a similar term of the chunks, if another of its terms is known.
 *
 * @param reader extracts terms of texts
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
  const { idf, rate, meanChunkLength } = termStatistics(known)
  const questionTerms = correctedTerms(asked, known, read).map((term) => ({ term, idf: idf(term), rate: rate(term) }))
  const places = new Map(questionTerms.map(({ term }, at) => [term, at]))
  return {
    evidence,
    questionTerms,
    idfMass: questionTerms.reduce((mass, each) => mass + each.idf, 0),
    titleTerms: [...new Set(terms(evidence.chunks[0]?.title ?? ''))],
    chunks: read.map(({ title, sentences: said, length }, rank) => {
      const counts = questionTerms.map(() => 0)
      const found: SentenceFeatures[] = []
      for (const sentence of said) {
        const held = placesOf(sentence, places)
        for (const at of held) counts[at]!++
        if (rank < CHUNKS_IN_SENTENCES && held.length > 0) {
          found.push({ held: [...new Set(held)], squaredIdf: () => squaredIdf(sentence, idf) })
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
        bm25: bm25(questionTerms, counts, length, meanChunkLength),
      }
    }),
  }
}

/** A chunk with the terms of its sentences. */
interface ReadChunk {
  readonly title: string
  readonly sentences: SentenceTerms
  /** Number of its terms. */
  readonly length: number
}

/** The best chunks, without those with the same terms as a better one. */
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

/** The distinct terms of a question, with misspellings corrected by the chunks' terms. */
function correctedTerms(
  asked: readonly string[],
  { documentFrequency }: CountedTerms,
  chunks: readonly ReadChunk[],
): readonly string[] {
  const sentences = chunks.flatMap((chunk) => chunk.sentences)
  const isKnown = (term: string): boolean =>
    documentFrequency.has(term) || sentences.some((terms) => terms.includes(term))
  // A single unknown term is not corrected, because nothing confirms the correction: `love` must not become `move`.
  return asked.some(isKnown)
    ? [...new Set(asked.map((term) => (isKnown(term) ? term : (respelled(term, sentences) ?? term))))]
    : asked
}

/** Index of each question term in `questionTerms`. */
type Places = ReadonlyMap<string, number>

/** Indexes of the question terms in a text, including repetitions. */
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
  for (const other of parts.flat()) {
    let shared = 0
    // Past the end `charCodeAt` gives NaN, which equals nothing.
    while (other.charCodeAt(shared) === term.charCodeAt(shared)) shared++
    nearest = Math.max(nearest, shared / Math.max(term.length, other.length))
  }
  return nearest >= NEAR_FROM ? nearest : 0
}

function squaredIdf(part: readonly string[], idf: TermStatistics['idf']): number {
  return [...new Set(part)].reduce((sum, term) => sum + idf(term) ** 2, 0)
}

function bm25(terms: readonly QuestionTerm[], counts: readonly number[], length: number, meanLength: number): number {
  // A lexicon of one term a chunk is the empty one's: then every chunk has the mean length.
  const saturation = BM25_K1 * (1 - BM25_B + BM25_B * (meanLength > 1 ? length / meanLength : 1))
  return terms.reduce(
    (score, { idf }, at) => score + (idf * counts[at]! * (BM25_K1 + 1)) / (counts[at]! + saturation),
    0,
  )
}
