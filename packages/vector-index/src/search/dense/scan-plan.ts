import { placeOf, type BlockLayout } from './block-layout.ts'
import { roundTo16Bits } from './rounded-question.ts'
import type { Question } from './similarity.ts'

/**
 * How the kernel is to score a question. Its keys order rows nearly as scores do: rows that could be among the best are
 * scored exactly afterwards.
 */
export interface ScanPlan {
  readonly scan: 'scanInt8' | 'scanFloat32' | 'scanFloat32Distance'
  /** Pairs of a place in a block and the question's value there: two 16-bit integers, or the bits of a float32. */
  readonly steps: Uint32Array
  readonly gains: number
  readonly factor: number
  readonly share: number
  /** By how much keys may be off, rounding aside. */
  readonly miss: number
  /** What rounding in keys and scores is relative to, beside the key itself. */
  readonly size: number
  /** The most that rounding does, relative to the size and the key. */
  readonly rounding: number
}

/**
 * Share of the steps up to which only those are visited whose values are not zero. In the cache that is faster up to
 * about a half; out of it a line fetched alone costs as much as ten to fifteen that are read in a row (`bench/scan.ts`).
 */
const SPARSE_SHARE = { cached: 1 / 4, uncached: 1 / 16 } as const

/** Bytes of blocks that are likely to stay in a cache. */
const CACHED_BYTES = 16 * 1024 * 1024

/** Bounds the rounding of a few steps in float32 many times over. */
const ROUNDING = 2 ** -18

/**
 * Bounds what a sum of so many products in float32 is off, relative to the sum of their magnitudes, four times over.
 *
 * @see Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 3.1
 */
const roundingOf = (terms: number): number => Math.max(ROUNDING, (terms + 4) * 2 ** -22)

/**
 * Makes the plan for blocks of one layout.
 *
 * @param longest length of the longest row in them
 * @param bytes of all of them
 */
export function scanPlan(question: Question, layout: BlockLayout, longest: number, bytes: number): ScanPlan {
  const sparseShare = bytes <= CACHED_BYTES ? SPARSE_SHARE.cached : SPARSE_SHARE.uncached
  return layout.encoding === 'int8'
    ? planInt8(question, layout, longest, sparseShare)
    : planFloat32(question, layout, longest, sparseShare)
}

/** The key of a row that is among the best is not below this. @param leastKey the least of the best keys */
export function thresholdOf(plan: ScanPlan, leastKey: number): number {
  return leastKey - 2 * plan.miss - plan.rounding * (1 + Math.abs(leastKey) + plan.size)
}

/** By Cauchy and Schwarz the magnitudes of products add up to no more than the lengths multiplied. */
function planFloat32(
  { vector, similarity, squares }: Question,
  layout: BlockLayout,
  longest: number,
  sparseShare: number,
): ScanPlan {
  const common = { share: 0, miss: 0, rounding: roundingOf(vector.length) } as const
  if (similarity === 'EUCLIDEAN') {
    const steps = float32Steps(vector, allSteps(vector.length))
    return { ...common, scan: 'scanFloat32Distance', steps, gains: layout.scales, factor: -1, size: 0 }
  }
  const steps = float32Steps(
    vector,
    stepsToVisit(vector.length, sparseShare, (at) => vector[at] !== 0),
  )
  const length = Math.sqrt(squares)
  const scaling =
    similarity === 'COSINE'
      ? { gains: layout.inverseLengths, factor: 1 / length, size: 1 }
      : { gains: layout.scales, factor: 1, size: length * longest }
  return { ...common, ...scaling, scan: 'scanFloat32', steps }
}

/**
 * The question is rounded to 16 bits. By Cauchy and Schwarz a product with a row is off by at most the length of the
 * rounding error times the length of the row, so no row that belongs to the best is lost.
 */
function planInt8(
  { vector, similarity, squares }: Question,
  layout: BlockLayout,
  longest: number,
  sparseShare: number,
): ScanPlan {
  const { pairs, step, error } = roundTo16Bits(vector)
  const steps = int8Steps(
    pairs,
    stepsToVisit(pairs.length, sparseShare, (at) => pairs[at] !== 0),
  )
  const length = Math.sqrt(squares)
  const common = { scan: 'scanInt8', steps, share: 0, rounding: ROUNDING } as const
  switch (similarity) {
    case 'COSINE':
      return { ...common, gains: layout.inverseLengths, factor: step / length, miss: error / length, size: 1 }
    case 'DOT_PRODUCT':
      return { ...common, gains: layout.scales, factor: step, miss: error * longest, size: length * longest }
    case 'EUCLIDEAN':
      // The squared distance without the question's own square.
      return {
        ...common,
        gains: layout.scales,
        factor: 2 * step,
        share: 1,
        miss: 2 * error * longest,
        size: (length + longest) ** 2,
      }
  }
}

/** The steps that are filled when they are few, else all: zeros change no key. */
function stepsToVisit(count: number, sparseShare: number, isFilled: (step: number) => boolean): Int32Array {
  const filled = new Int32Array(count)
  let size = 0
  for (let step = 0; step < count; step++) if (isFilled(step)) filled[size++] = step
  return size <= count * sparseShare ? filled.subarray(0, size) : allSteps(count)
}

function allSteps(count: number): Int32Array {
  const steps = new Int32Array(count)
  for (let step = 0; step < count; step++) steps[step] = step
  return steps
}

function float32Steps(vector: Float32Array, visited: Int32Array): Uint32Array {
  const steps = new Uint32Array(2 * visited.length)
  const weights = new Float32Array(steps.buffer)
  for (let at = 0; at < visited.length; at++) {
    steps[2 * at] = 4 * placeOf('float32', visited[at]!)
    weights[2 * at + 1] = vector[visited[at]!]!
  }
  return steps
}

function int8Steps(pairs: Int32Array, visited: Int32Array): Uint32Array {
  const steps = new Uint32Array(2 * visited.length)
  for (let at = 0; at < visited.length; at++) {
    steps[2 * at] = placeOf('int8', 2 * visited[at]!)
    steps[2 * at + 1] = pairs[visited[at]!]!
  }
  return steps
}
