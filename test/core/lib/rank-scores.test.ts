import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { distributionScores, reciprocalRanks, RRF_K } from '../../../src/core/lib/rank-scores.ts'

describe('reciprocalRanks', () => {
  it('is 1 / (constant + rank), counted from the given first rank', () => {
    expect(reciprocalRanks(3, RRF_K, 1)).toEqual([1 / 61, 1 / 62, 1 / 63])
    expect(reciprocalRanks(2, RRF_K, 0)).toEqual([1 / 60, 1 / 61])
    expect(reciprocalRanks(2, 0, 1)).toEqual([1, 1 / 2])
    expect(reciprocalRanks(0, RRF_K, 1)).toEqual([])
  })
})

describe('distributionScores', () => {
  it('maps three sample deviations below and above the mean to 0 and 1, as worked out by hand', () => {
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
  ])('returns .5 for %s', (_, scores) => {
    expect(distributionScores(scores)).toEqual(scores.map(() => 0.5))
  })

  it('returns an empty list for an empty list', () => {
    expect(distributionScores([])).toEqual([])
  })

  it('exceeds 1 for one outlier among eleven, as the formula gives', () => {
    const [best = 0, ...others] = distributionScores([1, ...Array.from({ length: 10 }, () => 0)])
    expect(best).toBeCloseTo(0.5 + 10 / Math.sqrt(11) / 6, 12)
    expect(best).toBeGreaterThan(1)
    for (const other of others) expect(other).toBeCloseTo(0.5 - 1 / Math.sqrt(11) / 6, 12)
  })

  it('rounds each step with the given function', () => {
    const rounded = distributionScores([0.7, 0.2, 0.1], Math.fround)
    expect(rounded).toEqual(rounded.map(Math.fround))
    expect(distributionScores([5, 4, 1], Math.round)).toEqual([1, 1, 0])
  })

  it('returns .5 when rounding leaves no spread', () => {
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
