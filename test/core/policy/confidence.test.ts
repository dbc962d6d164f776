import { describe, expect, it } from 'vitest'
import {
  calibrationOf,
  clipConfidence,
  type ConfidenceModel,
  confidenceOf,
  confidenceWithin,
  leftToInner,
  type PolicyConfidence,
} from '../../../src/core/policy/confidence.ts'
import { logisticModel, type LogisticSettings } from '../../../src/core/policy/logistic.ts'
import { weakestPart } from '../../../src/core/policy/weakest-part.ts'
import { topRelevance } from '../../../packages/presets/src/two-tier/top-relevance.ts'
import type { PartSignals, Signals } from '../../../src/core/signals/measure.ts'
import { TEXT_SIGNALS } from '../../../src/core/signals/text-signals.ts'
import { topCosine } from '../../../packages/presets/src/multi-gate/top-cosine.ts'
import {
  SIGNAL_WEIGHTS,
  weightedSignalsModel,
  type WeightedSignalsModel,
} from '../../../packages/presets/src/weighted-signals/weighted-confidence.ts'
import { aCurve, signalsOf } from '../../fixtures/evidence.ts'

const logistic = (
  intercept: number,
  weights: Record<string, number>,
  more: Partial<LogisticSettings> = {},
): PolicyConfidence => ({
  model: logisticModel,
  settings: { kind: 'logistic', intercept, weights, provenance: 'test', ...more } as LogisticSettings,
})

const validate = ({ model, settings }: PolicyConfidence): void => model.validate(settings)

describe('confidenceOf', () => {
  it('is 1 / (1 + e^−z) over the weighted signals', () => {
    const signals = signalsOf({ sentenceCoverage: 1, topBm25: 0.5, bm25Lead: 0.25 })
    // z = −1 + 2 · 1 + 4 · .5 − 4 · .25 = 2
    const model = logistic(-1, { sentenceCoverage: 2, topBm25: 4, bm25Lead: -4 })
    expect(confidenceOf(model, signals)).toBeCloseTo(0.880797, 6)
    expect(confidenceOf(logistic(0, {}), signals)).toBe(0.5)
  })

  it('is NaN when a signal that it needs is missing or not finite', () => {
    const model = logistic(0, { topBm25: 1 })
    for (const value of [NaN, undefined, null, '1']) {
      expect(confidenceOf(model, signalsOf({ topBm25: value as unknown as number }))).toBeNaN()
    }
    expect(confidenceOf(topCosine(), signalsOf())).toBeNaN()
    expect(confidenceOf(topRelevance(), signalsOf({ topBm25: NaN }))).toBeNaN()
  })

  // A logistic over one signal that is its own logit gives the number back.
  const asIs = weakestPart(logistic(0, { topBm25: 1 }))
  const logit = (confidence: number): number => Math.log(confidence / (1 - confidence))
  const piece = (confidence: number): PartSignals => ({ topBm25: logit(confidence) })
  const leaning = (confidence: number): PartSignals => ({ ...piece(confidence), leans: 1 })
  const above = (confidence: number, by: number): number => 1 / (1 + Math.exp(-logit(confidence) - by))

  it.each([
    ['a little above the weakest part', 0.9, [0.8, 0.2].map(leaning), [], above(0.2, 1.18)],
    ['the weakest part, where it does not lean on what supports the whole', 0.9, [leaning(0.8), piece(0.2)], [], 0.2],
    ['the whole, where each part is supported', 0.9, [0.85, 0.75].map(leaning), [], 0.9],
    ['the weakest part, where the whole is weaker', 0.3, [0.8, 0.6].map(leaning), [], 0.6],
    ['the whole, if each end is supported', 0.9, [], [0.6, 0.95].map(piece), 0.9],
    ['the whole, if it is weaker than its ends', 0.4, [], [0.9, 0.9].map(piece), 0.4],
    ['a little above the weakest end', 0.9, [], [0.2, 0.1].map(piece), above(0.1, 2)],
    ['the weaker of parts and ends', 0.9, [0.8, 0.2].map(leaning), [0.01, 0.9].map(piece), above(0.01, 2)],
  ])('is %s', (_, whole, parts, stretches, expected) => {
    const signals = {
      ...signalsOf({ topBm25: logit(whole) }),
      parts,
      stretches,
    }
    expect(confidenceOf(asIs, signals)).toBeCloseTo(expected, 12)
  })

  it('is NaN when a part or a stretch lacks a signal or their record is damaged', () => {
    const signals = signalsOf({ topBm25: 3 })
    for (const name of ['parts', 'stretches']) {
      for (const damaged of [[piece(0.9), { topBm25: undefined }], 'both', { length: 2 }, undefined]) {
        expect(confidenceOf(asIs, { ...signals, [name]: damaged } as unknown as Signals)).toBeNaN()
      }
    }
  })

  it.each([
    [0.62, 0.62],
    [-0.5, 0],
    [1.2, 1],
  ])('of a best cosine of %d is %d', (cosine, expected) => {
    expect(confidenceOf(topCosine(), signalsOf({ curves: { cosine: aCurve(cosine, 0.1) } }))).toBe(expected)
  })

  it.each([
    [3, 1],
    [1.5, 0.5],
    [0, 0],
    [5, 1],
  ])('of a best grade of %d is %d', (grade, expected) => {
    const signals = signalsOf({ curves: { grade: aCurve(grade) }, topBm25: 1.1 })
    expect(confidenceOf(topRelevance(), signals)).toBe(expected)
  })

  it('uses BM25 as a share of its maximum when nothing was graded', () => {
    expect(confidenceOf(topRelevance(), signalsOf({ topBm25: 1.1 }))).toBeCloseTo(0.5, 12)
  })
})

