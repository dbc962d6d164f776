import { advisory } from '../../../packages/presets/src/advisory/advisory.ts'
import { CAUTION_FOR_MODEL } from '../../../src/core/reports/caution.ts'
import { textOf, ANY_POLICY } from '../../fixtures/policy.ts'
import { describe, expect, it } from 'vitest'
import type { Chunk, Ranking } from '../../../src/core/evidence/chunk.ts'
import type { Decision } from '../../../src/core/policy/decision.ts'
import type { Finding, Verdict } from '../../../src/core/gates/finding.ts'
import { fuse } from '../../../src/core/evidence/fusion.ts'
import { EXPLANATIONS } from '../../../packages/presets/src/sufficiency/texts.ts'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { definePolicy, type Policy } from '../../../src/core/policy/policy.ts'
import { minTopCosine } from '../../../src/core/gates/min-top-cosine.ts'
import { judge } from '../../../src/core/policy/judge.ts'
import { judgeAnswer } from '../../../src/core/policy/judge-answer.ts'
import { balanced } from '../../../src/presets/balanced/balanced.ts'
import { multiGate } from '../../../packages/presets/src/multi-gate/multi-gate.ts'
import { legalReview } from '../../../packages/presets/src/weighted-signals/legal-review.ts'
import { sufficiency } from '../../../packages/presets/src/sufficiency/sufficiency.ts'
import { twoTier } from '../../../packages/presets/src/two-tier/two-tier.ts'
import { weightedSignals } from '../../../packages/presets/src/weighted-signals/weighted-signals.ts'
import {
  buildRefusal as build,
  summariseDecision as summarise,
  type ReportOptions,
} from '../../../src/core/reports/refusal.ts'
import type { Audience } from '../../../src/core/policy/preset.ts'
import { answerSignalsOf, aSentence } from '../../fixtures/answer.ts'
import { aRanking } from '../../fixtures/evidence.ts'
import { measure } from '../../fixtures/english.ts'

const ID = '01930000-0000-7000-8000-000000000001'

/** The policies that decided, by id: a decision names the one that it is told by. */
const decided = new Map<string, Policy>()

function telling({ policyId }: Decision, audience: Audience, unsupported: readonly string[] = []): ReportOptions {
  return { audience, policy: decided.get(policyId) ?? ANY_POLICY, unsupported }
}

const buildRefusal = (
  decision: Decision,
  chunks: readonly Chunk[],
  audience: Audience,
  unsupported?: readonly string[],
) => build(decision, chunks, telling(decision, audience, unsupported))

const summariseDecision = (
  decision: Decision,
  chunks: readonly Chunk[],
  audience: Audience,
  unsupported?: readonly string[],
) => summarise(decision, chunks, telling(decision, audience, unsupported))

function decide(policy: Policy, rankings: readonly Ranking[]): { decision: Decision; chunks: readonly Chunk[] } {
  decided.set(policy.id, policy)
  const evidence = fuse(rankings, { idfMass: 1, topK: 10 })
  const signals = measure('What are the fees?', evidence, EMPTY_LEXICON)
  const decision: Decision = {
    id: ID,
    tenant: 'acme',
    collection: 'manual',
    corpusVersion: 3,
    signals,
    rankedBy: evidence.rankedBy,

    reranker: 'off',
    evidenceIds: evidence.chunks.map(({ id }) => id),
    documentIds: evidence.chunks.map(({ documentId }) => documentId),
    ...judge(policy, signals),
  }
  return { decision, chunks: evidence.chunks }
}

/** Every number in a JSON value, also written inside a text, but for the id of the decision. */
function numbersIn(value: unknown): string[] {
  return JSON.stringify(value).replaceAll(ID, '').match(/\d+/g) ?? []
}

const REFUSALS: readonly (readonly [name: string, policy: Policy, rankings: readonly Ranking[]])[] = [
  ['no evidence', balanced(), []],
  ['low confidence', balanced(), [aRanking('bm25', [0.4, 0.3])]],
  ['low grades', twoTier(), [aRanking('grade', [0, 0])]],
  ['too few relevant chunks', twoTier({ minChunks: 2 }), [aRanking('grade', [3, 1])]],
  ['low scores', twoTier(), [aRanking('bm25', [0.01])]],
  ['no clear winner', twoTier(), [aRanking('bm25', [0.06, 0.055])]],
  ['no score to read', twoTier(), [aRanking('dbsf', [0.03])]],
  ['low similarity', multiGate(), [aRanking('cosine', [0.62])]],
  ['no similarity', multiGate(), [aRanking('bm25', [9])]],
]

