/** Document 004, gating by sufficient evidence: its examples, by a route, by `answerQuestion` and by the gate alone. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { tuneByCollection, tuneThreshold } from '../../packages/calibration/src/index.ts'
import { findAlerts } from '../../packages/console/src/alerts/alert-rules.ts'
import { definePolicy, judge, measure } from '../../src/core/policy/index.ts'
import { minTopCosine } from '../../src/core/gates/index.ts'
import type { RagGateError } from '../../src/index.ts'
import { answerQuestion, answerWithRetries, generateWithEvidence } from '../../packages/models/src/index.ts'
import {
  diagnoseGating,
  evidenceAnswer,
  evidenceGatingStats,
  type GatingReport,
  refusalAsText,
  rejectionRecord,
  SUFFICIENCY_THRESHOLDS,
  sufficiency,
  sufficiencyByCollection,
  sufficiencyGate,
  type SufficiencyOptions,
  sufficiencyThreshold,
} from '../../packages/presets/src/sufficiency/index.ts'
import { answering, ASKED, INTENTION, MURDER, SETTINGS, shares } from '../fixtures/answering.ts'
import { aDecision } from '../fixtures/decision.ts'
import { aPassage } from '../fixtures/evidence.ts'
import { aGate, asOperator, bodyOf, type HandlerContext, STRONG } from '../fixtures/gate.ts'
import type { Told } from './a-route.ts'

beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined))

const CHUNKS = [MURDER, INTENTION].map((text, at) => {
  const id = ['IPC_302', 'IPC_34'][at]!
  return { id, documentId: id, text, scores: {}, metadata: { statute: 'IPC', section: id.slice(4) } }
})

/** `evaluate` of the document: shares of the two provisions, by their ids. */
const evaluated = (gate: ReturnType<typeof sufficiencyGate>, first: number, second: number, noSupport = 0) =>
  gate.evaluate({
    question: 'What is the punishment for murder?',
    chunks: CHUNKS,
    answer: MURDER,
    shares: [
      { chunkId: 'IPC_302', share: first },
      { chunkId: 'IPC_34', share: second },
    ],
    noSupport,
  })

/** `pipeline.answer` of the document: retrieval, gate, model and gate again. */
async function answered(first: number, second: number, options: SufficiencyOptions = {}) {
  const policy = sufficiency({ wording: 'specification', ...options })
  const { ports } = answering({ says: { text: MURDER, ...shares(first, second) } })
  const made = await answerQuestion(ports, ASKED, { ...SETTINGS, policy: () => policy })
  return { made, policy, result: evidenceAnswer(made, made.evidence.chunks, policy) }
}

const FOUND = [STRONG, 'Paint is blue.'].map((text, at) => ({
  passage: aPassage(`chunk-${at}`, { text }),
  score: [0.9, 0.5][at]!,
}))

/** A route whose handler reports the shares of its two passages. */
async function routed(first: number, second: number, options: SufficiencyOptions = {}) {
  const handler = (c: HandlerContext): Response => {
    const [a, b] = c.var.ragGate.evidence.chunks
    const attribution = {
      shares: [
        { chunkId: a!.id, share: first },
        { chunkId: b!.id, share: second },
      ],
    }
    c.var.ragGate.report({ attribution })
    return c.json({ answer: 'Answer.', ...c.var.ragGate.summary })
  }
  const policy = sufficiency({ wording: 'specification', ...options })
  const route = aGate({
    policy,
    finds: () => [{ kind: 'cosine', entries: FOUND }],
    handler,
    dependencies: { authenticate: asOperator },
  })
  const body = (await bodyOf(await route.ask())) as Told & { readonly gating?: GatingReport }
  return { body, decision: route.journal.events[0]!.decision }
}

const REASON = 'No legal provision received sufficient attention support.'
const SUGGESTIONS = [
  'Rephrase your query to be more specific',
  'Expand the legal corpus with more relevant statutes',
  'Break down complex questions into simpler sub-questions',
  'Provide additional context about jurisdiction or relevant laws',
]

