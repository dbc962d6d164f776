import { describe, expect, it } from 'vitest'
import { fitRanker, type RankedList } from '../../../bench/evaluation/word-rerank-fit.ts'
import { seededRandom } from '../../../bench/seeded-random.ts'

const random = seededRandom(11)

/** Lists of five whose answer is drawn by a conditional logit of the given weights. */
function drawn(count: number, weights: readonly number[]): readonly RankedList[] {
  return Array.from({ length: count }, () => {
    const candidates = Array.from({ length: 5 }, () => weights.map(() => random()))
    const powers = candidates.map((own) => Math.exp(own.reduce((sum, value, at) => sum + value * weights[at]!, 0)))
    let left = random() * powers.reduce((sum, power) => sum + power, 0)
    const picked = powers.findIndex((power) => (left -= power) < 0)
    return { candidates, relevant: [picked] }
  })
}

describe('fitRanker', () => {
  it('finds the weights that the answers were drawn by', () => {
    const [a, b, none] = fitRanker([drawn(6000, [4, -2, 0])])
    expect(a).toBeCloseTo(4, 0)
    expect(b).toBeCloseTo(-2, 0)
    expect(Math.abs(none!)).toBeLessThan(0.3)
  })

  it('minds differences within a list alone', () => {
    const lists = drawn(300, [2, -1])
    const shifted = lists.map(({ candidates, relevant }, at) => ({
      candidates: candidates.map((own) => own.map((value) => value + at)),
      relevant,
    }))
    const [plain, moved] = [fitRanker([lists]), fitRanker([shifted])]
    plain.forEach((value, at) => expect(moved[at]).toBeCloseTo(value, 6))
  })

  it('weighs sets alike, however many lists they have', () => {
    const [small, large] = [drawn(100, [3]), drawn(100, [-3])]
    const [once] = fitRanker([small, large])
    const [tenfold] = fitRanker([small, Array.from({ length: 10 }, () => large).flat()])
    expect(tenfold).toBeCloseTo(once!, 8)
  })
})
