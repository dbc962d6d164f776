import { sufficiency } from '../../../packages/presets/src/sufficiency/sufficiency.ts'
import { textOf } from '../../fixtures/policy.ts'
import { describe, expect, it } from 'vitest'
import type { Chunk } from '../../../src/core/evidence/chunk.ts'
import type { Decision } from '../../../src/core/policy/decision.ts'
import type { Finding } from '../../../src/core/gates/finding.ts'
import {
  evidenceAnswer as answerOf,
  type EvidenceAnswer,
} from '../../../packages/presets/src/sufficiency/evidence-answer.ts'
import { EXPLANATIONS } from '../../../packages/presets/src/sufficiency/texts.ts'
import { aDecision } from '../../fixtures/decision.ts'
import { aPassage } from '../../fixtures/evidence.ts'

const CHUNKS: readonly Chunk[] = [{ ...aPassage('chunk-a', { section: '34' }), scores: {} }]
const SUMMARY = [{ chunk_id: 'chunk-a', section: '34' }]

const passing: Finding = {
  gate: 'min-top-cosine',
  stage: 'pre-generation',
  outcome: 'pass',
  code: 'passed',
  message: '',
}
const share = (outcome: 'pass' | 'refuse'): Finding => ({
  gate: 'evidence-share',
  stage: 'post-generation',
  outcome,
  code: outcome === 'pass' ? 'passed' : 'share_low',
  message: 'Highest attention was too low.',
  actual: outcome === 'pass' ? 0.65 : 0.35,
  threshold: 0.5,
})
const refused = (findings: readonly Finding[], more: Partial<Decision> = {}): Decision =>
  aDecision({ verdict: 'refuse', reason: 'share_low', findings, ...more })

const POLICY = sufficiency()

const evidenceAnswer = (decision: Decision, chunks: readonly Chunk[], text = ''): EvidenceAnswer =>
  answerOf({ decision, generation: { text } }, chunks, POLICY)

describe('an answer that passed', () => {
  it('has its evidence, and its confidence with four decimals', () => {
    expect(evidenceAnswer(aDecision({ confidence: 0.81255 }), CHUNKS, 'Turn the key.')).toStrictEqual({
      status: 'success',
      answer: 'Turn the key.',
      evidence_count: 2,
      confidence: 0.8125,
      evidence_ids: ['chunk-a', 'chunk-b'],
    })
  })

  it('reports how its share was judged, if it was', () => {
    const decision = aDecision({ findings: [passing, share('pass')] })
    expect(evidenceAnswer(decision, CHUNKS, 'x')).toMatchObject({ gating: { passes: true, max_attention: 0.65 } })
  })

  it('has a caution only when the verdict is advise', () => {
    const advised = aDecision({ verdict: 'advise', reason: 'share_low' })
    expect(evidenceAnswer(advised, CHUNKS, 'x')).toMatchObject({ caution: textOf('share_low').reason })
    expect(evidenceAnswer(aDecision(), CHUNKS, 'x')).not.toHaveProperty('caution')
  })
})

describe('a refusal', () => {
  it('by the sufficiency gate has the figures of its share, and no answer', () => {
    const answer = evidenceAnswer(refused([passing, share('refuse')]), CHUNKS, 'Turn the key.')
    expect(answer).toEqual({
      status: 'insufficient_evidence',
      reason: 'Highest attention was too low.',
      max_attention: 0.35,
      required_threshold: 0.5,
      deficit: 0.15,
      evidence_count: 2,
      evidence_summary: SUMMARY,
      explanation: EXPLANATIONS.neutral,
      suggestions: textOf('share_low').suggestions,
    })
  })

  it('by another gate has no figures, even when a share was judged as well', () => {
    const first: Finding = { ...passing, outcome: 'refuse', message: 'Too far off.', actual: 0.1, threshold: 0.7 }
    for (const findings of [[first], [first, share('refuse')]]) {
      expect(evidenceAnswer(refused(findings), CHUNKS)).toEqual({
        status: 'insufficient_evidence',
        reason: 'Too far off.',
        max_attention: null,
        required_threshold: null,
        deficit: null,
        evidence_count: 2,
        evidence_summary: SUMMARY,
        explanation: EXPLANATIONS.neutral,
        suggestions: textOf('share_low').suggestions,
      })
    }
  })

  it('without a refusing gate has the reason of its code', () => {
    expect(evidenceAnswer(refused([passing]), CHUNKS)).toMatchObject({ reason: textOf('share_low').reason })
  })

  it('without evidence has its own status, reason and suggestions', () => {
    const { reason, suggestions } = textOf('no_evidence')
    const decision = refused([], { reason: 'no_evidence', evidenceIds: [] })
    expect(evidenceAnswer(decision, [])).toEqual({ status: 'no_evidence', reason, evidence_count: 0, suggestions })
  })

  it.each([{ evidenceIds: [] }, {}])('has escalate when the decision has: %j', (given) => {
    const decision = refused([share('refuse')], given)
    expect(evidenceAnswer({ ...decision, escalate: true }, CHUNKS)).toHaveProperty('escalate', true)
    expect(evidenceAnswer(decision, CHUNKS)).not.toHaveProperty('escalate')
  })
})

describe('a failed model call', () => {
  it('is reported by its code, with the evidence that was found', () => {
    expect(answerOf({ decision: aDecision(), fault: 'llm_timeout' }, CHUNKS, POLICY)).toEqual({
      status: 'generation_error',
      reason: 'The model did not answer (llm_timeout)',
      evidence_count: 2,
      evidence_ids: ['chunk-a', 'chunk-b'],
    })
  })
})
