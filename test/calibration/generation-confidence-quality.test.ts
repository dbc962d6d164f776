import { describe, expect, it } from 'vitest'
import { auroc } from '../../packages/calibration/src/auroc.ts'
import { aurocInterval, spearmanInterval } from '../../packages/calibration/src/correlation-interval.ts'
import {
  checkGenerationConfidence,
  type RatedAnswer,
} from '../../packages/calibration/src/generation-confidence-quality.ts'
import { spearman } from '../../packages/calibration/src/correlation.ts'
import { seededRandom } from '../../bench/seeded-random.ts'

const rated = (count: number, of: (at: number) => RatedAnswer): RatedAnswer[] =>
  Array.from({ length: count }, (_, at) => of(at))

describe('checkGenerationConfidence', () => {
  it('reports a confidence that follows the quality', () => {
    const found = checkGenerationConfidence(rated(100, (at) => ({ confidence: at / 100, quality: at >= 40 ? 1 : 0 })))
    expect(found).toMatchObject({ labels: 100, missing: 0, carries: 'yes', auroc: { value: 1, high: 1 } })
    expect(found.auroc).toEqual({ value: 1, ...aurocInterval(1, 60, 40) })
    expect(found.statement).toMatch(
      /^The confidence follows the quality of the answers\. 100 rated answers: rank correlation 0\.85 \(0\.7\d to 0\.9\d\), AUROC 1\.00 \(0\.9\d to 1\.00\)$/,
    )
  })

  it('reports that a confidence does not follow the quality', () => {
    const random = seededRandom(7)
    const found = checkGenerationConfidence(
      rated(200, () => ({ confidence: random(), quality: random() < 0.5 ? 0 : 1 })),
    )
    expect(found.carries).toBe('no')
    expect(found.statement).toMatch(/^The confidence does not carry: do not gate on it\. 200 rated answers/)
    const turned = checkGenerationConfidence(rated(100, (at) => ({ confidence: 1 - at / 100, quality: at / 100 })))
    expect(turned).toMatchObject({ carries: 'no', spearman: { value: expect.closeTo(-1, 9) } })
  })

  it('reports too few answers and equal confidences, and counts missing confidences', () => {
    expect(checkGenerationConfidence(rated(49, (at) => ({ confidence: at, quality: at })))).toMatchObject({
      carries: 'unknown',
      statement: 'Too few rated answers: 49 of 50 needed',
    })
    const constant = checkGenerationConfidence(rated(60, (at) => ({ confidence: 0.9, quality: at % 2 })))
    expect(constant).toMatchObject({
      carries: 'no',
      auroc: { value: 0.5 },
      statement: 'Every answer has the same confidence: it tells nothing, do not gate on it',
    })
    expect(constant).not.toHaveProperty('spearman')
    const good = checkGenerationConfidence(rated(60, (at) => ({ confidence: at / 60, quality: 1 })))
    expect(good).toMatchObject({
      carries: 'unknown',
      statement: 'Every answer is equally good: nothing can be told apart',
    })
    expect(good).not.toHaveProperty('auroc')
    const allGood = checkGenerationConfidence(rated(60, (at) => ({ confidence: at / 60, quality: 0.5 + at / 200 })))
    expect(allGood.carries).toBe('yes')
    expect(allGood.statement).toMatch(/: rank correlation 1\.00 \(1\.00 to 1\.00\)$/)
    const some = rated(10, (at) => ({ confidence: at < 4 ? undefined : at === 4 ? NaN : 0.5, quality: 1 }))
    expect(checkGenerationConfidence(some)).toMatchObject({ labels: 5, missing: 5 })
    const unrated = [{ confidence: 0.5, quality: NaN }]
    expect(checkGenerationConfidence(unrated)).toMatchObject({ labels: 0, missing: 1 })
  })

  it('counts answers from the given quality as good, and needs the given number of answers', () => {
    const answers = rated(50, (at) => ({ confidence: at / 50, quality: at < 25 ? 0.4 : 0.5 }))
    expect(checkGenerationConfidence(answers)).toMatchObject({ carries: 'yes', auroc: { value: 1 } })
    expect(checkGenerationConfidence(answers, { goodFrom: 0.4 })).not.toHaveProperty('auroc')
    expect(checkGenerationConfidence(answers, { minLabels: 51 }).carries).toBe('unknown')
  })

  it('reports that the confidence does not follow the quality when only one of the two figures shows that', () => {
    // The order follows the quality, but for the few good answers, which have the lowest confidence.
    const answers = rated(100, (at) => ({ confidence: at / 100, quality: at < 8 ? 0.9 : at / 250 }))
    const found = checkGenerationConfidence(answers)
    expect(found.spearman!.low).toBeGreaterThan(0)
    expect(found).toMatchObject({ carries: 'no', auroc: { value: 0 } })
    // And the other way round: the few good answers stand out, the rest is in the wrong order.
    const turned = checkGenerationConfidence(
      rated(100, (at) => ({ confidence: at / 100, quality: at >= 90 ? 0.9 : (90 - at) / 250 })),
    )
    expect(turned.spearman!.low).toBeLessThan(0)
    expect(turned.auroc!.low).toBeGreaterThan(0.5)
    expect(turned.carries).toBe('no')
  })
})

