import { describe, expect, it } from 'vitest'
import type { Scores } from '../../../src/core/evidence/chunk.ts'
import { idfMass, type Lexicon } from '../../../src/core/text/lexicon.ts'
import { scoredChunks } from '../../../packages/presets/src/weighted-signals/ranking-score.ts'
import { scoredEvidence } from '../../fixtures/evidence.ts'
import { buildLexicon, terms } from '../../fixtures/english.ts'

const massOf = (question: string, lexicon: Lexicon): number => idfMass(lexicon, terms(question))

const scoresOf = (...scores: Scores[]): readonly number[] =>
  scoredChunks(scoredEvidence(scores.map((each) => ({ scores: each }))), 1).map(({ score }) => score)

describe('scoredChunks', () => {
  it.each<[string, Scores, number]>([
    ['a cross-encoder before everything', { 'cross-encoder': 0.1, grade: 3, boosted: 0.8, rrf: 0.7, convex: 0.6 }, 0.1],
    ['a grade as a share of 3', { grade: 2, rrf: 0.7 }, 2 / 3],
    ['a score raised by a graph before the original score', { boosted: 0.8, rrf: 0.7 }, 0.8],
    ['the convex mix before rank fusion', { rrf: 0.03, convex: 0.6 }, 0.6],
    ['the convex mix before DBSF', { dbsf: 1.4, convex: 0.6 }, 0.6],
    ['rank fusion where there is no mix', { rrf: 0.03, bm25: 9 }, 0.03],
    ['DBSF where there is no mix', { dbsf: 0.4, bm25: 9 }, 0.4],
    ['the convex mix', { convex: 0.6, bm25: 9, cosine: 0.9 }, 0.6],
    ['a reranker score of 0', { 'cross-encoder': 0, convex: 0.6 }, 0],
    ['0 for −0', { convex: -0 }, 0],
    ['a negative score', { 'cross-encoder': -2, rrf: 0.6 }, -2],
    ['the next score when the first is not a number', { 'cross-encoder': NaN, rrf: 0.6 }, 0.6],
  ])('uses %s', (_, scores, expected) => {
    expect(scoresOf(scores)).toEqual([expected])
  })

  it('sorts by score, and omits chunks without one', () => {
    expect(scoresOf({ convex: 0.2 }, { bm25: 3, 'graph-boost': 1 }, { convex: 0.9 })).toEqual([0.9, 0.2])
  })

  it('uses no score that is neither fused nor from a search', () => {
    const evidence = { ...scoredEvidence([{ scores: { 'graph-boost': 1 } }]), rankedBy: 'graph-boost' as const }
    expect(scoredChunks(evidence, 1)).toEqual([])
  })

  it('uses a single unfused method, scaled as in fusion', () => {
    const alone = (rankedBy: 'bm25' | 'cosine', scores: Scores, question = 'engine'): readonly number[] => {
      const lexicon = buildLexicon(['an engine', 'a pump'])
      return scoredChunks({ ...scoredEvidence([{ scores }]), rankedBy }, massOf(question, lexicon)).map(
        ({ score }) => score,
      )
    }
    const mass = massOf('engine', buildLexicon(['an engine', 'a pump']))
    expect(alone('bm25', { bm25: mass * 1.1 })[0]).toBeCloseTo(0.5, 12)
    expect(alone('bm25', { bm25: 99 })).toEqual([1])
    expect(alone('bm25', { bm25: 99 }, '?')).toEqual([0])
    expect(alone('cosine', { cosine: -0.2 })).toEqual([0])
    expect(alone('cosine', { cosine: 0.7 })).toEqual([0.7])
  })
})