const weighted = (given: object): PolicyConfidence => ({
  model: weightedSignalsModel,
  settings: {
    kind: 'weighted-signals',
    weights: SIGNAL_WEIGHTS,
    consensusFrom: 0.75,
    absentWeight: 'keep',
    ...given,
  } as WeightedSignalsModel,
})

describe('the settings of a confidence model', () => {
  it.each([
    ['weights that do not add up to 1', weighted({ weights: { ...SIGNAL_WEIGHTS, topScore: 0.31 } })],
    ['a missing weight', weighted({ weights: { topScore: 1 } })],
    ['a negative weight', weighted({ weights: { ...SIGNAL_WEIGHTS, topScore: 0.6, scoreGap: -0.1 } })],
    ['a weight for an unknown signal', weighted({ weights: { ...SIGNAL_WEIGHTS, luck: 0 } })],
    ['an unknown treatment of what is absent', weighted({ absentWeight: 'drop' })],
  ])('rejects %s', (_, model) => {
    const fault = expect.objectContaining({ code: 'policy_invalid', param: 'confidence' })
    expect(() => validate(model)).toThrow(fault)
  })

  it('accepts other weights that add up to 1', () => {
    expect(() => validate(weighted({}))).not.toThrow()
    const weights = { ...SIGNAL_WEIGHTS, topScore: 0.5, scoreGap: 0 }
    expect(() => validate(weighted({ weights }))).not.toThrow()
  })

  it.each([
    ['a weight that is not finite', logistic(0, { topBm25: NaN }), 'confidence.weights.topBm25'],
    ['a weight that is text', logistic(0, { topBm25: '1' as unknown as number }), 'confidence.weights.topBm25'],
    ['an intercept that is not finite', logistic(Infinity, {}), 'confidence.intercept'],
    ['a signal that does not exist', logistic(0, { topBm52: 1 }), 'confidence.weights.topBm52'],
    [
      'a signal that every object has',
      logistic(0, { constructor: 1 } as Record<string, number>),
      'confidence.weights.constructor',
    ],
  ])('rejects %s', (_, model, param) => {
    const fault = expect.objectContaining({ code: 'policy_invalid', param })
    expect(() => validate(model)).toThrow(fault)
  })

  it.each([
    [logistic(0, { topBm25: NaN }), 'confidence.weights.topBm25 must be a finite number'],
    [logistic(NaN, {}), 'confidence.intercept must be a finite number'],
    [
      logistic(0, { topBm52: 1 }),
      `There is no option confidence.weights.topBm52; known are ${Object.keys(TEXT_SIGNALS).join(', ')}`,
    ],
    [weighted({ weights: { topScore: 1 } }), 'confidence: the weight of scoreGap must be a number from 0 to 1'],
    [
      weighted({ weights: { ...SIGNAL_WEIGHTS, topScore: '0.3' } }),
      'confidence: the weight of topScore must be a number from 0 to 1',
    ],
    [weighted({ weights: { ...SIGNAL_WEIGHTS, luck: 0 } }), 'confidence: there is no signal luck'],
    [weighted({ weights: { ...SIGNAL_WEIGHTS, topScore: 0.31 } }), 'confidence: the weights must add up to 1'],
    [weighted({ consensusFrom: 1.1 }), 'confidence: consensusFrom must be a number from 0 to 1'],
    [weighted({ consensusFrom: '0.7' }), 'confidence: consensusFrom must be a number from 0 to 1'],
    [weighted({ absentWeight: 'drop' }), 'confidence: absentWeight must be keep or spread'],
  ])('rejects %j with: %s', (model, message) => {
    expect(() => validate(model)).toThrow(expect.objectContaining({ message }))
  })

  it('accepts a single weight of 1', () => {
    const none = Object.fromEntries(Object.keys(SIGNAL_WEIGHTS).map((name) => [name, 0]))
    expect(() => validate(weighted({ weights: { ...none, topScore: 1 } }))).not.toThrow()
  })
})

