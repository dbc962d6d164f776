import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Ranking, ScoreKind } from '../../../src/core/evidence/chunk.ts'
import type { Evidence } from '../../../src/core/evidence/evidence.ts'
import { BM25_K1 } from '../../../src/core/text/bm25.ts'
import { fuse, fuseReciprocalRank } from '../../../src/core/evidence/fusion.ts'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { judge } from '../../../src/core/policy/judge.ts'
import { multiGate } from '../../../packages/presets/src/multi-gate/multi-gate.ts'
import { twoTier } from '../../../packages/presets/src/two-tier/two-tier.ts'
import { weightedSignals } from '../../../packages/presets/src/weighted-signals/weighted-signals.ts'
import { aPassage, aRanking } from '../../fixtures/evidence.ts'
import { measure } from '../../fixtures/english.ts'

const finite = fc.double({ min: -3, max: 30, noNaN: true })
const cosine = fc.double({ min: -1, max: 1, noNaN: true })
const ids = fc.uniqueArray(fc.constantFrom(...'abcdefghij'), { minLength: 1, maxLength: 8 })
const ranking = (kind: ScoreKind): fc.Arbitrary<Ranking> =>
  ids.chain((found) =>
    fc
      .array(kind === 'cosine' ? cosine : finite, { minLength: found.length, maxLength: found.length })
      .map((scores) => aRanking(kind, scores, found)),
  )

