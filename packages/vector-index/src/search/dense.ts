/**
 * Exact search over dense rows of which only quantised bytes are in memory: the bytes give an upper bound of each row's
 * similarity, and only rows that may be among the best are scored by their stored vectors.
 */
import { BoundedTop, falling, type RowFilter, type ScoredRow } from './best.ts'
import { ROUNDING, strideOf, type Block, type SearchedBlock } from './block.ts'
import type { ScanKernel } from './kernel.ts'
import { nearness, prepareQuestion, scoreInFloat32, type Question, type Similarity } from './similarity.ts'

/** Options of a dense search. */
export interface DenseSearch {
  readonly similarity: Similarity
  readonly topK: number
  readonly blocks: readonly SearchedBlock[]
  readonly isFound: RowFilter
  /** Reads the vectors of rows. */
  readonly read: (positions: readonly number[]) => Iterable<DenseRow>
  readonly kernel: ScanKernel
}

/** A row's vector. */
export interface DenseRow {
  readonly position: number
  readonly dense: Float32Array
}

/** Address of the question in the kernel's memory; address 0 is unused. */
const QUESTION_AT = 64

const PAGE = 65_536

/** Number of rows to read at once for exact scoring. */
const READ_AT_ONCE = 256

/** Maximum sum of the question's 16-bit integers, so that products with bytes fit in 32 bits. */
const LARGEST_SUM = (2 ** 31 - 1) / 128

/**
 * Finds the rows nearest to a vector, with the service's scores in float32 from 0 to 1: (1 + cosine) / 2, 1 / (1 +
 * squared distance) or (1 + inner product) / 2. A zero row has cosine 0.
 *
 * @returns at most `topK` rows, best first, ties in insertion order; by cosine none for a zero vector
 */
export function searchDense(vector: Float32Array, search: DenseSearch): readonly ScoredRow[] {
  const { similarity, topK, blocks, isFound, read, kernel } = search
  const question = prepareQuestion(vector, similarity)
  if (question.squares === 0 && similarity === 'COSINE') return []
  const best = new BoundedTop(topK)
  const scored = new Map<number, Float32Array>()
  const score = (rows: Iterable<DenseRow>): void => {
    for (const { position, dense } of rows) {
      // Of equal rows, of which there may be more than fit in memory, all are read.
      if (best.offer(position, nearness(question, dense))) scored.set(position, dense)
    }
  }
  const promising = new BoundedTop(topK)
  const boundsOf = prepareBounds(question, kernel)
  const bounds = blocks.map((block) => {
    const most = boundsOf(block)
    for (let at = 0; at < most.length; at++) {
      // Most rows are worse than those found before.
      if (most[at]! < promising.least) continue
      const position = block.positions[at]!
      if (block.stale?.has(position) !== true && isFound(position)) promising.offer(position, most[at]!)
    }
    return most
  })
  const first = promising.sorted().map(({ position }) => position)
  for (let at = 0; at < first.length; at += READ_AT_ONCE) score(read(first.slice(at, at + READ_AT_ONCE)))
  // Drop rows that cannot reach the worst of these; score the others, the most promising first.
  const rest: { readonly position: number; readonly most: number }[] = []
  const { least } = best
  bounds.forEach((most, block) => {
    const { positions, stale } = blocks[block]!
    for (let at = 0; at < most.length; at++) {
      if (!(most[at]! >= least)) continue
      const position = positions[at]!
      if (scored.has(position) || stale?.has(position) === true || !isFound(position)) continue
      rest.push({ position, most: most[at]! })
    }
  })
  rest.sort((a, b) => b.most - a.most)
  for (let at = 0; at < rest.length && rest[at]!.most >= best.least; at += READ_AT_ONCE) {
    score(read(rest.slice(at, at + READ_AT_ONCE).map(({ position }) => position)))
  }
  return falling(best.sorted(), (position) => scoreInFloat32(question, scored.get(position)!))
}

/**
 * Upper bounds of the similarity of each row of a block. With x̂ and q̂ for the quantised row and question, q·x = q̂·x̂
 * + (q − q̂)·x̂ + q·(x − x̂), and by Cauchy–Schwarz the last two terms are at most the products of the lengths.
 */
function prepareBounds(
  { vector, similarity, squares }: Question,
  kernel: ScanKernel,
): (block: Block) => Float64Array<ArrayBuffer> {
  const stride = strideOf(vector.length)
  const { integers, step, miss } = rounded(vector, stride)
  const length = Math.sqrt(squares)
  return function boundsOf({ positions, lengths, gains, misses, bytes }) {
    const dots = dotsOf(kernel, bytes, integers, positions.length)
    const bounds = new Float64Array(dots.length)
    for (let at = 0; at < bounds.length; at++) {
      const rowLength = lengths[at]!
      // In units of the row's length.
      const product = step * gains[at]! * dots[at]! + miss * (1 + misses[at]!) + length * misses[at]!
      if (similarity === 'COSINE') bounds[at] = product / length
      else if (similarity === 'DOT_PRODUCT') bounds[at] = rowLength * product
      else bounds[at] = 2 * rowLength * product - (squares + rowLength * rowLength) * (1 - ROUNDING * ROUNDING)
    }
    return bounds
  }
}

/** Quantises a question to integers. @returns also the value of one step, and the length of the quantisation error */
function rounded(
  vector: Float32Array,
  stride: number,
): { readonly integers: Int16Array; readonly step: number; readonly miss: number } {
  const integers = new Int16Array(stride)
  let [largest, sum] = [0, 0]
  for (const value of vector) {
    largest = Math.max(largest, Math.abs(value))
    sum += Math.abs(value)
  }
  if (largest === 0) return { integers, step: 0, miss: 0 }
  // Rounding may add one half to each integer.
  const levels = Math.floor(Math.min(32_767, ((LARGEST_SUM - vector.length / 2) * largest) / sum))
  const step = largest / levels
  let missed = 0
  for (let at = 0; at < vector.length; at++) {
    integers[at] = Math.round(vector[at]! / step)
    missed += (vector[at]! - integers[at]! * step) ** 2
  }
  return { integers, step, miss: Math.sqrt(missed) }
}

/** Inner products of rows with a question, in the kernel's memory; valid until the next call. */
function dotsOf(kernel: ScanKernel, rows: Int8Array, question: Int16Array, count: number): Int32Array {
  const rowsAt = QUESTION_AT + question.byteLength
  const out = rowsAt + rows.length
  const missing = Math.ceil((out + 4 * count - kernel.memory.buffer.byteLength) / PAGE)
  if (missing > 0) kernel.memory.grow(missing)
  const { buffer } = kernel.memory
  new Int16Array(buffer, QUESTION_AT).set(question)
  new Int8Array(buffer, rowsAt).set(rows)
  kernel.dots(rowsAt, count, question.length, QUESTION_AT, out)
  return new Int32Array(buffer, out, count)
}
