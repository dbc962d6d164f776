/** Sparse vectors and their inverted lists. Idf comes in when a question is asked, so it never goes stale. */
import { PostingLists, type PostingList } from './posting-lists.ts'
import { BoundedTop, type ScoredRow, type SlotFilter } from './scan.ts'

/** Dimensions that are not zero, and their values. A dimension given twice counts with the sum of its values. */
export interface SparseVector {
  /** Signed 32-bit integers. */
  readonly indices: Int32Array<ArrayBuffer>
  readonly values: Float32Array<ArrayBuffer>
}

/** How a question's values are weighted. */
export type Weighting = 'IDF' | 'none'

/** Whether a slot was met in this search, and may be found. */
const UNSEEN = 0
const FOUND = 1
const LEFT_OUT = 2

/** Inverted lists of a namespace. */
export class SparsePostings {
  readonly #lists = new PostingLists()
  #rowCount = 0
  /** Slots that were ever given are below it. */
  #slotCount = 0
  /** Scratch of a search: scores and marks by slot, and the slots met so far. Clean between searches. */
  #scores = new Float64Array(0)
  #marks = new Uint8Array(0)
  #met = new Int32Array(0)
  #metCount = 0

  /** Bytes held in lists and scratch. */
  get byteLength(): number {
    return this.#lists.byteLength + this.#scores.byteLength + this.#marks.byteLength + this.#met.byteLength
  }

  /** Dimensions that any row has or had. */
  get dimensionCount(): number {
    return this.#lists.dimensionCount
  }

  /** How many different dimensions of some vectors no row has. */
  unseenDimensions(vectors: readonly SparseVector[]): number {
    const unseen = new Set<number>()
    for (const { indices } of vectors) {
      for (const dimension of indices) if (!this.#lists.knows(dimension)) unseen.add(dimension)
    }
    return unseen.size
  }

  /** Gives back what the lists hold in reserve. */
  compact(): void {
    this.#lists.compact()
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
   * Rows by inner product with a vector. They are ordered by sums in float64, so that near-duplicates keep their order; the
   * scores of the best are summed in float32 as the service sums them. Idf is that of the whole namespace, with any filter.
   *
   * @param matches rows that may be found, asked once for each row before it is scored; all without it
   * @returns at most `topK` rows, best first, ties in insertion order; rows that share no dimension are left out
   */
  search(vector: SparseVector, topK: number, weighting: Weighting, matches?: SlotFilter): readonly ScoredRow[] {
    this.#makeScratch()
    const weights = this.#weighted(vector, weighting)
    try {
      for (const [dimension, weight] of weights) {
        const list = this.#lists.list(dimension)
        if (list !== undefined) this.#accumulate(list, weight, matches)
      }
      return this.#scored(this.#best(topK), weights)
    } finally {
      this.#cleanScratch()
    }
  }

  /** Each dimension once, with the weighted sum of its values, in float32. */
  #weighted(vector: SparseVector, weighting: Weighting): ReadonlyMap<number, number> {
    const weights = summed(vector)
    if (weighting === 'IDF') {
      for (const [dimension, value] of weights) weights.set(dimension, Math.fround(value * this.idf(dimension)))
    }
    return weights
  }

  /** Gives rows that are in order their float32 scores. A later one has no higher score than one before it. */
  #scored(rows: readonly ScoredRow[], weights: ReadonlyMap<number, number>): readonly ScoredRow[] {
    let least = Infinity
    return rows.map(({ slot }) => {
      let score = 0
      for (const [dimension, weight] of weights) {
        score = Math.fround(score + Math.fround(weight * this.#lists.valueAt(dimension, slot)))
      }
      // What float32 orders differently is as good as equal.
      least = Math.min(least, score)
      return { slot, score: least }
    })
  }

  /** Adds a list's share to the scores. */
  #accumulate({ slots, values, from, to }: PostingList, weight: number, matches?: SlotFilter): void {
    const scores = this.#scores
    const marks = this.#marks
    for (let at = from; at < to; at++) {
      const slot = slots[at]!
      if (slot < 0) continue
      if (marks[slot] === UNSEEN) {
        this.#met[this.#metCount++] = slot
        marks[slot] = LEFT_OUT
        if (matches === undefined || matches(slot)) marks[slot] = FOUND
      }
      if (marks[slot] === FOUND) scores[slot]! += weight * values[at]!
    }
  }

  #best(topK: number): readonly ScoredRow[] {
    const best = new BoundedTop(topK)
    for (let at = 0; at < this.#metCount; at++) {
      const slot = this.#met[at]!
      if (this.#marks[slot] === FOUND) best.offer(slot, this.#scores[slot]!)
    }
    return best.sorted()
  }

  #makeScratch(): void {
    if (this.#scores.length >= this.#slotCount) return
    const length = this.#slotCount + (this.#slotCount >> 2)
    this.#scores = new Float64Array(length)
    this.#marks = new Uint8Array(length)
    this.#met = new Int32Array(length)
  }

  #cleanScratch(): void {
    for (let at = 0; at < this.#metCount; at++) {
      const slot = this.#met[at]!
      this.#scores[slot] = 0
      this.#marks[slot] = UNSEEN
    }
    this.#metCount = 0
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
