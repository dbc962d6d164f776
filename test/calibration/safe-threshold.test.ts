import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../bench/seeded-random.ts'
import {
  labelsNeeded,
  lowestSafeThreshold,
  mostAllowed,
  upperBound,
} from '../../packages/calibration/src/safe-threshold.ts'
import { DEEP } from '../deep-run.ts'

const scores = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 150, size: 'max' })
const promise = { risk: 0.1, certainty: 0.9, step: 0.01 }

describe('upperBound', () => {
  // Quantiles of beta distributions, by SciPy: beta.ppf(certainty, hits + 1, trials - hits).
  it.each([
    [0, 45, 0.9, 0.04988149],
    [1, 100, 0.9, 0.0383395],
    [2, 100, 0.9, 0.05234529],
    [5, 50, 0.95, 0.198833],
  ])('for %i of %i at %f is %f', (hits, trials, certainty, bound) => {
    expect(upperBound(hits, trials, certainty)).toBeCloseTo(bound, 7)
  })

  it('rises with the hits and the certainty, and falls with the labels', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(60), fc.double({ min: 0.55, max: 0.98, noNaN: true }), (hits, more, certainty) => {
        const trials = hits + more + 1
        const bound = upperBound(hits, trials, certainty)
        expect(upperBound(hits + 1, trials, certainty)).toBeGreaterThanOrEqual(bound)
        expect(upperBound(hits, trials + 1, certainty)).toBeLessThanOrEqual(bound)
        expect(upperBound(hits, trials, certainty + 0.01)).toBeGreaterThanOrEqual(bound - 1e-12)
      }),
    )
  })
})

describe('labelsNeeded', () => {
  it.each([
    [0.05, 0.9, 45],
    [0.1, 0.9, 22],
    [0.05, 0.95, 59],
    [0.5, 0.5, 1],
    // A tolerance of 1e-9 would be ten times the chance that remains.
    [0.05, 1 - 1e-10, 449],
  ])('for %f with certainty %f is %i, and one fewer is not enough', (risk, certainty, needed) => {
    expect(labelsNeeded(risk, certainty)).toBe(needed)
    expect(mostAllowed(needed, { risk, certainty })).toBeGreaterThanOrEqual(0)
    expect(mostAllowed(needed - 1, { risk, certainty })).toBe(-1)
  })
})

describe('lowestSafeThreshold', () => {
  it('exceeds its promise no more often than stated, for any distribution', () => {
    const random = seededRandom(7)
    const shapes: readonly ((share: number) => number)[] = [
      (share) => share,
      (share) => share ** 8,
      (share) => 1 - share ** 8,
      (share) => (share < 0.93 ? 0.2 * share : 0.9 + share / 20),
      (share) => Math.round(share * 20) / 20,
    ]
    const REPEATS = 1000
    for (const shaped of shapes) {
      const grid = Array.from({ length: 1000 }, (_, at) => shaped((at + 0.5) / 1000))
      let exceeded = 0
      for (let repeat = 0; repeat < REPEATS; repeat++) {
        const drawn = Array.from({ length: 105 }, () => shaped(random()))
        const threshold = lowestSafeThreshold(drawn, { risk: 0.05, certainty: 0.9, step: 0.0001 })!
        if (grid.filter((score) => score >= threshold).length > 50) exceeded++
      }
      // A tenth may; three standard errors over the repeats are .03.
      expect(exceeded / REPEATS).toBeLessThan(0.13)
    }
  })

  it('lets pass as many as the bound allows, and is the lowest such threshold of its grid', () => {
    fc.assert(
      fc.property(scores, (all) => {
        const threshold = lowestSafeThreshold(all, promise)
        if (threshold === undefined) return
        const through = (at: number): number => all.filter((score) => score >= at - 1e-9).length
        expect(upperBound(through(threshold), all.length, 0.9)).toBeLessThanOrEqual(0.1)
        if (threshold > 0) expect(upperBound(through(threshold - 0.01), all.length, 0.9)).toBeGreaterThan(0.1)
      }),
    )
  })

  it('is not lower when some refused questions are missing', () => {
    fc.assert(
      fc.property(scores, fc.nat(20), (all, fewer) => {
        const lowest = [...all].sort((a, b) => a - b).slice(Math.min(fewer, all.length - 1))
        expect(lowestSafeThreshold(lowest, promise) ?? 1).toBeGreaterThanOrEqual(lowestSafeThreshold(all, promise) ?? 0)
      }),
    )
  })

  it('allows as many as a search one by one', () => {
    fc.assert(
      fc.property(fc.nat(300), fc.double({ min: 0.01, max: 0.5, noNaN: true }), (trials, risk) => {
        const promised = { risk, certainty: 0.9 }
        let allowed = -1
        while (allowed + 1 < trials && upperBound(allowed + 1, trials, 0.9) <= risk) allowed++
        // At the very bound two ways of computing it may differ.
        expect(Math.abs(mostAllowed(trials, promised) - allowed)).toBeLessThanOrEqual(
          Math.abs(upperBound(allowed + 1, trials, 0.9) - risk) < 1e-6 ? 1 : 0,
        )
      }),
    )
  })

  it('does not depend on the order, and never lets NaN pass', () => {
    fc.assert(
      fc.property(scores, (all) => {
        expect(lowestSafeThreshold([...all].reverse(), promise)).toBe(lowestSafeThreshold(all, promise))
      }),
    )
    expect(lowestSafeThreshold(Array<number>(30).fill(NaN), promise)).toBe(0)
    expect(lowestSafeThreshold([], promise)).toBeUndefined()
  })
})

