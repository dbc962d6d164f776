import { describe, expect, it } from 'vitest'
import { advisory, advisoryPreset } from '../../../packages/presets/src/advisory/advisory.ts'
import {
  advisoryFactorsConfidence,
  advisoryFactorsModel,
} from '../../../packages/presets/src/advisory/advisory-factors.ts'
import { confidenceOf } from '../../../src/core/policy/confidence.ts'
import type { Finding } from '../../../src/core/gates/finding.ts'
import type { Audience } from '../../../src/core/policy/preset.ts'
import { policySettings } from '../../../src/core/policy/policy.ts'
import { answerSignalsOf } from '../../fixtures/answer.ts'
import { aDecision } from '../../fixtures/decision.ts'
import { aCurve, signalsOf } from '../../fixtures/evidence.ts'

const finding = (given: Partial<Finding>): Finding => ({
  gate: 'advisory-confidence',
  stage: 'post-generation',
  outcome: 'advise',
  code: 'advisory_only',
  message: 'Low confidence (0.60 < 0.7). Advisory-only.',
  threshold: 0.7,
  ...given,
})

/** A decision with a confidence and findings. */
const decided = (confidence: number, ...findings: Finding[]) =>
  aDecision({
    confidence,
    findings,
    verdict: findings.some(({ outcome }) => outcome === 'advise') ? 'advise' : 'pass',
  })

describe('advisory', () => {
  it('has the gates and bands of document 003, and expects no fields', () => {
    expect(policySettings(advisory())).toMatchObject({
      name: 'advisory',
      confidence: { kind: 'advisory-factors', requiredFields: [], optionalFields: [] },
      bands: { high: 0.9, medium: 0.7, low: 0.5 },
      gates: [
        { gate: 'response-quality', requiredFields: [], optionalFields: [], refuseBelow: 0, adviseBelow: 0 },
        { gate: 'advisory-confidence', adviseBelow: 0.7, unusableBelow: 0.5 },
      ],
    })
  })

  it('passes its options to gates and model', () => {
    const fields = { requiredFields: ['summary'], optionalFields: ['tips'] }
    const { confidence, gates } = policySettings(advisory({ ...fields, adviseBelow: 0.8, unusableBelow: 0.4 }))
    expect(confidence).toMatchObject(fields)
    expect(gates).toMatchObject([fields, { adviseBelow: 0.8, unusableBelow: 0.4 }])
  })

  it.each([
    [{ requiredFields: [7] }, 'requiredFields'],
    [{ optionalFields: 'tips' }, 'optionalFields'],
    [{ adviseBelow: 2 }, 'adviseBelow'],
    [{ refuseBelow: 0.1 }, 'refuseBelow'],
  ])('rejects %j', (options, param) => {
    expect(() => advisory(options as never)).toThrow(expect.objectContaining({ code: 'policy_invalid', param }))
  })
})

