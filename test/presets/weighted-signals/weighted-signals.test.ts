import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Passage, ScoreKind, Scores } from '../../../src/core/evidence/chunk.ts'
import {
  type ConfidenceRecord,
  confidenceRecord,
} from '../../../packages/presets/src/weighted-signals/confidence-record.ts'
import type { Judgement } from '../../../src/core/policy/decision.ts'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import type { Signals } from '../../../src/core/signals/measure.ts'
import { judge } from '../../../src/core/policy/judge.ts'
import { legalReview, legalReviewPreset } from '../../../packages/presets/src/weighted-signals/legal-review.ts'
import {
  weightedSignals,
  type WeightedSignalsOptions,
  weightedSignalsPreset,
} from '../../../packages/presets/src/weighted-signals/weighted-signals.ts'
import type { Audience } from '../../../src/core/policy/preset.ts'
import { policySettings } from '../../../src/core/policy/policy.ts'
import { aDecision } from '../../fixtures/decision.ts'
import { scoredEvidence, signalsOf } from '../../fixtures/evidence.ts'
import { measure } from '../../fixtures/english.ts'
import { retrievalOf, type RetrievalSignals } from '../../../packages/presets/src/weighted-signals/retrieval-signals.ts'

type Given = Partial<Passage> & { readonly scores: Scores }

const measured = (chunks: readonly Given[]): Signals => measure('engine', scoredEvidence(chunks), EMPTY_LEXICON)
const judged = (chunks: readonly Given[], options?: WeightedSignalsOptions): Judgement =>
  judge(weightedSignals(options), measured(chunks))
const recorded = (chunks: readonly Given[], options: WeightedSignalsOptions = {}): ConfidenceRecord =>
  confidenceRecord({ ...judged(chunks, options), signals: measured(chunks) }, options)

/** Chunks of one document with the given scores of a reranker. */
const reranked = (...scores: number[]): Given[] =>
  scores.map((score) => ({ documentId: 'd', scores: { 'cross-encoder': score } }))

/** As good as it gets: full score, a gap, all in agreement, raised by the graph, from one document of five chunks. */
const STRONG: readonly Given[] = [1, 0.75, 0.75, 0.75, 0.75].map((score, at) => ({
  documentId: 'd',
  scores: { 'cross-encoder': score, bm25: at === 0 ? 9 : 5, cosine: at === 0 ? 0.9 : 0.5, 'graph-boost': 0.1 },
}))
/** .27 + .2 · .15/.3 + .15 + .075 + .1 · (1 − .075/.2) + .025 + .025. */
const MODERATE = reranked(0.9, 0.75)
const WEAK = reranked(0.8, 0.6)

/** The figures that the document prints in its two examples. */
const exampleSignals = (given: Partial<RetrievalSignals>, agreeing: number): Signals =>
  signalsOf({
    chunkCount: 6,
    retrieval: {
      ...signalsOf().retrieval,
      scores: [0, 1, 2, 3, 4, 5].map((at) => (at < agreeing ? 0.8 : 0.5)),
      ...given,
    },
  })
const HIGH_EXAMPLE = exampleSignals(
  {
    topScore: 0.95,
    scoreGap: 0.12,
    scoreSpread: 0.08,
    bm25DenseAgreement: 0.87,
    graphSupport: true,
    documentDiversity: 0.17,
  },
  5,
)
const LOW_EXAMPLE = exampleSignals(
  { topScore: 0.62, scoreGap: 0.03, scoreSpread: 0.18, bm25DenseAgreement: 0.32, documentDiversity: 0.83 },
  0,
)

