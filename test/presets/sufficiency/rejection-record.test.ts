import { describe, expect, it } from 'vitest'
import type { Decision } from '../../../src/core/policy/decision.ts'
import type { Finding } from '../../../src/core/gates/finding.ts'
import { rejectionRecord } from '../../../packages/presets/src/sufficiency/rejection-record.ts'
import { aDecision } from '../../fixtures/decision.ts'
import { aPassage } from '../../fixtures/evidence.ts'

const AT = Date.UTC(2026, 0, 2, 3, 4, 5)

function refused(given: Partial<Finding> = {}, more: Partial<Decision> = {}): Decision {
  const finding: Finding = {
    gate: 'evidence-share',
    stage: 'post-generation',
    outcome: 'refuse',
    code: 'share_low',
    message: 'Highest attention was 35.0% but threshold is 50.0%.',
    actual: 0.35,
    threshold: 0.5,
    ...given,
  }
  return aDecision({ verdict: 'refuse', reason: finding.code, findings: [finding], ...more })
}

describe('rejectionRecord', () => {
  it('has the five fields of document 004, and the ids of decision and policy', () => {
    expect(rejectionRecord(refused(), { atMs: AT, question: 'What is mens rea?' })).toEqual({
      decision_id: '01930000-0000-7000-8000-000000000001',
      policy_id: 'balanced@0123456789abcdef',
      query: 'What is mens rea?',
      reason: 'Highest attention was 35.0% but threshold is 50.0%.',
      reason_code: 'share_low',
      gate: 'evidence-share',
      evidence_analyzed: 2,
      deficit: 0.15,
      timestamp: '2026-01-02T03:04:05.000Z',
    })
  })

  it('contains no question text unless it is given', () => {
    expect(rejectionRecord(refused(), { atMs: AT })).not.toHaveProperty('query')
  })

  it('is undefined unless the decision is a refusal by a gate', () => {
    expect(rejectionRecord(aDecision(), { atMs: AT })).toBeUndefined()
    // Behind disabled gates a finding refuses and the verdict does not.
    expect(rejectionRecord(refused({}, { verdict: 'advise' }), { atMs: AT })).toBeUndefined()
    // Nor is there a reason to record where no gate refused.
    expect(rejectionRecord(refused({ outcome: 'pass' }), { atMs: AT })).toBeUndefined()
  })

  it.each([
    [{ actual: 0.5, threshold: 0.5 }, 0],
    [{ actual: 0.1, threshold: 0.3 }, 0.2],
    [{ actual: 2, threshold: 0 }, null],
  ] as const)('computes from %j a deficit of %d', (figures, deficit) => {
    expect(rejectionRecord(refused(figures), { atMs: AT })?.deficit).toBe(deficit)
  })

  it('has no deficit when a gate had nothing to compare', () => {
    const { actual, threshold, ...bare } = refused().findings[0]!
    for (const finding of [bare, { ...bare, actual: actual! }, { ...bare, threshold: threshold! }]) {
      expect(rejectionRecord(refused({}, { findings: [finding] }), { atMs: AT })?.deficit).toBeNull()
    }
  })

  it('has no minus sign before a deficit of zero', () => {
    const record = rejectionRecord(refused({ actual: 0, threshold: -0 }), { atMs: AT })
    expect(Object.is(record?.deficit, 0)).toBe(true)
  })

  it('names the gate that refused, not those that passed before it', () => {
    const [refusing] = refused().findings
    const passing: Finding = {
      gate: 'min-top-cosine',
      stage: 'pre-generation',
      outcome: 'pass',
      code: 'passed',
      message: '',
    }
    expect(rejectionRecord(refused({}, { findings: [passing, refusing!] }), { atMs: AT })).toMatchObject({
      gate: 'evidence-share',
      deficit: 0.15,
    })
  })

  it('contains the passages without their texts, for a reviewer', () => {
    const chunks = ['a', 'b', 'c', 'd'].map((id) => ({ ...aPassage(id, { section: `s ${id}` }), scores: {} }))
    expect(rejectionRecord(refused({}, { escalate: true }), { atMs: AT, chunks })).toMatchObject({
      escalate: true,
      evidence_summary: [
        { chunk_id: 'a', section: 's a' },
        { chunk_id: 'b', section: 's b' },
        { chunk_id: 'c', section: 's c' },
      ],
    })
    expect(rejectionRecord(refused(), { atMs: AT, chunks })).not.toHaveProperty('evidence_summary')
    expect(rejectionRecord(refused(), { atMs: AT, chunks })).not.toHaveProperty('escalate')
    expect(rejectionRecord(refused({}, { escalate: true }), { atMs: AT })).not.toHaveProperty('evidence_summary')
  })
})