describe('buildRefusal for the public', () => {
  it.each(REFUSALS)(
    'contains no number for %s, because figures reveal what the corpus contains',
    (_, policy, rankings) => {
      const { decision, chunks } = decide(policy, rankings)
      expect(decision.verdict).toBe('refuse')
      expect(numbersIn(buildRefusal(decision, chunks, 'public'))).toEqual([])
      expect(numbersIn(summariseDecision(decision, chunks, 'public'))).toEqual([])
    },
  )

  it.each(REFUSALS)('has exactly the documented members for %s', (_, policy, rankings) => {
    const { decision, chunks } = decide(policy, rankings)
    const { answer, reason, suggestions } = textOf(decision.reason)
    expect(buildRefusal(decision, chunks, 'public')).toEqual({
      answer,
      sources: [],
      refused: true,
      refusal_reason: reason,
      suggestions,
      decision_id: ID,
      verdict: 'refuse',
      band: decision.band,
      reason_code: decision.reason,
      ...(policy.name === 'balanced' ? { calibration: 'uncalibrated' } : {}),
    })
    expect(answer).not.toBe('')
    expect(suggestions.length).toBeGreaterThan(0)
  })

  it('is the same for any two questions refused for the same reason in the same band', () => {
    const [one, two] = [0.61, -0.2].map((cosine) => decide(multiGate(), [aRanking('cosine', [cosine])]))
    const body = ({ decision, chunks }: typeof one & object): unknown => ({
      ...buildRefusal(decision, chunks, 'public'),
      band: '',
    })
    expect(body(one!)).toEqual(body(two!))
  })
})

describe('buildRefusal for operators', () => {
  it.each(REFUSALS)('shows findings, signals and chunks for %s', (_, policy, rankings) => {
    const { decision, chunks } = decide(policy, rankings)
    const { detail, refusal_reason } = buildRefusal(decision, chunks, 'operator')
    expect(detail).toMatchObject({
      confidence: decision.confidence,
      findings: decision.findings,
      signals: decision.signals,
    })
    expect(detail?.chunks.map(({ id, scores }) => [id, scores])).toEqual(chunks.map(({ id, scores }) => [id, scores]))
    expect(refusal_reason).toBe(decision.findings.find(({ outcome }) => outcome === 'refuse')?.message)
  })

  it('omits the missing fields of a chunk and shows the others', () => {
    const { decision } = decide(balanced(), [])
    const bare: Chunk = { id: 'a', documentId: 'd', text: 't', scores: { bm25: 1 } }
    const full: Chunk = { ...bare, title: 'T', section: 'S', source: 'https://example.com', metadata: { secret: 1 } }
    const { detail } = buildRefusal(decision, [bare, full], 'operator')
    // Strictly: a member that is undefined would stand in a record, and nowhere on the wire.
    expect(detail?.chunks).toStrictEqual([
      { id: 'a', document_id: 'd', text: 't', scores: { bm25: 1 } },
      {
        id: 'a',
        document_id: 'd',
        title: 'T',
        section: 'S',
        source: 'https://example.com',
        text: 't',
        scores: { bm25: 1 },
      },
    ])
  })
})

describe('summariseDecision', () => {
  const { decision, chunks } = decide(balanced(), [aRanking('bm25', [2, 1])])
  const unusable: Finding = {
    gate: 'advisory-confidence',
    stage: 'post-generation',
    outcome: 'advise',
    code: 'advisory_unusable',
    message: 'Low confidence (0.30 < 0.7). Advisory-only.',
  }

  it.each(['public', 'operator'] as const)(
    'marks an advisory answer below its threshold as not usable, %s',
    (audience) => {
      const found = (verdict: Verdict, ...findings: Finding[]) =>
        summarise({ ...decision, verdict, findings }, chunks, { audience, policy: advisory() })['usable']
      expect(found('advise', { ...unusable, code: 'passed', outcome: 'pass' }, unusable)).toBe(false)
      expect(found('advise', { ...unusable, code: 'advisory_only' })).toBeUndefined()
      expect(found('refuse', unusable)).toBeUndefined()
    },
  )

  it('shows operators the judgement of an answer only when one was judged', () => {
    const before = summariseDecision(decision, chunks, 'operator')
    expect(Object.keys(before.detail ?? {})).toEqual([
      'confidence',
      'reason',
      'findings',
      'gates',
      'explanation',
      'signals',
      'reranker',
      'chunks',
    ])
    expect(before).not.toHaveProperty('gating')
    const answerSignals = answerSignalsOf()
    const after = summariseDecision({ ...decision, answerSignals }, chunks, 'operator', ['It flies.'])
    expect(after.detail).toMatchObject({ answer_signals: answerSignals, unsupported_sentences: ['It flies.'] })
  })
})

