/**
 * Sparse vectors and their inverted lists. A text becomes a BM25 vector whose dimensions are hashes of its terms; idf
 * comes in when a question is asked, so it never goes stale.
 *
 * @see Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.4
 */
import { hash32 } from './hash.ts'
import { PostingLists, type PostingList } from './posting-lists.ts'
import { BoundedTop, type ScoredRow } from './scan.ts'

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

/** Inverted lists of a namespace. */
export class SparsePostings {
  readonly #lists = new PostingLists()
  #rowCount = 0
  /** Slots that were ever given are below it. */
  #slotCount = 0
  /** Scratch of a search: scores by slot, whether a slot has one yet, and which have. Clean between searches. */
  #scores = new Float32Array(0)
  #seen = new Uint8Array(0)
  #touched = new Int32Array(0)

  /** Bytes held in lists and scratch. */
  get byteLength(): number {
    return this.#lists.byteLength + this.#scores.byteLength + this.#seen.byteLength + this.#touched.byteLength
  }

  /** Adds a row. Its slot must not be in the lists. */
  add(slot: number, { indices, values }: SparseVector): void {
    for (let at = 0; at < indices.length; at++) this.#lists.add(indices[at]!, slot, values[at]!)
    this.#slotCount = Math.max(this.#slotCount, slot + 1)
    this.#rowCount++
  }

  /** Removes a row that was added with this vector. */
  remove(slot: number, { indices }: SparseVector): void {
    for (const dimension of indices) this.#lists.remove(dimension, slot)
    this.#rowCount--
  }

  /** Inverse document frequency of a dimension: ln(1 + (N − n + .5) / (n + .5)). */
  idf(dimension: number): number {
    const holding = this.#lists.count(dimension)
    return Math.log(1 + (this.#rowCount - holding + 0.5) / (holding + 0.5))
  }

  /**
   * Rows by inner product with a vector, in float32. Idf is that of the whole namespace, whatever is allowed.
   *
   * @param allowed a byte for each slot, above 0 for those that may be found; without it, all may
   * @returns at most `topK` rows, best first, ties in insertion order; rows that share no dimension are left out
   */
  search(vector: SparseVector, topK: number, weighting: Weighting, allowed?: Uint8Array): readonly ScoredRow[] {
    this.#makeScratch()
    let touched = 0
    for (const [dimension, value] of summed(vector)) {
      const list = this.#lists.list(dimension)
      if (list === undefined) continue
      const weight = Math.fround(weighting === 'IDF' ? value * this.idf(dimension) : value)
      touched = this.#accumulate(list, weight, touched, allowed)
    }
    const best = new BoundedTop(topK)
    for (let at = 0; at < touched; at++) {
      const slot = this.#touched[at]!
      best.offer(slot, this.#scores[slot]!)
      this.#scores[slot] = 0
      this.#seen[slot] = 0
    }
    return best.sorted()
  }

  /** Adds a list's share to the scores. @returns how many slots have a score now */
  #accumulate({ slots, values, from, to }: PostingList, weight: number, before: number, allowed?: Uint8Array): number {
    const scores = this.#scores
    const seen = this.#seen
    let touched = before
    for (let at = from; at < to; at++) {
      const slot = slots[at]!
      if (slot < 0 || (allowed !== undefined && !isAllowed(allowed, slot))) continue
      if (seen[slot] === 0) {
        seen[slot] = 1
        this.#touched[touched++] = slot
      }
      scores[slot]! += Math.fround(weight * values[at]!)
    }
    return touched
  }

  #makeScratch(): void {
    if (this.#scores.length >= this.#slotCount) return
    const length = this.#slotCount + (this.#slotCount >> 2)
    this.#scores = new Float32Array(length)
    this.#seen = new Uint8Array(length)
    this.#touched = new Int32Array(length)
  }
}

/** A slot that the mask is too short for is not allowed. */
function isAllowed(allowed: Uint8Array, slot: number): boolean {
  return (allowed[slot] ?? 0) > 0
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
