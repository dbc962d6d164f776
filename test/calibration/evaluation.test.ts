import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../bench/seeded-random.ts'
import { bootstrapInterval } from '../../packages/calibration/src/bootstrap-interval.ts'
import {
  calibrationError,
  calibrationErrorInterval,
  reliabilityBins,
} from '../../packages/calibration/src/calibration-error.ts'
import { aurocInterval } from '../../packages/calibration/src/correlation-interval.ts'
import { evaluate, type JudgedQuestion } from '../../packages/calibration/src/evaluation.ts'

const question = fc.record({
  answerable: fc.boolean(),
  verdict: fc.constantFrom('pass', 'advise', 'refuse'),
  confidence: fc.double({ min: 0, max: 1, noNaN: true }),
  kind: fc.constantFrom('a', 'b'),
  collection: fc.constantFrom('x', 'y'),
})

const asked = (answerable: boolean, verdict: JudgedQuestion['verdict'], confidence: number, kind = 'a') => ({
  answerable,
  verdict,
  confidence,
  kind,
  collection: 'x',
})

describe('evaluate', () => {
  it('counts verdicts, in total and by kind', () => {
    const judged = [
      asked(true, 'pass', 0.9),
      asked(true, 'refuse', 0.2),
      asked(false, 'refuse', 0.1),
      asked(false, 'advise', 0.6, 'b'),
      asked(false, 'pass', 0.95, 'b'),
    ]
    const found = evaluate(judged, { threshold: 0.5, random: seededRandom(1) })
    expect(found.verdicts).toMatchObject({
      refusalAccuracy: { hits: 1, labels: 3 },
      falseRefusals: { hits: 1, labels: 2 },
      falseAcceptances: { hits: 2, labels: 3 },
      uncautioned: { hits: 1, labels: 3 },
    })
    expect(found.byKind['b']?.falseAcceptances).toMatchObject({ hits: 2, labels: 2 })
    expect(found.byKind['b']?.falseRefusals.rate).toBeNull()
    // Pairs in the right order: .9 above .1 and .6, .2 above .1.
    expect(found.auroc.value).toBeCloseTo(3 / 6, 12)
    expect(found.auroc.interval).toEqual(aurocInterval(3 / 6, 2, 3))
    expect(found.riskCoverage).toEqual([
      { coverage: 0.2, risk: 1, threshold: 0.95 },
      { coverage: 0.4, risk: 1 / 2, threshold: 0.9 },
      { coverage: 0.6, risk: 2 / 3, threshold: 0.6 },
      { coverage: 0.8, risk: 2 / 4, threshold: 0.2 },
      { coverage: 1, risk: 3 / 5, threshold: 0.1 },
    ])
    expect(found.sensitivity?.points).toHaveLength(21)
  })

  it('counts each verdict of each kind of question once', () => {
    const times = (count: number, ...given: Parameters<typeof asked>) =>
      Array.from({ length: count }, () => asked(...given))
    const { verdicts } = evaluate(
      [
        ...times(1, true, 'pass', 0.5),
        ...times(2, true, 'advise', 0.5),
        ...times(4, true, 'refuse', 0.5),
        ...times(8, false, 'pass', 0.5),
        ...times(16, false, 'advise', 0.5),
        ...times(32, false, 'refuse', 0.5),
      ],
      { random: seededRandom(1) },
    )
    expect(verdicts).toMatchObject({
      refusalAccuracy: { hits: 32, labels: 56 },
      falseRefusals: { hits: 4, labels: 7 },
      falseAcceptances: { hits: 24, labels: 56 },
      uncautioned: { hits: 8, labels: 56 },
    })
  })

  it('counts by kind and by collection, sorted by name', () => {
    const judged = [
      { ...asked(true, 'refuse', 0.2, 'b'), collection: 'y' },
      { ...asked(true, 'pass', 0.2, 'a'), collection: 'x' },
    ]
    const { byKind, byCollection } = evaluate(judged, { random: seededRandom(1) })
    for (const [found, names] of [
      [byKind, ['a', 'b']],
      [byCollection, ['x', 'y']],
    ] as const) {
      expect(Object.entries(found).map(([name, { falseRefusals }]) => [name, falseRefusals.rate])).toEqual([
        [names[0], 0],
        [names[1], 1],
      ])
    }
  })

  it('has intervals when there are questions of both kinds, and the stated risk in any case', () => {
    const both = Array.from({ length: 40 }, (_, at) => asked(at % 3 > 0, 'pass', (at % 3) / 4 + (at % 7) / 14))
    const found = evaluate(both, { risk: 0.1, random: seededRandom(1) })
    const { coverage, coverageInterval, risk } = found.atStatedRisk
    for (const [value, interval] of [
      [found.aurc.value!, found.aurc.interval!],
      [found.calibrationError.value!, found.calibrationError.interval!],
      [coverage, coverageInterval!],
    ] as const) {
      expect(interval.low).toBeLessThan(interval.high)
      expect(value).toBeGreaterThanOrEqual(interval.low)
      expect(value).toBeLessThanOrEqual(interval.high)
    }
    expect(risk).toBe(0.1)
    expect(found.calibrationError.interval).toEqual(
      calibrationErrorInterval(both.map(({ confidence: score, answerable }) => ({ score, answerable }))),
    )
    const one = evaluate([asked(true, 'pass', 0.9)], { random: seededRandom(1) })
    for (const figure of [one.auroc, one.aurc, one.calibrationError]) expect(figure).toStrictEqual({ value: null })
    expect(one.atStatedRisk).toStrictEqual({ risk: 0.05, threshold: 0.9, coverage: 1, falseAcceptance: NaN })
  })

  it('has no figure when nothing can be computed', () => {
    const found = evaluate([asked(true, 'pass', 0.9)], { random: seededRandom(1) })
    expect([found.auroc.value, found.aurc.value, found.calibrationError.value]).toEqual([null, null, null])
    expect(evaluate([], { random: seededRandom(1) })).toMatchObject({ questions: 0, riskCoverage: [], reliability: [] })
  })

  it('does not depend on the order of the questions', () => {
    fc.assert(
      fc.property(fc.array(question, { maxLength: 40 }), (judged) => {
        const one = evaluate(judged, { random: () => 0 })
        const other = evaluate([...judged].reverse(), { random: () => 0 })
        for (const name of ['verdicts', 'byKind', 'byCollection'] as const) expect(other[name]).toEqual(one[name])
        for (const name of ['auroc', 'aurc', 'calibrationError'] as const) {
          expect(other[name].value ?? -1).toBeCloseTo(one[name].value ?? -1, 9)
        }
      }),
    )
  })
})