describe('fuse', () => {
  it('gives a convex score of 0 to methods without a known scale', () => {
    const { chunks } = fuse([aRanking('dbsf', [2], ['a']), aRanking('boosted', [3], ['a'])], { idfMass: 1, topK: 5 })
    expect(chunks.map(({ scores }) => scores)).toEqual([{ dbsf: 2, boosted: 3, convex: 0 }])
  })

  it('mixes scores scaled by their own bounds, as worked out by hand', () => {
    // Bound of BM25: 2 · 2.2 = 4.4. Half of it is 2.2.
    const rankings = [aRanking('bm25', [2.2, 4.4], ['a', 'b']), aRanking('cosine', [0.6, 0.2], ['a', 'c'])]
    const { chunks, rankedBy, kinds } = fuse(rankings, { idfMass: 2, topK: 10 })
    expect(rankedBy).toBe('convex')
    expect(kinds).toEqual(['bm25', 'cosine'])
    expect(chunks.map(({ id }) => id)).toEqual(['b', 'a', 'c'])
    expect(chunks[0]?.scores.convex).toBeCloseTo(0.65, 12)
    expect(chunks[1]?.scores.convex).toBeCloseTo(0.65 * 0.5 + 0.35 * 0.6, 12)
    expect(chunks[2]?.scores.convex).toBeCloseTo(0.35 * 0.2, 12)
    expect(chunks[1]?.scores).toMatchObject({ bm25: 2.2, cosine: 0.6 })
  })

  it('gives a chunk the same score whatever other chunks were found', () => {
    fc.assert(
      fc.property(ranking('bm25'), ranking('cosine'), (bm25, cosine) => {
        const options = { idfMass: 3, topK: 100 }
        const all = fuse([bm25, cosine], options)
        for (const chunk of all.chunks) {
          const only = ({ kind, entries }: Ranking): Ranking => ({
            kind,
            entries: entries.filter(({ passage }) => passage.id === chunk.id),
          })
          expect(fuse([only(bm25), only(cosine)], options).chunks[0]?.scores).toEqual(chunk.scores)
        }
      }),
    )
  })

  it('stays within 0..1 and sorts, for any scores and idf mass', () => {
    const mass = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e6, noNaN: true }))
    fc.assert(
      fc.property(ranking('bm25'), ranking('cosine'), mass, (bm25, cosine, idfMass) => {
        const { chunks } = fuse([bm25, cosine], { idfMass, topK: 100 })
        const scores = chunks.map((chunk) => chunk.scores.convex ?? NaN)
        for (const score of scores) expect(score >= 0 && score <= 1).toBe(true)
        expect(scores).toEqual([...scores].sort((x, y) => y - x))
      }),
    )
  })

  it('does not depend on the order of the input, except for ties', () => {
    const shuffled = <T>(list: readonly T[]): fc.Arbitrary<T[]> =>
      fc.shuffledSubarray([...list], { minLength: list.length })
    const pair = fc.tuple(ranking('bm25'), ranking('cosine')).chain((rankings) => {
      const [a, b] = rankings
      return fc.tuple(fc.constant(rankings), shuffled(a.entries), shuffled(b.entries), fc.boolean())
    })
    fc.assert(
      fc.property(pair, ([[a, b], aEntries, bEntries, swap]) => {
        const options = { idfMass: 3, topK: 100 }
        const other = [
          { ...a, entries: aEntries },
          { ...b, entries: bEntries },
        ]
        const one = fuse([a, b], options).chunks
        const two = fuse(swap ? other.reverse() : other, options).chunks
        expect(two.map(({ scores }) => scores.convex)).toEqual(one.map(({ scores }) => scores.convex))
        expect(new Map(two.map((chunk) => [chunk.id, chunk.scores]))).toEqual(
          new Map(one.map((chunk) => [chunk.id, chunk.scores])),
        )
      }),
    )
  })

  it('keeps the order of retrieval for equal scores', () => {
    const { chunks } = fuse([aRanking('bm25', [1, 1, 1], ['c', 'a', 'b']), aRanking('cosine', [])], {
      idfMass: 1,
      topK: 3,
    })
    expect(chunks.map(({ id }) => id)).toEqual(['c', 'a', 'b'])
  })

  it('counts a method that did not return a chunk as 0', () => {
    const rankings = [aRanking('bm25', [2.2], ['a']), aRanking('cosine', [1], ['b'])]
    const { chunks } = fuse(rankings, { idfMass: 1, topK: 10 })
    expect(chunks.map(({ id, scores }) => [id, scores.convex])).toEqual([
      ['a', 0.65],
      ['b', 0.35],
    ])
  })

  it('counts a method that found nothing as 0 for every chunk', () => {
    const { rankedBy, chunks } = fuse([aRanking('bm25', []), aRanking('cosine', [0.8])], { idfMass: 1, topK: 10 })
    expect(rankedBy).toBe('convex')
    expect(chunks[0]?.scores.convex).toBeCloseTo(0.28, 12)
  })

  it('gives BM25 no weight for a question without terms', () => {
    const { chunks } = fuse([aRanking('bm25', [9], ['a']), aRanking('cosine', [0.1], ['b'])], {
      idfMass: 0,
      topK: 10,
    })
    expect(chunks.map(({ id, scores }) => [id, scores.convex])).toEqual([
      ['b', expect.closeTo(0.035, 12)],
      ['a', 0],
    ])
  })

  it('clips a cosine below 0 to 0 and a BM25 score above its bound to the bound', () => {
    const rankings = [aRanking('bm25', [1000, -4], ['a', 'b']), aRanking('cosine', [-0.9, 0.5], ['a', 'b'])]
    const { chunks } = fuse(rankings, { idfMass: 1, topK: 10 })
    expect(chunks.map(({ scores }) => scores.convex)).toEqual([0.65, 0.175])
  })

  it('ranks a single method by its unchanged scores', () => {
    for (const kind of ['bm25', 'cosine', 'rrf', 'grade'] as const) {
      const evidence = fuse([aRanking(kind, [0.1, 0.9, -1])], { idfMass: 5, topK: 10 })
      expect(evidence.rankedBy).toBe(kind)
      expect(evidence.chunks.map(({ scores }) => scores)).toEqual([{ [kind]: 0.9 }, { [kind]: 0.1 }, { [kind]: -1 }])
    }
  })

  it('keeps the topK best chunks, each once', () => {
    const { chunks } = fuse([aRanking('bm25', [1, 2, 3, 3], ['a', 'b', 'c', 'c']), aRanking('cosine', [0.9], ['a'])], {
      idfMass: 2,
      topK: 2,
    })
    expect(chunks.map(({ id }) => id)).toEqual(['a', 'c'])
  })

  it('reports too many unusable scores as a failure, whichever method gave them', () => {
    const rankings = [aRanking('bm25', [1, 1, 1]), aRanking('cosine', [NaN])]
    const fault = expect.objectContaining({ code: 'retriever_bad_response' })
    expect(() => fuse(rankings, { idfMass: 1, topK: 10 })).toThrow(fault)
    expect(fuse([aRanking('bm25', [1, 1, 1, 1]), aRanking('cosine', [NaN])], { idfMass: 1, topK: 10 }).dropped).toBe(1)
  })

  it('returns passages unchanged', () => {
    const passage = aPassage('a', { title: 'T', section: 'S', source: 'https://example.com', metadata: { page: 3 } })
    const { chunks } = fuse([{ kind: 'bm25', entries: [{ passage, score: 1 }] }], { idfMass: 1, topK: 1 })
    expect(chunks).toEqual([{ ...passage, scores: { bm25: 1 } }])
  })
})

