import { describe, expect, it } from 'vitest'
import { normalTail } from '../../../bench/normal-tail.ts'
import {
  calibrationOf,
  confidenceBy,
  confidenceOf,
  type PolicyConfidence,
} from '../../../src/core/policy/confidence.ts'
import { judge } from '../../../src/core/policy/judge.ts'
import { logistic, logisticModel } from '../../../src/core/policy/logistic.ts'
import { definePolicy, policySettings, resolvePolicy } from '../../../src/core/policy/policy.ts'
import { readsScale, scaled, scaledModel, unscaled } from '../../../src/core/policy/scaled.ts'
import { weakestPart } from '../../../src/core/policy/weakest-part.ts'
import type { Signals } from '../../../src/core/signals/measure.ts'
import { balanced, balancedPreset } from '../../../src/presets/balanced/balanced.ts'
import { balancedGraded } from '../../../src/presets/balanced/balanced-graded.ts'

/** The confidence of a part is its sentence match, in log-odds. */
const plain = logistic({ intercept: 0, weights: { sentenceMatch: 1 }, provenance: '', calibrated: false })
const { settings } = balanced().confidence
const { atMiddle, perDeviation } = settings as { atMiddle: number; perDeviation: number } & typeof settings
const confidence = scaled(plain, { atMiddle, perDeviation })

const OWN = { middle: -1.5, deviation: 1.2, learnedAtMs: 0, corpusVersion: 1 }
const signals = (logOdds: number, scale?: Signals['scale']): Signals => ({
  chunkCount: 1,
  droppedCount: 0,
  questionTermCount: 1,
  sentenceMatch: logOdds,
  ...(scale === undefined ? {} : { scale }),
})
const read = (logOdds: number, scale?: Signals['scale']): number => confidenceOf(confidence, signals(logOdds, scale))

