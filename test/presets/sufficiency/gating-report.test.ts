import { textFor } from '../../../src/core/reports/refusal.ts'
import { describe, expect, it } from 'vitest'
import type { Finding } from '../../../src/core/gates/finding.ts'
import type { Chunk } from '../../../src/core/evidence/chunk.ts'
import type { Json } from '../../../src/core/lib/json.ts'
import {
  diagnoseGating,
  evidenceGatingStats,
  gatingReport,
  insufficientEvidence,
  refusalAsText,
} from '../../../packages/presets/src/sufficiency/gating-report.ts'
import { sufficiencyGate } from '../../../packages/presets/src/sufficiency/sufficiency-gate.ts'
import { aPassage } from '../../fixtures/evidence.ts'
import {
  sufficiency,
  sufficiencyByCollection,
  sufficiencyThreshold,
} from '../../../packages/presets/src/sufficiency/sufficiency.ts'
import { percentsOf } from '../../../packages/presets/src/sufficiency/texts.ts'

describe('the gating of document 004', () => {
  it('has a margin without binary rounding errors, and the same members for passes and refusals', () => {
    const finding = (outcome: 'pass' | 'refuse', actual: number): Finding => ({
      gate: 'evidence-share',
      stage: 'post-generation',
      outcome,
      code: outcome === 'pass' ? 'passed' : 'share_low',
      message: '',
      actual,
      threshold: 0.5,
      subject: 'IPC_34',
    })
    expect(gatingReport({ findings: [finding('pass', 0.65)], evidenceIds: ['a', 'b'] })).toHaveProperty('margin', 0.15)
    // Let through by the tolerance: a margin of zero, without a sign.
    expect(gatingReport({ findings: [finding('pass', 0.5 - 1e-12)], evidenceIds: [] })).toHaveProperty('margin', 0)
    expect(gatingReport({ findings: [finding('refuse', 0.35)], evidenceIds: [] })).toMatchObject({
      passes: false,
      deficit: 0.15,
      status: 'evidence_insufficient',
    })
    const fewWords = { ...finding('refuse', 0.9), code: 'overlap_low' as const }
    expect(gatingReport({ findings: [fewWords], evidenceIds: [] })).toEqual({
      passes: false,
      max_attention: 0.9,
      max_chunk_id: 'IPC_34',
      threshold: 0.5,
      evidence_count: 0,
      status: 'evidence_insufficient',
    })
    expect(gatingReport({ findings: [], evidenceIds: [] })).toBeUndefined()
  })
})

describe('a share just below its threshold', () => {
  const evaluated = (share: number, threshold = 0.5, wording: 'neutral' | 'specification' = 'specification') =>
    sufficiencyGate({ threshold, wording, noSupport: 'ignored' }).evaluate({
      question: 'What is the punishment?',
      answer: 'Death.',
      chunks: ['a', 'b', 'c'].map((id) => ({ ...aPassage(id), scores: {} })),
      shares: ['a', 'b', 'c'].map((chunkId, at) => ({ chunkId, share: at === 0 ? share : (1 - share) / 2 })),
    })

  it.each([
    [0.4996, '49.9%', 0.4996, 0.0004],
    [0.49999, '49.9%', 0.4999, 0.0001],
    [0.5 - 1e-8, '49.9%', 0.4999, 0.0001],
    [0.4994, '49.9%', 0.4994, 0.0006],
    [0.356, '35.6%', 0.356, 0.144],
  ])('is not shown as equal to it: %d', (share, percent, attention, deficit) => {
    const { refusal, ...gating } = evaluated(share)
    const neutral = evaluated(share, 0.5, 'neutral').refusal
    expect(refusal).toMatchObject({ max_attention: attention, deficit })
    expect(gating).toMatchObject({ max_attention: attention, deficit, threshold: 0.5 })
    expect(refusal?.reason).toContain(`Highest attention was ${percent} but threshold is 50.0%.`)
    expect(neutral?.reason).toContain(`The largest share is ${percent} but the threshold is 50.0%.`)
  })

  it('is shown with two decimals beside a threshold that has them', () => {
    const reason = (wording: 'neutral' | 'specification') => evaluated(0.4902, 0.4904, wording).refusal?.reason
    expect(reason('specification')).toContain('Highest attention was 49.02% but threshold is 49.04%.')
    expect(reason('neutral')).toContain('The largest share is 49.02% but the threshold is 49.04%.')
    expect(evaluated(0.49039999, 0.4904).refusal?.reason).toContain('was 49.03% but threshold is 49.04%.')
    // .0093 · 10,000 is slightly below 93.
    expect(percentsOf(0.0093, 0.0094)).toEqual(['0.93%', '0.94%'])
  })

  it('is shown as equal if equality refuses', () => {
    const { refusal } = sufficiencyGate({ equality: 'refuses', wording: 'specification' }).evaluate({
      question: 'What is the punishment?',
      answer: 'Death.',
      chunks: ['a', 'b'].map((id) => ({ ...aPassage(id), scores: {} })),
      shares: ['a', 'b'].map((chunkId) => ({ chunkId, share: 0.5 })),
    })
    expect(refusal).toMatchObject({ max_attention: 0.5, deficit: 0 })
    expect(refusal?.reason).toContain('Highest attention was 50.0% but threshold is 50.0%.')
  })
})

