import type { DenseRow } from '../scan.ts'

/** Rows of a block: as many as the kernel adds up at once, and as a word has bits. */
export const BLOCK_ROWS = 32

/** Bytes of four bytes for each row. */
const QUAD = 4 * BLOCK_ROWS

/**
 * Where things stand in a block, in bytes from its beginning.
 *
 * First the values, dimension by dimension: of each the values of all 32 rows; of bytes two dimensions together, row by
 * row, so that a pair is a cache line. Then, for each row, what its scores need.
 */
export interface BlockLayout {
  readonly encoding: DenseRow['encoding']
  readonly dimension: number
  /** 1 / length in steps, float32; 0 for a row of zeros. */
  readonly inverseLengths: number
  /** What a step of one is worth, float32; 1 where values are kept as given. */
  readonly scales: number
  /** Squared length, float32. */
  readonly norms: number
  /** Squared length in steps, as the row had it, float64. */
  readonly squares: number
  readonly bytes: number
}

/** The layout of blocks of rows with that many dimensions. */
export function blockLayout(encoding: DenseRow['encoding'], dimension: number): BlockLayout {
  const values = encoding === 'int8' ? Math.ceil(dimension / 2) * 2 * BLOCK_ROWS : dimension * QUAD
  return {
    encoding,
    dimension,
    inverseLengths: values,
    scales: values + QUAD,
    norms: values + 2 * QUAD,
    squares: values + 3 * QUAD,
    bytes: values + 5 * QUAD,
  }
}

/** How far a dimension's value is from the row's first, in numbers of the row's kind. */
export function placeOf(encoding: DenseRow['encoding'], dimension: number): number {
  return encoding === 'int8' ? (dimension >> 1) * 2 * BLOCK_ROWS + (dimension & 1) : dimension * BLOCK_ROWS
}

/** How far a row's first value is from the block's beginning, in numbers of the row's kind. */
export function rowPlace(encoding: DenseRow['encoding'], row: number): number {
  return encoding === 'int8' ? 2 * row : row
}
