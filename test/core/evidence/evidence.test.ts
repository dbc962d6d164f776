import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { collect, rankBy } from '../../../src/core/evidence/evidence.ts'
import { fuse } from '../../../src/core/evidence/fusion.ts'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { judge } from '../../../src/core/policy/judge.ts'
import { twoTier } from '../../../packages/presets/src/two-tier/two-tier.ts'
import { aPassage, aRanking } from '../../fixtures/evidence.ts'
import { measure } from '../../fixtures/english.ts'

const unusable = [NaN, Infinity, -Infinity]
// Adapters are typed, but what they read came from elsewhere.
const foreign = [null, undefined, '0.9'] as unknown as number[]

describe('collect', () => {
  it.each([...unusable, ...foreign])('drops an entry with the score %s and counts it', (score) => {
    const { collected, dropped } = collect([aRanking('bm25', [5, 4, score, 2, 1])])
    expect(collected.map(({ passage }) => passage.id)).toEqual(['bm25-0', 'bm25-1', 'bm25-3', 'bm25-4'])
    expect(dropped).toBe(1)
  })

  it('accepts 0 and negative numbers as scores', () => {
    expect(collect([aRanking('cosine', [0, -0.5])]).collected).toHaveLength(2)
  })

  it('accepts up to a fifth of unusable scores as weak evidence, and reports more as a broken retriever', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.nat({ max: 40 }), (good, bad) => {
        const scores = [...Array.from({ length: good }, () => 1), ...Array.from({ length: bad }, () => NaN)]
        const split = Math.floor(scores.length / 2)
        const rankings = [aRanking('bm25', scores.slice(0, split)), aRanking('cosine', scores.slice(split))]
        if (bad * 5 > good + bad) {
          expect(() => collect(rankings)).toThrow(expect.objectContaining({ code: 'retriever_bad_response' }))
        } else expect(collect(rankings).dropped).toBe(bad)
      }),
    )
    expect(collect([aRanking('bm25', [1, 1, 1, 1, NaN])]).dropped).toBe(1)
    expect(() => collect([aRanking('bm25', [1, 1, 1, NaN])])).toThrow('Too many')
    expect(() => collect([aRanking('bm25', [NaN])])).toThrow('Too many')
  })

  it('treats a ranking without entries as no evidence, not as a failure', () => {
    expect(collect([])).toEqual({ collected: [], dropped: 0 })
    expect(collect([aRanking('bm25', []), aRanking('cosine', [])])).toEqual({ collected: [], dropped: 0 })
  })

  it('merges the scores that several methods gave the same chunk', () => {
    const { collected } = collect([aRanking('bm25', [3, 2], ['a', 'b']), aRanking('cosine', [0.9, 0.8], ['b', 'c'])])
    expect(collected.map(({ passage, scores }) => [passage.id, scores])).toEqual([
      ['a', { bm25: 3 }],
      ['b', { bm25: 2, cosine: 0.9 }],
      ['c', { cosine: 0.8 }],
    ])
  })

  it('keeps the first place of a chunk that occurs twice in one ranking', () => {
    const { collected } = collect([aRanking('bm25', [3, 2, 9], ['a', 'b', 'a'])])
    expect(collected.map(({ passage, scores }) => [passage.id, scores.bm25])).toEqual([
      ['a', 3],
      ['b', 2],
    ])
  })
})

describe('a passage without a document id', () => {
  it.each(['', undefined, null])('counts as its own document: %j', (documentId) => {
    const entries = ['a', 'b'].map((id) => ({
      passage: { ...aPassage(id), documentId: documentId as string },
      score: 1,
    }))
    const { collected } = collect([{ kind: 'bm25', entries }])
    expect(collected.map(({ passage }) => passage.documentId)).toEqual(['a', 'b'])
  })

  it('is still compared by the ratio test: two such passages do not share a document', () => {
    const entries = [0.06, 0.055].map((score, at) => ({ passage: { ...aPassage(`${at}`), documentId: '' }, score }))
    const evidence = fuse([{ kind: 'bm25', entries }], { idfMass: 1, topK: 2 })
    expect(judge(twoTier(), measure('q', evidence, EMPTY_LEXICON)).reason).toBe('no_clear_winner')
  })
})

describe('a cosine out of range', () => {
  it.each([
    ['cosine', 57],
    ['cosine', -1.01],
  ] as const)('is dropped (%s of %d), and fails the retrieval when it is the only score', (kind, score) => {
    expect(collect([aRanking(kind, [score, 0.5, 0.5, 0.5, 0.5])])).toMatchObject({ dropped: 1 })
    expect(() => collect([aRanking(kind, [score])])).toThrow(
      expect.objectContaining({ code: 'retriever_bad_response' }),
    )
  })

  it('is accepted within the rounding of 32-bit floats', () => {
    for (const score of [1.0000001, 1 + 1e-6, -1 - 1e-6]) {
      expect(collect([aRanking('cosine', [score])])).toMatchObject({ dropped: 0 })
    }
  })
})

describe('rankBy', () => {
  const facts = { kinds: ['bm25'], dropped: 0, topK: 10 } as const

  it('sorts by one score, highest first, and puts chunks without it last', () => {
    const collected = [
      { passage: aPassage('none'), scores: { cosine: 1 } },
      { passage: aPassage('low'), scores: { bm25: -2 } },
      { passage: aPassage('high'), scores: { bm25: 7 } },
      { passage: aPassage('none either'), scores: {} },
      { passage: aPassage('zero'), scores: { bm25: 0 } },
    ]
    const { chunks } = rankBy('bm25', collected, facts)
    expect(chunks.map(({ id }) => id)).toEqual(['high', 'zero', 'low', 'none', 'none either'])
  })

  it('keeps the order of retrieval for equal scores', () => {
    const ids = Array.from({ length: 30 }, (_, at) => `chunk-${at}`)
    const collected = ids.map((id, at) => ({ passage: aPassage(id), scores: { bm25: at % 3 } }))
    const { chunks } = rankBy('bm25', collected, { ...facts, topK: 30 })
    const expected = [2, 1, 0].flatMap((score) => ids.filter((_, at) => at % 3 === score))
    expect(chunks.map(({ id }) => id)).toEqual(expected)
  })

  it('keeps at most topK chunks, and records the given kinds and number of dropped entries', () => {
    const { collected } = collect([aRanking('bm25', [1, 2, 3])])
    const evidence = rankBy('bm25', collected, { kinds: ['bm25', 'cosine'], dropped: 2, topK: 2 })
    expect(evidence.chunks.map(({ scores }) => scores.bm25)).toEqual([3, 2])
    expect(evidence).toMatchObject({ rankedBy: 'bm25', kinds: ['bm25', 'cosine'], dropped: 2 })
  })
})
