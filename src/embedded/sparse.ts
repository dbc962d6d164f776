/**
 * Sparse vectors and their inverted lists. A text becomes a BM25 vector whose dimensions are hashes of its terms; idf
 * comes in when a question is asked, so it never goes stale.
 *
 * @see Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.4
 */
import { hash32 } from './hash.ts'
import { BoundedTop, type ScoredRow, type SlotFilter } from './scan.ts'

/** Dimensions that are not zero, and their values. A dimension given twice counts with the sum of its values. */
export interface SparseVector {
  /** Signed 32-bit integers. */
  readonly indices: Int32Array<ArrayBuffer>
  readonly values: Float32Array<ArrayBuffer>
}

/** How a question's values are weighted. */
export type Weighting = 'IDF' | 'none'

const TERM_SEED = 3
const K1 = 1.2
const B = 0.75
/** Assumed mean length in terms: a constant, so that a stored vector never changes when others come or go. */
const MEAN_LENGTH = 32

/** Dimension of a term. Two terms share one with a chance of about one in four thousand million. */
export function dimensionOf(term: string): number {
  return hash32(term, TERM_SEED)
}

/** BM25 vector of a passage with these terms: f·(k1+1) / (f + k1·(1 − b + b·length/32)). */
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

/** The rows that have one dimension, by rising slot. */
interface Posting {
  readonly slots: number[]
  readonly values: number[]
}

/** Inverted lists of a namespace. */
export class SparsePostings {
  readonly #postings = new Map<number, Posting>()
  #rowCount = 0

  /** Adds a row. Its slot must not be in the lists. */
  add(slot: number, vector: SparseVector): void {
    for (const [dimension, value] of summed(vector)) {
      let posting = this.#postings.get(dimension)
      if (posting === undefined) this.#postings.set(dimension, (posting = { slots: [], values: [] }))
      const at = placeOf(posting.slots, slot)
      posting.slots.splice(at, 0, slot)
      posting.values.splice(at, 0, value)
    }
    this.#rowCount++
  }

  /** Removes a row that was added with this vector. */
  remove(slot: number, vector: SparseVector): void {
    for (const dimension of new Set(vector.indices)) {
      const posting = this.#postings.get(dimension)
      if (posting === undefined) continue
      const at = placeOf(posting.slots, slot)
      if (posting.slots[at] !== slot) continue
      posting.slots.splice(at, 1)
      posting.values.splice(at, 1)
      if (posting.slots.length === 0) this.#postings.delete(dimension)
    }
    this.#rowCount--
  }

  /** Inverse document frequency of a dimension: ln(1 + (N − n + .5) / (n + .5)). */
  idf(dimension: number): number {
    const holding = this.#postings.get(dimension)?.slots.length ?? 0
    return Math.log(1 + (this.#rowCount - holding + 0.5) / (holding + 0.5))
  }

  /**
   * Rows by inner product with a vector, in float32.
   *
   * @param matches rows that may be found; all without it
   * @returns at most `topK` rows, best first, ties in insertion order; rows that share no dimension are left out
   */
  search(vector: SparseVector, topK: number, weighting: Weighting, matches?: SlotFilter): readonly ScoredRow[] {
    const scores = new Map<number, number>()
    for (const [dimension, value] of summed(vector)) {
      const posting = this.#postings.get(dimension)
      if (posting === undefined) continue
      const weight = Math.fround(weighting === 'IDF' ? value * this.idf(dimension) : value)
      for (let at = 0; at < posting.slots.length; at++) {
        const slot = posting.slots[at]!
        scores.set(slot, Math.fround((scores.get(slot) ?? 0) + Math.fround(weight * posting.values[at]!)))
      }
    }
    const best = new BoundedTop(topK)
    for (const [slot, score] of scores) if (matches?.(slot) !== false) best.offer(slot, score)
    return best.sorted()
  }
}

/** Each dimension once, with the sum of its values. */
function summed(vector: SparseVector): Map<number, number> {
  const sums = new Map<number, number>()
  for (let at = 0; at < vector.indices.length; at++) {
    const dimension = vector.indices[at]!
    sums.set(dimension, Math.fround((sums.get(dimension) ?? 0) + vector.values[at]!))
  }
  return sums
}

/** First place whose slot is not below `slot`. */
function placeOf(slots: readonly number[], slot: number): number {
  // Loading appends: the common case needs no search.
  if (slots.length === 0 || slots[slots.length - 1]! < slot) return slots.length
  let low = 0
  let high = slots.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (slots[middle]! < slot) low = middle + 1
    else high = middle
  }
  return low
}
