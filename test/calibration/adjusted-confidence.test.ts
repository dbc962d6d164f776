import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  adjustedLogOdds,
  adjustedModel,
  type AdjustedSettings,
} from '../../packages/calibration/src/adjusted-confidence.ts'
import { logOdds } from '../../packages/calibration/src/log-odds.ts'
import type { ConfidenceModel } from '../../src/core/policy/confidence.ts'
import { aCurve, signalsOf } from '../fixtures/evidence.ts'

/** Its confidence is the match of the sentence. */
const base: ConfidenceModel = {
  kind: 'by-sentence',
  validate: () => {},
  confidence: (_, { sentenceMatch }) => sentenceMatch ?? NaN,
}
const model = adjustedModel([{ ...base, kind: 'another', confidence: () => 0 }, base])
const settings = (of: Partial<AdjustedSettings>): AdjustedSettings => ({
  kind: 'adjusted',
  base: { kind: 'by-sentence' },
  intercept: 0,
  weights: {},
  provenance: '',
  ...of,
})
const READ = signalsOf({ sentenceMatch: 0.6, titleMatch: 0.5, curves: { grade: aCurve(3, 1) } })
const UNREAD = signalsOf({ sentenceMatch: 0.6, titleMatch: 0.5, curves: { cosine: aCurve(0.9) } })
const odds = (confidence: number): number => Math.log(confidence / (1 - confidence))

describe('the confidence of an adjusted model', () => {
  it.each<[string, Partial<AdjustedSettings>, typeof READ, number]>([
    ['nothing', {}, UNREAD, odds(0.6)],
    ['an intercept', { intercept: -2 }, UNREAD, odds(0.6) - 2],
    ['a measure', { intercept: 1, weights: { titleMatch: 3 } }, UNREAD, odds(0.6) + 1 + 3 * 0.5],
    ['two measures', { weights: { titleMatch: 3, 'grade.lead': -0.5 } }, READ, odds(0.6) + 1.5 - 1],
    ["a reader's score", { intercept: 1, weights: { 'grade.top': 2 }, unread: 'general' }, READ, odds(0.6) + 1 + 6],
    ['a score of no reader', { intercept: 1, weights: { 'grade.top': 2 }, unread: 'general' }, UNREAD, odds(0.6)],
  ])('adds to the general log-odds, for %s', (_, of, signals, expected) => {
    expect(odds(model.confidence(settings(of), signals))).toBeCloseTo(expected, 9)
    expect(adjustedLogOdds(odds(0.6), settings(of), signals)).toBeCloseTo(expected, 12)
  })

  it('is NaN without a score of a reader that it needs', () => {
    expect(model.confidence(settings({ weights: { 'grade.top': 2 } }), UNREAD)).toBeNaN()
  })

  it('is within 0..1 for any finite settings, and NaN without a general confidence', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 })
    fc.assert(
      fc.property(finite, finite, (intercept, weight) => {
        const given = settings({ intercept, weights: { titleMatch: weight } })
        expect(model.confidence(given, UNREAD)).toSatisfy((value: number) => value >= 0 && value <= 1)
        expect(model.confidence(given, { ...UNREAD, sentenceMatch: NaN })).toBeNaN()
      }),
    )
  })

  it.each<[Partial<AdjustedSettings>, string]>([
    [{ base: { kind: 'magic' } }, 'confidence.base names no general confidence that is known here'],
    [{ base: 5 as never }, 'confidence.base names no general confidence that is known here'],
    [{ provenance: 5 as never }, 'confidence.provenance must say from what it was fitted'],
    [{ unread: 'spared' as never }, 'confidence.unread must be general or left out'],
    [{ weights: null as never }, 'confidence.weights must name recorded numbers'],
    [{ intercept: Infinity }, 'confidence: the weight of intercept must be a finite number'],
    [{ weights: { titleMatch: NaN } }, 'confidence: the weight of titleMatch must be a finite number'],
  ])('is not given for the settings %j: %s', (of, message) => {
    expect(() => model.validate(settings(of))).toThrow(expect.objectContaining({ code: 'policy_invalid', message }))
    expect(() => model.validate(settings({ unread: 'general', weights: { titleMatch: -1 } }))).not.toThrow()
  })
})

describe('logOdds', () => {
  it.each([
    [0.5, 0],
    [0.75, Math.log(3)],
    [0, Math.log(1e-9)],
    [1, -Math.log(1e-9)],
    [-3, Math.log(1e-9)],
  ])('of %d is %d', (share, expected) => {
    expect(logOdds(share)).toBeCloseTo(expected, 6)
    expect(logOdds(NaN)).toBeNaN()
  })

  it('clamps to the given distance from 0 and 1', () => {
    expect([logOdds(0, 0.25), logOdds(0.1, 0.25), logOdds(0.9, 0.25)]).toEqual(
      [-Math.log(3), -Math.log(3), Math.log(3)].map((value) => expect.closeTo(value, 12)),
    )
  })
})
