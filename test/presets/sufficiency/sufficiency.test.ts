import { describe, expect, it } from 'vitest'
import type { Finding } from '../../../src/core/gates/finding.ts'
import { sufficiency, sufficiencyPreset } from '../../../packages/presets/src/sufficiency/sufficiency.ts'
import { aDecision } from '../../fixtures/decision.ts'

const AT_MS = Date.UTC(2026, 0, 2)
const SHARE: Finding = {
  gate: 'evidence-share',
  stage: 'post-generation',
  outcome: 'refuse',
  code: 'share_low',
  message: 'No passage supports enough.',
  actual: 0.35,
  threshold: 0.5,
  subject: 'a',
}
const OTHER: Finding = { ...SHARE, gate: 'two-tier', stage: 'pre-generation', code: 'score_low' }

const { gates } = sufficiency()

const refusedBy = (...findings: Finding[]) =>
  aDecision({ verdict: 'refuse', reason: findings[0]!.code as never, findings })

describe('the reports of the preset', () => {
  it('add the gating for operators alone', () => {
    const of = (audience: 'operator' | 'public', ...findings: Finding[]) =>
      sufficiencyPreset.summary!({ decision: refusedBy(...findings), chunks: [], audience, gates })
    expect(of('operator', SHARE)).toMatchObject({ gating: { passes: false, max_attention: 0.35, deficit: 0.15 } })
    expect([of('public', SHARE), of('operator', OTHER)]).toEqual([{}, {}])
  })

  it('add figures to a refusal for operators, and only status and explanation for others', () => {
    const of = (audience: 'operator' | 'public', ...findings: Finding[]) =>
      sufficiencyPreset.refusal!({ decision: refusedBy(...findings), chunks: [], audience, gates }, 'neutral')
    const status = 'insufficient_evidence'
    expect(of('operator', SHARE)).toMatchObject({ status, required_threshold: 0.5, max_attention: 0.35 })
    expect(of('public', SHARE)).toEqual({ status, explanation: expect.any(String) })
    // Another gate decided, or none.
    expect([of('operator', OTHER, SHARE), of('operator', { ...SHARE, outcome: 'pass' })]).toEqual([{}, {}])
  })

  it('have the wording of the specification on request', () => {
    const of = (wording: 'neutral' | 'specification') =>
      sufficiencyPreset.operatorReason!(SHARE, refusedBy(SHARE), wording)
    expect(of('neutral')).toBeUndefined()
    expect(of('specification')).toContain('Highest attention was 35.0% but threshold is 50.0%')
  })

  it('make an audit event of a refusal', () => {
    const payload = {
      decision_id: aDecision().id,
      gate: 'evidence-share',
      deficit: 0.15,
      timestamp: '2026-01-02T00:00:00.000Z',
    }
    expect(sufficiencyPreset.auditEvents!(refusedBy(SHARE), AT_MS)).toMatchObject([
      { type: 'RAG_EVIDENCE_INSUFFICIENT', payload },
    ])
    expect(sufficiencyPreset.auditEvents!(aDecision(), AT_MS)).toEqual([])
  })
})

it('escalates refusals on request', () => {
  expect([sufficiency({ escalateRefusals: true }), sufficiency()].map((policy) => policy.escalateRefusals)).toEqual([
    true,
    undefined,
  ])
})