/** Ids of the chunks with one of their scores. */
const scored = ({ chunks }: Evidence, kind: ScoreKind): unknown => chunks.map(({ id, scores }) => [id, scores[kind]])

describe('fuseReciprocalRank', () => {
  const options = { idfMass: 2, topK: 10 }
  const rankings = [aRanking('bm25', [9, 8, 7], ['a', 'b', 'c']), aRanking('cosine', [0.9, 0.1], ['b', 'd'])]

  it('sums the reciprocal ranks, counted from 1 and with the constant 60 by default', () => {
    expect(scored(fuseReciprocalRank(rankings, options), 'rrf')).toEqual([
      ['b', 1 / 62 + 1 / 61],
      ['a', 1 / 61],
      ['d', 1 / 62],
      ['c', 1 / 63],
    ])
    expect(scored(fuseReciprocalRank(rankings, { ...options, k: 1, firstRank: 0 }), 'rrf')).toEqual([
      ['b', 1 / 2 + 1],
      ['a', 1],
      ['d', 1 / 2],
      ['c', 1 / 3],
    ])
  })

  it('ranks by score whatever the order of entries, ties as they came, and a chunk by its first place', () => {
    const unsorted = [aRanking('bm25', [1, 3, 3, 9], ['a', 'c', 'b', 'a']), aRanking('cosine', [])]
    expect(scored(fuseReciprocalRank(unsorted, options), 'rrf')).toEqual([
      ['c', 1 / 61],
      ['b', 1 / 62],
      ['a', 1 / 63],
    ])
  })

  it('gives no rank to an entry without a usable score', () => {
    const broken = [
      aRanking('bm25', [9, NaN, 7, 6, 5], ['a', 'b', 'c', 'd', 'e']),
      aRanking('cosine', [2, 0.5], ['a', 'e']),
    ]
    const evidence = fuseReciprocalRank(
      [...broken, aRanking('cross-encoder', [0.5, 0.4, 0.3], ['e', 'd', 'c'])],
      options,
    )
    expect(evidence.dropped).toBe(2)
    expect(scored(evidence, 'rrf')).toEqual([
      ['e', 1 / 64 + 1 / 61 + 1 / 61],
      ['c', 1 / 62 + 1 / 63],
      ['d', 1 / 63 + 1 / 62],
      ['a', 1 / 61],
    ])
  })

  it.each([-1, -0.5, NaN, Infinity, '60'])('rejects the constant %s', (k) => {
    const fault = expect.objectContaining({ code: 'config_invalid', param: 'k' })
    expect(() => fuseReciprocalRank(rankings, { ...options, k: k as number })).toThrow(fault)
  })

  it('rejects a constant and first rank that add up to 0', () => {
    expect(() => fuseReciprocalRank(rankings, { ...options, k: 0, firstRank: 0 })).toThrow(/above 0/)
    expect(fuseReciprocalRank(rankings, { ...options, k: 0 }).chunks[0]?.scores.rrf).toBe(1 + 1 / 2)
  })
})