describe('a promise on average', () => {
  const average = { risk: 0.05, certainty: 'average' } as const

  it.each([
    [18, -1],
    [19, 0],
    [38, 0],
    [39, 1],
    [100, 4],
    [200, 9],
  ])('allows, of %i unanswerable questions, %i to pass', (trials, allowed) => {
    expect(mostAllowed(trials, average)).toBe(allowed)
    expect(trials >= labelsNeeded(0.05, 'average')).toBe(allowed >= 0)
  })

  it('equals split conformal prediction: the quantile of the scores that includes the next one', () => {
    fc.assert(
      fc.property(scores, fc.double({ min: 0.02, max: 0.5, noNaN: true }), (all, risk) => {
        const place = Math.ceil((all.length + 1) * (1 - risk) - 1e-9)
        const threshold = lowestSafeThreshold(all, { risk, certainty: 'average', step: 0.0001 })
        if (place > all.length) expect(threshold).toBeUndefined()
        else {
          const quantile = all.toSorted((a, b) => a - b)[place - 1]!
          // Above it by a step at most; nothing lies above 1.
          if (threshold === undefined) expect(quantile).toBeGreaterThan(1 - 1e-4)
          else expect(threshold - quantile).toBeGreaterThan(0)
          if (threshold !== undefined) expect(threshold - quantile).toBeLessThan(2.1e-4)
        }
      }),
    )
  })

  it.runIf(DEEP)('is kept in the mean for any distribution, and its bound is kept with the stated certainty', () => {
    const random = seededRandom(8)
    const REPEATS = 3000
    for (const shaped of [
      (share: number) => share,
      (share: number) => share ** 8,
      (share: number) => Math.sqrt(share),
    ]) {
      let [sum, above] = [0, 0]
      const atMost = upperBound(mostAllowed(100, average), 100, 0.9)
      for (let repeat = 0; repeat < REPEATS; repeat++) {
        const drawn = Array.from({ length: 100 }, () => shaped(random()))
        const threshold = lowestSafeThreshold(drawn, { ...average, step: 0.0001 })!
        const grid = Array.from({ length: 1000 }, (_, at) => shaped((at + 0.5) / 1000))
        const rate = grid.filter((score) => score >= threshold).length / 1000
        sum += rate
        if (rate > atMost) above++
      }
      // Five in 101, less than .05; three standard errors over the repeats are .0012 and .016.
      expect(sum / REPEATS).toBeLessThan(0.0512)
      expect(sum / REPEATS).toBeGreaterThan(0.045)
      expect(above / REPEATS).toBeLessThan(0.117)
    }
  })
})
