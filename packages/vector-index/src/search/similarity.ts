/**
 * Similarity and score of a row, exact to the last bit.
 *
 * Rows are ordered by sums in float64, which are nearly exact for float32 numbers, so that near-duplicates keep their
 * order. The scores of the best are then summed in float32 in the order of the dimensions, like the service does, so
 * that its published scores are reproduced to the last digit.
 */

/** Similarity function. */
export type Similarity = 'COSINE' | 'EUCLIDEAN' | 'DOT_PRODUCT'

/** A vector to search with. */
export interface Question {
  readonly vector: Float32Array
  readonly similarity: Similarity
  /** Squared length: 0 only for a zero vector. */
  readonly squares: number
}

/** Prepares a vector for searching. */
export function prepareQuestion(vector: Float32Array, similarity: Similarity): Question {
  return { vector, similarity, squares: squaredLength(vector) }
}

/** Squared length: 0 only for a zero vector, because the square of every float32 is representable in float64. */
export function squaredLength(values: Float32Array): number {
  let sum = 0
  for (const value of values) sum += value * value
  return sum
}

/** The value by which rows are ordered: cosine, inner product or negative squared distance. A zero row has cosine 0. */
export function nearness({ vector, similarity, squares }: Question, row: Float32Array): number {
  if (similarity === 'EUCLIDEAN') return -squaredDistance(vector, row)
  const product = dot(vector, row)
  if (similarity === 'DOT_PRODUCT') return product
  const rowSquares = squaredLength(row)
  return rowSquares === 0 ? 0 : product / Math.sqrt(squares * rowSquares)
}

/** Score of a row from 0 to 1, with every step in float32. */
export function scoreInFloat32(question: Question, row: Float32Array): number {
  const { vector, similarity } = question
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
      return Math.fround(1 / Math.fround(1 + distance))
    case 'DOT_PRODUCT':
      return fromProduct(Number.isFinite(product) ? product : nearness(question, row))
    case 'COSINE':
      return fromProduct(
        fitsFloat32(ownSquares) && fitsFloat32(rowSquares)
          ? product / Math.sqrt(ownSquares * rowSquares)
          : nearness(question, row),
      )
  }
}

/**
 * Range of squared lengths whose products do not lose precision in float32. Outside of it the service's last digits are
 * unknown.
 */
const WITHIN_FLOAT32 = { least: 2 ** -100, most: 2 ** 100 } as const

function fitsFloat32(squares: number): boolean {
  return squares >= WITHIN_FLOAT32.least && squares <= WITHIN_FLOAT32.most
}

/** Products of unit vectors are −1 to 1; values outside are clamped. */
function fromProduct(product: number): number {
  return Math.fround(Math.fround(1 + Math.fround(Math.max(-1, Math.min(1, product)))) / 2)
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!
  return sum
}

function squaredDistance(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (b[at]! - a[at]!) ** 2
  return sum
}