describe('the twelve tests that reference document 001 lists', () => {
  it('empty results', () => {
    expect(judged([])).toMatchObject({ verdict: 'refuse', confidence: 0, reason: 'no_evidence' })
    expect(judged([], { veryLow: 'advise' }).verdict).toBe('refuse')
    expect(recorded([])).toMatchObject({
      overall_confidence: 0,
      interpretation: 'NO RESULTS - No relevant chunks found',
      should_flag_for_review: true,
      details: { total_chunks: 0 },
    })
  })

  it('high confidence scenario', () => {
    // .3 + .2 · .25/.3 + .15 + .15 + .1 · (1 − .1/.2) + .05 + .05 · .8
    expect(judged(STRONG)).toMatchObject({ verdict: 'pass', band: 'high' })
    expect(judged(STRONG).confidence).toBeCloseTo(0.906666666666667, 12)
    expect(recorded(STRONG)).toMatchObject({
      interpretation: 'HIGH - Strong retrieval confidence',
      should_flag_for_review: false,
    })
  })

  it('medium confidence scenario', () => {
    expect(judged(MODERATE)).toMatchObject({ verdict: 'advise', band: 'medium', reason: 'confidence_moderate' })
    expect(judged(MODERATE).confidence).toBeCloseTo(0.7075, 12)
    expect(recorded(MODERATE)).toMatchObject({
      interpretation: 'MEDIUM - Moderate confidence, review recommended',
      should_flag_for_review: true,
    })
  })

  it('low confidence scenario', () => {
    // .24 + .2 · .2/.3 + .075 + .075 + .05 + .025 + .025
    expect(judged(WEAK)).toMatchObject({ verdict: 'advise', band: 'low' })
    expect(judged(WEAK).confidence).toBeCloseTo(0.623333333333333, 12)
    const poor = reranked(0.3, 0.2)
    expect(judged(poor)).toMatchObject({ verdict: 'refuse', band: 'very-low', reason: 'confidence_low' })
    expect(judged(poor, { veryLow: 'advise' })).toMatchObject({ verdict: 'advise', band: 'very-low' })
    expect(recorded(poor).interpretation).toBe('VERY LOW - Poor retrieval, expert review required')
  })

  it('BM25-dense agreement calculation', () => {
    const pairs = (...each: [number, number][]): Given[] =>
      each.map(([bm25, cosine]) => ({ scores: { convex: 0.5, bm25, cosine } }))
    expect(recorded(pairs([9, 0.9], [5, 0.5], [1, 0.1])).bm25_dense_agreement).toBe(1)
    expect(recorded(pairs([9, 0.1], [5, 0.5], [1, 0.9])).bm25_dense_agreement).toBe(0)
    expect(recorded(pairs([9, 0.1])).bm25_dense_agreement).toBe(0.5)
  })

  it('reranker impact calculation, which is reported but not weighted', () => {
    const pairs = (...each: [number, number][]): Given[] =>
      each.map(([score, rrf]) => ({ scores: { 'cross-encoder': score, rrf } }))
    const kept = pairs([0.9, 0.3], [0.5, 0.2], [0.3, 0.1])
    const turned = pairs([0.9, 0.1], [0.5, 0.2], [0.3, 0.3])
    expect([recorded(kept).reranker_impact, recorded(turned).reranker_impact]).toEqual([0, 2])
    expect(judged(kept).confidence).toBe(judged(turned).confidence)
  })

  it('document diversity calculation', () => {
    const from = (...ids: string[]): Given[] => ids.map((documentId) => ({ documentId, scores: { convex: 0.5 } }))
    expect(recorded(from('a', 'a', 'a', 'a')).document_diversity).toBe(0.25)
    expect(recorded(from('a', 'b', 'c', 'd')).document_diversity).toBe(1)
    expect(judged(from('a', 'a')).confidence - judged(from('a', 'b')).confidence).toBeCloseTo(0.025, 12)
  })

  it('graph support detection', () => {
    const raised = [{ documentId: 'd', scores: { 'cross-encoder': 0.8, 'graph-boost': 0.1 } }, ...reranked(0.6)]
    expect(recorded(raised).graph_support).toBe(true)
    expect(recorded(WEAK).graph_support).toBe(false)
    expect(judged(raised).confidence - judged(WEAK).confidence).toBeCloseTo(0.025, 12)
  })

  it('score extraction priority', () => {
    const scores = { 'cross-encoder': 0.9, boosted: 0.8, rrf: 0.7, dbsf: 0.6 }
    expect(recorded([{ scores }]).top_score).toBe(0.9)
    expect(recorded([{ scores: { boosted: 0.8, rrf: 0.7, dbsf: 0.6 } }]).top_score).toBe(0.8)
    expect(recorded([{ scores: { rrf: 0.7, dbsf: 0.6 } }]).top_score).toBe(0.7)
    expect(recorded([{ scores: { dbsf: 0.6 } }]).top_score).toBe(0.6)
  })

  it('serialization to dict', () => {
    const record = recorded(STRONG)
    expect(Object.keys(record)).toHaveLength(12)
    expect(JSON.parse(JSON.stringify(record))).toEqual(record)
  })

  it('custom thresholds', () => {
    const options = { high: 0.9, medium: 0.75, low: 0.6, consensusFrom: 0.5 }
    // The consensus of two chunks instead of one: .623 + .075
    expect(judged(WEAK, options)).toMatchObject({ verdict: 'advise', band: 'low' })
    expect(judged(WEAK, options).confidence).toBeCloseTo(0.698333333333333, 12)
    expect(judged(WEAK, { low: 0.65, medium: 0.8 })).toMatchObject({ verdict: 'refuse', band: 'very-low' })
    expect(judged(WEAK, { high: 0.6, medium: 0.6 })).toMatchObject({ verdict: 'pass', band: 'high' })
    expect(recorded(WEAK, options).consensus_count).toBe(2)
  })

  it('retrieval methods analysis', () => {
    const methods = (...kinds: ScoreKind[]): unknown =>
      recorded([{ scores: Object.fromEntries(kinds.map((kind) => [kind, 0.5])) }]).details.retrieval_methods
    const none = { hybrid_search: false, reranking: false, graph_boost: false, bm25_only: false, dense_only: false }
    expect(methods('rrf', 'bm25', 'cosine')).toEqual({ ...none, hybrid_search: true })
    expect(methods('convex', 'bm25', 'cosine')).toEqual({ ...none, hybrid_search: true })
    expect(methods('cross-encoder', 'graph-boost')).toEqual({ ...none, reranking: true, graph_boost: true })
    expect(methods('bm25')).toEqual({ ...none, bm25_only: true })
    expect(methods('cosine')).toEqual({ ...none, dense_only: true })
    expect(methods('grade', 'bm25', 'cosine')).toEqual({ ...none, reranking: true })
  })
})

