import { describe, expect, it } from 'vitest'
import type { Chunk, Scores } from '../../../src/core/evidence/chunk.ts'
import { assessChunks, scoreRetrieval } from '../../../packages/presets/src/weighted-signals/score-retrieval.ts'
import { confidenceRecord } from '../../../packages/presets/src/weighted-signals/confidence-record.ts'
import { weightedSignals } from '../../../packages/presets/src/weighted-signals/weighted-signals.ts'
import { fuse } from '../../../src/core/evidence/fusion.ts'
import { judge } from '../../../src/core/policy/judge.ts'
import { measure } from '../../../src/core/policy/measure.ts'
import { EMPTY_LEXICON, idfMass } from '../../../src/core/text/lexicon.ts'
import { terms } from '../../../src/core/text/terms.ts'
import { english } from '../../../src/language/english/english.ts'
import { aPassage } from '../../fixtures/evidence.ts'

const chunk = (id: string, scores: Scores): Chunk => ({ ...aPassage(id, { documentId: 'one' }), scores })

describe('scoreRetrieval', () => {
  it('returns the record of document 001 for chunks in any order', () => {
    const chunks = [0.9, 0.8, 0.5].map((score, at) => chunk(`c${at}`, { 'cross-encoder': score }))
    const record = scoreRetrieval(chunks)
    // .3 · .9 + .2 · .1/.3 + .15 · 2/3 + .15 · .5 + .1 · (1 − .16997/.2) + .05 · .5 + .05 · 2/3
    expect(record).toMatchObject({ overall_confidence: 0.585, top_score: 0.9, score_gap: 0.1, consensus_count: 2 })
    expect(record.details).toMatchObject({ total_chunks: 3 })
    expect(scoreRetrieval(chunks.toReversed(), 'any question')).toEqual(record)
  })

  it('accepts chunks from different methods, each with its own scores', () => {
    const chunks = [chunk('a', { convex: 0.9, bm25: 4 }), chunk('b', { convex: 0.5 }), chunk('c', { cosine: 0.4 })]
    expect(scoreRetrieval(chunks)).toMatchObject({ top_score: 0.9, score_gap: 0.4, details: { total_chunks: 3 } })
  })

  it.each([
    ['bm25', [1.4, 0.3]],
    ['cosine', [0.9, 0.4]],
  ] as const)('scores a search by %s alone as the gate does', (kind, scores) => {
    const question = 'How long is the warranty of the drill?'
    const texts = ['The warranty of the drill lasts two years.', 'Prices of a drill.']
    const entries = texts.map((text, at) => ({ passage: aPassage(`c${at}`, { text }), score: scores[at]! }))
    const policy = weightedSignals()
    const lexicon = EMPTY_LEXICON
    const evidence = fuse([{ kind, entries }], { idfMass: idfMass(lexicon, terms(question, english)), topK: 10 })
    const signals = measure(policy, { question, evidence, lexicon })
    const asked = confidenceRecord({ ...judge(policy, signals), signals })
    expect(asked.top_score).toBeGreaterThan(0.1)
    expect(scoreRetrieval(evidence.chunks, question)).toEqual(asked)
    expect(scoreRetrieval(evidence.chunks.toReversed(), question)).toEqual(asked)
  })

  it('counts the document of a chunk without a score, and counts every chunk once', () => {
    const unscored: Chunk = { ...aPassage('c', { documentId: 'two' }), scores: {} }
    expect(scoreRetrieval([chunk('a', { convex: 0.9 }), chunk('b', { convex: 0.5 }), unscored])).toMatchObject({
      document_diversity: 0.667,
      details: { total_chunks: 3, source_diversity: { unique_documents: 2 } },
    })
  })

  it("uses the caller's levels", () => {
    const chunks = [chunk('a', { 'cross-encoder': 0.9 })]
    expect(scoreRetrieval(chunks).should_flag_for_review).toBe(true)
    expect(scoreRetrieval(chunks, '', { high: 0.5, medium: 0.4, low: 0.3 }).should_flag_for_review).toBe(false)
  })

  it('has a confidence of 0 without chunks or without scores', () => {
    expect(scoreRetrieval([])).toMatchObject({
      overall_confidence: 0,
      interpretation: 'NO RESULTS - No relevant chunks found',
      should_flag_for_review: true,
    })
    expect(scoreRetrieval([chunk('a', {})])).toMatchObject({
      overall_confidence: 0,
      should_flag_for_review: true,
      details: { total_chunks: 1 },
    })
  })

  it('takes no question, and no score of one method among several', () => {
    const words = [chunk('a', { bm25: 3 }), chunk('b', { bm25: 1 })]
    expect(scoreRetrieval(words)).toEqual(scoreRetrieval(words, ''))
    expect(scoreRetrieval([chunk('a', { bm25: 3, cosine: 0.9 })])).toMatchObject({
      overall_confidence: 0,
      top_score: 0,
    })
  })

  it('reports broken scores as an error of the retriever', () => {
    expect(() => scoreRetrieval([chunk('a', { 'cross-encoder': NaN })])).toThrow('out of range')
  })
})

describe('assessChunks', () => {
  const chunks = [chunk('a', { 'cross-encoder': 0.9 }), chunk('b', { 'cross-encoder': 0.75 })]

  it('is the short record with recommendations, by the given levels', () => {
    const { overall_confidence, top_score, score_gap, interpretation } = scoreRetrieval(chunks)
    expect(assessChunks(chunks)).toEqual({
      overall_confidence,
      top_score,
      score_gap,
      bm25_dense_agreement: 0.5,
      graph_support: false,
      interpretation,
      recommendations: ['MODERATE: Medium confidence. Review recommended for critical use cases.'],
    })
    expect(assessChunks(chunks, { high: 0.7 }).recommendations).toEqual([])
  })

  it('recommends a graph if there is one, in the wording asked for', () => {
    const last = (options: Parameters<typeof assessChunks>[1]) => assessChunks(chunks, options).recommendations.at(-1)
    expect(last({ graph: 'available' })).toContain('Consider a search of the knowledge graph')
    expect(last({ graph: 'available', wording: 'specification' })).toContain('Consider using multi_hop_search')
    expect(last({ wording: 'specification' })).toContain('MODERATE')
  })
})