describe('the decision', () => {
  it.each([
    [0.65, 0.35, 0.5, {}, true],
    [0.35, 0.3, 0.5, {}, false],
    [0.5, 0.5, 0.5, {}, true],
    [0.5, 0.5, 0.51, {}, false],
    [0.5, 0.5, 0.5, { equality: 'refuses' }, false],
    [0.35, 0.65, 0.5, {}, true],
  ] as const)('for %d and %d at %d is the same in every API (R127, R128, R129, R135, R143)', async (...example) => {
    const [first, second, threshold, more, passes] = example
    const options = { threshold, ...more }
    const noSupport = 1 - first - second
    const gate = sufficiencyGate(options)
    const alone = evaluated(gate, first, second, noSupport)
    expect(alone).toMatchObject({ passes, max_attention: Math.max(first, second) })
    if (noSupport > 0) return
    expect((await routed(first, second, options)).body.verdict).toBe(passes ? 'pass' : 'refuse')
    expect((await answered(first, second, options)).result.status).toBe(passes ? 'success' : 'insufficient_evidence')
  })

  it("has exactly the example's margin with the default of .5 (R127, R129, R143)", async () => {
    expect(evaluated(sufficiencyGate(), 0.35, 0.65)).toEqual({
      passes: true,
      max_attention: 0.65,
      max_chunk_id: 'IPC_34',
      threshold: 0.5,
      evidence_count: 2,
      margin: 0.15,
      status: 'evidence_sufficient',
    })
    expect((await routed(0.35, 0.65)).decision.findings.find(({ gate }) => gate === 'evidence-share')).toMatchObject({
      actual: 0.65,
      threshold: 0.5,
    })
  })

  it('can sum the two largest shares, and weight each by its retrieval (R148, R152)', async () => {
    expect((await routed(0.4, 0.35, { threshold: 0.7 })).body.refused).toBe(true)
    expect((await routed(0.5, 0.5, { threshold: 0.7, largest: 2 })).body.verdict).toBe('pass')
    // The second chunk was found half as surely: .6 of it counts as .3, and .4 of the first as .36.
    expect((await routed(0.4, 0.6)).body.verdict).toBe('pass')
    expect((await routed(0.4, 0.6, { weighting: 'chunk-confidence' })).body).toMatchObject({
      refused: true,
      gating: { max_attention: 0.36 },
    })
    expect((await routed(0.6, 0.4, { weighting: 'chunk-confidence' })).body.gating).toMatchObject({
      max_attention: 0.54,
    })
  })
})

it('shares that add up to 1 within binary rounding are valid (R142)', () => {
  const gate = sufficiencyGate()
  // In this order they come to .9999999999999999.
  const [noSupport, first, second] = [0.3, 0.6, 0.1] as const
  expect(noSupport + first + second).not.toBe(1)
  expect(evaluated(gate, first, second, noSupport)).toMatchObject({ passes: true, max_attention: 0.6, margin: 0.1 })
  expect(evaluated(gate, 0.7, 0.7)).toMatchObject({ passes: false, max_attention: null })
})

