import { describe, expect, it } from 'vitest'
import {
  type Assessment,
  badgeMember,
  citationsWithWarning,
  confidenceBadge,
  type ConfidenceGlance,
  confidenceLine,
  confidenceRecord,
} from '../../../packages/presets/src/weighted-signals/confidence-record.ts'
import { floored } from '../../../src/core/lib/rounding.ts'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import type { Signals } from '../../../src/core/signals/measure.ts'
import { aCurve, scoredEvidence, signalsOf } from '../../fixtures/evidence.ts'
import { measure } from '../../fixtures/english.ts'
import type { ScoreCurves } from '../../../src/core/signals/score-curves.ts'

const measured = (...scores: number[]): Signals =>
  measure('engine', scoredEvidence(scores.map((score) => ({ scores: { 'cross-encoder': score } }))), EMPTY_LEXICON)
const medium = (signals: Signals, confidence = 0.78): Assessment => ({ signals, confidence, band: 'medium' })

describe('confidenceRecord', () => {
  it('has every figure of a retrieval', () => {
    const evidence = scoredEvidence([
      { documentId: 'doc1', section: '3.2', scores: { 'cross-encoder': 0.9, rrf: 0.03, bm25: 9, cosine: 0.8 } },
      { documentId: 'doc1', section: '4.1', scores: { 'cross-encoder': 0.8, rrf: 0.02, bm25: 5, cosine: 0.6 } },
      { documentId: 'doc2', scores: { 'cross-encoder': 0.4, rrf: 0.01, bm25: 1, cosine: 0.4, 'graph-boost': 0.2 } },
    ])
    expect(confidenceRecord(medium(measure('engine', evidence, EMPTY_LEXICON), 0.78449))).toEqual({
      overall_confidence: 0.784,
      top_score: 0.9,
      score_gap: 0.1,
      score_spread: 0.216,
      consensus_count: 2,
      bm25_dense_agreement: 1,
      reranker_impact: 0,
      graph_support: true,
      document_diversity: 0.667,
      interpretation: 'MEDIUM - Moderate confidence, review recommended',
      should_flag_for_review: true,
      details: {
        total_chunks: 3,
        score_distribution: { min: 0.4, max: 0.9, mean: 0.7, median: 0.8 },
        retrieval_methods: {
          hybrid_search: true,
          reranking: true,
          graph_boost: true,
          bm25_only: false,
          dense_only: false,
        },
        source_diversity: { unique_documents: 2, unique_sections: 3 },
      },
    })
  })

  it('has as median the middle score, or the mean of the two middle scores', () => {
    const medianOf = (...scores: number[]): number | undefined =>
      confidenceRecord(medium(measured(...scores))).details.score_distribution?.median
    expect([medianOf(0.5), medianOf(0.1, 0.5), medianOf(0.9, 0.1, 0.2), medianOf(0.1, 0.2, 0.4, 0.9)]).toEqual([
      0.5, 0.3, 0.2, 0.3,
    ])
  })

  it.each([
    [0.0625, 0.062],
    [0.1875, 0.188],
    [0.125, 0.125],
    [0.0005, 0.001],
    [0.7075, 0.708],
    [0.12349, 0.123],
    [-0.0001, 0],
    [8.1, 8.1],
  ])('rounds a score of %d to %d', (score, expected) => {
    expect(confidenceRecord(medium(measured(score))).top_score).toBe(expected)
  })

  it.each<[string, Signals['curves'], Partial<Record<string, true>>]>([
    ['BM25 alone', { bm25: aCurve(1) }, { bm25_only: true }],
    ['BM25 alone, scaled', { bm25: aCurve(1), convex: aCurve(1) }, { bm25_only: true }],
    ['cosine alone', { cosine: aCurve(1) }, { dense_only: true }],
    ['cosine alone, scaled', { cosine: aCurve(1), convex: aCurve(1) }, { dense_only: true }],
    ['both, not fused', { bm25: aCurve(1), cosine: aCurve(1) }, {}],
    ['both, mixed', { bm25: aCurve(1), cosine: aCurve(1), convex: aCurve(1) }, { hybrid_search: true }],
    ['rank fusion', { rrf: aCurve(1), bm25: aCurve(1) }, { hybrid_search: true }],
    ['DBSF', { dbsf: aCurve(1), cosine: aCurve(1) }, { hybrid_search: true }],
    ['a reranker', { 'cross-encoder': aCurve(1) }, { reranking: true }],
    ['grades', { grade: aCurve(1) }, { reranking: true }],
  ])('names the methods for scores of %s', (_, curves, methods) => {
    const { details } = confidenceRecord(medium(signalsOf({ curves: curves as ScoreCurves })))
    expect(details).toMatchObject({
      retrieval_methods: {
        hybrid_search: false,
        reranking: false,
        graph_boost: false,
        bm25_only: false,
        dense_only: false,
        ...methods,
      },
    })
  })

  it.each([
    [[0.9], 0.9],
    [[0.2, 0.9], 0.55],
    [[0.9, 0.1, 0.2], 0.2],
    [[0.9, 0.1, 0.2, 0.4], 0.3],
  ])('computes the median of the scores %j: %d', (scores, median) => {
    const { retrieval } = signalsOf()
    const { details } = confidenceRecord(medium(signalsOf({ retrieval: { ...retrieval, scores } })))
    expect(details).toMatchObject({ score_distribution: { median } })
  })

  it('contains only finite numbers, and treats missing values as 0', () => {
    const { retrieval, ...older } = signalsOf()
    const broken = Object.fromEntries(Object.keys(retrieval).map((name) => [name, NaN]))
    const infinite = Object.fromEntries(Object.keys(retrieval).map((name) => [name, Infinity]))
    for (const given of [undefined, null, broken, infinite, { ...retrieval, scores: [NaN, null, 0.8] }]) {
      const signals = { ...older, retrieval: given } as unknown as Signals
      for (const confidence of [NaN, Infinity, -1, 0.4]) {
        const record = confidenceRecord({ signals, confidence, band: 'very-low' })
        expect(JSON.stringify(record)).not.toContain('null')
        expect(record).toMatchObject({ graph_support: false, should_flag_for_review: true })
        expect(record.overall_confidence).toBeGreaterThanOrEqual(0)
        expect(record.overall_confidence).toBeLessThanOrEqual(1)
      }
    }
  })

  it('counts only the scores of a damaged record that are numbers', () => {
    const { retrieval } = signalsOf()
    const scores = [NaN, null, 0.8] as readonly number[]
    expect(confidenceRecord(medium(signalsOf({ retrieval: { ...retrieval, scores } })))).toMatchObject({
      consensus_count: 1,
      details: { score_distribution: { min: 0.8, max: 0.8, mean: 0.8, median: 0.8 } },
    })
  })

  it('is flagged without chunks in every band', () => {
    const record = confidenceRecord({ signals: measured(), confidence: 1, band: 'high' })
    expect(record.details).toEqual({ total_chunks: 0 })
    expect(record).toMatchObject({
      should_flag_for_review: true,
      interpretation: 'NO RESULTS - No relevant chunks found',
    })
  })
})