describe('clipConfidence', () => {
  it.each([
    [0.3, 0.3],
    [0, 0],
    [1, 1],
    [1.2, 1],
    [-0.2, 0],
    [NaN, NaN],
    [Infinity, NaN],
    [-Infinity, NaN],
  ])('clips %d to %d', (value, expected) => {
    expect(clipConfidence(value)).toBe(expected)
  })
})

describe('a confidence model that wraps another one', () => {
  const plain: ConfidenceModel = { kind: 'plain', validate: () => undefined, confidence: () => 0.5 }
  const telling: ConfidenceModel = {
    ...plain,
    kind: 'telling',
    countsReader: () => true,
    calibration: () => 'calibrated',
    answerFields: () => ['a'],
  }
  const models = [plain, telling]
  const outer = (of: unknown) => ({ kind: 'outer', of }) as never

  it('finds the inner model by its kind, and rejects an unknown kind', () => {
    expect(confidenceWithin(models, outer({ kind: 'telling', more: 1 }))).toEqual({
      model: telling,
      settings: { kind: 'telling', more: 1 },
    })
    for (const inner of [{ kind: 'other' }, {}, null, undefined, 'plain']) {
      expect(() => confidenceWithin(models, outer(inner))).toThrow(
        expect.objectContaining({
          code: 'policy_invalid',
          param: 'confidence',
          message: 'confidence.of names no known confidence',
        }),
      )
    }
  })

  it('delegates what it does not define to the inner model', () => {
    const { countsReader, calibration, answerFields } = leftToInner(models)
    const said = (kind: string) => [countsReader, calibration, answerFields].map((ask) => ask(outer({ kind })))
    expect(said('telling')).toEqual([true, 'calibrated', ['a']])
    expect(said('plain')).toEqual([false, undefined, []])
  })

  it('reports no calibration when the model reports none', () => {
    expect(calibrationOf({ model: plain, settings: { kind: 'plain' } }, signalsOf())).toBeUndefined()
    expect(calibrationOf(logistic(0, {}, { calibrated: true }), signalsOf())).toBe('calibrated')
    expect(calibrationOf(logistic(0, {}, { calibrated: false }), signalsOf())).toBe('uncalibrated')
  })
})