describe('the returned object', () => {
  it("on success is the document's (R130, R136, R137, R138)", async () => {
    const { made, result } = await answered(0.65, 0.35)
    expect(result).toEqual({
      status: 'success',
      answer: MURDER,
      evidence_count: 2,
      confidence: expect.closeTo(made.decision.confidence, 4),
      evidence_ids: ['IPC_302', 'IPC_34'],
      gating: {
        passes: true,
        max_attention: 0.65,
        max_chunk_id: 'IPC_302',
        threshold: 0.5,
        evidence_count: 2,
        margin: 0.15,
        status: 'evidence_sufficient',
      },
    })
  })

  it('on success counts the passages (R138)', async () => {
    const { ports } = answering({ finds: [MURDER], says: { text: MURDER } })
    const made = await answerQuestion(ports, ASKED, SETTINGS)
    expect(evidenceAnswer(made, made.evidence.chunks, made.policy)).toMatchObject({
      status: 'success',
      evidence_count: 1,
      evidence_ids: ['IPC_302'],
      gating: { max_attention: 1, evidence_count: 1 },
    })
  })

  it.each([
    ['success', 0.65, 0.5, 0.7, 1],
    ['refusal after the model', 0.65, 0.7, 0.7, 1],
    ['refusal before it', 0.65, 0.5, 0.9, 0],
  ])('for given evidence is gated without a debug mode: %s (R136, R153)', async (...example) => {
    const [what, share, threshold, cosine, calls] = example
    const { gates, ...rest } = sufficiency({ threshold, wording: 'specification' })
    const policy = definePolicy({ ...rest, gates: [minTopCosine({ refuseBelow: cosine }), ...gates] })
    const chunks = CHUNKS.map((chunk) => ({ ...chunk, scores: { cosine: 0.8 } }))
    const evidence = { rankedBy: 'cosine', kinds: ['cosine'], chunks, dropped: 0 } as const
    const { question } = ASKED
    const signals = measure(policy, { question, evidence })
    const evidenceIds = chunks.map(({ id }) => id)
    const decision = { ...aDecision({ signals, evidenceIds, policyId: policy.id }), ...judge(policy, signals) }
    const { ports, generations } = answering({ says: { text: MURDER, ...shares(share, 1 - share) } })
    const made = await generateWithEvidence(ports.generator, { question, evidence, decision, policy })
    expect(evidenceAnswer(made, chunks, policy)).toMatchObject(
      what === 'success'
        ? { status: 'success', answer: MURDER, gating: { passes: true, max_attention: 0.65, margin: 0.15 } }
        : { status: 'insufficient_evidence', max_attention: calls === 0 ? null : 0.65, suggestions: expect.any(Array) },
    )
    expect(generations).toHaveLength(calls)
  })

  const FAILURE = {
    status: 'insufficient_evidence',
    reason: `${REASON} Highest attention was 65.0% but threshold is 70.0%.`,
    max_attention: 0.65,
    required_threshold: 0.7,
    deficit: 0.05,
    evidence_count: 2,
    explanation: expect.stringMatching(/^LEXAR safety mechanism: This refusal indicates that the retrieved evidence/),
    suggestions: SUGGESTIONS,
  }
  const PROVISIONS = [
    { chunk_id: 'IPC_302', statute: 'IPC', section: '302' },
    { chunk_id: 'IPC_34', statute: 'IPC', section: '34' },
  ]

  it("on failure is the document's (R137, R139, R140, R141)", async () => {
    const { result } = await answered(0.65, 0.35, { threshold: 0.7 })
    expect(result).toEqual({ ...FAILURE, evidence_summary: PROVISIONS })
    expect((await answered(0.65, 0.35, { threshold: 0.7, wording: 'neutral' })).result).toMatchObject({
      suggestions: [
        'Rephrase the question to be more specific',
        'Add documents about it',
        'Break a complex question into simpler ones',
        'Say more about the context of the question',
      ],
    })
    const gate = sufficiencyGate({ threshold: 0.7, wording: 'specification' })
    expect(evaluated(gate, 0.65, 0.35).refusal).toEqual({ ...FAILURE, evidence_summary: PROVISIONS })
  })

  it('on failure names the best three provisions, even by section alone (R139)', () => {
    const others = ['BNS_1', 'BNS_2'].map((id) => aPassage(id, { section: `§ ${id.slice(4)}` }))
    const chunks = [...CHUNKS, ...others.map((passage) => ({ ...passage, scores: {} }))]
    const input = { question: 'q', chunks, answer: MURDER, shares: [{ chunkId: 'BNS_2', share: 0.2 }], noSupport: 0.8 }
    expect(sufficiencyGate().evaluate(input).refusal).toMatchObject({
      evidence_count: 4,
      evidence_summary: [...PROVISIONS, { chunk_id: 'BNS_1', section: '§ 1' }],
    })
  })

  it('of a route is the same for operators, and has no figure for the public (R139, R157)', async () => {
    const { body } = await routed(0.65, 0.35, { threshold: 0.7 })
    const answer = 'I cannot answer with confidence.'
    expect(body).toMatchObject({ ...FAILURE, answer, refused: true, refusal_reason: FAILURE.reason })
    expect(body.gating).toMatchObject({ passes: false, max_attention: 0.65, deficit: 0.05 })
    const forPublic = await bodyOf(
      await aGate({ policy: sufficiency({ threshold: 0.99 }), finds: [STRONG, 'Paint is blue.'] }).ask(),
    )
    expect(forPublic).toMatchObject({ status: 'insufficient_evidence', refused: true })
    for (const figure of ['gating', 'max_attention', 'required_threshold', 'deficit']) {
      expect(forPublic).not.toHaveProperty(figure)
    }
  })

  it("has the document's reason for .35 at .5 (R140)", () => {
    const gate = sufficiencyGate({ wording: 'specification' })
    expect(evaluated(gate, 0.35, 0.25, 0.4).refusal).toMatchObject({
      reason: `${REASON} Highest attention was 35.0% but threshold is 50.0%.`,
      deficit: 0.15,
    })
  })

  it('has its own status without evidence or when the model fails (R137)', async () => {
    const none = answering({ finds: [] })
    const policy = sufficiency()
    const settings = { ...SETTINGS, policy: () => policy }
    const made = await answerQuestion(none.ports, ASKED, settings)
    expect(evidenceAnswer(made, [], policy)).toMatchObject({ status: 'no_evidence', evidence_count: 0 })
    const failing = answering({ says: () => Promise.reject(new Error('down')) })
    const fault = await answerQuestion(failing.ports, ASKED, settings)
    expect(evidenceAnswer(fault, fault.evidence.chunks, policy)).toMatchObject({ status: 'generation_error' })
  })
})

