import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Example, fitLogistic } from '../../packages/calibration/src/logistic-fit.ts'

const example = (features: readonly number[], label: 0 | 1, weight = 1): Example => ({ features, label, weight })

const SIX = [
  example([0, 1], 0),
  example([1, 0], 0, 2),
  example([2, 3], 1),
  example([3, 1], 0),
  example([4, 5], 1, 3),
  example([5, 2], 1),
]

describe('fitLogistic', () => {
  it('gives the log-odds of each group when a feature separates two groups', () => {
    const group = (feature: number, ones: number, zeros: number): Example[] => [
      ...Array.from({ length: ones }, () => example([feature], 1)),
      ...Array.from({ length: zeros }, () => example([feature], 0)),
    ]
    const { intercept, coefficients } = fitLogistic([...group(0, 1, 3), ...group(1, 4, 2)], { l2: 1e-12 })
    expect(intercept).toBeCloseTo(Math.log(1 / 3), 8)
    expect(coefficients[0]).toBeCloseTo(Math.log(4 / 2) - Math.log(1 / 3), 8)
  })

  it('gives the result of 400,000 steps of plain gradient descent (numpy)', () => {
    const { intercept, coefficients } = fitLogistic(SIX, { l2: 0.1 })
    expect(intercept).toBeCloseTo(-2.3829503205455302, 8)
    expect(coefficients[0]).toBeCloseTo(0.49855612, 7)
    expect(coefficients[1]).toBeCloseTo(0.59137006, 7)
  })

  it('treats a weight of two like an example given twice', () => {
    const twice = SIX.flatMap((one) => Array.from({ length: one.weight }, () => ({ ...one, weight: 1 })))
    const fit = fitLogistic(twice, { l2: 0.1 })
    expect(fit.intercept).toBeCloseTo(fitLogistic(SIX, { l2: 0.1 }).intercept, 9)
  })

  it('stays finite when a feature separates the labels completely, and when it never varies', () => {
    const { intercept, coefficients } = fitLogistic(
      [example([-1, 7], 0), example([1, 7], 1), example([2, 7], 1), example([-2, 7], 0)],
      { l2: 0.01 },
    )
    expect(Number.isFinite(intercept)).toBe(true)
    expect(coefficients[0]).toBeGreaterThan(0)
    expect(coefficients[1]).toBe(0)
  })

  it('gives a feature that never varies no coefficient, where its mean is rounded', () => {
    for (const constant of [0.1, 1 / 3, 0.7, 3]) {
      for (let count = 6; count < 60; count++) {
        const examples = Array.from({ length: count }, (_, at) =>
          example([at % 7, constant], at % 3 === 0 ? 1 : 0, 1 / (at % 2 === 0 ? 37 : 53)),
        )
        const { coefficients } = fitLogistic(examples, { l2: 20 / count })
        expect(coefficients[1]).toBeCloseTo(0, 9)
      }
    }
  })

  it('does not depend on the unit of a feature or the order of the examples', () => {
    const examples = fc.array(
      fc.tuple(fc.integer({ min: -20, max: 20 }), fc.integer({ min: -20, max: 20 }), fc.constantFrom(0 as const, 1)),
      { minLength: 6, maxLength: 30 },
    )
    fc.assert(
      fc.property(examples, (rows) => {
        fc.pre(new Set(rows.map(([, , label]) => label)).size === 2)
        const plain = rows.map(([a, b, label]) => example([a, b], label as 0 | 1))
        const scaled = rows.map(([a, b, label]) => example([a * 8, b + 3], label as 0 | 1)).toReversed()
        const one = fitLogistic(plain, { l2: 0.05 })
        const other = fitLogistic(scaled, { l2: 0.05 })
        expect(other.coefficients[0]! * 8).toBeCloseTo(one.coefficients[0]!, 6)
        expect(other.coefficients[1]!).toBeCloseTo(one.coefficients[1]!, 6)
      }),
      { numRuns: 60 },
    )
  })

  it('gives exactly the same result for the same examples', () => {
    expect(fitLogistic(SIX, { l2: 0.1 })).toEqual(fitLogistic(SIX, { l2: 0.1 }))
  })
})
