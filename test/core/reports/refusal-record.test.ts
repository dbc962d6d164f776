import { describe, expect, it } from 'vitest'
import type { Finding } from '../../../src/core/gates/finding.ts'
import type { Decision } from '../../../src/core/policy/decision.ts'
import { refusalRecord } from '../../../src/core/reports/refusal-record.ts'
import { aDecision } from '../../fixtures/decision.ts'

const AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5)
const REFUSES: Finding = {
  gate: 'min-top-cosine',
  stage: 'pre-generation',
  outcome: 'refuse',
  code: 'similarity_low',
  message: 'Top-1 similarity (0.62) below threshold (0.7)',
  actual: 0.62,
  threshold: 0.7,
}
const ADVISES: Finding = { ...REFUSES, gate: 'confidence-range', outcome: 'advise', code: 'confidence_moderate' }
const refused = (finding: Partial<Finding> = {}, given: Partial<Decision> = {}): Decision =>
  aDecision({
    verdict: 'refuse',
    reason: 'similarity_low',
    findings: [ADVISES, { ...REFUSES, ...finding }, { ...REFUSES, gate: 'later' }],
    ...given,
  })

describe('the record of a refusal', () => {
  it('names the gate that refused, the deficit and the time', () => {
    expect(refusalRecord(refused(), AT_MS)).toStrictEqual({
      decision_id: '01930000-0000-7000-8000-000000000001',
      policy_id: 'balanced@0123456789abcdef',
      reason: 'Top-1 similarity (0.62) below threshold (0.7)',
      reason_code: 'similarity_low',
      gate: 'min-top-cosine',
      evidence_analyzed: 2,
      deficit: 0.08,
      timestamp: '2026-01-02T03:04:05.000Z',
    })
  })

  it('contains the question only when given, and escalate only when true', () => {
    expect(refusalRecord(refused({}, { escalate: true }), AT_MS, 'Why?')).toMatchObject({
      query: 'Why?',
      escalate: true,
    })
    expect(refusalRecord(refused({}, { escalate: false as never }), AT_MS)).not.toHaveProperty('escalate')
  })

  it.each<[string, { actual?: unknown; threshold?: unknown }, number | null]>([
    ['the distance below the threshold', { actual: 0.123_45, threshold: 0.2 }, 0.0766],
    ['0 at the threshold', { actual: 0.7 }, 0],
    ['none above it', { actual: 0.8 }, null],
    ['none without a measured value', { actual: undefined }, null],
    ['none without a threshold', { threshold: undefined }, null],
    ['none without either', { actual: undefined, threshold: undefined }, null],
  ])('has as its deficit %s', (_, figures, deficit) => {
    expect(refusalRecord(refused(figures as Partial<Finding>), AT_MS)?.deficit).toBe(deficit)
  })

  it('is undefined when nothing was refused', () => {
    expect(refusalRecord(refused({}, { verdict: 'advise' }), AT_MS)).toBeUndefined()
    expect(refusalRecord(refused({}, { findings: [ADVISES] }), AT_MS)).toBeUndefined()
    expect(refusalRecord(aDecision({ findings: [ADVISES] }), AT_MS)).toBeUndefined()
  })
})
