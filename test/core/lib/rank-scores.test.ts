import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { distributionScores, reciprocalRanks, RRF_K } from '../../../src/core/lib/rank-scores.ts'

describe('reciprocalRanks', () => {
  it('is one over the constant and the rank, counted from where it is told to', () => {
    expect(reciprocalRanks(3, RRF_K, 1)).toEqual([1 / 61, 1 / 62, 1 / 63])
    expect(reciprocalRanks(2, RRF_K, 0)).toEqual([1 / 60, 1 / 61])
    expect(reciprocalRanks(2, 0, 1)).toEqual([1, 1 / 2])
    expect(reciprocalRanks(0, RRF_K, 1)).toEqual([])
  })
})

describe('distributionScores', () => {
  it('places a score between three sample deviations below and above the mean: worked out by hand', () => {
    // Mean 2, sample deviation 1: (3 − (−1)) / 6.
    expect(distributionScores([3, 2, 1])).toEqual([4 / 6, 3 / 6, 2 / 6])
    // Mean 1, sample deviation √2: .5 ± 1 / (6 √2).
    const [high, low] = distributionScores([2, 0])
    expect(high).toBeCloseTo(0.5 + 1 / (6 * Math.SQRT2), 12)
    expect(low).toBeCloseTo(0.5 - 1 / (6 * Math.SQRT2), 12)
  })

  it.each<[string, number[]]>([
    ['a single score', [3]],
    ['equal scores', [3, 3]],
    ['equal scores whose mean is rounded away from them', [0.1, 0.1, 0.1]],
    ['scores whose spread is no number', [1e308, -1e308]],
    ['scores whose mean is no number', [1.7e308, 1.6e308]],
  ])('gives .5 to %s', (_, scores) => {
    expect(distributionScores(scores)).toEqual(scores.map(() => 0.5))
  })

  it('gives nothing for nothing', () => {
    expect(distributionScores([])).toEqual([])
  })

  it('lets one that stands out among eleven lie beyond 1, as the formula says', () => {
    const [best = 0, ...others] = distributionScores([1, ...Array.from({ length: 10 }, () => 0)])
    expect(best).toBeCloseTo(0.5 + 10 / Math.sqrt(11) / 6, 12)
    expect(best).toBeGreaterThan(1)
    for (const other of others) expect(other).toBeCloseTo(0.5 - 1 / Math.sqrt(11) / 6, 12)
  })

  it('rounds every step as it is told to', () => {
    const rounded = distributionScores([0.7, 0.2, 0.1], Math.fround)
    expect(rounded).toEqual(rounded.map(Math.fround))
    expect(distributionScores([5, 4, 1], Math.round)).toEqual([1, 1, 0])
  })

  it('gives .5 where rounding leaves no spread', () => {
    expect(distributionScores([1 + 1e-9, 1], Math.fround)).toEqual([0.5, 0.5])
  })

  it('keeps the order, and does not change with scale or origin', () => {
    // Whole numbers, so that shifting them loses nothing.
    const scores = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 10 })
    fc.assert(
      fc.property(scores, fc.integer({ min: 1, max: 50 }), fc.integer({ min: -99, max: 99 }), (given, scale, shift) => {
        const here = distributionScores(given)
        const moved = distributionScores(given.map((score) => score * scale + shift))
        for (const [at, worth] of here.entries()) {
          expect(moved[at]).toBeCloseTo(worth, 9)
          for (const [other, score] of given.entries()) {
            if (given[at]! > score) expect(worth).toBeGreaterThan(here[other]!)
          }
        }
        expect(here.reduce((sum, worth) => sum + worth, 0) / here.length).toBeCloseTo(0.5, 9)
      }),
    )
  })
})
