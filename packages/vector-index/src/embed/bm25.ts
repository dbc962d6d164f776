/**
 * BM25 vectors of texts, whose dimensions are hashes of terms.
 *
 * @see Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.4
 */
import type { SparseVector } from '../search/vectors.ts'
import { hash32 } from './hash.ts'

const TERM_SEED = 3
const K1 = 1.2
const B = 0.75
/** Assumed mean length in terms. A constant, so that stored vectors do not depend on other passages. */
const MEAN_LENGTH = 32

/** Dimension of a term. The probability that two terms share one is about 1 in 4 billion. */
export function dimensionOf(term: string): number {
  return hash32(term, TERM_SEED)
}

/** BM25 vector of a passage: f·(k1+1) / (f + k1·(1 − b + b·length/32)) for each term. */
export function passageVector(frequencies: ReadonlyMap<string, number>): SparseVector {
  let length = 0
  for (const frequency of frequencies.values()) length += frequency
  const damping = K1 * (1 - B + (B * length) / MEAN_LENGTH)
  return sparseVector(frequencies, (frequency) => (frequency * (K1 + 1)) / (frequency + damping))
}

/** Vector of a question: 1 for each distinct term. */
export function questionVector(frequencies: ReadonlyMap<string, number>): SparseVector {
  return sparseVector(frequencies, () => 1)
}

function sparseVector(frequencies: ReadonlyMap<string, number>, valueOf: (frequency: number) => number): SparseVector {
  return {
    indices: Int32Array.from(frequencies.keys(), dimensionOf),
    values: Float32Array.from(frequencies.values(), valueOf),
  }
}
