/**
 * Exact search over dense rows of which only bytes are in memory: the bytes say how near a row can be at most, and the
 * rows that may be among the best are scored by the vectors themselves, which are read for it.
 */
import { BoundedTop, falling, type ScoredRow, type SlotFilter } from './best.ts'
import { plainKernel, type ScanKernel } from './kernel.ts'
import {
  nearness,
  prepareQuestion,
  scoreInFloat32,
  squaredLength,
  type Question,
  type Similarity,
} from './similarity.ts'

/** Reads the vectors of rows. */
export type ReadVectors = (slots: readonly number[]) => ReadonlyMap<number, Float32Array>

/** How a dense search scores, and which rows it passes over. */
export interface DenseSearch {
  readonly similarity: Similarity
  readonly topK: number
  readonly isFound: SlotFilter
  readonly read: ReadVectors
}

/** Rows as they are stored in a block. */
export interface DenseBlock {
  /** One row behind the other, each `stride` bytes. */
  readonly bytes: Int8Array
  /** What a step of a row's bytes is worth, by the row's length. */
  readonly gains: Float32Array
  /** Length of what rounding to bytes took away, by the row's length; never too small. */
  readonly misses: Float32Array
  readonly lengths: Float64Array
}

/** Bytes that the kernel reads at once. */
const STEP = 16

/** Where the question stands in the kernel's memory; nothing is at address 0. */
const QUESTION_AT = 64

/** Pages taken at once: growing makes all views of the memory invalid. */
const PAGES_AT_ONCE = 16
const PAGE = 65_536

/** Above what rounding in float32 and in sums does to a bound, relative to the lengths multiplied. */
const ROUNDING = 1e-6

/** Rows read at once to be scored by their vectors. */
const READ_AT_ONCE = 256

/** The most that integers of 16 bits may add up to, so that products with bytes stay within 32 bits. */
const LARGEST_SUM = (2 ** 31 - 1) / 128

/** Dense rows of one namespace by slot. */
export class DenseRows {
  readonly #stride: number
  readonly #kernel: ScanKernel
  /** Where the rows begin. */
  readonly #rowsAt: number
  #gains = new Float32Array(0)
  #misses = new Float32Array(0)
  #lengths = new Float64Array(0)
  #count = 0

  /** @param dimension length of every row; 0 for an index without a dense part */
  constructor(dimension: number, kernel: ScanKernel = plainKernel()) {
    this.#stride = Math.ceil(dimension / STEP) * STEP
    this.#rowsAt = QUESTION_AT + 4 * this.#stride
    this.#kernel = kernel
  }

  /** Sets the row in a slot. */
  put(slot: number, vector: Float32Array): void {
    this.#reserve(slot + 1)
    const bytes = this.#bytes(slot, slot + 1)
    bytes.fill(0)
    const length = Math.sqrt(squaredLength(vector))
    let largest = 0
    for (const value of vector) largest = Math.max(largest, Math.abs(value))
    const step = largest / 127
    let missed = 0
    if (largest > 0) {
      for (let at = 0; at < vector.length; at++) {
        bytes[at] = Math.round(vector[at]! / step)
        missed += (vector[at]! - bytes[at]! * step) ** 2
      }
    }
    this.#gains[slot] = length === 0 ? 0 : step / length
    this.#misses[slot] = length === 0 ? 0 : Math.sqrt(missed) / length + ROUNDING
    this.#lengths[slot] = length
  }

  /** Takes the rows of a block, from a slot on. */
  putBlock(from: number, { bytes, gains, misses, lengths }: DenseBlock): void {
    this.#reserve(from + lengths.length)
    this.#bytes(from, from + lengths.length).set(bytes)
    this.#gains.set(gains, from)
    this.#misses.set(misses, from)
    this.#lengths.set(lengths, from)
  }

  /** The rows of slots as they are stored; good until the next row is set. */
  block(from: number, to: number): DenseBlock {
    return {
      bytes: this.#bytes(from, to),
      gains: this.#gains.subarray(from, to),
      misses: this.#misses.subarray(from, to),
      lengths: this.#lengths.subarray(from, to),
    }
  }

  /** Drops the slots from one on. */
  cut(count: number): void {
    this.#count = count
  }