describe('the two totals that reference document 001 prints', () => {
  it('do not follow from its own formula: .92 is .772, a medium; .48 is .2975', () => {
    const [high, low] = [HIGH_EXAMPLE, LOW_EXAMPLE].map((signals) => judge(weightedSignals(), signals))
    expect(high).toMatchObject({ verdict: 'advise', band: 'medium' })
    expect(high?.confidence).toBeCloseTo(0.772, 12)
    expect(low).toMatchObject({ verdict: 'refuse', band: 'very-low' })
    expect(low?.confidence).toBeCloseTo(0.2975, 12)
  })
})

describe('weightedSignals', () => {
  it.each<[number, string, string]>([
    [0.85, 'pass', 'high'],
    [0.849999, 'advise', 'medium'],
    [0.845, 'advise', 'medium'],
    [0.7, 'advise', 'medium'],
    [0.695, 'advise', 'low'],
    [0.5, 'advise', 'low'],
    [0.499999, 'refuse', 'very-low'],
    [0, 'refuse', 'very-low'],
  ])('judges a confidence of %d as %s, %s', (confidence, verdict, band) => {
    // .35 follows from everything but the gap and the top score, which give the rest.
    const rest = confidence - 0.35
    const fixed = { bm25DenseAgreement: 1, scoreSpread: 0, graphSupport: true, documentDiversity: 0 }
    const figures = { topScore: Math.max(0, rest) / 0.5, scoreGap: (Math.max(0, rest) / 0.5) * 0.3 }
    const signals = exampleSignals({ ...fixed, ...figures }, 0)
    const poor = exampleSignals({ bm25DenseAgreement: 0, scoreSpread: 1, documentDiversity: 1 }, 0)
    expect(judge(weightedSignals(), confidence === 0 ? poor : signals)).toMatchObject({ verdict, band })
  })

  it.each<[string, WeightedSignalsOptions, string]>([
    ['levels that do not fall', { high: 0.6 }, 'bands'],
    ['low above medium', { low: 0.71 }, 'bands'],
    ['low above high', { low: 0.9 }, 'bands'],
    ['an unknown option', { refuseBelow: 0.5 } as never, 'refuseBelow'],
    ['a level above 1', { high: 1.1 }, 'high'],
    ['a level below 0', { low: -0.1 }, 'low'],
    ['a level that is no number', { medium: NaN }, 'medium'],
    ['a consensus above 1', { consensusFrom: 1.01 }, 'consensusFrom'],
    ['a consensus that is text', { consensusFrom: '0.5' as unknown as number }, 'consensusFrom'],
  ])('rejects %s', (_, options, param) => {
    const fault = expect.objectContaining({ code: 'policy_invalid', param })
    expect(() => weightedSignals(options)).toThrow(fault)
    expect(() => legalReview(options)).toThrow(fault)
  })

  it('refuses when no chunk has a fused score, under every setting of veryLow', () => {
    const unscored = [{ scores: { bm25: 3, cosine: 0.9 } }, { scores: { bm25: 2, cosine: 0.8 } }]
    expect(judged(unscored, { veryLow: 'advise' })).toMatchObject({
      verdict: 'refuse',
      confidence: 0,
      reason: 'confidence_unavailable',
    })
  })

  it('refuses a record with missing or broken retrieval signals', () => {
    const { retrieval, ...older } = signalsOf()
    const broken = (given: object): unknown => ({ ...older, retrieval: { ...retrievalOf(measured(STRONG)), ...given } })
    const numbers = ['topScore', 'scoreGap', 'scoreSpread', 'bm25DenseAgreement', 'documentDiversity']
    const bad = numbers.flatMap((name) =>
      [NaN, Infinity, null, undefined, '1'].map((value) => broken({ [name]: value })),
    )
    expect(retrieval.scores).toEqual([])
    for (const signals of [older, broken({ scores: undefined }), broken({ scores: [0.9, null] }), ...bad]) {
      const judgement = judge(weightedSignals({ veryLow: 'advise' }), signals as Signals)
      expect(judgement).toMatchObject({ verdict: 'refuse', reason: 'confidence_unavailable' })
    }
  })

  it('redistributes the weights of missing signals only with renormalise', () => {
    const one = reranked(0.9)
    // .27 + 0 + .15 + .075 + .1 + .025 + 0, of which only the top score exists
    expect(judged(one).confidence).toBeCloseTo(0.62, 12)
    expect(judged(one, { renormalise: true }).confidence).toBeCloseTo(0.9, 12)
    // Without agreement and graph: (.24 + .2 · 2/3 + .075 + .05 + .025) / .8
    expect(judged(WEAK, { renormalise: true }).confidence).toBeCloseTo(0.654166666666667, 12)
    expect(judged(STRONG, { renormalise: true }).confidence).toBeCloseTo(judged(STRONG).confidence, 12)
  })

  it('has a different id for every setting', () => {
    const options: WeightedSignalsOptions[] = [
      {},
      { high: 0.9 },
      { medium: 0.71 },
      { low: 0.4 },
      { consensusFrom: 0.8 },
      { veryLow: 'advise' },
      { renormalise: true },
    ]
    expect(new Set(options.map((each) => weightedSignals(each).id)).size).toBe(options.length)
    expect(weightedSignals().id).toBe(weightedSignals({ high: 0.85, veryLow: 'refuse', renormalise: false }).id)
  })
})

