/** Search over sparse rows. Idf is applied at query time, so it is never stale. */
import { BoundedTop, falling, type RowFilter, type ScoredRow } from './best.ts'
import { summed, type SearchedBlock } from './block.ts'
import type { SparseVector } from './vectors.ts'

const LAST_BITS = 0xff_ff

/** How the values of a question are weighted. */
export type Weighting = 'IDF' | 'none'

/** Sparse rows of a namespace, as seen by one query. */
export interface SparseRows {
  readonly blocks: readonly SearchedBlock[]
  /** Number of rows. */
  readonly count: number
  /** Cache of earlier lookups, by dimension. */
  readonly hits: Map<number, Hits>
}

/** Positions of rows with a dimension, and their values. */
export interface Hits {
  readonly positions: number[]
  readonly values: number[]
}

/**
 * Ranks rows by inner product with a vector. They are ordered by sums in float64, so that near-duplicates keep their
 * order; the scores of the best are summed in float32 like the service does. Idf is the whole namespace's, regardless
 * of a filter.
 *
 * @returns at most `topK` rows, best first, ties in insertion order; rows without a common dimension are left out
 */
export function searchSparse(
  vector: SparseVector,
  rows: SparseRows,
  { topK, weighting, isFound }: { topK: number; weighting: Weighting; isFound: RowFilter },
): readonly ScoredRow[] {
  const asked = summed(vector)
  const found = hitsOf([...asked.keys()], rows).map(([dimension, hits]) => {
    const value = asked.get(dimension)!
    const weight = weighting === 'IDF' ? Math.fround(value * idfOf(hits.positions.length, rows.count)) : value
    return { hits, weight }
  })
  const sums = new Map<number, number>()
  for (const { hits, weight } of found) {
    hits.positions.forEach((position, at) => {
      sums.set(position, (sums.get(position) ?? 0) + weight * hits.values[at]!)
    })
  }
  const best = new BoundedTop(topK)
  for (const [position, sum] of sums) if (isFound(position)) best.offer(position, sum)
  const ranked = best.sorted()
  const scores = new Map(ranked.map(({ position }) => [position, 0]))
  for (const { hits, weight } of found) {
    hits.positions.forEach((position, at) => {
      const score = scores.get(position)
      if (score !== undefined) scores.set(position, Math.fround(score + Math.fround(weight * hits.values[at]!)))
    })
  }
  // In float32 large products of both signs are infinite, and their sum is no number.
  return falling(ranked, (position) => (Number.isFinite(scores.get(position)) ? scores : sums).get(position)!)
}

/** Inverse document frequencies: ln(1 + (N − n + .5) / (n + .5)), where n of N rows have the dimension. */
export function idfs(dimensions: readonly number[], rows: SparseRows): ReadonlyMap<number, number> {
  const found = hitsOf(dimensions, rows)
  return new Map(found.map(([dimension, { positions }]) => [dimension, idfOf(positions.length, rows.count)]))
}

function idfOf(holding: number, rows: number): number {
  return Math.log(1 + (rows - holding + 0.5) / (holding + 0.5))
}

/** Scans all entries of all rows; a table of the last bits quickly excludes most that were not asked for. */
function hitsOf(
  dimensions: readonly number[],
  { blocks, hits: known }: SparseRows,
): readonly (readonly [number, Hits])[] {
  const asked = new Map<number, Hits>()
  const last = new Uint8Array(LAST_BITS + 1)
  for (const dimension of dimensions) {
    if (known.has(dimension)) continue
    asked.set(dimension, { positions: [], values: [] })
    last[dimension & LAST_BITS] = 1
  }
  for (const { positions, starts, indices, values, stale } of asked.size === 0 ? [] : blocks) {
    for (let row = 0; row < positions.length; row++) {
      const end = starts[row + 1]!
      for (let entry = starts[row]!; entry < end; entry++) {
        if (last[indices[entry]! & LAST_BITS] === 0) continue
        const hits = asked.get(indices[entry]!)
        if (hits === undefined || stale?.has(positions[row]!) === true) continue
        hits.positions.push(positions[row]!)
        hits.values.push(values[entry]!)
      }
    }
  }
  for (const [dimension, hits] of asked) known.set(dimension, hits)
  return dimensions.map((dimension) => [dimension, known.get(dimension)!])
}