describe('fuse, for one ranking or several', () => {
  const options = { idfMass: 2, topK: 9 }

  it('uses the convex mix', () => {
    const rankings = [aRanking('bm25', [4, 1], ['a', 'b']), aRanking('cosine', [0.9, 0.2, 0.1], ['a', 'b', 'c'])]
    expect(fuse(rankings, options)).toMatchObject({ rankedBy: 'convex', kinds: ['bm25', 'cosine'], dropped: 0 })
  })

  it('uses reciprocal ranks when one ranking has only ranks, and records the convex mix of the others', () => {
    const rankings = [
      aRanking('cosine', [0.9, 0.8, 0.1], ['a', 'b', 'c']),
      aRanking('rrf', [1 / 61, 1 / 62, 1 / 63], ['b', 'c', 'd']),
    ]
    const evidence = fuse(rankings, options)
    expect(evidence.rankedBy).toBe('rrf')
    expect(scored(evidence, 'rrf')).toEqual([
      ['b', 1 / 62 + 1 / 61],
      ['c', 1 / 63 + 1 / 62],
      ['a', 1 / 61],
      ['d', 1 / 63],
    ])
    expect(scored(evidence, 'convex')).toEqual([
      ['b', expect.closeTo(0.8, 12)],
      ['c', expect.closeTo(0.1, 12)],
      ['a', expect.closeTo(0.9, 12)],
      ['d', 0],
    ])
  })

  it('returns a single ranking as it is', () => {
    for (const kind of ['bm25', 'rrf'] as const) {
      const one = aRanking(kind, [1, 2], ['a', 'b'])
      const { rankedBy, chunks } = fuse([one], options)
      expect([rankedBy, chunks.map(({ id, scores }) => [id, scores])]).toEqual([
        kind,
        [
          ['b', { [kind]: 2 }],
          ['a', { [kind]: 1 }],
        ],
      ])
    }
    expect(fuse([], options)).toMatchObject({ rankedBy: 'convex', chunks: [] })
  })

  it('keeps the order of retrieval for equal scores', () => {
    for (const method of [fuse, fuseReciprocalRank]) {
      const rankings = [aRanking('cosine', [0], ['c']), aRanking('bm25', [0], ['a'])]
      expect(method(rankings, options).chunks.map(({ id }) => id)).toEqual(['c', 'a'])
    }
  })

  it('gives the same chunks the same scores of each method and the same mix in any order', () => {
    fc.assert(
      fc.property(ranking('bm25'), ranking('cosine'), (bm25, cosine) => {
        const convex = fuse([bm25, cosine], { idfMass: 3, topK: 100 })
        const mixed = new Map(convex.chunks.map(({ id, scores }) => [id, scores]))
        const { chunks } = fuseReciprocalRank([bm25, cosine], { idfMass: 3, topK: 100 })
        expect(chunks).toHaveLength(mixed.size)
        for (const { id, scores } of chunks) {
          const { rrf: _rrf, ...rest } = scores
          expect(rest).toEqual(mixed.get(id))
        }
        const order = chunks.map(({ scores }) => scores.rrf ?? NaN)
        expect(order).toEqual([...order].sort((a, b) => b - a))
      }),
    )
  })
})

describe('the verdict on evidence fused by ranks', () => {
  const hopeless = [
    aRanking('bm25', [0.03, 0.02, 0.01], ['a', 'b', 'c']),
    aRanking('cosine', [0.1, 0.08, 0.05], ['a', 'b', 'c']),
  ]
  const good = [aRanking('bm25', [4.2, 1, 0.5], ['a', 'b', 'c']), aRanking('cosine', [0.95, 0.3, 0.2], ['a', 'b', 'c'])]
  const POLICIES = [twoTier(), multiGate(), weightedSignals()]
  const signalsBy = (method: typeof fuse, rankings: readonly Ranking[]) =>
    measure('engine', method(rankings, { idfMass: 2, topK: 10 }), EMPTY_LEXICON)

  it('is the same as with the convex mix: ranks have their own score curve', () => {
    for (const rankings of [hopeless, good]) {
      const convex = signalsBy(fuse, rankings)
      const ranked = signalsBy(fuseReciprocalRank, rankings)
      const { rrf: own, ...curves } = ranked.curves
      expect(own?.scores).toHaveLength(3)
      expect(curves).toEqual(convex.curves)
      expect(ranked.retrieval).toEqual(convex.retrieval)
      for (const policy of POLICIES) expect(judge(policy, ranked)).toEqual(judge(policy, convex))
    }
  })

  it('refuses a hopeless question and answers a good one, though their ranks are equal', () => {
    const [bad, well] = [signalsBy(fuseReciprocalRank, hopeless), signalsBy(fuseReciprocalRank, good)]
    expect(bad.curves.rrf?.scores[0]).toBe(well.curves.rrf?.scores[0])
    for (const policy of POLICIES) {
      expect(judge(policy, bad).verdict, policy.name).toBe('refuse')
      expect(judge(policy, well).verdict, policy.name).not.toBe('refuse')
    }
  })

  it.each<[string, ReturnType<typeof twoTier>, string]>([
    ['two-tier', twoTier(), 'score_missing'],
    ['multi-gate', multiGate(), 'similarity_missing'],
  ])('refuses under %s when an index returns only fused scores', (_, policy, reason) => {
    // RRF says something to `two-tier`: as a share of its maximum.
    for (const kind of policy.name === 'two-tier' ? (['dbsf'] as const) : (['rrf', 'dbsf'] as const)) {
      const evidence = fuse([aRanking(kind, [0.9, 0.1])], { idfMass: 2, topK: 10 })
      expect(judge(policy, measure('engine', evidence, EMPTY_LEXICON))).toMatchObject({ verdict: 'refuse', reason })
    }
  })
})

it('BM25 saturates at 2.2 times the idf mass', () => {
  expect(BM25_K1 + 1).toBeCloseTo(2.2, 12)
})