  /**
   * The rows nearest to a vector, with the scores of the service, in float32 from 0 to 1: (1 + cosine) / 2,
   * 1 / (1 + squared distance) or (1 + inner product) / 2. A row of zeros has cosine 0.
   *
   * @returns at most `topK` rows, best first, ties in insertion order; by cosine none for a vector of zeros
   */
  search(vector: Float32Array, { similarity, topK, isFound, read }: DenseSearch): readonly ScoredRow[] {
    const question = prepareQuestion(vector, similarity)
    if (topK < 1 || (question.squares === 0 && similarity === 'COSINE')) return []
    const bounds = this.#bounds(question, isFound)
    const promising = new BoundedTop(topK)
    for (let slot = 0; slot < bounds.length; slot++) promising.offer(slot, bounds[slot]!)
    const best = new BoundedTop(topK)
    const scores = new Map<number, number>()
    const score = (slots: readonly number[]): void => {
      for (const [slot, row] of read(slots)) {
        best.offer(slot, nearness(question, row))
        scores.set(slot, scoreInFloat32(question, row))
      }
    }
    const first = promising.sorted().map(({ slot }) => slot)
    for (let at = 0; at < first.length; at += READ_AT_ONCE) score(first.slice(at, at + READ_AT_ONCE))
    // What cannot reach the worst of these is out; the others follow, the most promising first.
    const rest: number[] = []
    for (let slot = 0; slot < bounds.length; slot++) {
      if (bounds[slot]! >= best.least && !scores.has(slot)) rest.push(slot)
    }
    rest.sort((a, b) => bounds[b]! - bounds[a]!)
    for (let at = 0; at < rest.length && bounds[rest[at]!]! >= best.least; at += READ_AT_ONCE) {
      score(rest.slice(at, at + READ_AT_ONCE))
    }
    return falling(best.sorted(), (slot) => scores.get(slot)!)
  }

  /**
   * The most that the nearness of each row can be; NaN for a row that may not be found. With x̂ and q̂ for what rounding
   * made of row and question, q·x = q̂·x̂ + (q − q̂)·x̂ + q·(x − x̂), and by Cauchy and Schwarz the last two are no more
   * than the lengths multiplied.
   */
  #bounds(question: Question, isFound: SlotFilter): Float64Array {
    const { similarity, squares } = question
    const { dots, step, miss } = this.#dots(question.vector)
    const length = Math.sqrt(squares)
    const bounds = new Float64Array(this.#count).fill(NaN)
    for (let slot = 0; slot < bounds.length; slot++) {
      if (!isFound(slot)) continue
      const rowMiss = this.#misses[slot]!
      const rowLength = this.#lengths[slot]!
      // Both by the row's length.
      const product = step * this.#gains[slot]! * dots[slot]! + miss * (1 + rowMiss) + length * rowMiss
      if (similarity === 'COSINE') bounds[slot] = rowLength === 0 ? 0 : product / length
      else if (similarity === 'DOT_PRODUCT') bounds[slot] = rowLength * product
      else {
        const sum = squares + rowLength * rowLength
        bounds[slot] = 2 * rowLength * product - sum * (1 - ROUNDING * ROUNDING)
      }
    }
    return bounds
  }

  /** Products of all rows with the question in integers. @returns also what one is worth, and the length that rounding took away */
  #dots(vector: Float32Array): { readonly dots: Int32Array; readonly step: number; readonly miss: number } {
    const out = this.#rowsAt + this.#count * this.#stride
    this.#makeRoom(out + 4 * this.#count)
    const { memory } = this.#kernel
    const integers = new Int16Array(memory.buffer, QUESTION_AT, this.#stride).fill(0)
    let [largest, sum] = [0, 0]
    for (const value of vector) {
      largest = Math.max(largest, Math.abs(value))
      sum += Math.abs(value)
    }
    if (largest === 0) return { dots: new Int32Array(this.#count), step: 0, miss: 0 }
    // Rounding may add a half to every integer.
    const levels = Math.floor(Math.min(32_767, ((LARGEST_SUM - vector.length / 2) * largest) / sum))
    const step = largest / levels
    let missed = 0
    for (let at = 0; at < vector.length; at++) {
      integers[at] = Math.round(vector[at]! / step)
      missed += (vector[at]! - integers[at]! * step) ** 2
    }
    this.#kernel.dots(this.#rowsAt, this.#count, this.#stride, QUESTION_AT, out)
    return { dots: new Int32Array(memory.buffer, out, this.#count), step, miss: Math.sqrt(missed) }
  }

  #bytes(from: number, to: number): Int8Array {
    const { buffer } = this.#kernel.memory
    return new Int8Array(buffer, this.#rowsAt + from * this.#stride, (to - from) * this.#stride)
  }

  #reserve(count: number): void {
    this.#count = Math.max(this.#count, count)
    this.#makeRoom(this.#rowsAt + this.#count * this.#stride)
    if (count <= this.#lengths.length) return
    const room = Math.max(count, this.#lengths.length + (this.#lengths.length >> 2) + 64)
    const [gains, misses, lengths] = [new Float32Array(room), new Float32Array(room), new Float64Array(room)]
    gains.set(this.#gains)
    misses.set(this.#misses)
    lengths.set(this.#lengths)
    this.#gains = gains
    this.#misses = misses
    this.#lengths = lengths
  }

  #makeRoom(bytes: number): void {
    const { memory } = this.#kernel
    const missing = Math.ceil((bytes - memory.buffer.byteLength) / PAGE)
    if (missing > 0) memory.grow(Math.max(missing, PAGES_AT_ONCE))
  }
}
