import { describe, expect, it } from 'vitest'
import * as fc from 'fast-check'
import { thresholdSensitivity } from '../../../src/core/calibration/threshold-sensitivity.ts'
import { scored, scoredQuestions } from '../../fixtures/scored.ts'

describe('thresholdSensitivity', () => {
  it('counts at every threshold what would be refused, equality passing', () => {
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

  it('says how sure each rate is, by the exact interval', () => {
    const [point] = thresholdSensitivity(scored([], [0.1, 0.2, 0.3]), 0.5, { reach: 0.1, step: 0.1 }).points
    // 1 − .025^(1/3): nothing of three.
    expect(point?.falseAcceptances).toMatchObject({ hits: 0, labels: 3, rate: 0, low: 0 })
    expect(point?.falseAcceptances.high).toBeCloseTo(1 - 0.025 ** (1 / 3), 9)
    expect(point?.falseRefusals).toMatchObject({ labels: 0, rate: null, low: 0, high: 1 })
  })

  it('has no steepest step without labels', () => {
    const { points, steepest } = thresholdSensitivity([], 0.5)
    expect([points.length, steepest]).toEqual([21, undefined])
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

  it.each([{ step: 0 }, { reach: 0.001 }, { reach: 2, step: 0.001 }, { step: NaN }])('refuses %j', (options) => {
    expect(() => thresholdSensitivity([], 0.5, options)).toThrow('reach must hold')
  })
})