describe('calibrationError', () => {
  it('is the mean distance between confidence and share answerable, over bins of equal size', () => {
    const scored = [
      { score: 0.1, answerable: false },
      { score: 0.3, answerable: true },
      { score: 0.8, answerable: true },
      { score: 0.6, answerable: true },
    ]
    // Two bins: mean .2 against .5, mean .7 against 1.
    expect(calibrationError(scored, 2)).toBeCloseTo(0.3, 12)
    expect(reliabilityBins(scored, 2).map(({ count }) => count)).toEqual([2, 2])
    const mixed = [scored[2]!, scored[0]!, scored[3]!, scored[1]!]
    expect(reliabilityBins(mixed, 2)).toEqual(reliabilityBins(scored, 2))
  })

  it('gives bins of equal size after one that equal confidences made larger', () => {
    const confidences = [...Array<number>(50).fill(0), ...Array.from({ length: 50 }, (_, at) => 0.5 + at / 100)]
    const scored = confidences.map((score, at) => ({ score, answerable: at % 2 === 0 }))
    expect(reliabilityBins(scored).map(({ count }) => count)).toEqual([50, 10, 10, 10, 10, 10])
    const middle = scored.map((each, at) => ({ ...each, score: at < 25 ? at / 100 : Math.max(0.5, each.score) }))
    expect(reliabilityBins(middle, 4).map(({ count }) => count)).toEqual([25, 26, 24, 25])
  })

  it('divides all questions into at most the stated number of bins, with ascending confidences', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30), { minLength: 1 }), fc.integer({ min: 1, max: 12 }), (tenths, bins) => {
        const found = reliabilityBins(
          tenths.map((each) => ({ score: each / 30, answerable: each % 2 === 0 })),
          bins,
        )
        expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(tenths.length)
        expect(found.length).toBeLessThanOrEqual(bins)
        const confidences = found.map(({ confidence }) => confidence)
        expect(confidences).toEqual([...new Set(confidences)].sort((a, b) => a - b))
      }),
    )
  })

  it('keeps equal confidences in one bin, and is NaN without questions', () => {
    const scored = Array.from({ length: 9 }, (_, at) => ({ score: 0.5, answerable: at < 3 }))
    expect(reliabilityBins(scored)).toMatchObject([{ count: 9, confidence: 0.5, answerable: 1 / 3 }])
    expect(calibrationError([])).toBeNaN()
  })

  it('counts a confidence that is not finite as 0', () => {
    const scored = [NaN, Infinity, 0].map((score) => ({ score, answerable: false }))
    expect(reliabilityBins(scored)).toMatchObject([{ count: 3, confidence: 0 }])
  })

  it('is that of the rest where many confidences are equal', () => {
    // Nothing was found for half of the questions; of the others, seven of ten are answerable at any confidence.
    const scored = Array.from({ length: 100 }, (_, at) =>
      at < 50 ? { score: 0, answerable: false } : { score: 0.7 + at / 1e6, answerable: at % 10 < 7 },
    )
    expect(calibrationError(scored)).toBeCloseTo(0, 3)
  })
})

