import { evidenceAnswer } from '../../packages/presets/src/sufficiency/evidence-answer.ts'
import { describe, expect, it } from 'vitest'
import { evidenceGatingStats } from '../../packages/presets/src/sufficiency/gating-report.ts'
import type { Finding, Outcome } from '../../src/core/gates/finding.ts'
import { defineGate, gateWith } from '../../src/core/gates/gate.ts'
import { keywordCoverage } from '../../packages/presets/src/multi-gate/keyword-coverage.ts'
import { judge } from '../../src/core/policy/judge.ts'
import { CAUTION_FOR_MODEL } from '../../src/core/reports/caution.ts'
import { RagGateError } from '../../src/errors.ts'
import { multiGate } from '../../packages/presets/src/multi-gate/multi-gate.ts'
import { definePolicy, type Policy } from '../../src/core/policy/policy.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import {
  sufficiency,
  type SufficiencyOptions,
  sufficiencyThreshold,
} from '../../packages/presets/src/sufficiency/sufficiency.ts'
import {
  generateWithEvidence,
  type GenerationSettings,
} from '../../packages/models/src/answering/generate-with-evidence.ts'
import { answering, INTENTION, MURDER, shares } from '../fixtures/answering.ts'
import { aDecision } from '../fixtures/decision.ts'
import { aPassage, signalsOf } from '../fixtures/evidence.ts'
import { measureAnswer } from '../fixtures/english.ts'

const EVIDENCE = {
  rankedBy: 'bm25',
  kinds: ['bm25'],
  dropped: 0,
  chunks: [MURDER, INTENTION].map((text, at) => ({
    ...aPassage(['IPC_302', 'IPC_34'][at]!, { text }),
    scores: { bm25: 9 - at },
  })),
} as const

/** An answer whose support is shared like this, under this policy. */
async function generate(first: number, second: number, policy = sufficiency()) {
  const { ports } = answering({ says: { text: MURDER, ...shares(first, second) } })
  const signals = signalsOf({ chunkCount: 2 })
  const evidenceIds = EVIDENCE.chunks.map(({ id }) => id)
  const decision = { ...aDecision({ signals, evidenceIds }), ...judge(policy, signals) }
  const made = await generateWithEvidence(ports.generator, {
    question: 'What is the punishment for murder?',
    evidence: EVIDENCE,
    decision,
    policy,
  })
  return evidenceAnswer(made, EVIDENCE.chunks, policy)
}

const status = async (first: number, second: number, options?: SufficiencyOptions): Promise<string> =>
  (await generate(first, second, sufficiency(options))).status

describe('the ten tests that document 004 names', () => {
  it('1. gate initialization with various configurations', () => {
    expect(sufficiency().gates[0]?.settings).toMatchObject({ threshold: 0.5, equality: 'passes' })
    expect(sufficiency({ threshold: 0.7, equality: 'refuses' }).gates[0]?.settings).toMatchObject({
      threshold: 0.7,
      equality: 'refuses',
    })
    expect(() => sufficiency({ threshold: 1.5 })).toThrow('Threshold must be in [0.0, 1.0]')
  })

  it('2. sufficient evidence acceptance', async () => {
    expect(await generate(0.35, 0.65)).toMatchObject({ status: 'success', gating: { margin: 0.15 } })
  })

  it('3. insufficient evidence rejection', async () => {
    expect(await generate(0.35, 0.65, sufficiency({ threshold: 0.7 }))).toMatchObject({
      status: 'insufficient_evidence',
      max_attention: 0.65,
      deficit: 0.05,
    })
  })

  it('4. threshold boundary behavior', async () => {
    expect(await status(0.5, 0.5)).toBe('success')
    expect(await status(0.5, 0.5, { equality: 'refuses' })).toBe('insufficient_evidence')
    expect(await status(0.5, 0.5, { threshold: 0.51 })).toBe('insufficient_evidence')
  })

  it('5. disabled gating bypass', async () => {
    expect(await generate(0.5, 0.5, sufficiency({ threshold: 0.9, dangerouslyDisableGates: true }))).toMatchObject({
      status: 'success',
      gating: { passes: false, max_attention: 0.5, gating_bypassed: true },
    })
  })

  it('6. dynamic threshold modification', async () => {
    const threshold = sufficiencyThreshold()
    expect((await generate(0.65, 0.35, threshold.policy())).status).toBe('success')
    threshold.setThreshold(0.7)
    expect((await generate(0.65, 0.35, threshold.policy())).status).toBe('insufficient_evidence')
  })

  it('7. enable/disable toggling', async () => {
    const disabled = { threshold: 0.9, dangerouslyDisableGates: true } as const
    const seen = [await status(0.65, 0.35, { threshold: 0.9 }), await status(0.65, 0.35, disabled)]
    expect([...seen, await status(0.65, 0.35, { threshold: 0.9 })]).toEqual([
      'insufficient_evidence',
      'success',
      'insufficient_evidence',
    ])
  })

  it('8. refusal message structure', async () => {
    expect(Object.keys(await generate(0.65, 0.35, sufficiency({ threshold: 0.9 }))).sort()).toEqual([
      'deficit',
      'evidence_count',
      'evidence_summary',
      'explanation',
      'max_attention',
      'reason',
      'required_threshold',
      'status',
      'suggestions',
    ])
  })

  it('9. statistics tracking', async () => {
    const stats = evidenceGatingStats()
    for (const [first, second] of [
      [0.65, 0.35],
      [0.35, 0.65],
    ] as const) {
      const answer = await generate(first, second, sufficiency({ threshold: first }))
      if (answer.status === 'success') stats.record(true, answer.gating?.max_attention ?? NaN, 'q')
    }
    const refused = await generate(0.5, 0.5, sufficiency({ threshold: 0.6 }))
    if (refused.status === 'insufficient_evidence') stats.record(false, refused.max_attention ?? NaN, 'q')
    expect(stats.getStats()).toMatchObject({ total_evaluations: 3, passed: 2, failed: 1, avg_max_attention: 0.6 })
  })

  it('10. floating-point normalization', async () => {
    expect(await generate(0.1 + 0.2, 0.7 - 1e-12, sufficiency({ threshold: 0.7 }))).toMatchObject({
      status: 'success',
      gating: { max_attention: 0.7, margin: 0 },
    })
    expect(await generate(0.6, 0.6)).toMatchObject({ status: 'insufficient_evidence', max_attention: null })
  })
})

