import { describe, expect, it } from 'vitest'
import { sufficiencyGate } from '../../../packages/presets/src/sufficiency/sufficiency-gate.ts'

const chunk = (id: string, text: string) => ({ id, documentId: id, text, scores: { convex: 0.9 } })
const EXAMPLE = {
  question: 'What does the section say?',
  chunks: [chunk('a', 'The section defines the term.'), chunk('b', 'Another section.')],
  answer: 'Answer.',
  shares: [
    { chunkId: 'a', share: 0.35 },
    { chunkId: 'b', share: 0.65 },
  ],
}

describe('sufficiencyGate', () => {
  it("gives the margin of the specification's example in one call", () => {
    expect(sufficiencyGate().evaluate(EXAMPLE)).toEqual({
      passes: true,
      max_attention: 0.65,
      max_chunk_id: 'b',
      threshold: 0.5,
      evidence_count: 2,
      margin: 0.15,
      status: 'evidence_sufficient',
    })
  })

  it('returns the refusal with a deficit, and derives shares that are not given', () => {
    const gate = sufficiencyGate({ threshold: 0.7 })
    expect(gate.evaluate(EXAMPLE)).toMatchObject({
      passes: false,
      deficit: 0.05,
      status: 'evidence_insufficient',
      refusal: { status: 'insufficient_evidence', required_threshold: 0.7, deficit: 0.05, evidence_count: 2 },
    })
    const { question, chunks } = EXAMPLE
    expect(gate.evaluate({ question, chunks, answer: 'The section defines the term.' }).passes).toBe(true)
    expect(gate.evaluate({ question, chunks, answer: 'Cats sleep on warm roofs.' }).passes).toBe(false)
    expect(gate.getStats()).toMatchObject({ total_evaluations: 3, passed: 1, failed: 2 })
  })

  it('still measures while disabled, and reports gating_bypassed', () => {
    const gate = sufficiencyGate({ threshold: 0.7 })
    gate.disable()
    expect(gate.isEnabled()).toBe(false)
    const bypassed = gate.evaluate(EXAMPLE)
    expect(bypassed).toMatchObject({ passes: true, max_attention: 0.65, gating_bypassed: true })
    expect(bypassed).not.toHaveProperty('refusal')
    gate.enable()
    expect(gate.isEnabled()).toBe(true)
    expect(gate.evaluate(EXAMPLE).passes).toBe(false)
  })

  it('starts disabled on request, and rejects invalid settings', () => {
    const gate = sufficiencyGate({ dangerouslyDisableGates: true, threshold: 0.7 })
    expect([gate.isEnabled(), gate.evaluate(EXAMPLE).passes]).toEqual([false, true])
    const wrong = { dangerouslyDisableGates: 'yes' } as never
    expect(() => sufficiencyGate(wrong)).toThrow(expect.objectContaining({ code: 'policy_invalid' }))
  })

  it('accepts shares of which a part belongs to no chunk', () => {
    const shares = [{ chunkId: 'a', share: 0.6 }]
    const gate = sufficiencyGate()
    expect(gate.evaluate({ ...EXAMPLE, shares, noSupport: 0.4 })).toMatchObject({ passes: true, max_attention: 0.6 })
    expect(gate.evaluate({ ...EXAMPLE, shares })).toMatchObject({ passes: false, max_attention: null })
  })

  it('accepts another threshold at any time, and keeps the old one after an invalid value', () => {
    const gate = sufficiencyGate()
    gate.setThreshold(0.66)
    expect(gate.evaluate(EXAMPLE)).toMatchObject({ passes: false, threshold: 0.66 })
    expect(() => gate.setThreshold(2)).toThrow(expect.objectContaining({ code: 'policy_invalid' }))
    expect(gate.getThreshold()).toBe(0.66)
  })

  it('refuses without evidence, and an answer that cannot be read, with reason and suggestions', () => {
    const unmeasured = { passes: false, max_attention: null, threshold: null, status: 'evidence_insufficient' }
    expect(sufficiencyGate().evaluate({ ...EXAMPLE, chunks: [] })).toMatchObject({
      ...unmeasured,
      evidence_count: 0,
      refusal: { status: 'insufficient_evidence', evidence_count: 0, evidence_summary: [] },
    })
    const empty = sufficiencyGate({ wording: 'specification' }).evaluate({ ...EXAMPLE, answer: '' })
    expect(empty).toMatchObject({
      ...unmeasured,
      evidence_count: 2,
      refusal: {
        status: 'insufficient_evidence',
        reason: 'The answer could not be judged',
        max_attention: null,
        required_threshold: null,
        deficit: null,
        evidence_count: 2,
        evidence_summary: [{ chunk_id: 'a' }, { chunk_id: 'b' }],
        explanation: expect.stringMatching(/^LEXAR/) as string,
      },
    })
    expect(empty.refusal!.suggestions.length).toBeGreaterThan(0)
  })

  it('counts an answer that passes while disabled as passed, even without shares', () => {
    const gate = sufficiencyGate()
    gate.disable()
    expect(gate.evaluate({ ...EXAMPLE, chunks: [] })).toMatchObject({ passes: true, max_attention: null })
    expect(gate.getStats()).toMatchObject({ total_evaluations: 1, passed: 1, failed: 0, recently_rejected: [] })
    gate.evaluate(EXAMPLE)
    // The mean of what was measured: 0 is no share of the first.
    expect(gate.getStats()).toMatchObject({
      total_evaluations: 2,
      passed: 2,
      avg_max_attention: 0.65,
      min_max_attention: 0.65,
      max_max_attention: 0.65,
    })
  })
})
