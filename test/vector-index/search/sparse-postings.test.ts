import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ScoredRow, SlotFilter } from '../../../packages/vector-index/src/search/scan.ts'
import { SparsePostings, type SparseVector, type Weighting } from '../../../packages/vector-index/src/search/sparse.ts'

/** The same search without lists: every row is read. */
class SlowPostings {
  readonly rows = new Map<number, SparseVector>()

  idf(dimension: number): number {
    const holding = [...this.rows.values()].filter(({ indices }) => indices.includes(dimension)).length
    return Math.log(1 + (this.rows.size - holding + 0.5) / (holding + 0.5))
  }

  search(vector: SparseVector, topK: number, weighting: Weighting, matches?: SlotFilter): ScoredRow[] {
    const asked = sums(vector)
    const found: (ScoredRow & { rank: number })[] = []
    for (const [slot, row] of this.rows) {
      if (matches?.(slot) === false) continue
      const held = sums(row)
      const shared = [...asked.keys()].filter((dimension) => held.has(dimension))
      if (shared.length === 0) continue
      let [score, rank] = [0, 0]
      for (const dimension of shared) {
        const weight = Math.fround(asked.get(dimension)! * (weighting === 'IDF' ? this.idf(dimension) : 1))
        score = Math.fround(score + Math.fround(weight * held.get(dimension)!))
        rank += weight * held.get(dimension)!
      }
      found.push({ slot, score, rank })
    }
    const best = found.sort((a, b) => b.rank - a.rank || a.slot - b.slot).slice(0, topK)
    return best.map(({ slot }, at) => ({ slot, score: Math.min(...best.slice(0, at + 1).map(({ score }) => score)) }))
  }
}

function sums({ indices, values }: SparseVector): Map<number, number> {
  const made = new Map<number, number>()
  indices.forEach((index, at) => made.set(index, Math.fround((made.get(index) ?? 0) + values[at]!)))
  return made
}

const component = fc.tuple(
  fc.integer({ min: -4, max: 20 }),
  // Few values, so that ties and sums of zero come about.
  fc.oneof(fc.constantFrom(0, 0.5, 1, -1), fc.float({ min: -4, max: 4, noNaN: true })),
)
const vector = fc.array(component, { minLength: 1, maxLength: 8 }).map((components): SparseVector => ({
  indices: Int32Array.from(components, ([index]) => index),
  values: Float32Array.from(components, ([, value]) => value),
}))
const SLOTS = 24
const change = fc.record({ slot: fc.nat(SLOTS - 1), row: fc.option(vector, { freq: 3 }) })
const search = fc.record({
  asked: vector,
  topK: fc.integer({ min: 1, max: SLOTS + 1 }),
  weighting: fc.constantFrom<Weighting>('IDF', 'none'),
  matches: fc.option(
    fc.array(fc.boolean(), { minLength: SLOTS, maxLength: SLOTS }).map(
      (may): SlotFilter =>
        (slot) =>
          may[slot]!,
    ),
    { nil: undefined },
  ),
})

describe('sparse postings', () => {
  test('find what reading every row finds, after any adding, replacing and removing', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 80 }), fc.array(search, { minLength: 1 }), (changes, searches) => {
        const postings = new SparsePostings()
        const slow = new SlowPostings()
        for (const { slot, row } of changes) {
          const before = slow.rows.get(slot)
          if (before !== undefined) postings.remove(slot, before)
          slow.rows.delete(slot)
          if (row === null) continue
          postings.add(slot, row)
          slow.rows.set(slot, row)
        }
        for (const { asked, topK, weighting, matches } of searches) {
          expect(postings.search(asked, topK, weighting, matches)).toEqual(slow.search(asked, topK, weighting, matches))
        }
        for (let dimension = -5; dimension <= 21; dimension++) {
          expect(postings.idf(dimension)).toBe(slow.idf(dimension))
        }
      }),
    )
  })

  test('leave a row with a score of zero in, and one without a shared dimension out', () => {
    const postings = new SparsePostings()
    postings.add(0, { indices: Int32Array.of(1, 2), values: Float32Array.of(1, -1) })
    postings.add(1, { indices: Int32Array.of(3), values: Float32Array.of(1) })
    const asked = { indices: Int32Array.of(1, 2), values: Float32Array.of(1, 1) }
    expect(postings.search(asked, 5, 'none')).toEqual([{ slot: 0, score: 0 }])
  })

  test('find nothing that may not be found, ask once for each row, and forget a filter that throws', () => {
    const postings = new SparsePostings()
    const row = { indices: Int32Array.of(1, 2), values: Float32Array.of(1, 1) }
    for (let slot = 0; slot < 5; slot++) postings.add(slot, row)
    const asked: number[] = []
    const odd = (slot: number): boolean => asked.push(slot) > 0 && slot % 2 === 1
    expect(postings.search(row, 5, 'none', odd).map(({ slot }) => slot)).toEqual([1, 3])
    expect(asked).toEqual([0, 1, 2, 3, 4])
    const failing = (slot: number): boolean => {
      if (slot === 3) throw new RangeError('no row')
      return true
    }
    expect(() => postings.search(row, 5, 'none', failing)).toThrow('no row')
    expect(postings.search(row, 1, 'none')).toEqual([{ slot: 0, score: 2 }])
    expect(postings.search(row, 5, 'none')).toHaveLength(5)
  })

  test('say how many bytes they hold', () => {
    const postings = new SparsePostings()
    const empty = postings.byteLength
    for (let slot = 0; slot < 1000; slot++) {
      postings.add(slot, {
        indices: Int32Array.from({ length: 30 }, (_, at) => slot * at),
        values: new Float32Array(30),
      })
    }
    // Eight bytes an entry at the least.
    expect(postings.byteLength - empty).toBeGreaterThan(8 * 29 * 1000)
  })
})
