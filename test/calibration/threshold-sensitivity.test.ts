import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import { thresholdSensitivity } from '../../packages/calibration/src/threshold-sensitivity.ts'
import { scored, scoredQuestions } from '../fixtures/scored.ts'

describe('thresholdSensitivity', () => {
  it('counts refusals at every threshold, with equal scores passing', () => {
    const { points, steepest } = thresholdSensitivity(scored([0.8, 0.7, 0.6, NaN], [0.75, 0.2]), 0.7, {
      reach: 0.1,
      step: 0.1,
    })
    expect(points.map(({ threshold }) => threshold)).toEqual([0.6, 0.7, 0.8])
    expect(points.map(({ refusals }) => [refusals.hits, refusals.labels])).toEqual([
      [2, 6],
      [3, 6],
      [5, 6],
    ])
    expect(points.map(({ falseRefusals }) => falseRefusals.rate)).toEqual([0.25, 0.5, 0.75])
    expect(points.map(({ falseAcceptances }) => falseAcceptances.rate)).toEqual([0.5, 0.5, 0])
    expect(steepest).toEqual({ from: 0.7, to: 0.8, change: expect.closeTo(2 / 6, 12) })
  })

  it('gives the exact interval of each rate', () => {
    const [point] = thresholdSensitivity(scored([], [0.1, 0.2, 0.3]), 0.5, { reach: 0.1, step: 0.1 }).points
    // 1 − .025^(1/3): nothing of three.
    expect(point?.falseAcceptances).toMatchObject({ hits: 0, labels: 3, rate: 0, low: 0 })
    expect(point?.falseAcceptances.high).toBeCloseTo(1 - 0.025 ** (1 / 3), 9)
    expect(point?.falseRefusals).toMatchObject({ labels: 0, rate: null, low: 0, high: 1 })
  })

  it('has no steepest step without labels', () => {
    const sensitivity = thresholdSensitivity([], 0.5)
    expect(sensitivity.points).toHaveLength(21)
    expect(sensitivity).not.toHaveProperty('steepest')
  })

  it('covers a tenth on each side in hundredths, by default', () => {
    const thresholds = (reach?: number, step?: number): number[] => {
      const options = { ...(reach !== undefined && { reach }), ...(step !== undefined && { step }) }
      return thresholdSensitivity([], 0.5, options).points.map(({ threshold }) => threshold)
    }
    expect([thresholds().at(0), thresholds().at(1), thresholds().at(-1)]).toEqual([0.4, 0.41, 0.6])
    // .3 / .1 comes out a hair under 3.
    expect(thresholds(0.3, 0.1)).toEqual([0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    expect(thresholds(0.19, 0.1)).toEqual([0.4, 0.5, 0.6])
    expect(thresholds(10)).toHaveLength(2001)
  })

  it('names the lowest of equally steep steps', () => {
    const { steepest } = thresholdSensitivity(scored([0.45, 0.55], []), 0.5, { reach: 0.1, step: 0.1 })
    expect(steepest).toEqual({ from: 0.4, to: 0.5, change: 0.5 })
  })

  it('never refuses fewer, nor answers more, as the threshold rises', () => {
    fc.assert(
      fc.property(scoredQuestions, fc.double({ min: 0, max: 1, noNaN: true }), (questions, threshold) => {
        const { points } = thresholdSensitivity(questions, threshold, { reach: 0.5, step: 0.05 })
        points.slice(1).forEach((point, at) => {
          expect(point.refusals.hits).toBeGreaterThanOrEqual(points[at]!.refusals.hits)
          expect(point.falseAcceptances.hits).toBeLessThanOrEqual(points[at]!.falseAcceptances.hits)
        })
      }),
    )
  })

  it.each([
    { step: 0 },
    { reach: 0.001 },
    { reach: 2, step: 0.001 },
    { reach: 10.01 },
    { step: NaN },
    { reach: -0.1, step: -0.01 },
    { threshold: NaN },
    { threshold: Infinity },
  ])(
    'rejects the options %j',
    ({ threshold = 0.5, ...options }: { threshold?: number; reach?: number; step?: number }) => {
      expect(() => thresholdSensitivity([], threshold, options)).toThrow(
        expect.objectContaining({
          code: 'config_invalid',
          message: 'reach must hold 1 to 1000 steps',
          param: 'reach',
        }),
      )
    },
  )
})
