import { describe, expect, it } from 'vitest'
import type { Assessment } from '../../../packages/presets/src/weighted-signals/confidence-record.ts'
import type { Band } from '../../../src/core/policy/decision.ts'
import {
  analyse,
  assessRetrieval,
  recommend,
  type RecommendOptions,
} from '../../../packages/presets/src/weighted-signals/recommendations.ts'
import type { RetrievalSignals } from '../../../packages/presets/src/weighted-signals/retrieval-signals.ts'
import { signalsOf } from '../../fixtures/evidence.ts'

function assessed(band: Band, given: Partial<RetrievalSignals> = {}, chunkCount = 6): Assessment {
  const plain = { ...signalsOf().retrieval, documentCount: 1, documentDiversity: 0.17, bm25DenseComparable: true }
  return { signals: signalsOf({ chunkCount, retrieval: { ...plain, ...given } }), confidence: 0.5, band }
}
const codes = (assessment: Assessment, options?: RecommendOptions): readonly string[] =>
  recommend(assessment, options).map(({ code }) => code)
const texts = (assessment: Assessment): readonly string[] =>
  recommend(assessment, { graph: 'available', wording: 'specification' }).map(({ text }) => text)

describe('recommend', () => {
  it("gives the document's texts for a moderate confidence without graph support", () => {
    expect(texts(assessed('medium'))).toEqual([
      'MODERATE: Medium confidence. Review recommended for critical use cases.',
      'No knowledge graph support. Consider using multi_hop_search for graph-based retrieval.',
    ])
  })

  it("names the document's three suggestions for a poor retrieval", () => {
    expect(texts(assessed('very-low')).filter((text) => text.startsWith('Try'))).toEqual([
      'Try query expansion: `search(query="...", num_expands=3-5)`',
      'Try exact match: `exact_match_search(query="...", search_type="keywords")`',
      'Try graph search: `multi_hop_search(query="...", max_hops=2)`',
    ])
  })

  it.each<[string, Assessment, readonly string[]]>([
    ['a strong retrieval', assessed('high'), []],
    ['a weak retrieval', assessed('low', { bm25DenseAgreement: 0.5 }), ['low']],
    ['methods that disagree', assessed('low', { bm25DenseAgreement: 0.49 }), ['low', 'bm25_dense_disagree']],
    ['methods that disagree on a moderate retrieval', assessed('medium', { bm25DenseAgreement: 0.1 }), ['moderate']],
    ['scattered results', assessed('medium', { documentDiversity: 0.71 }), ['moderate', 'high_diversity']],
    ['results not yet scattered', assessed('medium', { documentDiversity: 0.7 }), ['moderate']],
    ['no results', assessed('very-low', { documentDiversity: 1 }, 0), ['very_low', 'try_expansion', 'try_exact_match']],
  ])('for %s have the expected codes', (_, assessment, expected) => {
    expect(codes(assessment)).toEqual(expected)
  })

  it('recommend a knowledge graph only when one is available and did not support the results', () => {
    expect(codes(assessed('low', {}, 0), { graph: 'available' })).toEqual(['low', 'no_graph'])
    expect(codes(assessed('high'))).toEqual([])
    expect(codes(assessed('high'), { graph: 'available' })).toEqual(['no_graph'])
    expect(codes(assessed('high', { graphSupport: true }), { graph: 'available' })).toEqual([])
  })
})

