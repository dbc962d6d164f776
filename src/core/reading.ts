/** A question and its evidence, read once: every signal measured from text looks at this. */
import type { Evidence } from './evidence.ts'
import { BM25_K1 } from './fusion.ts'
import { inverseDocumentFrequency, type Lexicon, meanChunkLength } from './lexicon.ts'
import { sentences, terms } from './text.ts'

/** How many chunks are read, best first. */
export const CHUNKS_READ = 10

const BM25_B = 0.75

/** A distinct term of the question. */
export interface QuestionTerm {
  readonly term: string
  readonly idf: number
}

/** One chunk as read. */
export interface ReadChunk {
  /** For each of its sentences that holds any question term: which ones, as indexes into `questionTerms`. */
  readonly sentences: readonly (readonly number[])[]
  /** BM25 of this chunk for the question, k1 1.2, b .75, against the collection lexicon. 0 and up. */
  readonly bm25: number
}

/** What was read. */
export interface Reading {
  readonly evidence: Evidence
  readonly questionTerms: readonly QuestionTerm[]
  /** Idf summed over `questionTerms`; 0 when the question has no term. */
  readonly idfMass: number
  /** The ten best chunks, best first. */
  readonly chunks: readonly ReadChunk[]
}

/** Reads a question and its evidence against the collection lexicon. */
export function read(question: string, evidence: Evidence, lexicon: Lexicon): Reading {
  const questionTerms = [...new Set(terms(question))].map((term) => ({
    term,
    idf: inverseDocumentFrequency(lexicon, term),
  }))
  const meanLength = meanChunkLength(lexicon)
  return {
    evidence,
    questionTerms,
    idfMass: questionTerms.reduce((mass, { idf }) => mass + idf, 0),
    chunks: evidence.chunks.slice(0, CHUNKS_READ).map(({ text }) => readChunk(text, questionTerms, meanLength)),
  }
}

function readChunk(text: string, questionTerms: readonly QuestionTerm[], meanLength: number): ReadChunk {
  const indexOf = new Map(questionTerms.map(({ term }, at) => [term, at]))
  const counts = questionTerms.map(() => 0)
  const found: number[][] = []
  let length = 0
  for (const sentence of sentences(text)) {
    const held: number[] = []
    for (const term of terms(sentence)) {
      length++
      const at = indexOf.get(term)
      if (at === undefined) continue
      counts[at] = (counts[at] ?? 0) + 1
      if (!held.includes(at)) held.push(at)
    }
    if (held.length > 0) found.push(held)
  }
  // A lexicon of one term a chunk is the empty one's: then every chunk has the mean length.
  const saturation = BM25_K1 * (1 - BM25_B + BM25_B * (meanLength > 1 ? length / meanLength : 1))
  let bm25 = 0
  questionTerms.forEach(({ idf }, at) => {
    const count = counts[at] ?? 0
    bm25 += (idf * count * (BM25_K1 + 1)) / (count + saturation)
  })
  return { sentences: found, bm25 }
}
