import { describe, expect, it } from 'vitest'
import { fitGrouped, type Row } from '../../../bench/evaluation/grouped-fit.ts'
import { seededRandom } from '../../../bench/seeded-random.ts'
import { fitLogistic } from '../../../packages/calibration/src/logistic-fit.ts'

const random = seededRandom(7)
const chance = (z: number): boolean => random() < 1 / (1 + Math.exp(-z))

/** Questions of a set whose answerable ones are more by `shift`. */
function rows(count: number, shift: number): readonly Row[] {
  return Array.from({ length: count }, () => {
    const features = [random(), 10 * random()]
    return { features, answerable: chance(4 * features[0]! - 0.3 * features[1]! + shift) }
  })
}

describe('fitGrouped', () => {
  it('equals plain logistic regression for a single set', () => {
    const set = rows(400, 0)
    const answerable = set.filter((row) => row.answerable).length
    const plain = fitLogistic(
      set.map((row) => ({
        features: row.features,
        label: row.answerable ? 1 : 0,
        weight: 1 / (row.answerable ? answerable : set.length - answerable),
      })),
      { l2: 0.01 },
    )
    const { intercept, coefficients } = fitGrouped([set], 0.01)
    expect(intercept).toBeCloseTo(plain.intercept, 8)
    coefficients.forEach((value, at) => expect(value).toBeCloseTo(plain.coefficients[at]!, 8))
  })

  it("keeps each set's own level out of the coefficients", () => {
    const set = rows(400, 0)
    // The same questions with every first feature higher by one: a level of the collection, and no evidence.
    const higher = set.map((row) => ({ ...row, features: [row.features[0]! + 1, row.features[1]!] }))
    const alone = fitGrouped([set], 1e-9)
    const both = fitGrouped([set, higher], 1e-9)
    both.coefficients.forEach((value, at) => expect(value).toBeCloseTo(alone.coefficients[at]!, 4))
    expect(both.intercept).toBeCloseTo(alone.intercept - alone.coefficients[0]! / 2, 4)
  })

  it('weights sets equally, however many questions they have', () => {
    const [small, large] = [rows(100, 0), rows(100, 2)]
    const once = fitGrouped([small, large])
    const tenfold = fitGrouped([small, Array.from({ length: 10 }, () => large).flat()])
    tenfold.coefficients.forEach((value, at) => expect(value).toBeCloseTo(once.coefficients[at]!, 8))
  })

  it('gives no weight to a feature that never varies', () => {
    const set = rows(200, 0).map((row) => ({ ...row, features: [...row.features, 3] }))
    expect(fitGrouped([set]).coefficients[2]).toBeCloseTo(0, 8)
  })
})