describe('buildRefusal when several gates refuse', () => {
  const { decision, chunks } = decide(sufficiency(), [aRanking('cosine', [0.9, 0.8])])
  const finding = (gate: string): Finding => ({
    gate,
    stage: 'post-generation',
    outcome: 'refuse',
    code: gate === 'grounding' ? 'answer_unsupported' : 'share_low',
    message: `What ${gate} says`,
    ...(gate === 'grounding' ? {} : { actual: 0.35, threshold: 0.5, subject: 'cosine-0' }),
  })
  const refused = (...findings: Finding[]): Decision => ({
    ...decision,
    verdict: 'refuse',
    reason: findings[0]?.code ?? 'share_low',
    findings,
  })

  it('has the members of document 004 when its gate refused first, with figures only for operators', () => {
    const first = refused(finding('evidence-share'), finding('grounding'))
    expect(buildRefusal(first, chunks, 'operator')).toMatchObject({
      status: 'insufficient_evidence',
      max_attention: 0.35,
      deficit: 0.15,
      gating: { passes: false, max_chunk_id: 'cosine-0' },
    })
    const shown = buildRefusal(first, chunks, 'public')
    expect(shown).toMatchObject({ status: 'insufficient_evidence', explanation: EXPLANATIONS.neutral })
    expect(shown).not.toHaveProperty('max_attention')
    expect(shown).not.toHaveProperty('gating')
  })

  it('has no members of document 004 when another gate refused first, but reports the share to operators', () => {
    const second = refused(finding('grounding'), finding('evidence-share'))
    for (const audience of ['public', 'operator'] as const) {
      expect(buildRefusal(second, chunks, audience)).not.toHaveProperty('status')
    }
    expect(buildRefusal(second, chunks, 'operator')).toMatchObject({
      refusal_reason: 'What grounding says',
      gating: { max_attention: 0.35 },
    })
  })

  it('has unsupported sentences only when they are given', () => {
    expect(buildRefusal(refused(), chunks, 'operator').detail).not.toHaveProperty('unsupported_sentences')
    expect(buildRefusal(refused(), chunks, 'operator', ['It flies.']).detail?.unsupported_sentences).toEqual([
      'It flies.',
    ])
  })

  it('gives operators the reason from the catalogue when no finding has a message', () => {
    expect(buildRefusal(refused(), chunks, 'operator').refusal_reason).toBe(textOf('share_low').reason)
  })
})

