/**
 * How near a row is, and what score it has, to the last bit. The plain scan and the kernel's rows both end here, so they
 * cannot differ.
 *
 * Rows are ordered by sums in float64, where those of float32 numbers lose next to nothing, so that near-duplicates keep
 * their order. The scores of the best are then summed in float32 and in the order of the dimensions, as the service sums
 * them, so that those that it publishes come out to the last digit.
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

/** Squared length: 0 for zeros only, as the square of every float32 has room in float64. */
export function squaredLength(values: Float32Array): number {
  let sum = 0
  for (const value of values) sum += value * value
  return sum
}

/**
 * What rows are ordered by: the cosine, the inner product or the negative squared distance. A row of zeros has cosine 0.
 *
 * @param scale what a step of one is worth
 * @param squares squared length of the row in steps
 */
export function nearness(
  question: Question,
  row: PlacedRow<Int8Array | Float32Array>,
  scale: number,
  squares: number,
): number {
  switch (question.similarity) {
    case 'COSINE':
      return squares === 0 ? 0 : dot(question, row) / Math.sqrt(question.squares * squares)
    case 'DOT_PRODUCT':
      return dot(question, row) * scale
    case 'EUCLIDEAN':
      return -squaredDistance(question, row, scale)
  }
}

/** Score of a nearness, float32 from 0 to 1. */
export function scoreOf({ similarity }: Question, near: number): number {
  return similarity === 'EUCLIDEAN' ? fromDistance(Math.fround(-near)) : fromProduct(near)
}

/** Score of a row of float32 from 0 to 1, with every step in float32. */
export function scoreInFloat32({ vector, similarity }: Question, row: Float32Array): number {
  let [product, distance, ownSquares, rowSquares] = [0, 0, 0, 0]
  for (let at = 0; at < vector.length; at++) {
    const [own, other] = [vector[at]!, row[at]!]
    product = Math.fround(product + Math.fround(own * other))
    ownSquares = Math.fround(ownSquares + Math.fround(own * own))
    rowSquares = Math.fround(rowSquares + Math.fround(other * other))
    const difference = Math.fround(other - own)
    distance = Math.fround(distance + Math.fround(difference * difference))
  }
  switch (similarity) {
    case 'EUCLIDEAN':
      return fromDistance(distance)
    case 'DOT_PRODUCT':
      return fromProduct(product)
    case 'COSINE':
      return fromProduct(
        fitsFloat32(ownSquares) && fitsFloat32(rowSquares)
          ? product / Math.sqrt(ownSquares * rowSquares)
          : cosine(vector, row),
      )
  }
}

/**
 * Squared lengths whose vectors can be multiplied in float32 without losing what counts. The service's own last digits
 * beyond them are not known.
 */
const WITHIN_FLOAT32 = { least: 2 ** -100, most: 2 ** 100 } as const

function fitsFloat32(squares: number): boolean {
  return squares >= WITHIN_FLOAT32.least && squares <= WITHIN_FLOAT32.most
}

function cosine(vector: Float32Array, row: Float32Array): number {
  const squares = squaredLength(row)
  let product = 0
  for (let at = 0; at < vector.length; at++) product += vector[at]! * row[at]!
  return squares === 0 ? 0 : product / Math.sqrt(squaredLength(vector) * squares)
}

/** Vectors of unit length have products from −1 to 1; what lies beyond has the score of the end. */
function fromProduct(product: number): number {
  return Math.fround(Math.fround(1 + Math.fround(Math.max(-1, Math.min(1, product)))) / 2)
}

function fromDistance(squares: number): number {
  return Math.fround(1 / Math.fround(1 + squares))
}

function dimensionsOf(vector: Float32Array, which: 'all' | 'filled'): Int32Array {
  const dimensions = new Int32Array(vector.length)
  let count = 0
  for (let at = 0; at < vector.length; at++) if (which === 'all' || vector[at] !== 0) dimensions[count++] = at
  return dimensions.subarray(0, count)
}

function dot({ weights }: Question, { values, base, places }: PlacedRow<Int8Array | Float32Array>): number {
  let sum = 0
  for (let at = 0; at < weights.length; at++) sum += values[base + places[at]!]! * weights[at]!
  return sum
}

function squaredDistance(
  { weights }: Question,
  { values, base, places }: PlacedRow<Int8Array | Float32Array>,
  scale: number,
): number {
  let sum = 0
  for (let at = 0; at < weights.length; at++) sum += (values[base + places[at]!]! * scale - weights[at]!) ** 2
  return sum
}