describe('insufficientEvidence', () => {
  const finding = (outcome: 'pass' | 'refuse'): Finding => ({
    gate: 'evidence-share',
    stage: 'post-generation',
    outcome,
    code: outcome === 'pass' ? 'passed' : 'share_low',
    message: 'No legal provision received sufficient attention support.',
    actual: 0.35,
    threshold: 0.5,
    subject: 'a',
  })
  const chunk = (id: string, metadata: Record<string, Json>, section?: string): Chunk => ({
    id,
    documentId: id,
    text: id,
    scores: {},
    metadata,
    ...(section === undefined ? {} : { section }),
  })

  it('has the figures of the refusal, and summarises the three best chunks', () => {
    const chunks = [
      chunk('a', { statute: 'IPC', section: '34' }, 'own'),
      chunk('b', { statute: 7 }, 'own'),
      { id: 'c', documentId: 'c', text: 'c', scores: {} },
      chunk('d', {}),
    ]
    expect(
      insufficientEvidence({ findings: [finding('refuse')], evidenceIds: ['a', 'b'] }, chunks, 'specification'),
    ).toStrictEqual({
      status: 'insufficient_evidence',
      reason:
        'No legal provision received sufficient attention support. Highest attention was 35.0% but threshold is 50.0%.',
      max_attention: 0.35,
      required_threshold: 0.5,
      deficit: 0.15,
      evidence_count: 2,
      evidence_summary: [
        { chunk_id: 'a', statute: 'IPC', section: '34' },
        { chunk_id: 'b', section: 'own' },
        { chunk_id: 'c' },
      ],
      explanation:
        'LEXAR safety mechanism: This refusal indicates that the retrieved evidence was not sufficiently focused on any single legal provision to provide a reliable answer. This prevents hallucination and ensures all answers are grounded in specific legal text.',
    })
  })

  it('has no deficit without a share', () => {
    const { actual: _, ...without } = finding('refuse')
    expect(insufficientEvidence({ findings: [without], evidenceIds: [] }, [])).toMatchObject({
      max_attention: null,
      deficit: null,
      evidence_count: 0,
    })
  })

  it('is undefined unless the gate of document 004 refused', () => {
    expect(insufficientEvidence({ findings: [finding('pass')], evidenceIds: [] }, [])).toBeUndefined()
    expect(insufficientEvidence({ findings: [], evidenceIds: [] }, [])).toBeUndefined()
  })

  it('is about the first refusal of several gates, or else about the first finding', () => {
    const about = (...outcomes: ('pass' | 'refuse')[]) =>
      gatingReport({
        findings: outcomes.map((outcome, at) => ({ ...finding(outcome), subject: `s${at}` })),
        evidenceIds: [],
      })?.max_chunk_id
    expect([about('pass', 'refuse', 'refuse'), about('pass', 'pass')]).toEqual(['s1', 's0'])
  })

  it('says in the words of document 004 that too few words are in common, without a deficit', () => {
    const low: Finding = { ...finding('refuse'), code: 'overlap_low', message: 'Too few words.', actual: 0.6 }
    const specified = insufficientEvidence({ findings: [low], evidenceIds: [] }, [], 'specification')
    const reason = 'No legal provision received sufficient attention support. Too few words.'
    expect(specified).toMatchObject({ reason, deficit: null, max_attention: 0.6 })
    const invalid: Finding = { ...low, code: 'shares_invalid' }
    const another = insufficientEvidence({ findings: [invalid], evidenceIds: [] }, [], 'specification')
    expect(another?.reason).toBe('Too few words.')
  })

  it('is reported as bypassed when the gates are disabled', () => {
    const disabled: Finding = { ...finding('pass'), gate: 'policy', outcome: 'advise', code: 'gate_disabled' }
    expect(gatingReport({ findings: [disabled, finding('refuse')], evidenceIds: [] })?.gating_bypassed).toBe(true)
    expect(gatingReport({ findings: [finding('refuse')], evidenceIds: [] })).not.toHaveProperty('gating_bypassed')
  })
})

describe('the thresholds of document 004', () => {
  const thresholdOf = (policy: ReturnType<typeof sufficiency>) =>
    policy.gates.map(({ gate, settings }) => gate.threshold?.of(settings))

  it('are available by name, and can differ by collection', () => {
    const named = (['loose', 'moderate', 'strict', 'very-strict'] as const).map((threshold) =>
      sufficiency({ threshold }),
    )
    expect(named.map(thresholdOf)).toEqual([[0.3], [0.5], [0.7], [0.9]])
    const choose = sufficiencyByCollection({ byCollection: { ipc: 'strict', tax: 0.4 }, equality: 'refuses' })
    expect(['ipc', 'tax', 'other', 'toString'].map((collection) => thresholdOf(choose('acme', collection)))).toEqual([
      [0.7],
      [0.4],
      [0.5],
      [0.5],
    ])
  })

  it('are disabled only on request', () => {
    expect(sufficiency({ dangerouslyDisableGates: true }).dangerouslyDisableGates).toBe(true)
    expect(sufficiency()).not.toHaveProperty('dangerouslyDisableGates')
  })

  it('can be changed, giving a new policy each time, and stay unchanged by an invalid value', () => {
    const threshold = sufficiencyThreshold()
    const before = threshold.policy()
    threshold.setThreshold(0.7)
    expect([threshold.getThreshold(), thresholdOf(before)]).toEqual([0.7, [0.5]])
    expect(threshold.policy().id).not.toBe(before.id)
    expect(() => threshold.setThreshold(1.5)).toThrow('Threshold must be in [0.0, 1.0]')
    expect(threshold.getThreshold()).toBe(0.7)
  })
})

