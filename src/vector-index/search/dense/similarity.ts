/**
 * What a dense score is, to the last bit. The plain scan and the kernel's rows both end here, so they cannot differ.
 *
 * Sums over float32 rows are float32 throughout and in the order of the dimensions, so that the scores that the service
 * publishes come out to the last digit.
 */

/** How near two vectors are. */
export type Similarity = 'COSINE' | 'EUCLIDEAN' | 'DOT_PRODUCT'

/** A vector to search with, made ready once for many rows. */
export interface Question {
  readonly vector: Float32Array
  readonly similarity: Similarity
  /** Squared length: 0 for zeros only. */
  readonly squares: number
  /** Dimensions that a sum must visit: zeros add nothing to a product, but they do to a distance. */
  readonly visited: Int32Array
  /** Values in them. */
  readonly weights: Float32Array
}

/** Numbers of a row in a larger array. */
export interface PlacedRow<Values> {
  readonly values: Values
  /** Where the row begins. */
  readonly base: number
  /** For each visited dimension, how far from `base` its value stands. */
  readonly places: Int32Array
}

/** Makes a vector ready to search with. */
export function prepareQuestion(vector: Float32Array, similarity: Similarity): Question {
  const visited = dimensionsOf(vector, similarity === 'EUCLIDEAN' ? 'all' : 'filled')
  const weights = new Float32Array(visited.length)
  for (let at = 0; at < visited.length; at++) weights[at] = vector[visited[at]!]!
  return { vector, similarity, squares: squaredLength(vector), visited, weights }
}

/**
 * Squared lengths whose vectors can be multiplied in float32 without losing what counts. Beyond them cosines are taken in
 * float64, where the square of every float32 has room; the service's own last digits there are not known.
 */
const WITHIN_FLOAT32 = { least: 2 ** -100, most: 2 ** 100 } as const

/** Squared length, summed in float32, or in float64 where that has no room. It is 0 for zeros only. */
export function squaredLength(values: Float32Array): number {
  let sum = 0
  for (const value of values) sum = Math.fround(sum + Math.fround(value * value))
  return fitsFloat32(sum) ? sum : values.reduce((exact, value) => exact + value * value, 0)
}

function fitsFloat32(squares: number): boolean {
  return squares >= WITHIN_FLOAT32.least && squares <= WITHIN_FLOAT32.most
}

/**
 * Score of a row of bytes.
 *
 * @param scale what a step of one is worth
 * @param squares squared length of the row in steps
 */
export function scoreInt8(question: Question, row: PlacedRow<Int8Array>, scale: number, squares: number): number {
  if (question.similarity === 'EUCLIDEAN') return fromDistance(distanceInt8(question, row, scale))
  const product = dotInt8(question, row)
  if (question.similarity === 'COSINE') return fromCosine(product, question.squares, squares)
  // A row of bytes stands for a vector of unit length, which rounding must not make longer.
  return halved(Math.min(1, Math.fround(product * scale)))
}

/** Score of a row of float32. @param squares its squared length */
export function scoreFloat32(question: Question, row: PlacedRow<Float32Array>, squares: number): number {
  if (question.similarity === 'EUCLIDEAN') return fromDistance(distanceFloat32(question, row))
  if (question.similarity === 'DOT_PRODUCT') return halved(dotFloat32(question, row))
  const dot = fitsFloat32(question.squares) && fitsFloat32(squares) ? dotFloat32 : dotFloat64
  return fromCosine(dot(question, row), question.squares, squares)
}

/** A row of zeros has cosine 0. */
function fromCosine(product: number, questionSquares: number, rowSquares: number): number {
  return halved(rowSquares === 0 ? 0 : Math.fround(product / Math.sqrt(questionSquares * rowSquares)))
}

function fromDistance(squaredDistance: number): number {
  return Math.fround(1 / Math.fround(1 + squaredDistance))
}

function halved(near: number): number {
  return Math.fround(Math.fround(1 + near) / 2)
}

function dimensionsOf(vector: Float32Array, which: 'all' | 'filled'): Int32Array {
  const dimensions = new Int32Array(vector.length)
  let count = 0
  for (let at = 0; at < vector.length; at++) if (which === 'all' || vector[at] !== 0) dimensions[count++] = at
  return dimensions.subarray(0, count)
}

function dotInt8({ weights }: Question, { values, base, places }: PlacedRow<Int8Array>): number {
  let sum = 0
  for (let at = 0; at < weights.length; at++) sum += values[base + places[at]!]! * weights[at]!
  return sum
}

function dotFloat32({ weights }: Question, { values, base, places }: PlacedRow<Float32Array>): number {
  let sum = 0
  for (let at = 0; at < weights.length; at++) {
    sum = Math.fround(sum + Math.fround(values[base + places[at]!]! * weights[at]!))
  }
  return sum
}

function dotFloat64({ weights }: Question, { values, base, places }: PlacedRow<Float32Array>): number {
  let sum = 0
  for (let at = 0; at < weights.length; at++) sum += values[base + places[at]!]! * weights[at]!
  return sum
}

function distanceInt8({ weights }: Question, { values, base, places }: PlacedRow<Int8Array>, scale: number): number {
  let sum = 0
  for (let at = 0; at < weights.length; at++) {
    const difference = Math.fround(Math.fround(values[base + places[at]!]! * scale) - weights[at]!)
    sum = Math.fround(sum + Math.fround(difference * difference))
  }
  return sum
}

function distanceFloat32({ weights }: Question, { values, base, places }: PlacedRow<Float32Array>): number {
  let sum = 0
  for (let at = 0; at < weights.length; at++) {
    const difference = Math.fround(values[base + places[at]!]! - weights[at]!)
    sum = Math.fround(sum + Math.fround(difference * difference))
  }
  return sum
}
