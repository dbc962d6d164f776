import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Ranking, ScoreKind } from '../../src/core/chunk.ts'
import { BM25_K1, clamp01, fuseConvex } from '../../src/core/fusion.ts'
import { aPassage, aRanking } from '../fixtures/evidence.ts'

const finite = fc.double({ min: -3, max: 30, noNaN: true })
const cosine = fc.double({ min: -1, max: 1, noNaN: true })
const ids = fc.uniqueArray(fc.constantFrom(...'abcdefghij'), { minLength: 1, maxLength: 8 })
const ranking = (kind: ScoreKind): fc.Arbitrary<Ranking> =>
  ids.chain((found) =>
    fc
      .array(kind === 'cosine' ? cosine : finite, { minLength: found.length, maxLength: found.length })
      .map((scores) => aRanking(kind, scores, found)),
  )

describe('fuseConvex', () => {
  it('mixes scores scaled by bounds of their own: worked out by hand', () => {
    // Bound of BM25: 2 · 2.2 = 4.4. Half of it is 2.2.
    const rankings = [aRanking('bm25', [2.2, 4.4], ['a', 'b']), aRanking('cosine', [0.6, 0.2], ['a', 'c'])]
    const { chunks, rankedBy, kinds } = fuseConvex(rankings, { idfMass: 2, topK: 10 })
    expect(rankedBy).toBe('convex')
    expect(kinds).toEqual(['bm25', 'cosine'])
    expect(chunks.map(({ id }) => id)).toEqual(['b', 'a', 'c'])
    expect(chunks[0]?.scores.convex).toBeCloseTo(0.65, 12)
    expect(chunks[1]?.scores.convex).toBeCloseTo(0.65 * 0.5 + 0.35 * 0.6, 12)
    expect(chunks[2]?.scores.convex).toBeCloseTo(0.35 * 0.2, 12)
    expect(chunks[1]?.scores).toMatchObject({ bm25: 2.2, cosine: 0.6 })
  })

  it('gives a chunk the same score whatever else was found', () => {
    fc.assert(
      fc.property(ranking('bm25'), ranking('cosine'), (bm25, cosine) => {
        const options = { idfMass: 3, topK: 100 }
        const all = fuseConvex([bm25, cosine], options)
        for (const chunk of all.chunks) {
          const only = ({ kind, entries }: Ranking): Ranking => ({
            kind,
            entries: entries.filter(({ passage }) => passage.id === chunk.id),
          })
          expect(fuseConvex([only(bm25), only(cosine)], options).chunks[0]?.scores).toEqual(chunk.scores)
        }
      }),
    )
  })

  it('stays within 0..1 and sorts, for any scores, weights and idf mass', () => {
    const weight = fc.oneof(finite, fc.constantFrom(0, NaN, Infinity, -1))
    const mass = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e6, noNaN: true }))
    fc.assert(
      fc.property(ranking('bm25'), ranking('cosine'), weight, weight, mass, (bm25, cosine, a, b, idfMass) => {
        const { chunks } = fuseConvex([bm25, cosine], { weights: { bm25: a, cosine: b }, idfMass, topK: 100 })
        const scores = chunks.map((chunk) => chunk.scores.convex ?? NaN)
        for (const score of scores) expect(score >= 0 && score <= 1).toBe(true)
        expect(scores).toEqual([...scores].sort((x, y) => y - x))
      }),
    )
  })

  it('does not depend on the order in which anything came, but for ties', () => {
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
        const one = fuseConvex([a, b], options).chunks
        const two = fuseConvex(swap ? other.reverse() : other, options).chunks
        expect(two.map(({ scores }) => scores.convex)).toEqual(one.map(({ scores }) => scores.convex))
        expect(new Map(two.map((chunk) => [chunk.id, chunk.scores]))).toEqual(
          new Map(one.map((chunk) => [chunk.id, chunk.scores])),
        )
      }),
    )
  })

  it('keeps the order of retrieval among ties', () => {
    const { chunks } = fuseConvex([aRanking('bm25', [1, 1, 1], ['c', 'a', 'b']), aRanking('cosine', [])], {
      idfMass: 1,
      topK: 3,
    })
    expect(chunks.map(({ id }) => id)).toEqual(['c', 'a', 'b'])
  })

  it('counts a method that did not return a chunk as 0, not as absent', () => {
    const rankings = [aRanking('bm25', [2.2], ['a']), aRanking('cosine', [1], ['b'])]
    const { chunks } = fuseConvex(rankings, { idfMass: 1, topK: 10 })
    expect(chunks.map(({ id, scores }) => [id, scores.convex])).toEqual([
      ['a', 0.65],
      ['b', 0.35],
    ])
  })

  it('counts a method that found nothing at all as 0 for every chunk', () => {
    const { rankedBy, chunks } = fuseConvex([aRanking('bm25', []), aRanking('cosine', [0.8])], { idfMass: 1, topK: 10 })
    expect(rankedBy).toBe('convex')
    expect(chunks[0]?.scores.convex).toBeCloseTo(0.28, 12)
  })

  it('gives BM25 no weight for a question without terms', () => {
    const { chunks } = fuseConvex([aRanking('bm25', [9], ['a']), aRanking('cosine', [0.1], ['b'])], {
      idfMass: 0,
      topK: 10,
    })
    expect(chunks.map(({ id, scores }) => [id, scores.convex])).toEqual([
      ['b', expect.closeTo(0.035, 12)],
      ['a', 0],
    ])
  })

  it('clips a cosine below 0 and a BM25 above its bound', () => {
    const rankings = [aRanking('bm25', [1000, -4], ['a', 'b']), aRanking('cosine', [-0.9, 0.5], ['a', 'b'])]
    const { chunks } = fuseConvex(rankings, { idfMass: 1, topK: 10 })
    expect(chunks.map(({ scores }) => scores.convex)).toEqual([0.65, 0.175])
  })

  it('ranks a single method by its own score as it is', () => {
    for (const kind of ['bm25', 'cosine', 'rrf', 'grade'] as const) {
      const evidence = fuseConvex([aRanking(kind, [0.1, 0.9, -1])], { idfMass: 5, topK: 10 })
      expect(evidence.rankedBy).toBe(kind)
      expect(evidence.chunks.map(({ scores }) => scores)).toEqual([{ [kind]: 0.9 }, { [kind]: 0.1 }, { [kind]: -1 }])
    }
  })

  it('keeps the best chunks, each once', () => {
    const { chunks } = fuseConvex(
      [aRanking('bm25', [1, 2, 3, 3], ['a', 'b', 'c', 'c']), aRanking('cosine', [0.9], ['a'])],
      {
        idfMass: 2,
        topK: 2,
      },
    )
    expect(chunks.map(({ id }) => id)).toEqual(['a', 'c'])
  })

  it('takes too many unusable scores for a fault, whichever method gave them', () => {
    const rankings = [aRanking('bm25', [1, 1, 1]), aRanking('cosine', [NaN])]
    const fault = expect.objectContaining({ code: 'retriever_bad_response' })
    expect(() => fuseConvex(rankings, { idfMass: 1, topK: 10 })).toThrow(fault)
    expect(
      fuseConvex([aRanking('bm25', [1, 1, 1, 1]), aRanking('cosine', [NaN])], { idfMass: 1, topK: 10 }).dropped,
    ).toBe(1)
  })

  it('keeps the passage as it came', () => {
    const passage = aPassage('a', { title: 'T', section: 'S', source: 'https://example.com', metadata: { page: 3 } })
    const { chunks } = fuseConvex([{ kind: 'bm25', entries: [{ passage, score: 1 }] }], { idfMass: 1, topK: 1 })
    expect(chunks).toEqual([{ ...passage, scores: { bm25: 1 } }])
  })
})

describe('clamp01', () => {
  it.each([
    [-1, 0],
    [0, 0],
    [0.25, 0.25],
    [1, 1],
    [2, 1],
    [NaN, 0],
    [Infinity, 1],
  ])('takes %d to %d', (x, expected) => {
    expect(clamp01(x)).toBe(expected)
  })
})

it('BM25 saturates at 2.2 times the idf mass', () => {
  expect(BM25_K1 + 1).toBeCloseTo(2.2, 12)
})
