import { askGate } from '../../fixtures/policy.ts'
import { describe, expect, it } from 'vitest'
import {
  advisoryConfidence,
  type AdvisoryConfidenceOptions,
} from '../../../packages/presets/src/advisory/advisory-confidence.ts'
import { signalsOf } from '../../fixtures/evidence.ts'

const check = (confidence: number, options: AdvisoryConfidenceOptions = {}) =>
  askGate(advisoryConfidence(options), { signals: signalsOf(), confidence })

describe('advisoryConfidence', () => {
  it.each([
    [0.9, 'pass', 'passed', 'Confidence (0.90) meets threshold (0.7)'],
    [0.7, 'pass', 'passed', 'Confidence (0.70) meets threshold (0.7)'],
    [0.6, 'advise', 'advisory_only', 'Low confidence (0.60 < 0.7). Advisory-only.'],
    [0.5, 'advise', 'advisory_only', 'Low confidence (0.50 < 0.7). Advisory-only.'],
    [0.49, 'advise', 'advisory_unusable', 'Low confidence (0.49 < 0.7). Advisory-only.'],
    [0, 'advise', 'advisory_unusable', 'Low confidence (0.00 < 0.7). Advisory-only.'],
  ])('judges a confidence of %d as %s (%s)', (actual, outcome, code, message) => {
    expect(check(actual)).toEqual({ outcome, code, message, actual, threshold: 0.7 })
  })

  it.each([NaN, Infinity, -Infinity])('refuses a confidence of %d, which could not be computed', (confidence) => {
    expect(check(confidence)).toEqual({
      outcome: 'refuse',
      code: 'confidence_unavailable',
      message: 'The confidence could not be computed',
    })
  })

  it('accepts other thresholds, which may be equal', () => {
    expect(check(0.3, { adviseBelow: 0.3, unusableBelow: 0.3 }).code).toBe('passed')
    expect(check(0.29, { adviseBelow: 0.3, unusableBelow: 0.3 }).code).toBe('advisory_unusable')
    expect(check(0.29, { adviseBelow: 0.3, unusableBelow: 0 }).code).toBe('advisory_only')
  })

  it.each([
    [{ adviseBelow: 1.1 }, 'adviseBelow'],
    [{ adviseBelow: -0.1 }, 'adviseBelow'],
    [{ unusableBelow: 0.71 }, 'unusableBelow'],
    [{ unusableBelow: -0.1 }, 'unusableBelow'],
    [{ refuseBelow: 0.1 } as never, 'refuseBelow'],
  ])('rejects the options %j', (options, param) => {
    expect(() => advisoryConfidence(options)).toThrow(expect.objectContaining({ code: 'policy_invalid', param }))
  })
})
