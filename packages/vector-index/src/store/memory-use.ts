/**
 * What rows take in memory once they are searched, counted so that it can be known before they are loaded.
 *
 * The figures are of V8 and of the layout of the blocks and lists; `bench/neighbours.ts` shows what the inspector counts
 * in workerd beside them.
 */
import type { Vectors } from '../search/vectors.ts'

/** A row beside its vectors: its places in three tables, and its id at two bytes a character. */
const ROW = { row: 96, idCharacter: 2 } as const

/** What a block keeps of a dense row beside its values. */
const DENSE_ROW = 20

/** An entry of an inverted list: eight bytes, and as many again while the lists are moved to longer arrays. */
const ENTRY = 16

/** A dimension that any row has: its list's head and its place in the hash table, both at most half empty, twice. */
const DIMENSION = 128

/** Bytes of a row without the dimensions that it is the first to have. */
export function rowBytes(id: string, { dense, sparse }: Vectors): number {
  const denseBytes = dense.values.length === 0 ? 0 : dense.values.byteLength + DENSE_ROW
  return ROW.row + ROW.idCharacter * id.length + denseBytes + ENTRY * sparse.indices.length
}

/** Bytes of a row at most: as if no other row had any of its dimensions. */
export function mostRowBytes(id: string, vectors: Vectors): number {
  return rowBytes(id, vectors) + dimensionBytes(vectors.sparse.indices.length)
}

/** Bytes of so many different sparse dimensions. */
export function dimensionBytes(dimensions: number): number {
  return DIMENSION * dimensions
}