describe('what the preset adds', () => {
  const decided = (chunks: readonly Given[], given: object = {}) =>
    aDecision({ ...judged(chunks), signals: measured(chunks), ...given })
  const shown = scoredEvidence([
    { documentId: 'doc1', section: 'Section 3.2', scores: { convex: 0.5 } },
    { documentId: 'doc2', title: 'Manual', scores: { convex: 0.4 } },
  ]).chunks
  const added = (audience: Audience, chunks: readonly Given[], given: object = {}) =>
    weightedSignalsPreset.summary!({ decision: decided(chunks, given), chunks: shown, audience, gates: [] })

  it('to a strong answer is a badge, and to a refusal too', () => {
    expect(added('public', STRONG)).toEqual({ badge: { look: 'success', text: '🟢 High Confidence' } })
    expect(added('operator', reranked(0.3, 0.2))).toEqual({
      badge: { look: 'danger', text: '🔴 Low Confidence (0.35) - Expert Review Required' },
    })
  })

  it('to a flagged answer is a warning before the citations, which operators get', () => {
    const warning = '⚠️ MEDIUM - Moderate confidence, review recommended'
    expect(added('operator', MODERATE)).toEqual({
      badge: { look: 'warning', text: '🟡 Medium Confidence (0.70) - Review Recommended' },
      citations: [warning, '[1] doc1: Section 3.2', '[2] Manual'],
    })
    expect(added('public', MODERATE)).toEqual({
      badge: { look: 'warning', text: '🟡 Medium Confidence - Review Recommended' },
      citations: [warning],
    })
  })

  it('to an explanation is the analysis, and the confidence rounded down', () => {
    const explained = (confidence: number) => {
      const { analysis, glance } = weightedSignalsPreset.explain!(decided(MODERATE, { confidence }), [])
      return { analysis, glance }
    }
    expect(explained(0.69996)).toEqual({
      analysis: expect.arrayContaining([expect.objectContaining({ metric: 'conclusion', standing: 'fair' })]),
      glance: {
        overall_confidence: 0.699,
        interpretation: 'MEDIUM - Moderate confidence, review recommended',
        should_flag_for_review: true,
      },
    })
    // .58 · 1000 is 580 − 1e-13 in floating point.
    expect(explained(0.58)).toMatchObject({ glance: { overall_confidence: 0.58 } })
    expect(explained(NaN)).toMatchObject({ glance: { overall_confidence: 0 } })
  })

  it('to logs is a warning if the confidence could not be computed', () => {
    const failed = [{ scores: { bm25: 3, cosine: 0.9 } }]
    expect(weightedSignalsPreset.warning!(decided(failed))).toEqual({
      code: 'confidence_scoring_failed',
      message: 'RAG confidence scoring failed',
    })
    expect(weightedSignalsPreset.warning!(decided(WEAK))).toBeUndefined()
    const both = [...judged(STRONG).findings, ...judged(failed).findings]
    expect(weightedSignalsPreset.warning!(decided(failed, { findings: both }))).toBeDefined()
  })
})

