import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ScoreKind } from '../../../src/core/evidence/chunk.ts'
import type { Evidence } from '../../../src/core/evidence/evidence.ts'
import { fuse, FUSION_METHODS, fuseConvex } from '../../../src/core/evidence/fusion.ts'
import { EMPTY_LEXICON, idfMass } from '../../../src/core/text/lexicon.ts'
import { measure } from '../../../src/core/signals/measure.ts'
import { mergeRounds } from '../../../src/core/evidence/merge-rounds.ts'
import { terms } from '../../../src/core/text/terms.ts'
import { aRanking } from '../../fixtures/evidence.ts'

const OPTIONS = { topK: 3, idfMass: 2, keepOfEach: 0 }

const fused = (bm25: Readonly<Record<string, number>>, cosine: Readonly<Record<string, number>>): Evidence =>
  fuseConvex(
    [
      aRanking('bm25', Object.values(bm25), Object.keys(bm25)),
      aRanking('cosine', Object.values(cosine), Object.keys(cosine)),
    ],
    { idfMass: 2, topK: 20 },
  )

/** The question of the property has terms of this mass together. */
const LEXICON = EMPTY_LEXICON
const IDF_MASS = idfMass(LEXICON, terms('engine key'))

const close = (value: number): unknown => expect.closeTo(value, 12)

const ids = ({ chunks }: Evidence): string[] => chunks.map(({ id }) => id)