describe('settings', () => {
  it('have four named thresholds (R132)', async () => {
    expect(SUFFICIENCY_THRESHOLDS).toEqual({ loose: 0.3, moderate: 0.5, strict: 0.7, 'very-strict': 0.9 })
    const passed = await Promise.all(
      (['loose', 'moderate', 'strict', 'very-strict'] as const).map(
        async (threshold) => (await routed(0.6, 0.4, { threshold })).body.verdict === 'pass',
      ),
    )
    expect(passed).toEqual([true, true, false, false])
  })

  it('can be changed within 0..1, and stay unchanged by an invalid value (R133)', () => {
    const [gate, threshold] = [sufficiencyGate(), sufficiencyThreshold()]
    for (const held of [gate, threshold]) {
      expect(held.getThreshold()).toBe(0.5)
      for (const right of [0, 1, 0.7]) {
        held.setThreshold(right)
        expect(held.getThreshold()).toBe(right)
      }
      for (const wrong of [1.5, 1.001, -0.1, Number.NaN, ...(['strict', true] as unknown as readonly number[])]) {
        let thrown: unknown
        try {
          held.setThreshold(wrong)
        } catch (error) {
          thrown = error
        }
        expect((thrown as RagGateError).code).toBe('policy_invalid')
        expect((thrown as RagGateError).message).toContain('Threshold must be in [0.0, 1.0]')
        expect(held.getThreshold()).toBe(0.7)
      }
    }
    expect(evaluated(gate, 0.65, 0.35)).toMatchObject({ passes: false, threshold: 0.7 })
    expect(threshold.policy().id).toBe(sufficiency({ threshold: 0.7 }).id)
  })

  it('can disable and enable the gate, which still measures and marks (R129, R134)', async () => {
    const gate = sufficiencyGate({ threshold: 0.9 })
    const passes = () => evaluated(gate, 0.65, 0.35)
    expect([gate.isEnabled(), passes().passes]).toEqual([true, false])
    gate.disable()
    expect([gate.isEnabled(), passes()]).toEqual([
      false,
      expect.objectContaining({ passes: true, max_attention: 0.65, gating_bypassed: true }),
    ])
    expect(passes()).not.toHaveProperty('refusal')
    gate.enable()
    expect([gate.isEnabled(), passes().passes]).toEqual([true, false])
    const off = sufficiencyGate({ threshold: 0.9, dangerouslyDisableGates: true })
    expect([off.isEnabled(), evaluated(off, 0.65, 0.35).passes]).toEqual([false, true])
    const { body } = await routed(0.65, 0.35, { threshold: 0.9, dangerouslyDisableGates: true })
    expect(body).toMatchObject({ verdict: 'advise', reason_code: 'gate_disabled', answer: 'Answer.' })
  })

  it('can differ between collections (R151)', async () => {
    const policy = sufficiencyByCollection({ byCollection: { ipc: 'strict' }, escalateRefusals: true })
    const { ports } = answering({ says: { text: MURDER, ...shares(0.65, 0.35) } })
    const statusOf = async (collection: string): Promise<string> => {
      const made = await answerQuestion(ports, { ...ASKED, collection }, { ...SETTINGS, policy })
      return evidenceAnswer(made, made.evidence.chunks, made.policy).status
    }
    expect([await statusOf('ipc'), await statusOf('tax')]).toEqual(['insufficient_evidence', 'success'])
    expect(['ipc', 'tax'].map((collection) => policy('acme', collection).escalateRefusals)).toEqual([true, true])
  })

  it('need no debug mode (R153)', async () => {
    expect((await routed(0.65, 0.35)).body.gating).toMatchObject({ passes: true })
    expect((await routed(0.5, 0.5, { threshold: 0.6 })).body.refused).toBe(true)
  })

  it('are tuned offline, in a new policy (R149, R150)', async () => {
    const gate = { gate: 'evidence-share' } as const
    const [sound, weak] = [(await routed(0.8, 0.2)).decision, (await routed(0.6, 0.4)).decision]
    const labels = [
      ...Array.from({ length: 50 }, () => ({ decision: sound, answerable: true })),
      ...Array.from({ length: 100 }, () => ({ decision: weak, answerable: false })),
    ]
    const policy = sufficiency({ threshold: 0.9 })
    const tuned = tuneThreshold(policy, labels, gate)
    expect(tuned).toMatchObject({
      action: 'lower',
      from: 0.9,
      to: 0.61,
      falseAcceptances: { hits: 0, labels: 100 },
      falseRefusals: { hits: 0, labels: 50 },
    })
    expect(tuneThreshold(sufficiency(), labels, gate)).toMatchObject({ action: 'raise', from: 0.5, to: 0.61 })
    expect(tuneThreshold(policy, labels.slice(0, 90), gate)).toMatchObject({
      action: 'keep',
      policy: { id: policy.id },
    })
    expect(tuned.policy.id).not.toBe(policy.id)
    const { policyFor } = tuneByCollection(policy, { ipc: labels }, gate)
    expect([policyFor('acme', 'ipc').id, policyFor('acme', 'tax').id]).toEqual([tuned.policy.id, policy.id])
  })
})