describe('the intervals of both figures', () => {
  it('equal values computed elsewhere', () => {
    // tanh(atanh(.5) ± 1.95996 · √((1 + .125) / 47))
    expect(spearmanInterval(0.5, 50)).toEqual({ low: expect.closeTo(0.241225, 6), high: expect.closeTo(0.692393, 6) })
    // tanh(atanh(.5) ± 1.95996 · √1.125)
    expect(spearmanInterval(0.5, 4)).toEqual({ low: expect.closeTo(-0.910347, 6), high: expect.closeTo(0.989625, 6) })
    // Every area in steps of 1e-6 held against the condition of the paper, with another program.
    expect(aurocInterval(0.7, 20, 30)).toEqual({ low: expect.closeTo(0.53555, 4), high: expect.closeTo(0.82071, 4) })
  })

  it.each([
    [0.5, 3],
    [0.5, 2],
    [NaN, 50],
  ])('for a correlation of %d among %d pairs are unbounded', (rho, pairs) => {
    expect(spearmanInterval(rho, pairs)).toEqual({ low: -1, high: 1 })
  })

  it('for a perfect correlation are not of zero width', () => {
    expect(spearmanInterval(1, 50).low).toBeLessThan(1)
    expect(spearmanInterval(-1, 50).high).toBeGreaterThan(-1)
  })

  it.each([
    [0.5, 0, 9],
    [0.5, 9, 0],
    [0.7, 0, 9],
    [NaN, 0, 0],
    [NaN, 20, 30],
  ])('for an area of %d from %d and %d examples are unbounded', (area, positives, negatives) => {
    expect(aurocInterval(area, positives, negatives)).toEqual({ low: 0, high: 1 })
  })

  it('for an area of 1 are not of zero width, and mirror those of its complement', () => {
    const { low, high } = aurocInterval(1, 20, 30)
    expect(high).toBe(1)
    expect(low).toBeGreaterThan(0.8)
    expect(low).toBeLessThan(0.95)
    const turned = aurocInterval(0.3, 20, 30)
    const right = aurocInterval(0.7, 20, 30)
    expect([1 - turned.high, 1 - turned.low]).toEqual([expect.closeTo(right.low, 9), expect.closeTo(right.high, 9)])
  })

  it('contain the true value about as often as stated', () => {
    const random = seededRandom(20_261_122)
    const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    const REPEATS = 600
    let area = 0
    let rho = 0
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const scored = Array.from({ length: 60 }, (_, at) => ({
        score: normal() + (at < 25 ? 1 : 0),
        answerable: at < 25,
      }))
      // Φ(1/√2): two normal distributions one deviation apart.
      const { low, high } = aurocInterval(auroc(scored), 25, 35)
      if (low <= 0.7602499 && 0.7602499 <= high) area++
      const pairs = Array.from({ length: 60 }, () => {
        const x = normal()
        return [x, 0.5 * x + Math.sqrt(0.75) * normal()] as const
      })
      // 6/π · asin(.5/2): the rank correlation of normal pairs that correlate by .5.
      const truth = (6 / Math.PI) * Math.asin(0.25)
      const interval = spearmanInterval(spearman(pairs) ?? NaN, pairs.length)
      if (interval.low <= truth && truth <= interval.high) rho++
    }
    for (const covered of [area, rho]) {
      expect(covered / REPEATS).toBeGreaterThan(0.92)
      expect(covered / REPEATS).toBeLessThan(0.98)
    }
  })
})
