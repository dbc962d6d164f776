import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../bench/seeded-random.ts'
import { chanceOfAtMost } from '../../packages/calibration/src/binomial-interval.ts'
import { lowestSafeConfidence } from '../../packages/calibration/src/safe-confidence.ts'
import { lowestSafeThreshold, mostAllowed } from '../../packages/calibration/src/safe-threshold.ts'
import { DEEP } from '../deep-run.ts'

const RISK = 0.05
const PROMISE = { risk: RISK, certainty: 0.9, step: 0.0001 }
/** Of how many labels promises are held against many draws. */
const LABELS = DEEP ? [50, 76, 100] : [76]
/** How often they are drawn: where little lies between what is and what may be, as often as in deep runs. */
const OFTEN = 1500
const REPEATS = DEEP ? OFTEN : 500
/** Three standard errors over the repeats. */
const errorOf = (share: number): number => 3 * Math.sqrt((share * (1 - share)) / REPEATS)
const CONFIDENCES = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 150, size: 'max' })

/** A confidence that is exceeded so often. */
type Exceeded = (share: number) => number

const sigmoid = (odds: number): number => 1 / (1 + Math.exp(-odds))

/** How often a threshold lets more than the risk through, of so many labels drawn so often. */
function exceededBy(
  threshold: typeof lowestSafeThreshold,
  confidence: Exceeded,
  labels: number,
  repeats = REPEATS,
): number {
  const random = seededRandom(labels)
  const limit = confidence(RISK)
  let exceeded = 0
  for (let repeat = 0; repeat < repeats; repeat++) {
    const drawn = Array.from({ length: labels }, () => confidence(1 - random()))
    if (threshold(drawn, PROMISE)! <= limit - PROMISE.step) exceeded++
  }
  return exceeded / repeats
}

/** Log-odds that get rarer upwards, from the middle on. */
const RARER: Readonly<Record<string, Exceeded>> = {
  exponential: (share) => sigmoid(-1 - 1.5 * Math.log(share)),
  logistic: (share) => sigmoid(Math.log((1 - share) / share) - 2),
  'heavy-tailed': (share) => sigmoid(share ** -0.4 - 3),
}

describe('lowestSafeConfidence', () => {
  it.each(Object.entries(RARER).flatMap(([name, of]) => LABELS.map((labels) => [name, labels, of] as const)))(
    'keeps its promise for log-odds that are %s, with %i labels',
    (_, labels, of) => {
      // A tenth may.
      expect(exceededBy(lowestSafeConfidence, of, labels)).toBeLessThan(0.1 + errorOf(0.1))
    },
  )

  const LEFT_OVER = [
    [76, 0.02, 0.07],
    [60, 0.046, 0.06],
    [100, 0.037, 0.07],
  ] as const
  it.each(DEEP ? LEFT_OVER : LEFT_OVER.slice(0, 1))(
    'uses the certainty that a whole count leaves over, with %i labels',
    (labels, most, least) => {
      expect(exceededBy(lowestSafeThreshold, RARER['exponential']!, labels, OFTEN)).toBeLessThan(most + 0.023)
      expect(exceededBy(lowestSafeConfidence, RARER['exponential']!, labels, OFTEN)).toBeGreaterThan(least)
    },
  )

  it.each(LABELS)(
    'for %i labels is never worse than one question more, for any distribution of confidences',
    (labels) => {
      const shapes: readonly Exceeded[] = [
        // Some near misses that look answerable, all alike, and just as many as the risk.
        (share) => (share < 0.051 ? 0.9 + 0.0001 * (1 - share) : 0.1 * (1 - share)),
        (share) => Math.round(20 * (1 - share)) / 20,
        (share) => 1 - share ** 8,
      ]
      const allowed = mostAllowed(labels, PROMISE)
      const most = chanceOfAtMost(allowed + 1, labels, RISK)
      for (const shape of shapes) {
        expect(exceededBy(lowestSafeConfidence, shape, labels)).toBeLessThan(most + errorOf(0.5))
      }
    },
  )

  it('lies between the threshold for a whole count and that for one more', () => {
    fc.assert(
      fc.property(CONFIDENCES, (all) => {
        const promised = { ...PROMISE, risk: 0.1 }
        const counted = lowestSafeThreshold(all, promised)
        const between = lowestSafeConfidence(all, promised)
        if (counted === undefined || between === undefined) {
          expect(between).toBe(counted)
          return
        }
        expect(between).toBeLessThanOrEqual(counted)
        const through = all.filter((each) => each >= between - 1e-9).length
        expect(through).toBeLessThanOrEqual(mostAllowed(all.length, promised) + 1)
        expect(lowestSafeConfidence(all.toReversed(), promised)).toBe(between)
      }),
    )
  })

  it('treats NaN as a confidence that never passes', () => {
    fc.assert(
      fc.property(CONFIDENCES, fc.integer({ min: 1, max: 5 }), (all, each) => {
        const [lacking, low] = [NaN, 0].map((no) => all.flatMap((one, at) => (at % each === 0 ? [one, no] : [one])))
        fc.pre(all.length > 60)
        expect(lowestSafeConfidence(lacking!, PROMISE)).toBe(lowestSafeConfidence(low!, PROMISE))
      }),
    )
  })

  it("equals the whole count just after that rose, for certainty 'average', and between equal confidences", () => {
    const spread = (count: number): number[] => Array.from({ length: count }, (_, at) => at / count)
    for (const labels of [45, 105]) {
      expect(lowestSafeConfidence(spread(labels), PROMISE)).toBe(lowestSafeThreshold(spread(labels), PROMISE))
      expect(lowestSafeConfidence(spread(labels + 9), PROMISE)).toBeLessThan(
        lowestSafeThreshold(spread(labels + 9), PROMISE)!,
      )
    }
    const average = { ...PROMISE, certainty: 'average' } as const
    expect(lowestSafeConfidence(spread(30), average)).toBe(lowestSafeThreshold(spread(30), average))
    const equal = Array.from({ length: 60 }, () => 0.5)
    expect(lowestSafeConfidence(equal, PROMISE)).toBe(0.5001)
    expect(lowestSafeConfidence([...equal.slice(1), NaN], PROMISE)).toBe(0.5001)
    expect(lowestSafeConfidence(spread(44), PROMISE)).toBeUndefined()
    // Their multiples are thresholds themselves.
    const hundredths = Array.from({ length: 45 }, (_, at) => at / 100)
    expect(lowestSafeConfidence(hundredths, PROMISE)).toBe(0.4401)
    // Halving comes to this risk itself.
    expect(lowestSafeConfidence(spread(9), { ...PROMISE, risk: 0.25 })).toBe(0.8889)
    expect(lowestSafeConfidence([0.5, ...Array.from({ length: 59 }, () => NaN)], PROMISE)).toBe(0.5001)
  })
})