const HIGH: ConfidenceGlance = {
  overall_confidence: 0.92,
  interpretation: 'HIGH - Strong retrieval confidence',
  should_flag_for_review: false,
}
const LOW: ConfidenceGlance = {
  overall_confidence: 0.58,
  interpretation: 'LOW - Weak retrieval, mandatory review',
  should_flag_for_review: true,
}

describe('confidenceLine', () => {
  it('is formatted as the document prints it', () => {
    expect(confidenceLine(HIGH)).toBe('📊 RAG Confidence: ✓ HIGH - Strong retrieval confidence (0.92)')
    expect(confidenceLine(LOW)).toBe('📊 RAG Confidence: ⚠️ LOW - Weak retrieval, mandatory review (0.58)')
  })

  it('is green for high and otherwise yellow, with colours', () => {
    expect(confidenceLine(HIGH, { colour: 'ansi' })).toContain('\u001B[32m✓\u001B[0m')
    expect(confidenceLine(LOW, { colour: 'ansi' })).toContain('\u001B[33m⚠️\u001B[0m')
  })

  it.each([
    [0.8499, '0.84'],
    [0.58, '0.58'],
    [0.29, '0.29'],
    [1, '1.00'],
    [0, '0.00'],
    [NaN, '0.00'],
    [Infinity, '0.00'],
  ])('rounds %d down to %s', (value, shown) => {
    expect(floored(value)).toBe(shown)
  })

  it('shows every hundredth unchanged', () => {
    for (let hundredths = 0; hundredths <= 100; hundredths++) {
      expect(floored(hundredths / 100)).toBe((hundredths / 100).toFixed(2))
    }
  })
})

describe('citationsWithWarning', () => {
  it('puts the warning first when the retrieval is flagged, and only then', () => {
    const citations = ['[1] doc1: Section 3.2', '[2] doc1: Section 4.1']
    expect(citationsWithWarning(citations, LOW)).toEqual(['⚠️ LOW - Weak retrieval, mandatory review', ...citations])
    expect(citationsWithWarning(citations, HIGH)).toEqual(citations)
    expect(citations).toHaveLength(2)
  })
})

describe('badgeMember', () => {
  it.each([
    ['operator', 'medium', { look: 'warning', text: '🟡 Medium Confidence (0.78) - Review Recommended' }],
    ['public', 'medium', { look: 'warning', text: '🟡 Medium Confidence - Review Recommended' }],
    ['public', 'high', { look: 'success', text: '🟢 High Confidence' }],
  ] as const)('shows the %s a badge for %s', (audience, band, badge) => {
    expect(badgeMember({ band, confidence: 0.78 }, audience)).toEqual(badge)
  })
})

describe('confidenceBadge', () => {
  it.each([
    ['high', 0.92, 'badge badge-success', '🟢 High Confidence (0.92)'],
    ['medium', 0.78, 'badge badge-warning', '🟡 Medium Confidence (0.78) - Review Recommended'],
    ['low', 0.58, 'badge badge-danger', '🔴 Low Confidence (0.58) - Mandatory Review'],
    ['very-low', 0.48, 'badge badge-danger', '🔴 Low Confidence (0.48) - Expert Review Required'],
  ] as const)('for %s is formatted as the document prints it', (band, confidence, className, text) => {
    expect(confidenceBadge({ band, confidence })).toEqual({ className, text })
  })
})
