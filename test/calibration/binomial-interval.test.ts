import { describe, expect, it } from 'vitest'
import { binomialInterval, chanceOfAtMost } from '../../packages/calibration/src/binomial-interval.ts'

describe('binomialInterval', () => {
  // Solved with exact fractions in Python.
  it.each([
    [5, 10, 0.95, 0.18708602844739852, 0.8129139715526015],
    [1, 20, 0.95, 0.0012650894979500116, 0.24873276277202772],
    [3, 7, 0.9, 0.128756392804243, 0.7746784159675522],
    [49, 50, 0.95, 0.8935304542884999, 0.9994937720169594],
  ])('for %d of %d at %f equals that of exact sums', (hits, trials, confidence, low, high) => {
    const interval = binomialInterval(hits, trials, confidence)
    expect(interval.low).toBeCloseTo(low, 10)
    expect(interval.high).toBeCloseTo(high, 10)
  })

  it('uses 95 % by default', () => {
    expect(binomialInterval(5, 10)).toEqual(binomialInterval(5, 10, 0.95))
  })

  it('equals the closed form for no hit and for all hits', () => {
    const none = binomialInterval(0, 30)
    expect(none.low).toBe(0)
    expect(none.high).toBeCloseTo(1 - 0.025 ** (1 / 30), 10)
    const all = binomialInterval(30, 30)
    expect(all.low).toBeCloseTo(0.025 ** (1 / 30), 10)
    expect(all.high).toBe(1)
  })

  it('is from 0 to 1 without trials', () => {
    expect(binomialInterval(0, 0)).toEqual({ low: 0, high: 1 })
  })

  it('contains the rate and becomes narrower with more trials, up to thousands', () => {
    const widths = [10, 100, 1000, 10_000].map((trials) => {
      const { low, high } = binomialInterval(trials * 0.3, trials)
      expect(low < 0.3 && high > 0.3).toBe(true)
      return high - low
    })
    expect(widths).toEqual([...widths].sort((a, b) => b - a))
  })
})

describe('chanceOfAtMost', () => {
  it.each([
    [-1, 5, 0, 0],
    [0, 5, 0, 1],
    [-1, 5, 1, 0],
    [4, 5, 1, 0],
    [5, 5, 1, 1],
    [0, 0, 0.3, 1],
    [-1, 5, 0.3, 0],
    // .7⁵ + 5 · .3 · .7⁴
    [1, 5, 0.3, 0.52822],
  ])('of %d hits in %d trials at a rate of %d is %d', (hits, trials, rate, chance) => {
    expect(chanceOfAtMost(hits, trials, rate)).toBeCloseTo(chance, 12)
  })
})