describe('what the preset adds', () => {
  const added = (audience: Audience, ...[confidence, ...findings]: Parameters<typeof decided>) =>
    advisoryPreset.summary!({ decision: decided(confidence, ...findings), chunks: [], audience, gates: [] })

  it('to an answer that may be used is a badge', () => {
    const passed = finding({ outcome: 'pass', code: 'passed' })
    expect(added('operator', 0.7, passed)).toEqual({ badge: { look: 'success', text: '✓ High Confidence' } })
  })

  it('to an advisory is a badge and a banner, with the figure for operators only', () => {
    const badge = { look: 'warning', text: '⚠ Medium Confidence' }
    expect(added('operator', 0.6, finding({}))).toEqual({
      badge,
      banner: '⚠️ Advisory only — Confidence: 60%. Verify information with primary sources.',
    })
    expect(added('public', 0.6, finding({}))).toEqual({
      badge,
      banner: '⚠️ Advisory only. Verify information with primary sources.',
    })
  })

  it('to an unusable advisory is that it may not be used', () => {
    expect(added('public', 0.4, finding({ code: 'advisory_unusable' }))).toEqual({
      usable: false,
      badge: { look: 'danger', text: '⚠ Low Confidence - Verify Required' },
      banner: '⚠️ Advisory only. Verify information with primary sources.',
    })
    const refused = aDecision({ verdict: 'refuse', findings: [finding({ code: 'advisory_unusable' })] })
    expect(
      advisoryPreset.summary!({ decision: refused, chunks: [], audience: 'public', gates: [] }),
    ).not.toHaveProperty('usable')
  })

  it("goes by the policy's own thresholds", () => {
    const passed = finding({ outcome: 'pass', code: 'passed', threshold: 0.4 })
    expect(added('operator', 0.45, passed)).toEqual({ badge: { look: 'success', text: '✓ High Confidence' } })
    const banner = (share: number) =>
      `⚠️ Advisory only — Confidence: ${share}%. Verify information with primary sources.`
    expect(added('operator', 0.75, finding({ threshold: 0.8 }))).toEqual({
      badge: { look: 'warning', text: '⚠ Medium Confidence' },
      banner: banner(75),
    })
    expect(added('operator', 0.75, finding({ threshold: 0.9, code: 'advisory_unusable' }))).toEqual({
      usable: false,
      badge: { look: 'danger', text: '⚠ Low Confidence - Verify Required' },
      banner: banner(75),
    })
    expect(added('operator', 0.45, finding({ code: 'advisory_only' }))).toMatchObject({ badge: { look: 'warning' } })
  })

  it('marks an advisory as unusable beside other findings', () => {
    const partial = finding({ gate: 'response-quality', code: 'response_partial' })
    expect(added('public', 0.4, partial, finding({ code: 'advisory_unusable' }))).toMatchObject({ usable: false })
    expect(added('public', 0.6, partial, finding({}))).not.toHaveProperty('usable')
  })

  it('to an answer without a confidence is a badge and a banner', () => {
    const unknown = finding({ outcome: 'refuse', code: 'confidence_unavailable', threshold: undefined as never })
    expect(added('public', NaN, unknown)).toEqual({
      badge: { look: 'danger', text: '⚠ Low Confidence - Verify Required' },
      banner: '⚠️ Advisory only. Verify information with primary sources.',
    })
  })

  it('is nothing before the answer was judged', () => {
    expect(added('operator', 0.4)).toEqual({})
    expect(added('operator', 0.4, finding({ gate: 'response-quality' }))).toEqual({})
  })

  it('to records is an event, with the message of the finding and its threshold', () => {
    const events = (...given: Parameters<typeof decided>) => advisoryPreset.auditEvents!(decided(...given), 0)
    const event = (payload: object) => [{ type: 'RAG_ADVISORY_LOW_CONFIDENCE', payload }]
    expect(events(0.6, finding({ message: 'm', threshold: 0.8 }))).toEqual(
      event({ confidence: 0.6, threshold: 0.8, summary: 'm' }),
    )
    const { threshold: _, ...old } = finding({ message: 'm' })
    expect(events(0.6, old)).toEqual(event({ confidence: 0.6, threshold: 0.7, summary: 'm' }))
    // A finding that contradicts the recorded confidence.
    expect(events(0.9, finding({}))).toEqual([])
    expect(events(0.6, finding({ outcome: 'pass' }))).toEqual([])
    expect(events(0.6, finding({ gate: 'response-quality' }))).toEqual([])
  })

  it('to logs is a warning with the threshold of the finding', () => {
    const warning = (...given: Parameters<typeof decided>) => advisoryPreset.warning!(decided(...given))
    expect(warning(0.6, finding({ threshold: 0.8 }))).toEqual({
      code: 'advisory_low_confidence',
      message: '[RAG Adapter] Low confidence (0.60 < 0.8). Advisory-only.',
    })
    expect(warning(0.9, finding({}))).toBeUndefined()
    expect(warning(0.6, finding({ outcome: 'pass' }))).toBeUndefined()
  })
})

describe('the confidence', () => {
  const fields = { requiredFields: ['a'], optionalFields: ['b'] }
  const confidence = advisoryFactorsConfidence(fields)
  const signals = signalsOf({ curves: { cosine: aCurve(1) } })

  it('is the retrieval quality before, and the sum after there is an answer', () => {
    expect(confidenceOf(confidence, signals)).toBe(0.4)
    const structure = { valid: true, lookedFor: ['a', 'b'], missing: ['b'] }
    expect(confidenceOf(confidence, signals, answerSignalsOf({ structure }))).toBeCloseTo(0.6, 12)
    expect(confidenceOf(confidence, signals, answerSignalsOf({ structure, citedSources: ['market-data'] }))).toBe(0.8)
  })

  it('reads scores and BM25, and looks for all fields', () => {
    expect(advisoryFactorsModel.reads!({ kind: 'advisory-factors', ...fields }).map(({ name }) => name)).toEqual([
      'curves',
      'topBm25',
    ])
    expect(advisoryFactorsModel.answerFields!({ kind: 'advisory-factors', ...fields })).toEqual(['a', 'b'])
  })

  it.each([
    [{ requiredFields: undefined }, 'requiredFields'],
    [{ optionalFields: [''] }, 'optionalFields'],
    [{ more: 1 }, 'more'],
  ])('rejects the settings %j', (given, param) => {
    expect(() => advisoryFactorsConfidence({ ...fields, ...given } as never)).toThrow(
      expect.objectContaining({ code: 'policy_invalid', param: expect.stringContaining(param) }),
    )
  })

  it('of a damaged record is no number', () => {
    const of = (curves: object) => confidenceOf(confidence, signalsOf({ curves, topBm25: 1.1 }))
    expect(of({ cosine: aCurve('0.9' as never) })).toBeNaN()
    expect(of({ cosine: aCurve() })).toBeNaN()
    expect(of({ cosine: null })).toBeNaN()
    // A convex score depends on how it was fused.
    expect(of({ convex: aCurve(1) })).toBeCloseTo(0.2, 12)
    expect(confidenceOf(confidence, signalsOf({ curves: {}, topBm25: '1.1' as never }))).toBeNaN()
  })
})