/** A gate with a measure of its own: the length of the answer, in the place of the model's confidence. */
const BREVITY = defineGate({
  name: 'brevity',
  stage: 'post-generation',
  texts: { too_long: { answer: 'The answer is too long.', reason: 'Too long', suggestions: [] } },
  validate: () => undefined,
  measure: (input) => ({ ...measureAnswer(input), generationConfidence: input.answer?.length ?? Infinity }),
  check: ({ refuseOver }: { readonly gate: 'brevity'; readonly refuseOver: number }, { answer }) =>
    (answer?.generationConfidence ?? Infinity) > refuseOver
      ? { outcome: 'refuse', code: 'too_long', message: 'The answer is too long' }
      : { outcome: 'pass', code: 'passed', message: 'The answer is short' },
})

/** The evidence, judged under this policy. */
function taskUnder(policy: Policy) {
  const signals = signalsOf({ chunkCount: 2, keywordCoverage: 1 })
  const decision = { ...aDecision({ signals }), ...judge(policy, signals) }
  return { question: 'What is the punishment for murder?', evidence: EVIDENCE, decision, policy }
}

describe('generateWithEvidence', () => {
  it('calls no model for refused evidence', async () => {
    const { ports, generations } = answering()
    const decision = aDecision({ verdict: 'refuse', reason: 'score_low' })
    const task = { question: 'q', evidence: EVIDENCE, decision, policy: sufficiency() }
    for (const settings of [{}, { context: { maxLength: 150 } }]) {
      const made = await generateWithEvidence(ports.generator, task, settings)
      expect([made, generations.length]).toEqual([{ decision }, 0])
    }
  })

  it('rejects another policy than the one that judged the evidence', async () => {
    for (const policy of [sufficiency(), balanced()]) {
      const { ports, generations } = answering({ says: { text: MURDER } })
      const task = { question: 'q', evidence: EVIDENCE, decision: aDecision(), policy }
      await expect(generateWithEvidence(ports.generator, task)).rejects.toMatchObject({
        code: 'policy_invalid',
        param: 'policyId',
        message: 'The evidence was judged under another policy',
      })
      expect(generations).toEqual([])
    }
  })

  it.each([
    [{ generationTimeoutMs: 3_000_000_000 }, 'generationTimeoutMs'],
    [{ timeoutMs: 5 }, 'timeoutMs'],
    [{ context: { maxLength: '200' } }, 'context.maxLength'],
  ])('rejects the settings %j before the model is called', async (settings, param) => {
    const { ports, generations } = answering({ says: { text: MURDER } })
    const making = generateWithEvidence(ports.generator, taskUnder(balanced()), settings as GenerationSettings)
    await expect(making).rejects.toMatchObject({ code: 'config_invalid', param })
    expect(generations).toEqual([])
  })

  it('measures an answer with the gate that judges it', async () => {
    const policy = definePolicy({ ...balanced(), gates: [gateWith(BREVITY, { gate: 'brevity', refuseOver: 20 })] })
    const reasons = []
    for (const text of ['Death.', MURDER]) {
      const { ports } = answering({ says: { text } })
      const { decision } = await generateWithEvidence(ports.generator, taskUnder(policy))
      reasons.push([decision.verdict, decision.reason, decision.answerSignals?.generationConfidence])
    }
    expect(reasons).toEqual([
      ['pass', 'passed', 6],
      ['refuse', 'too_long', MURDER.length],
    ])
  })

  it('measures no answer when no gate judges one', async () => {
    const { ports } = answering({ says: { text: MURDER } })
    const policy = definePolicy({ ...balanced(), gates: [keywordCoverage()] })
    const task = taskUnder(policy)
    const made = await generateWithEvidence(ports.generator, task)
    expect(made.decision).toBe(task.decision)
    expect(made.generation?.text).toBe(MURDER)
  })

  it('reports a failed model, and keeps the decision', async () => {
    const task = taskUnder(sufficiency())
    const failing = (thrown: Error) => answering({ says: () => Promise.reject(thrown) }).ports.generator
    const unnamed = await generateWithEvidence(failing(new Error('secret')), task)
    expect(unnamed).toEqual({ decision: task.decision, fault: 'llm_unavailable' })
    const named = await generateWithEvidence(failing(new RagGateError('llm_timeout', 'late')), task)
    expect(named).toEqual({ decision: task.decision, fault: 'llm_timeout' })
  })

  it('gives the model a caution exactly if the verdict is advise', async () => {
    const cautions = []
    for (const policy of [sufficiency(), sufficiency({ dangerouslyDisableGates: true })]) {
      const { ports, generations } = answering({ says: { text: MURDER } })
      await generateWithEvidence(ports.generator, taskUnder(policy))
      cautions.push(generations[0]?.caution)
    }
    expect(cautions).toEqual([undefined, CAUTION_FOR_MODEL])
  })

  it("takes the model's confidence from where the settings say", async () => {
    const policy = multiGate({ refuseBelow: -1, adviseBelowKeywords: 0, answerGrounding: 'off' })
    const signals = signalsOf({ chunkCount: 2, keywordCoverage: 1, topCosine: 0.9 })
    const decision = { ...aDecision({ signals }), ...judge(policy, signals) }
    const task = { question: 'q', evidence: EVIDENCE, decision, policy }
    const report = { generationConfidence: 0.9, tokenLogProbabilities: [-2, -2] }
    const { ports } = answering({ says: { text: MURDER, report } })
    const reported = await generateWithEvidence(ports.generator, task)
    const settings = { generationConfidence: 'token-log-probabilities' } as const
    const measured = await generateWithEvidence(ports.generator, task, settings)
    const confidences = [reported, measured].map((made) => made.decision.answerSignals?.generationConfidence)
    expect(confidences).toEqual([0.9, expect.closeTo(Math.exp(-2), 10)])
  })

  it('gives the model the context of the task', async () => {
    const { ports, generations } = answering({ says: { text: MURDER } })
    const context = { text: 'Only this.', chunks: EVIDENCE.chunks.slice(0, 1), cut: true }
    const task = { ...taskUnder(sufficiency()), context }
    const made = await generateWithEvidence(ports.generator, task, { context: { maxLength: 1 } })
    expect(generations).toMatchObject([{ context: context.text, chunks: context.chunks }])
    expect(made.decision.evidenceIds).toBe(task.decision.evidenceIds)
  })

  it('gives the model only the evidence within its budget', async () => {
    const { ports, generations } = answering({ says: { text: MURDER } })
    const policy = sufficiency()
    const signals = signalsOf({ chunkCount: 2 })
    const decision = { ...aDecision({ signals }), ...judge(policy, signals) }
    const task = { question: 'q', evidence: EVIDENCE, decision, policy }
    await generateWithEvidence(ports.generator, task, { context: { maxLength: 150 } })
    expect(generations[0]?.chunks.map(({ id }) => id)).toEqual(['IPC_302'])
    expect(generations[0]?.context.length).toBeLessThanOrEqual(150)
  })

  it('keeps findings about texts when it judges the evidence within the budget, and updates the evidence ids', async () => {
    const { ports } = answering({ says: { text: MURDER } })
    const policy = sufficiency()
    const signals = signalsOf({ chunkCount: 2 })
    const found = (gate: string, outcome: Outcome): Finding => {
      return { gate, stage: 'pre-generation', outcome, code: `${outcome}_by_${gate}`, message: '' }
    }
    const said = [found('rule:tone', 'advise'), found('rule:length', 'advise'), found('context', 'skip')]
    const decision = {
      ...aDecision({ signals, evidenceIds: ['IPC_302', 'IPC_34'], documentIds: ['IPC_302', 'IPC_34'] }),
      ...judge(policy, signals, said),
    }
    const task = { question: 'q', evidence: EVIDENCE, decision, policy }
    const made = await generateWithEvidence(ports.generator, task, { context: { maxLength: 150 } })
    const codes = made.decision.findings.map(({ code }) => code)
    expect(codes).toEqual(expect.arrayContaining(['advise_by_rule:tone', 'advise_by_rule:length', 'context_cut']))
    expect(codes).not.toContain('skip_by_context')
    expect(made.decision.evidenceIds).toEqual(['IPC_302'])
    expect(made.decision.documentIds).toEqual([EVIDENCE.chunks[0]?.documentId])
  })
})
