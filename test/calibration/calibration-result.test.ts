import { describe, expect, it } from 'vitest'
import type { AdjustedSettings } from '../../packages/calibration/src/adjusted-confidence.ts'
import {
  calibratePolicy,
  type CalibrateOptions,
  type CalibrationLabel,
} from '../../packages/calibration/src/calibrate-policy.ts'
import type { ConfidenceModel } from '../../src/core/policy/confidence.ts'
import { definePolicy } from '../../src/core/policy/policy.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { balancedGraded } from '../../src/presets/balanced/balanced-graded.ts'
import { aCurve, signalsOf } from '../fixtures/evidence.ts'

/** Its confidence is the best cosine as it stands. */
const model: ConfidenceModel = {
  kind: 'best-cosine',
  validate: () => {},
  confidence: (_, { topCosine }) => topCosine ?? NaN,
}
const policy = definePolicy({ ...balanced(), confidence: { model, settings: { kind: 'best-cosine' } } })

/** Labels with these confidences, and a match of the sentence that the confidence does not read. */
function labels(answerable: readonly number[], unanswerable: readonly number[]): CalibrationLabel[] {
  const of = (kind: boolean) => (confidence: number, at: number) => ({
    answerable: kind,
    group: `${kind}${at}`,
    signals: signalsOf({
      curves: { cosine: aCurve(confidence) },
      topCosine: confidence,
      sentenceMatch: (kind ? 0.3 : 0.1) + (at % 7) / 10,
    }),
  })
  return [...answerable.map(of(true)), ...unanswerable.map(of(false))]
}
const hundredths = (count: number): number[] => Array.from({ length: count }, (_, at) => at / 100)
const times = (count: number, value: number): number[] => Array.from({ length: count }, () => value)

const calibrate = (given: readonly CalibrationLabel[], options: Partial<CalibrateOptions> = {}) =>
  calibratePolicy(policy, given, { name: 'mine', ...options })

describe('what calibratePolicy states', () => {
  it.each<[string, readonly CalibrationLabel[], Partial<CalibrateOptions>, string]>([
    [
      'too few labels',
      labels([0.9], hundredths(44)),
      {},
      'Too few labels: 44 questions to be refused, 45 needed to promise 5 % with certainty 0.9',
    ],
    [
      'too few for a mean',
      labels([0.9], hundredths(78)),
      { risk: 0.0125, certainty: 'average' },
      'Too few labels: 78 questions to be refused, 79 needed to promise 1.25 % on average',
    ],
    [
      'questions that cannot be told apart',
      labels([1], times(60, 1)),
      { risk: 0.1 },
      'No threshold keeps false acceptances at 10 % with certainty 0.9: these questions look like answerable ones',
    ],
    [
      'a promise',
      labels([0.9], hundredths(60)),
      { risk: 0.07, certainty: 0.5 },
      'Of questions like the 60 labelled ones to be refused, at most 7 % are answered, with certainty 0.5',
    ],
  ])('of %s', (_, given, options, statement) => {
    expect(calibrate(given, options).statement).toBe(statement)
  })

  it.each<[string, () => unknown, string, string]>([
    [
      'labels that lack a signal',
      () => {
        const [first, ...others] = labels([0.9], hundredths(60))
        const { questionReadable: _, ...signals } = first!.signals
        return calibrate([{ ...first!, signals }, ...others])
      },
      'signals',
      '1 of 61 labels lack a signal that the policy needs: measure them again',
    ],
    [
      'weights without answerable labels',
      () => calibrate(labels([], hundredths(60)), { fit: 'weights' }),
      'fit',
      'Weights need labels of both kinds, in several groups',
    ],
    [
      'a policy that skips its confidence',
      () => calibratePolicy(balancedGraded(), labels([0.9], hundredths(60)), { name: 'mine' }),
      'policy',
      'Calibrate a policy that judges every question by its confidence',
    ],
    [
      'a calibrated policy',
      () => {
        const found = calibrate(labels(hundredths(60), hundredths(60)), { fit: 'weights' })
        return found.kind === 'calibrated' && calibratePolicy(found.policy, [], { name: 'mine' })
      },
      'policy',
      'Calibrate the general policy, not one that is calibrated',
    ],
    ...[
      { risk: NaN },
      { certainty: NaN },
      { cautionRisk: 0 },
      { strength: Infinity },
      { strength: -1 },
      { strength: NaN },
    ].map((options): [string, () => unknown, string, string] => [
      `options ${JSON.stringify(options)}`,
      () => calibrate(labels([0.9], hundredths(60)), options),
      'risk',
      'risk, cautionRisk, certainty or strength is out of range',
    ]),
  ])('rejects %s', (_, calibration, param, message) => {
    expect(calibration).toThrow(expect.objectContaining({ code: 'config_invalid', param, message }))
  })

  it('takes the bounds of its options', () => {
    const given = labels([0.9], hundredths(60))
    for (const options of [{ certainty: 0.5 }, { risk: 0.1, cautionRisk: 0.1 }, { risk: 0.99 }]) {
      expect(calibrate(given, options).kind).toBe('calibrated')
    }
  })
})

describe('thresholds of calibratePolicy', () => {
  it('are the lowest if no confidence of an unanswerable question could be computed', () => {
    expect(calibrate(labels([0.9], times(60, NaN)))).toMatchObject({
      refuse: { threshold: 0, falseAcceptances: { hits: 0, labels: 60 } },
      coverage: { hits: 1, labels: 1 },
      // No label is to be kept cautioned, and none allows a promise of 2.5 %.
      adviseBelow: 0.0001,
    })
  })

  it('keep half the risk for a caution, or that which is given', () => {
    const given = labels([0.9], hundredths(100))
    for (const [options, risk] of [
      [{ risk: 0.2 }, 0.1],
      [{ risk: 0.2, cautionRisk: 0.05 }, 0.05],
    ] as const) {
      const found = calibrate(given, options)
      if (found.kind !== 'calibrated') throw new Error(found.statement)
      expect(found.refuse).toMatchObject({ risk: 0.2, certainty: 0.9, atMost: 0.2 })
      expect(found.caution).toMatchObject({ risk, certainty: 0.9, atMost: risk, threshold: found.adviseBelow })
      expect(found.caution!.threshold).toBeGreaterThan(found.refuse.threshold)
      const { settings } = found.policy.gates.find(({ gate }) => gate.name === 'confidence-range')!
      expect(settings).toMatchObject({ refuseBelow: found.refuse.threshold, adviseBelow: found.adviseBelow })
    }
  })

  it('coincide if a caution is to keep the same risk', () => {
    const found = calibrate(labels([0.9], hundredths(100)), { cautionRisk: 0.05 })
    if (found.kind !== 'calibrated') throw new Error(found.statement)
    expect(found.adviseBelow).toBe(found.refuse.threshold)
    expect(found.caution).toEqual(found.refuse)
  })
})

describe('weights of calibratePolicy', () => {
  it('are rounded to millionths, and name what they were fitted from', () => {
    const found = calibrate(labels(hundredths(60), hundredths(60)), { fit: 'weights', strength: 7, about: 'a test' })
    if (found.kind !== 'calibrated') throw new Error(found.statement)
    const { intercept, weights, provenance, base } = found.policy.confidence.settings as unknown as AdjustedSettings
    for (const value of [intercept, ...Object.values(weights)]) expect(value).toBe(Number(value.toFixed(6)))
    expect(base).toEqual(policy.confidence.settings)
    expect(weights['sentenceMatch']).toBeGreaterThan(0.1)
    expect(provenance).toBe(`120 labels; prior of strength 7 around ${policy.id}; a test`)
  })
})