describe('the statistics of document 004', () => {
  it('count a value that is not a number as refused, and restart at a reset', () => {
    const stats = evidenceGatingStats()
    stats.record(true, NaN, 'q')
    expect(stats.getStats()).toMatchObject({ passed: 0, failed: 1, avg_max_attention: 0 })
    stats.record(false, Infinity, 'r')
    expect(stats.getStats()).toMatchObject({ passed: 0, failed: 2, max_max_attention: 0 })
    stats.reset()
    expect(stats.getStats()).toEqual({ total_evaluations: 0, no_data: true })
  })

  it('summarise the shares, and keep the last five rejections', () => {
    const stats = evidenceGatingStats()
    for (const at of [1, 2, 3, 4, 5, 6]) stats.record(false, at / 100, `question ${at}`)
    stats.record(true, 0.7, 'accepted')
    expect(stats.getStats()).toEqual({
      total_evaluations: 7,
      passed: 1,
      failed: 6,
      pass_rate: 0.1429,
      avg_max_attention: 0.13,
      min_max_attention: 0.01,
      max_max_attention: 0.7,
      recently_rejected: [2, 3, 4, 5, 6].map((at) => ({ query: `question ${at}`, max_attention: at / 100 })),
    })
  })

  it('report conspicuous rates in the words of the document', () => {
    const said = (passed: number, failed: number, share: number): string[] => {
      const stats = evidenceGatingStats()
      for (let at = 0; at < passed; at++) stats.record(true, share, 'q')
      for (let at = 0; at < failed; at++) stats.record(false, share, 'q')
      return diagnoseGating(stats.getStats())
    }
    expect(said(0, 1, 0.39)).toEqual([
      'Every answer is rejected: check the threshold and the evidence',
      'High evidence insufficiency rate detected',
      'Consider expanding corpus',
    ])
    expect(said(1, 2, 0.4)).toEqual([
      'More than half of the answers are rejected: check the threshold and the retrieval',
      'High evidence insufficiency rate detected',
    ])
    expect(said(1, 1, 0.5)).toEqual(['High evidence insufficiency rate detected'])
    expect(said(4, 1, 0.5)).toEqual([])
    expect(said(1, 0, 0.5)).toEqual(['No answer is rejected: check that the gates are not disabled'])
  })

  it('write a refusal without suggestions in one sentence', () => {
    expect(refusalAsText({ refusal_reason: 'r', suggestions: [] })).toBe('I cannot answer with confidence: r')
  })

  it.each([
    [
      [
        [true, 0.9],
        [true, 0.8],
        [true, 0.8],
        [true, 0.8],
        [false, 0.3],
      ],
      [],
    ],
    [
      [
        [true, 0.9],
        [true, 0.8],
        [false, 0.3],
      ],
      ['High evidence insufficiency rate detected'],
    ],
    [[[false, 0.3]], ['Every answer', 'High evidence', 'Consider expanding corpus']],
    [
      [
        [true, 0.6],
        [false, 0.1],
        [false, 0.1],
      ],
      ['More than half', 'High evidence', 'Consider expanding corpus'],
    ],
    [[[true, 0.6]], ['No answer is rejected']],
    [[], []],
  ] as [readonly (readonly [boolean, number])[], readonly string[]][])('for %j report %j', (records, said) => {
    const stats = evidenceGatingStats()
    for (const [passes, share] of records) stats.record(passes, share, 'q')
    expect(diagnoseGating(stats.getStats())).toEqual(said.map((start) => expect.stringContaining(start)))
  })

  it('write a refusal in plain words with numbered suggestions', () => {
    const { reason, suggestions } = textFor('share_low', sufficiency({ wording: 'specification' }))
    expect(refusalAsText({ refusal_reason: reason, suggestions })).toBe(`I cannot answer with confidence: ${reason}

Please try:
1. Rephrase your query to be more specific
2. Expand the legal corpus with more relevant statutes
3. Break down complex questions into simpler sub-questions
4. Provide additional context about jurisdiction or relevant laws`)
    expect(refusalAsText({ refusal_reason: 'r', suggestions: ['s'], escalate: true })).toBe(
      'I cannot answer with confidence: r\n\nPlease try:\n1. s\n\nThis question can be passed on to a human expert.',
    )
    expect(refusalAsText({ refusal_reason: 'r', suggestions: [] })).toBe('I cannot answer with confidence: r')
  })
})