describe('statistics', () => {
  it("for the document's two queries equal its object (R131)", () => {
    const stats = evidenceGatingStats()
    stats.record(true, 0.65, 'Query 1')
    stats.record(false, 0.35, 'Query 2')
    expect(stats.getStats()).toEqual({
      total_evaluations: 2,
      passed: 1,
      failed: 1,
      pass_rate: 0.5,
      avg_max_attention: 0.5,
      min_max_attention: 0.35,
      max_max_attention: 0.65,
      recently_rejected: [{ query: 'Query 2', max_attention: 0.35 }],
    })
    for (let at = 3; at <= 8; at++) stats.record(false, 0.35, `Query ${at}`)
    const { recently_rejected: last } = stats.getStats() as { recently_rejected: readonly { query: string }[] }
    expect(last.map(({ query }) => query)).toEqual([4, 5, 6, 7, 8].map((at) => `Query ${at}`))
    stats.reset()
    expect(stats.getStats()).toEqual({ total_evaluations: 0, no_data: true })
  })

  it('count decisions of a route and the gate, with refusals, and diagnose them (R131, R147, R154, R156)', async () => {
    const stats = evidenceGatingStats()
    const gate = sufficiencyGate({ threshold: 0.7 })
    for (const [first, second] of [
      [0.9, 0.1],
      [0.65, 0.35],
      [0.35, 0.65],
      [0.5, 0.5],
    ] as const) {
      const { gating } = (await routed(first, second, { threshold: 0.7 })).body
      stats.record(gating!.passes, gating!.max_attention!, `${first}`)
      evaluated(gate, first, second)
    }
    const counted = stats.getStats()
    expect(counted).toMatchObject({ total_evaluations: 4, passed: 1, pass_rate: 0.25, avg_max_attention: 0.675 })
    expect(gate.getStats()).toMatchObject({
      total_evaluations: 4,
      passed: 1,
      pass_rate: 0.25,
      avg_max_attention: 0.675,
    })
    expect(diagnoseGating(counted)).toEqual([
      'More than half of the answers are rejected: check the threshold and the retrieval',
      'High evidence insufficiency rate detected',
    ])
  })

  it.each([
    [[0.3, 0.35], 0.5, 'Every answer is rejected: check the threshold and the evidence'],
    [[0.3, 0.35], 0.5, 'Consider expanding corpus'],
    [[0.3, 0.35, 0.9], 0.5, 'More than half of the answers are rejected: check the threshold and the retrieval'],
    [[0.9, 0.9, 0.9, 0.3], 0.5, 'High evidence insufficiency rate detected'],
    [[0.9, 0.8], 0.5, 'No answer is rejected: check that the gates are not disabled'],
  ])('for %j at %d give the diagnosis %s (R154, R156)', (best, threshold, said) => {
    const gate = sufficiencyGate({ threshold })
    for (const share of best) {
      const attribution = [{ chunkId: 'IPC_302', share }]
      gate.evaluate({ question: 'q', chunks: CHUNKS, answer: MURDER, shares: attribution, noSupport: 1 - share })
    }
    expect(diagnoseGating(gate.getStats())).toContain(said)
  })

  it('of a running service raise an alert above one rejection in five (R154)', () => {
    const day = { decisions: 100, failed: 0, p95Ms: null, confidenceBins: [] }
    const kinds = (refused: number) => findAlerts({ ...day, refused }, { ...day, refused: 0 })
    expect(kinds(20)).toEqual([])
    expect(kinds(21)).toMatchObject([
      { kind: 'insufficiency_high', bound: 0.8, message: 'High evidence insufficiency rate detected' },
    ])
  })

  it('report more than half rejected, and a low mean below .4 (R156)', () => {
    const saidOf = (passed: number, share: number): readonly string[] => {
      const stats = evidenceGatingStats()
      for (let at = 0; at < 20; at++) stats.record(at < passed, share, 'q')
      return diagnoseGating(stats.getStats())
    }
    const HALF = 'More than half of the answers are rejected: check the threshold and the retrieval'
    expect([saidOf(9, 0.4), saidOf(10, 0.4)].map((said) => said.includes(HALF))).toEqual([true, false])
    const LOW = 'Consider expanding corpus'
    expect([saidOf(20, 0.39), saidOf(20, 0.4)].map((said) => said.includes(LOW))).toEqual([true, false])
  })

  it("report nothing at exactly the document's rates (R154, R156)", () => {
    const gate = sufficiencyGate()
    for (const share of [0.9, 0.9, 0.9, 0.9, 0.4]) {
      gate.evaluate({
        question: 'q',
        chunks: CHUNKS,
        answer: MURDER,
        shares: [{ chunkId: 'IPC_302', share }],
        noSupport: 1 - share,
      })
    }
    expect(diagnoseGating(gate.getStats())).toEqual([])
  })
})