describe('calibrationErrorInterval', () => {
  const random = seededRandom(3)
  /** Questions that are answerable with the probability `chance` of their confidence. */
  const drawn = (count: number, chance: (confidence: number) => number) =>
    Array.from({ length: count }, () => {
      const score = random()
      return { score, answerable: random() < chance(score) }
    })

  it.each([
    ['no error', (confidence: number) => confidence, 0],
    ['a constant error', (confidence: number) => 0.2 + 0.6 * confidence, 0.1],
    ['a large error', (confidence: number) => 1 - confidence, 0.5],
  ])('covers %s in 95 % of draws, few questions or many', (_, chance, error) => {
    for (const count of [20, 200]) {
      const found = Array.from({ length: 200 }, () => calibrationErrorInterval(drawn(count, chance)))
      const covered = found.filter(({ low, high }) => low <= error && error <= high).length
      expect(covered, String(count)).toBeGreaterThanOrEqual(190)
    }
  })

  it('contains the error of its questions, and gets narrower with more', () => {
    const width = (count: number): number => {
      const scored = drawn(count, () => 0.5)
      const { low, high } = calibrationErrorInterval(scored)
      const error = calibrationError(scored)
      expect(low).toBeLessThanOrEqual(error)
      expect(high).toBeGreaterThanOrEqual(error)
      return high - low
    }
    expect(width(1000)).toBeLessThan(width(20) / 2)
  })

  it('is that of the share answerable if all confidences are equal', () => {
    const scored = Array.from({ length: 40 }, (_, at) => ({ score: 0, answerable: at < 3 }))
    // Clopper and Pearson's interval of 3 of 40.
    expect(calibrationErrorInterval(scored).low).toBeCloseTo(0.015742, 6)
    expect(calibrationErrorInterval(scored).high).toBeCloseTo(0.203865, 6)
  })
})

describe('bootstrapInterval', () => {
  it.each([
    [0.95, 10, 390],
    [0.5, 100, 300],
  ])('omits equally many draws at each end: %d', (confidence, low, high) => {
    let drawn = 0
    const scored = [
      { score: 0.1, answerable: false },
      { score: 0.9, answerable: true },
    ]
    const options = { random: seededRandom(1), draws: 401, confidence }
    expect(bootstrapInterval(scored, () => drawn++, options)).toEqual({ low, high })
    for (const one of scored) expect(bootstrapInterval([one], () => drawn++, options)).toBeUndefined()
    expect(drawn).toBe(401)
  })

  it('contains a mean about as often as stated', () => {
    const random = seededRandom(7)
    const share = (scored: readonly { readonly score: number }[]): number =>
      scored.reduce((sum, { score }) => sum + score, 0) / scored.length
    let covered = 0
    const REPEATS = 200
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const scored = Array.from({ length: 60 }, (_, at) => ({ score: random(), answerable: at < 30 }))
      const { low, high } = bootstrapInterval(scored, share, { random, draws: 200 })!
      if (low <= 0.5 && 0.5 <= high) covered++
    }
    expect(covered / REPEATS).toBeGreaterThan(0.88)
    expect(covered / REPEATS).toBeLessThan(0.99)
  })
})