describe("the reference documents' examples", () => {
  it('000, example 1: grades 3 and 1 pass (R017)', () => {
    const { decision } = decide(twoTier(), [aRanking('grade', [3, 1])])
    expect(decision).toMatchObject({ verdict: 'pass', reason: 'passed', confidence: 1 })
    expect(decision.findings[0]).toMatchObject({ message: 'Chunks above threshold (2): 1', actual: 1, threshold: 1 })
  })

  it('000, example 2: grades 0 and 0 are refused (R018, R019)', () => {
    const { decision, chunks } = decide(twoTier(), [aRanking('grade', [0, 0])])
    expect(buildRefusal(decision, chunks, 'operator')).toMatchObject({
      answer:
        'I cannot answer this question based on the available documents. The retrieved information is not sufficiently relevant.',
      refusal_reason: 'Top chunk relevance score (0) below threshold (2)',
      reason_code: 'relevance_low',
    })
  })

  it('000, example 3: 0.06 before 0.055 is no clear winner (R020, R021)', () => {
    const { decision, chunks } = decide(twoTier(), [aRanking('bm25', [0.06, 0.055])])
    expect(buildRefusal(decision, chunks, 'operator')).toMatchObject({
      answer:
        'I cannot answer this question based on the available documents. No clear best match among retrieved results.',
      refusal_reason: 'Top-1/Top-2 ratio (1.09) below threshold (1.2)',
      reason_code: 'no_clear_winner',
    })
    expect(buildRefusal(decision, chunks, 'public').refusal_reason).toBe('No clear winner among results')
  })

  it.each([
    ['R007: no chunks', twoTier(), [], 'No relevant information found in documents'],
    ['R008: a low grade', twoTier(), [aRanking('grade', [1, 1])], 'Retrieved information not sufficiently relevant'],
    [
      'R009: too few relevant chunks',
      twoTier({ minChunks: 2 }),
      [aRanking('grade', [3, 1])],
      'Insufficient high-confidence chunks',
    ],
    ['R014: low scores', twoTier(), [aRanking('bm25', [0.049, 0.01])], 'All retrieval scores too low'],
    ['R015: no clear winner', twoTier(), [aRanking('bm25', [0.06, 0.055])], 'No clear winner among results'],
  ] as const)('000, in its own words to both audiences, with figures only for operators: %s', (...row) => {
    const [, policy, rankings, wording] = row
    const { decision, chunks } = decide(policy, rankings)
    const operator = buildRefusal(decision, chunks, 'operator')
    expect(operator.detail?.reason).toBe(wording)
    // Where nothing was graded, the retrieval tier has its own text for no chunks (R013).
    const found = decision.findings.find(({ outcome }) => outcome === 'refuse')
    const told = decision.reason === 'no_evidence' ? 'No relevant information found' : found?.message
    expect(operator.refusal_reason).toBe(told)
    const shown = buildRefusal(decision, chunks, 'public')
    expect(shown.refusal_reason).toBe(wording)
    expect(numbersIn(shown)).toEqual([])
  })

  it('000: operators see the measured value and the threshold of scores and counts', () => {
    const reasonOf = (policy: Policy, ranking: Ranking): string => {
      const { decision, chunks } = decide(policy, [ranking])
      return buildRefusal(decision, chunks, 'operator').refusal_reason
    }
    expect(reasonOf(twoTier(), aRanking('grade', [1]))).toBe('Top chunk relevance score (1) below threshold (2)')
    expect(reasonOf(twoTier({ minChunks: 2 }), aRanking('grade', [3, 1]))).toBe(
      'Chunks above threshold (2): 1 below required (2)',
    )
    expect(reasonOf(twoTier(), aRanking('bm25', [0.049]))).toBe(
      'Top chunk retrieval score (0.049) below minimum (0.05)',
    )
  })

  it('001 and 004: a refusal under an expert policy has escalate for both audiences, and only a refusal has', () => {
    const weak = [aRanking('convex', [0.3, 0.29])]
    const { decision, chunks } = decide(legalReview(), weak)
    expect(decision).toMatchObject({ verdict: 'refuse', escalate: true })
    for (const audience of ['public', 'operator'] as const) {
      expect(buildRefusal(decision, chunks, audience).escalate).toBe(true)
    }
    expect(decide(weightedSignals(), weak).decision).not.toHaveProperty('escalate')
    for (const [high, verdict] of [
      [0.1, 'pass'],
      [0.9, 'advise'],
    ] as const) {
      const answered = decide(legalReview({ high, medium: 0, low: 0 }), weak).decision
      expect(answered.verdict).toBe(verdict)
      expect(answered).not.toHaveProperty('escalate')
    }
    const disabled = decide(definePolicy({ ...legalReview(), dangerouslyDisableGates: true }), weak).decision
    expect(disabled.verdict).toBe('advise')
    expect(disabled).not.toHaveProperty('escalate')
    expect(legalReview().id).not.toBe(legalReview({ low: 0.6 }).id)
    expect(() => legalReview({ escalateRefusals: 'yes' as unknown as true })).toThrow('true or left out')
  })

  it('002: a best cosine of .62 is refused in its standard words (R093, R094, R095)', () => {
    const { decision, chunks } = decide(multiGate({ wording: 'specification' }), [aRanking('cosine', [0.62])])
    expect(buildRefusal(decision, chunks, 'operator')).toMatchObject({
      answer: 'This information cannot be verified from the book content.',
      sources: [],
      refused: true,
      refusal_reason: 'Top-1 similarity (0.62) below threshold (0.7)',
    })
  })
})