describe('legalReview', () => {
  it('has refusals reviewed unless told otherwise, and needs a reranker', () => {
    expect(policySettings(legalReview())).toMatchObject({
      escalateRefusals: true,
      confidence: { kind: 'weighted-signals' },
    })
    expect(policySettings(weightedSignals())).not.toHaveProperty('escalateRefusals')
    expect(policySettings(weightedSignals({ escalateRefusals: true }))).toMatchObject({ escalateRefusals: true })
    expect(legalReviewPreset).toMatchObject({ name: 'legal-review', needsOneOf: ['reranker'] })
  })

  it('passes from .9, advises from .7 and refuses below, without a level low', () => {
    expect(legalReview()).toMatchObject({ name: 'legal-review', bands: { high: 0.9, medium: 0.7, low: 0.7 } })
    const verdicts = [STRONG, MODERATE, WEAK].map((chunks) => judge(legalReview(), measured(chunks)))
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['pass', 'advise', 'refuse'])
    expect(verdicts.map(({ band }) => band)).toEqual(['high', 'medium', 'very-low'])
  })
})

describe('any evidence under weightedSignals', () => {
  const score = fc.oneof(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.constantFrom(0, 0.5, 0.75, 1),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  )
  const kind = fc.constantFrom<ScoreKind>('cross-encoder', 'grade', 'rrf', 'convex', 'bm25', 'cosine', 'graph-boost')
  const chunks = fc.array(
    fc.record({ documentId: fc.constantFrom('a', 'b', ''), scores: fc.dictionary(kind, score) }),
    { maxLength: 10 },
  ) as fc.Arbitrary<Given[]>
  const share = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.5, 0.7, 0.85, 1))
  const levels = fc.tuple(share, share, share).map((three) => three.sort((a, b) => a - b) as [number, number, number])
  const STRICTNESS = { pass: 0, advise: 1, refuse: 2 } as const

  it('has a confidence within 0..1 and a record of finite numbers, the same each time and in any order', () => {
    fc.assert(
      fc.property(chunks, fc.boolean(), (given, renormalise) => {
        const judgement = judged(given, { renormalise })
        expect(judgement.confidence).toSatisfy((value: number) => value >= 0 && value <= 1)
        expect(judged(given, { renormalise })).toEqual(judgement)
        const record = recorded(given)
        expect(JSON.parse(JSON.stringify(record))).toEqual(record)
        expect(JSON.stringify(record)).not.toContain('null')
        const back = judged([...given].reverse(), { renormalise })
        expect(back.confidence).toBeCloseTo(judgement.confidence, 9)
      }),
    )
  })

  it('is never judged more mildly when a level or the consensus threshold is raised', () => {
    fc.assert(
      fc.property(chunks, levels, levels, share, share, (given, a, b, c, d) => {
        const lower = a.map((level, at) => Math.min(level, b[at] ?? 0))
        const higher = a.map((level, at) => Math.max(level, b[at] ?? 0))
        const verdictOf = ([low, medium, high]: number[], consensusFrom: number): number =>
          STRICTNESS[judged(given, { low: low!, medium: medium!, high: high!, consensusFrom }).verdict]
        expect(verdictOf(higher, Math.max(c, d))).toBeGreaterThanOrEqual(verdictOf(lower, Math.min(c, d)))
      }),
    )
  })

  it('is judged from its record as it was judged at first, also with other thresholds', () => {
    fc.assert(
      fc.property(chunks, levels, share, (given, [low, medium, high], consensusFrom) => {
        const options = { low, medium, high, consensusFrom }
        const read = JSON.parse(JSON.stringify(measured(given))) as Signals
        expect(judge(weightedSignals(options), read)).toEqual(judged(given, options))
      }),
    )
  })

  it('passes exactly when nothing is flagged for review', () => {
    fc.assert(
      fc.property(chunks, levels, (given, [low, medium, high]) => {
        const options = { low, medium, high }
        const { verdict, reason } = judged(given, options)
        if (reason === 'confidence_unavailable' || reason === 'no_evidence') return
        expect(verdict === 'pass').toBe(!recorded(given, options).should_flag_for_review)
      }),
    )
  })
})