describe('the use cases', () => {
  it('1: a rejection is written to an audit log (R144)', async () => {
    const { made } = await answered(0.65, 0.35, { threshold: 0.7 })
    const record = rejectionRecord(made.decision, { atMs: Date.UTC(2026, 0, 2), question: ASKED.question })
    expect(record).toMatchObject({
      query: ASKED.question,
      reason: expect.stringContaining('65.0% but the threshold is 70.0%'),
      evidence_analyzed: 2,
      deficit: 0.05,
      timestamp: '2026-01-02T00:00:00.000Z',
    })
    expect(rejectionRecord((await answered(0.65, 0.35)).made.decision, { atMs: 0 })).toBeUndefined()
    const disabled = { threshold: 0.7, dangerouslyDisableGates: true } as const
    expect(rejectionRecord((await answered(0.65, 0.35, disabled)).made.decision, { atMs: 0 })).toBeUndefined()
    const none = await answerQuestion(answering({ finds: [] }).ports, ASKED, SETTINGS)
    expect(rejectionRecord(none.decision, { atMs: 0 })).toMatchObject({ evidence_analyzed: 0, deficit: null })
    const far = (await answered(0.5, 0.5, { threshold: 0.9 })).made.decision
    expect(rejectionRecord(far, { atMs: 0 })).toMatchObject({ deficit: 0.4 })
  })

  it("2: an expert policy's refusal has escalate, with the evidence (R145, R155)", async () => {
    const strict = { threshold: 'strict', escalateRefusals: true } as const
    const { made, result } = await answered(0.65, 0.35, strict)
    expect(result).toMatchObject({ status: 'insufficient_evidence', escalate: true })
    const facts = { atMs: 0, chunks: made.evidence.chunks }
    expect(rejectionRecord(made.decision, facts)).toMatchObject({
      escalate: true,
      evidence_summary: [{ chunk_id: 'IPC_302' }, { chunk_id: 'IPC_34' }],
    })
    expect((await routed(0.65, 0.35, strict)).body).toMatchObject({ refused: true, escalate: true })
    expect((await answered(0.65, 0.35, { threshold: 'strict' })).result).not.toHaveProperty('escalate')
  })

  it('3: a rewritten question follows the first suggestion (R146)', async () => {
    const asked: unknown[] = []
    const better = 'What is the punishment for murder under section 302?'
    const { ports } = answering({
      says: async ({ question }) => ({
        text: MURDER,
        complete: true,
        ...(question === better ? shares(0.9, 0.1) : shares(0.5, 0.5)),
      }),
    })
    const policy = sufficiency({ threshold: 0.6, wording: 'specification' })
    const retried = await answerWithRetries(ports, ASKED, {
      ...SETTINGS,
      policy: () => policy,
      rewrite: (request) => {
        asked.push(request)
        return better
      },
    })
    expect(asked).toEqual([{ question: ASKED.question, suggestion: SUGGESTIONS[0], attempt: 1 }])
    expect(retried.attempts.map(({ question, decision }) => [question, decision.verdict])).toEqual([
      [ASKED.question, 'refuse'],
      [better, 'pass'],
    ])
    expect(evidenceAnswer(retried, retried.evidence.chunks, policy).status).toBe('success')
  })

  it('3: by default once, and at most three times (R146)', async () => {
    const { ports } = answering({ says: { text: MURDER, ...shares(0.5, 0.5) } })
    const settings = { ...SETTINGS, policy: () => sufficiency({ threshold: 0.6 }) }
    const rewrite = ({ attempt }: { readonly attempt: number }): string => `${ASKED.question} Again, ${attempt}.`
    const asked = async (maxRetries?: number): Promise<number> => {
      const bound = maxRetries === undefined ? {} : { maxRetries }
      return (await answerWithRetries(ports, ASKED, { ...settings, ...bound, rewrite })).attempts.length
    }
    expect([await asked(), await asked(0), await asked(3)]).toEqual([2, 1, 4])
    await expect(asked(4)).rejects.toMatchObject({ code: 'config_invalid', param: 'maxRetries' })
  })

  it('best practice 4: a refusal in words, with numbered suggestions and the offer of a person (R155)', async () => {
    const { body } = await routed(0.65, 0.35, { threshold: 0.7, escalateRefusals: true })
    expect(refusalAsText(body as unknown as Parameters<typeof refusalAsText>[0])).toBe(
      `I cannot answer with confidence: ${REASON} Highest attention was 65.0% but threshold is 70.0%.

Please try:
${SUGGESTIONS.map((suggestion, at) => `${at + 1}. ${suggestion}`).join('\n')}

This question can be passed on to a human expert.`,
    )
    const alone = { refusal_reason: 'Why.', suggestions: [] }
    expect(refusalAsText(alone)).toBe('I cannot answer with confidence: Why.')
  })
})
