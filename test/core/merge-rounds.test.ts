import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ScoreKind } from '../../src/core/chunk.ts'
import type { Evidence } from '../../src/core/evidence.ts'
import { fuseConvex } from '../../src/core/fusion.ts'
import { EMPTY_LEXICON } from '../../src/core/lexicon.ts'
import { measure } from '../../src/core/measure.ts'
import { mergeRounds } from '../../src/core/merge-rounds.ts'
import { aRanking } from '../fixtures/evidence.ts'

const OPTIONS = { topK: 3, idfMass: 2, keepOfEach: 0 }

const fused = (bm25: Readonly<Record<string, number>>, cosine: Readonly<Record<string, number>>): Evidence =>
  fuseConvex(
    [
      aRanking('bm25', Object.values(bm25), Object.keys(bm25)),
      aRanking('cosine', Object.values(cosine), Object.keys(cosine)),
    ],
    { idfMass: 2, topK: 20 },
  )

const ids = ({ chunks }: Evidence): string[] => chunks.map(({ id }) => id)

describe('mergeRounds', () => {
  it('ranks by the mean of what a chunk has of the best of each round: worked out by hand', () => {
    const first = fuseConvex([aRanking('bm25', [4, 3, 1], ['a', 'b', 'c'])], { idfMass: 2, topK: 20 })
    const second = fuseConvex([aRanking('bm25', [10, 8], ['d', 'b'])], { idfMass: 9, topK: 20 })
    const merged = mergeRounds(first, [second], OPTIONS)
    // a: (1 + 0) / 2, b: (3/4 + 8/10) / 2, c: (1/4) / 2, d: (0 + 1) / 2.
    expect(ids(merged)).toEqual(['b', 'a', 'd'])
    // The best carries what the best had: 4 of 2 · 2.2.
    expect(merged.rankedBy).toBe('convex')
    expect(merged.chunks[0]?.scores).toEqual({ bm25: 3, convex: expect.closeTo(4 / 4.4, 12) as number })
    expect(merged.chunks[1]?.scores.convex).toBeCloseTo((4 / 4.4) * (0.5 / 0.775), 12)
    expect(merged.chunks[2]?.scores).toEqual({ convex: expect.any(Number) as number })
  })

  it('keeps the best of each method whatever the mix says, where it is told to', () => {
    const first = fused({ a: 4.4, b: 4.2, c: 4.1 }, { d: 0.1, b: 0.09 })
    const second = fused({ a: 4, b: 4, c: 4 }, {})
    expect(ids(mergeRounds(first, [second], OPTIONS))).not.toContain('d')
    expect(ids(mergeRounds(first, [second], { ...OPTIONS, keepOfEach: 1 }))).toContain('d')
  })

  it('raises no score of nothing: rounds for a question that found nothing carry 0', () => {
    const nothing = fused({}, {})
    const merged = mergeRounds(nothing, [fused({ a: 4 }, {})], OPTIONS)
    expect(merged.chunks.map(({ scores }) => scores)).toEqual([{ convex: 0 }])
  })

  it('never raises a score of a method, nor the best score, and keeps to its size, for any rounds', () => {
    const pool = [...'abcdefgh']
    const scores = (max: number) =>
      fc.uniqueArray(fc.tuple(fc.constantFrom(...pool), fc.double({ min: 0, max, noNaN: true })), {
        selector: ([id]) => id,
        maxLength: 6,
      })
    const round = fc.tuple(scores(4), scores(1)).map(([bm25, cosine]) => {
      const ranking = (kind: ScoreKind, rows: typeof bm25) => {
        const sorted = [...rows].sort(([, a], [, b]) => b - a)
        return aRanking(
          kind,
          sorted.map(([, score]) => score),
          sorted.map(([id]) => id),
        )
      }
      return fuseConvex([ranking('bm25', bm25), ranking('cosine', cosine)], { idfMass: 2, topK: 20 })
    })
    const further = fc.array(round, { minLength: 1, maxLength: 3 })
    const options = fc.record({ topK: fc.integer({ min: 1, max: 8 }), keepOfEach: fc.nat(3) })
    fc.assert(
      fc.property(round, further, options, (first, rounds, { topK, keepOfEach }) => {
        const merged = mergeRounds(first, rounds, { topK, keepOfEach, idfMass: 2 })
        const before = new Map(first.chunks.map((chunk) => [chunk.id, chunk.scores]))
        expect(merged.chunks.length).toBeLessThanOrEqual(topK)
        for (const { id, scores } of merged.chunks) {
          expect(scores.bm25).toBe(before.get(id)?.bm25)
          expect(scores.cosine).toBe(before.get(id)?.cosine)
        }
        const top = (evidence: Evidence): number => measure('q', evidence, EMPTY_LEXICON).retrieval.topScore
        expect(top(merged)).toBeLessThanOrEqual(top(first) + 1e-12)
        expect(merged.chunks.map(({ scores }) => scores.convex)).toEqual(
          merged.chunks.map(({ scores }) => scores.convex).sort((a, b) => b! - a!),
        )
      }),
    )
  })
})
