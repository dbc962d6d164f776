import { describe, expect, test } from 'vitest'
import { shortestFloat32 } from '../../../packages/vector-index/src/search/float32.ts'
import { fuseRankings } from '../../../packages/vector-index/src/search/hybrid.ts'

const ranking = (...scores: [position: number, score: number][]) =>
  scores.map(([position, score]) => ({ position, score }))

describe('reciprocal rank fusion', () => {
  test('counts ranks from 0, in float32', () => {
    const [best] = fuseRankings([ranking([7, 0.9]), ranking([7, 3])], 'RRF', 1)
    expect(shortestFloat32(best!.score)).toBe(0.033333335)
  })

  test('ranks a row in both rankings above the first of one', () => {
    const fused = fuseRankings([ranking([0, 0.9], [1, 0.8]), ranking([2, 9], [1, 8])], 'RRF', 3)
    expect(fused.map(({ position }) => position)).toEqual([1, 0, 2])
  })
})

describe('distribution-based fusion', () => {
  test('maps three sample deviations below and above the mean to 0 and 1', () => {
    // Mean 2, sample deviation 1: (3 − (−1)) / 6.
    const fused = fuseRankings([ranking([0, 3], [1, 2], [2, 1])], 'DBSF', 3)
    expect(fused.map(({ score }) => score)).toEqual([4 / 6, 3 / 6, 2 / 6].map(Math.fround))
  })

  test.each([
    ['a single row', ranking([0, 3])],
    ['equal scores', ranking([0, 3], [1, 3])],
    ['scores whose spread float32 does not hold', ranking([0, 3e38], [1, -3e38])],
  ])('returns .5 for %s', (_name, only) => {
    expect(fuseRankings([only], 'DBSF', 5).every(({ score }) => score === 0.5)).toBe(true)
  })
})

test.each(['RRF', 'DBSF'] as const)('%s of no rows is empty', (algorithm) => {
  expect(fuseRankings([[], []], algorithm, 5)).toEqual([])
})

test('of rows with equal sums the earlier ones are kept', () => {
  const fused = fuseRankings([ranking([4, 1], [2, 0.5]), ranking([3, 1], [1, 0.5])], 'RRF', 3)
  expect(fused.map(({ position }) => position)).toEqual([3, 4, 1])
})

test('a row in both rankings has the sum of its distribution scores', () => {
  const fused = fuseRankings([ranking([0, 3], [1, 2], [2, 1]), ranking([2, 30], [1, 20], [0, 10])], 'DBSF', 3)
  expect(fused.map(({ score }) => score)).toEqual([1, 1, 1])
  expect(fused.map(({ position }) => position)).toEqual([0, 1, 2])
})
