import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../bench/seeded-random.ts'
import { type Example, fitLogistic, type LogisticFit } from '../../packages/calibration/src/logistic-fit.ts'

const example = (features: readonly number[], label: 0 | 1, weight = 1): Example => ({ features, label, weight })

const SIX = [
  example([0, 1], 0),
  example([1, 0], 0, 2),
  example([2, 3], 1),
  example([3, 1], 0),
  example([4, 5], 1, 3),
  example([5, 2], 1),
]

/** Slopes of the penalised mean loss by intercept and by the coefficients of the standardised features. */
function slopesAt(examples: readonly Example[], { intercept, coefficients }: LogisticFit, l2: number): number[] {
  const total = examples.reduce((sum, { weight }) => sum + weight, 0)
  const mean = (of: (one: Example) => number): number =>
    examples.reduce((sum, one) => sum + (one.weight / total) * of(one), 0)
  const excess = ({ features, label, offset = 0 }: Example): number =>
    1 / (1 + Math.exp(-features.reduce((odds, x, at) => odds + coefficients[at]! * x, intercept + offset))) - label
  return [
    mean(excess),
    ...coefficients.map((coefficient, at) => {
      const middle = mean(({ features }) => features[at]!)
      const deviation = Math.sqrt(mean(({ features }) => (features[at]! - middle) ** 2))
      const slope = mean((one) => excess(one) * (one.features[at]! - middle)) / deviation
      return slope + l2 * coefficient * deviation
    }),
  ]
}

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

  it('has no slope at its result, for any weights, offsets and penalty', () => {
    const random = seededRandom(11)
    for (let repeat = 0; repeat < 60; repeat++) {
      const far = repeat % 3 === 0 ? 40 : 4
      const examples = Array.from({ length: 5 + Math.floor(40 * random()) }, (_, at): Example => {
        const features = [random(), 100 * random() - 30, at % 4]
        const label = random() < (repeat % 2 === 0 ? 0.5 : features[0]!) ? 1 : 0
        return { features, label, weight: 0.01 + random(), offset: far * (random() - 0.5) }
      })
      const l2 = 10 ** (-4 * random())
      const slopes = slopesAt(examples, fitLogistic(examples, { l2 }), l2)
      if (new Set(examples.map(({ label }) => label)).size === 2) {
        expect(slopes).toEqual(slopes.map(() => expect.closeTo(0, 6)))
      }
    }
  })

  it('finds the result from far away, where a whole step of the method goes too far', () => {
    const examples = [example([0], 0), example([1], 1), example([2], 0), example([3], 1)].map((each, at) => ({
      ...each,
      offset: at % 2 === 0 ? 25 : -25,
    }))
    const fit = fitLogistic(examples, { l2: 0.001 })
    expect(slopesAt(examples, fit, 0.001)).toEqual([expect.closeTo(0, 6), expect.closeTo(0, 6)])
  })

  it('has a finite intercept of the sign of the label if all examples have the same', () => {
    for (const label of [0, 1] as const) {
      const { intercept, coefficients } = fitLogistic([example([1], label), example([4], label)], { l2: 1 })
      expect((label === 1 ? 1 : -1) * intercept).toBeGreaterThan(5)
      expect(intercept).toSatisfy(Number.isFinite)
      expect(coefficients[0]).toBeCloseTo(0, 6)
    }
  })

  it('ignores an example without weight', () => {
    const fit = fitLogistic(SIX, { l2: 0.1 })
    const other = fitLogistic([...SIX, example([90, -70], 0, 0)], { l2: 0.1 })
    expect(other.intercept).toBeCloseTo(fit.intercept, 9)
    expect(other.coefficients).toEqual(fit.coefficients.map((value) => expect.closeTo(value, 9)))
  })

  it('gives exactly the same result for the same examples', () => {
    expect(fitLogistic(SIX, { l2: 0.1 })).toEqual(fitLogistic(SIX, { l2: 0.1 }))
  })
})
