import { describe, expect, it } from 'vitest'
import type { ScoreKind } from '../../../src/core/evidence/chunk.ts'
import { scoreWithinRange } from '../../../src/core/evidence/score-kinds.ts'

describe('scoreWithinRange', () => {
  it.each<[ScoreKind, number, number]>([
    ['cosine', -1, 1],
    ['convex', 0, 1],
    ['cross-encoder', 0, 1],
    ['grade', 0, 3],
  ])('holds %s within %d and %d, give or take what 32-bit floats lose', (kind, low, high) => {
    const given = [low, high, low - 1e-6, high + 1e-6, (low + high) / 2]
    expect(given.map((score) => scoreWithinRange(kind, score))).toEqual([low, high, low, high, (low + high) / 2])
    for (const score of [low - 2e-6, high + 2e-6, -57, 57]) expect(scoreWithinRange(kind, score)).toBeNaN()
  })

  it.each<ScoreKind>(['bm25', 'rrf', 'graph-boost'])('holds %s to 0 and up', (kind) => {
    expect([0, 57, Number.MAX_VALUE, -1e-6].map((score) => scoreWithinRange(kind, score))).toEqual([
      0,
      57,
      Number.MAX_VALUE,
      0,
    ])
    expect(scoreWithinRange(kind, -0.1)).toBeNaN()
  })

  it.each<ScoreKind>(['boosted', 'dbsf'])('takes any finite number for %s', (kind) => {
    expect([-57, 57].map((score) => scoreWithinRange(kind, score))).toEqual([-57, 57])
  })

  it.each(['bm-25', 'toString', '__proto__'] as never[])('knows no kind %s, and takes nothing for it', (kind) => {
    expect([0, 0.5].map((score) => scoreWithinRange(kind, score))).toEqual([NaN, NaN])
  })

  it.each([NaN, Infinity, -Infinity, null, undefined, '0.5', '', true, [0.5], 1n])('takes %s for no score', (score) => {
    for (const kind of ['cosine', 'bm25', 'boosted'] as const) expect(scoreWithinRange(kind, score)).toBeNaN()
  })
})