describe('recommendations by default', () => {
  it('name no tool of another product', () => {
    for (const band of ['medium', 'low', 'very-low'] as const) {
      const said = recommend(assessed(band), { graph: 'available' }).map(({ text }) => text)
      expect(said.join(' ')).not.toMatch(/_search|search\(|num_expands/)
      expect(said.length).toBeGreaterThan(0)
    }
  })
})

describe('assessRetrieval', () => {
  it('returns the short record and the recommendations that document 001 prints', () => {
    const figures = { topScore: 0.82, scoreGap: 0.08, bm25DenseAgreement: 0.65 }
    expect(
      assessRetrieval(
        { ...assessed('medium', figures), confidence: 0.78 },
        { graph: 'available', wording: 'specification' },
      ),
    ).toEqual({
      overall_confidence: 0.78,
      top_score: 0.82,
      score_gap: 0.08,
      bm25_dense_agreement: 0.65,
      graph_support: false,
      interpretation: 'MEDIUM - Moderate confidence, review recommended',
      recommendations: [
        'MODERATE: Medium confidence. Review recommended for critical use cases.',
        'No knowledge graph support. Consider using multi_hop_search for graph-based retrieval.',
      ],
    })
  })
})

describe('analyse', () => {
  it('explains the high example as the document does', () => {
    const figures = { topScore: 0.95, scoreGap: 0.12, scoreSpread: 0.08, bm25DenseAgreement: 0.87, graphSupport: true }
    expect(analyse(assessed('high', figures)).map(({ text }) => text)).toEqual([
      '✅ Top score is very high (0.95)',
      '✅ Clear winner (gap = 0.12)',
      '✅ BM25 and dense agree (0.87 correlation)',
      '✅ Knowledge graph supports results',
      '✅ Results from single document (focused)',
      '→ Safe to use for automated response',
    ])
  })

  it('explains the low example as the document does', () => {
    const figures = {
      topScore: 0.62,
      scoreGap: 0.03,
      scoreSpread: 0.18,
      bm25DenseAgreement: 0.32,
      documentCount: 5,
      documentDiversity: 0.83,
    }
    expect(analyse(assessed('very-low', figures)).map(({ text }) => text)).toEqual([
      '❌ Top score is mediocre (0.62)',
      '❌ No clear winner (gap = 0.03)',
      '❌ BM25 and dense disagree (0.32 correlation)',
      '❌ High score spread (0.18 - inconsistent)',
      '❌ Results from 5 different documents (scattered)',
      "→ Flag for human review, don't auto-answer",
    ])
  })

  it('has texts for middling values', () => {
    const figures = { topScore: 0.7, scoreGap: 0.1, bm25DenseAgreement: 0.5, documentCount: 2, documentDiversity: 0.4 }
    expect(analyse(assessed('medium', figures)).map(({ text }) => text)).toEqual([
      '⚠️ Top score is fair (0.70)',
      '✅ Clear winner (gap = 0.10)',
      '⚠️ BM25 and dense agree in part (0.50 correlation)',
      '⚠️ Results from 2 documents',
      '→ Review recommended before use',
    ])
  })

  it('gives each line its metric and standing', () => {
    const high = { topScore: 0.85, scoreGap: 0.1, bm25DenseAgreement: 0.7, graphSupport: true, scoreSpread: 0.15 }
    const low = { topScore: 0.6, scoreGap: 0, bm25DenseAgreement: 0.4, scoreSpread: 0.16, documentCount: 5 }
    const said = (assessment: Assessment) => analyse(assessment).map(({ metric, standing }) => [metric, standing])
    expect(said(assessed('high', high))).toEqual([
      ['top_score', 'good'],
      ['score_gap', 'good'],
      ['agreement', 'good'],
      ['graph', 'good'],
      ['diversity', 'good'],
      ['conclusion', 'good'],
    ])
    expect(said(assessed('low', { ...low, documentDiversity: 0.71 }))).toEqual([
      ['top_score', 'poor'],
      ['score_gap', 'poor'],
      ['agreement', 'poor'],
      ['spread', 'poor'],
      ['diversity', 'poor'],
      ['conclusion', 'poor'],
    ])
    const between = { topScore: 0.84, bm25DenseAgreement: 0.69, documentCount: 5, documentDiversity: 0.7 }
    expect(said(assessed('medium', between))).toEqual([
      ['top_score', 'fair'],
      ['score_gap', 'poor'],
      ['agreement', 'fair'],
      ['diversity', 'fair'],
      ['conclusion', 'fair'],
    ])
  })

  it.each([
    ['high', undefined, 'good', '→ Safe to use for automated response'],
    ['high', 'pass', 'good', '→ Safe to use for automated response'],
    ['high', 'advise', 'fair', '→ Review recommended before use'],
    ['high', 'refuse', 'poor', "→ Flag for human review, don't auto-answer"],
    ['medium', 'pass', 'fair', '→ Review recommended before use'],
    ['medium', 'refuse', 'poor', "→ Flag for human review, don't auto-answer"],
    ['low', 'advise', 'poor', "→ Flag for human review, don't auto-answer"],
  ] as const)('concludes for the band %s and the verdict %s: %s', (band, verdict, standing, text) => {
    const given = { ...assessed(band), ...(verdict && { verdict }) }
    expect(analyse(given).at(-1)).toEqual({ metric: 'conclusion', standing, text })
  })

  it('omits an undefined agreement, and has only the conclusion without chunks', () => {
    const metrics = analyse(assessed('low', { bm25DenseComparable: false })).map(({ metric }) => metric)
    expect(metrics).not.toContain('agreement')
    expect(analyse(assessed('very-low', {}, 0)).map(({ metric }) => metric)).toEqual(['conclusion'])
  })
})