describe('mergeRounds', () => {
  it('ranks by the mean of what a chunk has of the best of each round: worked out by hand', () => {
    const first = fuseConvex([aRanking('bm25', [4, 3, 1], ['a', 'b', 'c'])], { idfMass: 2, topK: 20 })
    const second = fuseConvex([aRanking('bm25', [10, 8], ['d', 'b'])], { idfMass: 9, topK: 20 })
    const merged = mergeRounds(first, [second], OPTIONS)
    expect(merged.rankedBy).toBe('rounds')
    expect(ids(merged)).toEqual(['b', 'a', 'd'])
    // What ranked the only method is what its score comes to of 2 · 2.2.
    expect(merged.chunks.map(({ scores }) => scores)).toEqual([
      { bm25: 3, convex: close(3 / 4.4), rounds: close((3 / 4 + 8 / 10) / 2) },
      { bm25: 4, convex: close(4 / 4.4), rounds: 0.5 },
      { rounds: 0.5 },
    ])
  })

  it('takes the further round that likes a chunk best', () => {
    const first = fused({ a: 4 }, {})
    const merged = mergeRounds(first, [fused({ b: 1 }, {}), fused({ c: 4, b: 1 }, {})], OPTIONS)
    expect(merged.chunks.map(({ id, scores }) => [id, scores.rounds])).toEqual([
      ['a', 0.5],
      ['b', 0.5],
      ['c', 0.5],
    ])
  })

  it('keeps the best of each method whatever the mix says, and more of them where it is told to', () => {
    const first = fused({ a: 4.4, b: 4.3, c: 4.2 }, { a: 0.9, b: 0.8, d: 0.1 })
    const second = fused({ e: 4, f: 4, g: 4 }, {})
    const options = { ...OPTIONS, topK: 5 }
    expect(ids(mergeRounds(first, [second], options)).sort()).toEqual(['a', 'b', 'e', 'f', 'g'])
    expect(ids(mergeRounds(first, [second], { ...options, keepOfEach: 3 })).sort()).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('keeps the two best by the mix too, where ranks made the order', () => {
    const rankings = [
      aRanking('bm25', [4.4, 4.3, 3.9], ['a', 'b', 'c']),
      aRanking('cosine', [0.9, 0.89, 0.85, 0.1, 0.1], ['d', 'e', 'c', 'a', 'b']),
    ]
    const first = fuse(rankings, { method: 'rrf', idfMass: 2, topK: 20 })
    const second = fused({ f: 4, g: 4 }, {})
    expect(first.chunks.map(({ id }) => id).slice(0, 2)).not.toContain('d')
    const merged = mergeRounds(first, [second], { ...OPTIONS, topK: 1 })
    expect(merged.chunks.map(({ id }) => id).sort()).toEqual(['a', 'b', 'c', 'd', 'e'])
    const best = [...first.chunks].sort((x, y) => y.scores.convex! - x.scores.convex!)
    expect(best[0]?.id).toBe('c')
  })

  it('keeps more than two only by the methods, not by what is made of them', () => {
    const further = [fused({ v: 4, w: 4 }, {})]
    const options = { ...OPTIONS, topK: 1, keepOfEach: 3 }
    const alone = fuseConvex([aRanking('bm25', [4, 3, 2], ['a', 'b', 'c'])], { idfMass: 2, topK: 20 })
    expect(ids(mergeRounds(alone, further, options)).sort()).toEqual(['a', 'b'])
    // What neither method finds best, both find well: x, y and z have the best mix and the best ranks together.
    const rankings = [
      aRanking('bm25', [4.3, 4.2, 4.1, 4, 3.9, 3.8], [...'abcxyz']),
      aRanking('cosine', [0.9, 0.89, 0.88, 0.87, 0.86, 0.85], [...'defxyz']),
    ]
    const both = fuse(rankings, { method: 'rrf', idfMass: 2, topK: 20 })
    expect(ids(mergeRounds(both, further, options)).sort()).toEqual([...'abcdefxy'])
  })

  it('counts the entries that were dropped in every round', () => {
    const broken = (count: number): Evidence => ({ ...fused({ a: 1 }, {}), dropped: count })
    expect(mergeRounds(broken(1), [broken(2), broken(4)], OPTIONS).dropped).toBe(7)
  })

  it('leaves what gates read of scores as it was: no score rises, the two best of each stay, for any rounds', () => {
    const pool = [...'abcdefgh']
    // No numbers so small that halving them makes nothing of them: no engine scores so.
    const scores = (max: number) =>
      fc.uniqueArray(
        fc.tuple(
          fc.constantFrom(...pool),
          fc.integer({ min: 0, max: max * 1000 }).map((score) => score / 1000),
        ),
        {
          selector: ([id]) => id,
          maxLength: 6,
        },
      )
    const method = fc.constantFrom(...FUSION_METHODS)
    const round = fc.tuple(scores(4), scores(1), fc.boolean(), method).map(([bm25, cosine, alone, by]) => {
      const ranking = (kind: ScoreKind, rows: typeof bm25) => {
        const sorted = [...rows].sort(([, a], [, b]) => b - a)
        return aRanking(
          kind,
          sorted.map(([, score]) => score),
          sorted.map(([id]) => id),
        )
      }
      const rankings = [ranking('bm25', bm25), ...(alone ? [] : [ranking('cosine', cosine)])]
      return fuse(rankings, { method: by, idfMass: 2, topK: 20 })
    })
    const further = fc.array(round, { minLength: 1, maxLength: 3 })
    const options = fc.record({ topK: fc.integer({ min: 1, max: 8 }), keepOfEach: fc.nat(3) })
    fc.assert(
      fc.property(round, further, options, (first, rounds, { topK, keepOfEach }) => {
        const merged = mergeRounds(first, rounds, { topK, keepOfEach, idfMass: IDF_MASS })
        const before = new Map(first.chunks.map((chunk) => [chunk.id, chunk.scores]))
        expect(merged.chunks.length).toBeLessThanOrEqual(Math.max(topK, 4 + 2 * Math.max(2, keepOfEach)))
        for (const { id, scores: now } of merged.chunks) {
          expect([now.bm25, now.cosine]).toEqual([before.get(id)?.bm25, before.get(id)?.cosine])
        }
        const [was, is] = [first, merged].map((evidence) => measure('engine key', evidence, LEXICON))
        for (const kind of ['bm25', 'cosine'] as const) {
          expect(is!.curves[kind]?.scores.slice(0, 2)).toEqual(was!.curves[kind]?.scores.slice(0, 2))
        }
        expect(is!.retrieval.topScore).toBe(was!.retrieval.topScore)
        expect(is!.retrieval.scoreGap).toBe(was!.retrieval.scoreGap)
        const order = merged.chunks.map(({ scores: { rounds: score } }) => score!)
        expect(order).toEqual([...order].sort((a, b) => b - a))
      }),
    )
  })
})