describe('a confidence on the scale of a collection', () => {
  it.each([
    [0.025, 0.55],
    [0.01, 0.8],
  ])('maps a score that a share of %d of the windows reaches to %d', (tail, wanted) => {
    let [low, high] = [0, 10]
    while (high - low > 1e-9) {
      const middle = (low + high) / 2
      if (normalTail(middle) > tail) low = middle
      else high = middle
    }
    expect(read(OWN.middle + low * OWN.deviation, OWN)).toBeCloseTo(wanted, 3)
  })

  it.each([2, 5, 30])(
    'raises the log-odds of a question of %d terms by .4 for each factor e in its length',
    (questionTermCount) => {
      const longer = { ...signals(-1, OWN), questionTermCount }
      expect(confidenceOf(confidence, longer)).toBeCloseTo(read(-1 + 0.4 * Math.log(questionTermCount), OWN), 12)
      expect(confidenceOf(confidence, { ...signals(-1), questionTermCount })).toBe(read(-1))
    },
  )

  it('is unchanged when the collection has no scale', () => {
    for (const logOdds of [-8, -1, 0, 0.3, 2, 9]) {
      const before = confidenceOf(plain, signals(logOdds))
      expect(read(logOdds)).toBe(before)
      expect(read(logOdds, null)).toBe(before)
    }
  })

  it('uses the scale `otherwise` when the collection has none', () => {
    const elsewhere = scaled(plain, { atMiddle, perDeviation, otherwise: { middle: -1.5, deviation: 1.2 } })
    expect(confidenceOf(elsewhere, signals(0.3))).toBe(read(0.3, OWN))
    expect(confidenceOf(elsewhere, signals(0.3, { ...OWN, middle: 0 }))).toBe(read(0.3, { ...OWN, middle: 0 }))
    expect(calibrationOf(elsewhere, signals(0.3))).toBe('uncalibrated')
  })

  it('keeps the order of questions of equal length, and stays within 0 and 1', () => {
    for (const middle of [-9, -2, 0, 3])
      for (const deviation of [0.1, 1, 7]) {
        const own = { ...OWN, middle, deviation }
        const row = Array.from({ length: 81 }, (_, at) => read(at / 4 - 10, own))
        expect(row).toEqual([...row].sort((a, b) => a - b))
        expect(Math.min(...row)).toBeGreaterThanOrEqual(0)
        expect(Math.max(...row)).toBeLessThanOrEqual(1)
        expect(read(middle, own)).toBeLessThan(0.05)
      }
  })

  it('is NaN when the inner confidence is NaN or the record is damaged', () => {
    expect(read(NaN, OWN)).toBeNaN()
    expect(confidenceOf(confidence, { ...signals(0, OWN), questionTermCount: undefined as never })).toBeNaN()
    // As JSON reads what was no finite number.
    for (const damaged of [
      { ...OWN, middle: null },
      { ...OWN, deviation: null },
      // Nothing may be divided by it, and below 0 it would turn the order of questions round.
      { ...OWN, deviation: 0 },
      { ...OWN, deviation: -1.2 },
    ]) {
      expect(read(0, damaged as unknown as Signals['scale'])).toBeNaN()
    }
  })

  it('rejects settings that do not rise, and an unknown inner confidence', () => {
    const { settings: given } = confidence
    for (const broken of [
      { atMiddle: NaN },
      { perDeviation: 0 },
      { perDeviation: -1 },
      { of: { kind: 'magic' } },
      { otherwise: { middle: 0, deviation: 0 } },
      { otherwise: { middle: null, deviation: 1 } },
      { otherwise: 'none' },
    ]) {
      expect(() => confidenceBy(scaledModel([logisticModel]), { ...given, ...broken } as never)).toThrow(/confidence/)
    }
    const flat = { ...given, perDeviation: 0 }
    expect(() => confidenceBy(scaledModel([logisticModel]), flat as never)).toThrow('confidence has a wrong scale')
  })

  it('reads the signals of the inner confidence, the scale and the scores', () => {
    const names = ({ model, settings: of }: PolicyConfidence) => model.reads?.(of).map(({ name }) => name)
    expect(names(confidence)).toEqual(['sentenceMatch', 'scale', 'questionTermCount', 'curves'])
    const blind = { kind: 'blind', validate: () => undefined, confidence: () => 0.5 }
    expect(names(scaled(confidenceBy(blind, { kind: 'blind' }), { atMiddle, perDeviation }))).toEqual([
      'scale',
      'questionTermCount',
      'curves',
    ])
    expect(unscaled(plain)).toBe(plain)
  })

  describe('with a scale of a semantic score', () => {
    const meaning = { kind: 'cosine', middle: 0.5, deviation: 0.05, charge: 0.1 }
    const ofWhole = weakestPart(plain)
    const onBoth = scaled(ofWhole, { atMiddle, perDeviation })
    const asked = (cosine: number | undefined, more: object = {}, own: object = { ...OWN, meaning }): number =>
      confidenceOf(onBoth, {
        ...signals(-3, own as Signals['scale']),
        parts: [],
        stretches: [],
        ...(cosine !== undefined && { curves: { cosine: { scores: [cosine], topPairSharesDocument: false } } }),
        ...more,
      })

    it('is high for a score that no window reaches, and judged by words without a score or a scale of it', () => {
      expect(asked(0.7)).toBeGreaterThan(0.8)
      expect(asked(0.5)).toBeLessThan(0.05)
      expect(asked(undefined)).toBe(read(-3, OWN))
      expect(asked(0.7, {}, OWN)).toBe(read(-3, OWN))
      expect(asked(undefined, { curves: { bm25: { scores: [9], topPairSharesDocument: false } } })).toBe(read(-3, OWN))
    })

    it('ignores the score when the question has parts, and is lower by as much as a piece differs from the rest', () => {
      const words = asked(undefined, { parts: [{ sentenceMatch: -3 }, { sentenceMatch: -4 }] })
      expect(asked(0.9, { parts: [{ sentenceMatch: -3 }, { sentenceMatch: -4 }] })).toBe(words)
      const foreign = { stretches: [{ sentenceMatch: -9 }] }
      expect(asked(0.65)).toBeGreaterThan(0.55)
      expect(asked(0.65, foreign)).toBeLessThan(0.55)
      expect(asked(0.65, { stretches: [{ sentenceMatch: -6.5 }] })).toBeGreaterThan(asked(0.65, foreign))
      // A piece as weak as the whole is not foreign to it.
      expect(asked(0.9, { stretches: [{ sentenceMatch: -4 }] })).toBe(asked(0.9))
    })

    it('is lower by the deviations that a piece lacks in words', () => {
      // Each stretch takes .6 log-odds, half a deviation.
      const lessByStretches = {
        kind: 'less',
        validate: () => undefined,
        confidence: (_settings: object, { sentenceMatch = 0, stretches = [] }: Signals) =>
          1 / (1 + Math.exp(0.6 * stretches.length - sentenceMatch)),
      }
      const on = scaled(confidenceBy(lessByStretches, { kind: 'less' }), { atMiddle: 0, perDeviation: 1 })
      const found = confidenceOf(on, {
        ...signals(-3, { ...OWN, meaning }),
        parts: [],
        stretches: [{}],
        curves: { cosine: { scores: [0.65], topPairSharesDocument: false } },
      })
      // Three deviations of meaning, less that half and the charge.
      expect(Math.log(found / (1 - found))).toBeCloseTo(3 - 0.5 - 0.1, 9)
    })

    it('is NaN when the record of the scale is damaged', () => {
      for (const damaged of [{ deviation: 0 }, { middle: null }, { charge: null }]) {
        expect(asked(0.9, {}, { ...OWN, meaning: { ...meaning, ...damaged } })).toBeNaN()
      }
    })
  })

  it('reports its calibration', () => {
    expect(calibrationOf(confidence, signals(0))).toBe('uncalibrated')
    expect(calibrationOf(confidence, signals(0, OWN))).toBe('scaled')
    expect(calibrationOf(logistic({ intercept: 0, weights: {}, provenance: '' }), signals(0))).toBeUndefined()
    // No header can carry it.
    const untyped = { ...confidence.model, calibration: (): never => 'öfter\n' as never }
    expect(calibrationOf({ ...confidence, model: untyped }, signals(0))).toBeUndefined()
  })
})

describe('balanced', () => {
  it('reads the scale by default, but not with graded chunks or when unscaled', () => {
    expect(readsScale(balanced())).toBe(true)
    expect(readsScale(balancedGraded())).toBe(false)
    const without = definePolicy({ ...balanced(), confidence: unscaled(balanced().confidence) })
    expect(readsScale(without)).toBe(false)
    expect(without.id).not.toBe(balanced().id)
    const stored: unknown = JSON.parse(JSON.stringify([policySettings(balanced()), policySettings(without)]))
    expect((stored as unknown[]).map((each) => resolvePolicy(each, [balancedPreset]).id)).toEqual([
      balanced().id,
      without.id,
    ])
  })

  it('is judged again from the record alone', () => {
    const policy = definePolicy({ ...balanced(), confidence, gates: balanced().gates.slice(-1) })
    const verdicts = [undefined, { ...OWN, middle: -2 }, { ...OWN, middle: 3 }].map((own) => {
      const recorded = JSON.parse(JSON.stringify(signals(1, own))) as Signals
      return judge(policy, recorded).verdict
    })
    // .73 as it is; far above what the collection cannot answer; and below half of that.
    expect(verdicts).toEqual(['advise', 'pass', 'refuse'])
  })
})