describe('a refusal for operators', () => {
  const policy = definePolicy({
    name: 'mine',
    confidence: balanced().confidence,
    bands: balanced().bands,
    gates: [minTopCosine()],
  })
  const { decision, chunks } = decide(policy, [aRanking('cosine', [0.3, 0.2])])
  const told = (given: Partial<Decision>, options: Partial<ReportOptions> = {}) =>
    build({ ...decision, ...given }, chunks, { audience: 'operator', policy, ...options })

  it('contains the gates with their settings, and unsupported sentences when there are some', () => {
    const { detail } = told({})
    expect(detail?.gates).toEqual([{ gate: 'min-top-cosine', refuseBelow: 0.7 }])
    expect(detail).not.toHaveProperty('unsupported_sentences')
    expect(detail).not.toHaveProperty('scale')
    expect(told({}, { unsupported: ['So.'] }).detail?.unsupported_sentences).toEqual(['So.'])
  })

  it('contains the scale, and whether the documents have changed since', () => {
    const scale = { middle: -1, deviation: 1, learnedAtMs: Date.UTC(2026, 0, 2), corpusVersion: 3 }
    const shown = (corpusVersion: number) =>
      told({ signals: { ...decision.signals, scale }, corpusVersion }).detail?.scale
    const learned = { origin: 'documents', learned_at: '2026-01-02T00:00:00.000Z' }
    expect([shown(3), shown(4)]).toStrictEqual([learned, { ...learned, stale: true }])
  })

  it('contains the closest passages when asked for', () => {
    expect(told({})).not.toHaveProperty('closest')
    expect(told({}, { closestPassages: 1 }).closest).toEqual([{ title: chunks[0]!.documentId }])
    expect(told({}, { closestPassages: 1, audience: 'public' })).not.toHaveProperty('closest')
  })

  it('uses the text of a rule only when that rule refused', () => {
    const rule = { ...decision.findings[0]!, gate: 'rule:a', publicText: 'No weather here.' }
    const advising = { ...rule, outcome: 'advise' as const, publicText: 'Careful.' }
    const usual = told({})
    expect(told({ findings: [advising, rule] })).toMatchObject({ answer: 'No weather here.' })
    expect(told({ findings: [rule] }, { audience: 'public' })).toMatchObject({
      answer: 'No weather here.',
      refusal_reason: 'No weather here.',
      suggestions: usual.suggestions,
    })
    expect(told({ findings: [advising, ...decision.findings] }).answer).toBe(usual.answer)
    const messages = () => ({ answer: 'Kein Wetter.' })
    expect(told({ findings: [rule] }, { messages, audience: 'public' })).toMatchObject({
      answer: 'Kein Wetter.',
      refusal_reason: 'No weather here.',
    })
  })
})

describe('the catalogue of texts', () => {
  it('contains no figure', () => {
    expect(numbersIn(ANY_POLICY.texts)).toEqual([])
    expect(numbersIn(CAUTION_FOR_MODEL)).toEqual([])
  })
})

describe('the refusal of an answer', () => {
  const { decision: before, chunks } = decide(multiGate(), [aRanking('cosine', [0.9, 0.8])])
  const refusals = [multiGate(), sufficiency()].flatMap((policy) =>
    [
      answerSignalsOf(),
      answerSignalsOf({ readable: false }),
      answerSignalsOf({ generationConfidence: 0.31, unusable: ['attribution'] }),
      answerSignalsOf({ generationConfidence: 0.9, sentences: [aSentence({ termShare: 0.2 })] }),
      answerSignalsOf({ reportedShares: [{ chunkId: 'cosine-0', share: 0.35 }] }),
    ].flatMap((answerSignals) => {
      decided.set(policy.id, policy)
      const judged = judgeAnswer(policy, { ...before, ...judge(policy, before.signals) }, answerSignals)
      return judged.verdict === 'refuse' ? [{ ...before, answerSignals, ...judged }] : []
    }),
  )

  it('contains no number for the public, and no word of the answer', () => {
    expect(refusals.length).toBeGreaterThan(7)
    for (const decision of refusals) {
      const refusal = buildRefusal(decision, chunks, 'public', ['What the answer said.'])
      expect(numbersIn(refusal)).toEqual([])
      expect(refusal).not.toHaveProperty('detail')
      expect(refusal.answer).not.toBe('')
      expect(refusal.suggestions.length).toBeGreaterThan(0)
    }
  })

  it('has the members of document 004 only when its gate decided', () => {
    const bySufficiency = refusals.filter(({ reason }) =>
      ['share_low', 'shares_missing', 'shares_invalid'].includes(reason),
    )
    expect(bySufficiency.length).toBeGreaterThan(1)
    for (const decision of refusals) {
      const { status } = buildRefusal(decision, chunks, 'public')
      expect(status).toBe(bySufficiency.includes(decision) ? 'insufficient_evidence' : undefined)
    }
  })
})
