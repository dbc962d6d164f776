import { describe, expect, it } from 'vitest'
import type { ScoreKind, Scores } from '../../../src/core/evidence/chunk.ts'
import {
  embedsWords,
  rankingScore,
  relevanceShare,
  rerankerScore,
  scaledMethodScore,
  scoreShare,
  scoreWithinRange,
} from '../../../src/core/evidence/score-kinds.ts'

describe('scoreWithinRange', () => {
  it.each<[ScoreKind, number, number]>([
    ['cosine', -1, 1],
    ['convex', 0, 1],
    ['cross-encoder', 0, 1],
    ['grade', 0, 3],
  ])('keeps %s within %d and %d, allowing for the rounding of 32-bit floats', (kind, low, high) => {
    const given = [low, high, low - 1e-6, high + 1e-6, (low + high) / 2]
    expect(given.map((score) => scoreWithinRange(kind, score))).toEqual([low, high, low, high, (low + high) / 2])
    for (const score of [low - 2e-6, high + 2e-6, -57, 57]) expect(scoreWithinRange(kind, score)).toBeNaN()
  })

  it.each<ScoreKind>(['bm25', 'rrf', 'graph-boost'])('accepts %s from 0 upwards', (kind) => {
    expect([0, 57, Number.MAX_VALUE, -1e-6].map((score) => scoreWithinRange(kind, score))).toEqual([
      0,
      57,
      Number.MAX_VALUE,
      0,
    ])
    expect(scoreWithinRange(kind, -0.1)).toBeNaN()
  })

  it.each<ScoreKind>(['boosted', 'dbsf'])('accepts any finite number as %s', (kind) => {
    expect([-57, 57].map((score) => scoreWithinRange(kind, score))).toEqual([-57, 57])
  })

  it.each(['bm-25', 'toString', '__proto__'] as never[])('rejects every score of the unknown kind %s', (kind) => {
    expect([0, 0.5].map((score) => scoreWithinRange(kind, score))).toEqual([NaN, NaN])
  })

  it.each([NaN, Infinity, -Infinity, null, undefined, '0.5', '', true, [0.5], 1n])('rejects %s as a score', (score) => {
    for (const kind of ['cosine', 'bm25', 'boosted'] as const) expect(scoreWithinRange(kind, score)).toBeNaN()
  })
})

describe('embedsWords', () => {
  it.each([
    ['words-english-1', true],
    ['hashed-words-256', true],
    ['hashed-letters', false],
    ['bge-words-small', false],
    ['words', false],
    ['', false],
  ])('returns for the model %j: %s', (model, expected) => {
    expect(embedsWords(model)).toBe(expected)
  })
})

describe('scoreShare', () => {
  it.each<[ScoreKind, number, number]>([
    ['grade', 1.5, 0.5],
    ['cosine', 0.5, 0.5],
    ['bm25', 7, 7],
    ['rrf', 0.02, 0.02],
  ])('converts %s of %d to %d', (kind, score, share) => {
    expect(scoreShare(kind, score)).toBe(share)
  })
})

describe('reranker score, ranking score and relevance share', () => {
  it.each<[Scores, number | undefined, number | undefined, number | undefined]>([
    // Of a reranker, of what compares chunks, of what means the same in every question.
    [{ grade: 1.5, 'cross-encoder': 0.9, cosine: 0.2 }, 0.9, 0.9, 0.9],
    [{ grade: 1.5, cosine: 0.2, convex: 0.3 }, 0.5, 0.5, 0.5],
    [{ cosine: 0.2, convex: 0.3, rrf: 0.02 }, undefined, 0.3, 0.2],
    [{ boosted: 4, convex: 0.3 }, undefined, 4, 0.3],
    [{ cosine: -0.2, dbsf: 2, rrf: 0.02 }, undefined, 0.02, 0],
    [{ 'cross-encoder': NaN, grade: 3 }, 1, 1, 1],
    [{ 'cross-encoder': 1.2 }, 1.2, 1.2, 1],
    [{ bm25: 9 }, undefined, undefined, undefined],
    [{}, undefined, undefined, undefined],
  ])('are chosen from %j', (scores, reranker, ranking, relevance) => {
    expect([rerankerScore(scores), rankingScore(scores), relevanceShare(scores)]).toEqual([
      reranker,
      ranking,
      relevance,
    ])
  })
})

describe('scaledMethodScore', () => {
  it.each<[ScoreKind, Scores, number, number | undefined]>([
    ['cosine', { cosine: 0.4 }, 2, 0.4],
    ['cosine', { cosine: -0.4 }, 2, 0],
    ['bm25', { bm25: 2.2 }, 2, 0.5],
    ['bm25', { bm25: 9 }, 2, 1],
    ['bm25', { bm25: 9 }, 0, 0],
    ['bm25', { cosine: 0.4 }, 2, undefined],
    ['cosine', { bm25: 9 }, 2, undefined],
    ['cosine', { cosine: NaN }, 2, undefined],
    ['grade', { grade: 3 }, 2, undefined],
  ])('scales %s from %j with an idf mass of %d to %s', (kind, scores, idfMass, scaled) => {
    expect(scaledMethodScore(kind, scores, idfMass)).toBe(scaled)
  })
})
