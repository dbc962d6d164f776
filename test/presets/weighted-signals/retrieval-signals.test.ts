import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Passage, ScoreKind, Scores } from '../../../src/core/evidence/chunk.ts'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import {
  recordsRetrieval,
  type RetrievalSignals,
} from '../../../packages/presets/src/weighted-signals/retrieval-signals.ts'
import { twoTier } from '../../../packages/presets/src/two-tier/two-tier.ts'
import { weightedSignals } from '../../../packages/presets/src/weighted-signals/weighted-signals.ts'
import { consensusCount } from '../../../packages/presets/src/weighted-signals/consensus.ts'
import { scoredEvidence } from '../../fixtures/evidence.ts'
import { measure } from '../../fixtures/english.ts'

type Given = Partial<Passage> & { readonly scores: Scores }

const measured = (...chunks: Given[]): RetrievalSignals =>
  measure('engine', scoredEvidence(chunks), EMPTY_LEXICON).retrieval
const of = (kind: ScoreKind, ...scores: number[]): Given[] => scores.map((score) => ({ scores: { [kind]: score } }))
const both = (a: ScoreKind, b: ScoreKind, ...pairs: [number, number][]): Given[] =>
  pairs.map(([x, y]) => ({ scores: { [a]: x, [b]: y } }))

describe('top score, gap and spread', () => {
  it.each<[number[], number, number, number]>([
    [[], 0, 0, 0],
    [[0.7], 0.7, 0, 0],
    [[0.8, 0.6], 0.8, 0.2, 0.1],
    [[0.6, 0.8], 0.8, 0.2, 0.1],
    [[0.8, 0.8, 0.8], 0.8, 0, 0],
    [[-2, -3], -2, 1, 0.5],
    [[0, 0.5], 0.5, 0.5, 0.25],
  ])('of %j are %d, %d and %d', (scores, top, gap, spread) => {
    const signals = measured(...of('cross-encoder', ...scores))
    expect(signals.topScore).toBe(top)
    expect(signals.scoreGap).toBeCloseTo(gap, 12)
    expect(signals.scoreSpread).toBeCloseTo(spread, 12)
  })
})

describe('consensus', () => {
  it('counts scores at or above the threshold', () => {
    const { scores } = measured(...of('cross-encoder', 0.75, 0.9, 0.7499999))
    expect(scores).toEqual([0.9, 0.75, 0.7499999])
    expect([0.5, 0.75, 0.8, 0.95].map((from) => consensusCount(scores, from))).toEqual([3, 2, 1, 0])
  })
})

describe('agreement of BM25 and cosine', () => {
  it.each<[string, Given[], number, boolean]>([
    ['both rising', both('bm25', 'cosine', [9, 0.9], [5, 0.5], [1, 0.1]), 1, true],
    ['one falling', both('bm25', 'cosine', [3, 0.3], [2, 0.4]), 0, true],
    ['nothing in common', both('bm25', 'cosine', [1, 1], [1, -1], [-1, 1], [-1, -1]), 0.5, true],
    ['zeros, which are scores', both('bm25', 'cosine', [0, 0], [1, 0.5]), 1, true],
    ['a constant method', both('bm25', 'cosine', [1, 0.5], [1, 0.6]), 0.5, false],
    ['one pair', [...both('bm25', 'cosine', [1, 0.5]), ...of('bm25', 3)], 0.5, false],
    ['no sparse scores', of('cosine', 0.9, 0.5), 0.5, false],
    ['no chunks', [], 0, false],
  ])('is computed with %s', (_, chunks, agreement, comparable) => {
    const signals = measured(...chunks)
    expect(signals.bm25DenseAgreement).toBeCloseTo(agreement, 12)
    expect(signals.bm25DenseComparable).toBe(comparable)
  })
})

describe('reranker impact', () => {
  it.each<[string, Given[], number]>([
    ['0 when the order is unchanged', both('cross-encoder', 'rrf', [0.9, 0.3], [0.5, 0.2], [0.3, 0.1]), 0],
    ['2 when the order is reversed', both('cross-encoder', 'rrf', [0.9, 0.4], [0.5, 0.7], [0.3, 0.9]), 2],
    ['a half when ρ is .5', both('cross-encoder', 'rrf', [0.92, 0.026], [0.55, 0.023], [0.96, 0.024]), 0.5],
    [
      'computed over chunks with both scores',
      [
        ...of('rrf', 9),
        ...of('cross-encoder', 0.1, 0.6, 1),
        ...both('cross-encoder', 'rrf', [0.9, 0.4], [0.5, 0.7], [0.3, 0.9]),
      ],
      2,
    ],
    ['computed for grades over the convex mix', both('grade', 'convex', [3, 0.1], [0, 0.9]), 2],
    ['0 without a reranker', of('rrf', 0.3, 0.2), 0],
    ['0 without fusion', of('cross-encoder', 0.3, 0.2), 0],
    ['0 when all fused scores are equal', both('cross-encoder', 'rrf', [0.8, 0.02], [0.7, 0.02]), 0],
    ['0 for one pair', both('cross-encoder', 'rrf', [0.8, 0.02]), 0],
  ])('is %s', (_, chunks, expected) => {
    expect(measured(...chunks).rerankerImpact).toBeCloseTo(expected, 12)
  })
})

describe('document diversity', () => {
  const from = (...ids: (string | undefined)[]): Given[] =>
    ids.map((documentId) => ({ documentId: documentId as string, scores: { convex: 0.5 } }))

  it.each<[string, (string | undefined)[], number, number]>([
    ['one document', ['a', 'a', 'a', 'a'], 1, 0.25],
    ['all different', ['a', 'b'], 2, 1],
    ['missing ids, each a document of its own', ['a', 'a', '', ''], 3, 0.75],
    ['undefined ids', ['a', undefined, undefined], 3, 1],
    ['no chunks', [], 0, 0],
  ])('is computed for %s', (_, ids, count, diversity) => {
    expect(measured(...from(...ids))).toMatchObject({ documentCount: count, documentDiversity: diversity })
  })

  it('counts sections, with all chunks without one as one section', () => {
    const chunks = ['s1', 's2', 's1'].map((section) => ({ section, scores: { convex: 0.5 } }))
    expect(measured(...chunks).sectionCount).toBe(2)
    expect(measured(...of('convex', 0.5, 0.4)).sectionCount).toBe(1)
    expect(measured({ section: '', scores: { convex: 0.5 } }, ...of('convex', 0.4)).sectionCount).toBe(1)
  })
})

describe('graph support', () => {
  it.each<[string, Given[], boolean, boolean]>([
    ['a chunk that was raised', [...of('graph-boost', 0, 0.1)], true, true],
    ['a graph that raised nothing', of('graph-boost', 0, 0), false, true],
    ['no graph', of('convex', 0.5), false, false],
    ['a chunk that was lowered', of('graph-boost', -0.1), false, true],
  ])('is detected with %s', (_, chunks, support, consulted) => {
    expect(measured(...chunks)).toMatchObject({ graphSupport: support, graphConsulted: consulted })
  })
})

describe('recordsRetrieval', () => {
  const names = (policy: ReturnType<typeof twoTier>) => policy.signals.map(({ name }) => name)

  it('adds the signals to those of a policy, once', () => {
    const own = { name: 'own', measure: () => 1 }
    const plain = twoTier()
    const recording = recordsRetrieval(plain)
    expect(names(plain)).not.toContain('retrieval')
    expect(new Set(names(recording))).toEqual(new Set([...names(plain), 'retrieval']))
    expect(recordsRetrieval(recording)).toBe(recording)
    expect(names(recordsRetrieval({ ...plain, records: [own] }))).toEqual(expect.arrayContaining(['own', 'retrieval']))
  })

  it('leaves a policy that measures them as it is', () => {
    const policy = weightedSignals()
    expect(recordsRetrieval(policy)).toBe(policy)
  })
})

describe('measureRetrieval', () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true })
  const KINDS: readonly ScoreKind[] = [
    'cross-encoder',
    'grade',
    'boosted',
    'rrf',
    'convex',
    'bm25',
    'cosine',
    'graph-boost',
  ]
  const chunk = fc.record({
    documentId: fc.constantFrom('a', 'b', 'c', ''),
    section: fc.constantFrom('s', 't'),
    scores: fc.dictionary(fc.constantFrom(...KINDS), fc.oneof(number, fc.constantFrom(0, 0.5, 0.75, 1))),
  })
  const chunks = fc.array(chunk, { maxLength: 12 }) as fc.Arbitrary<Given[]>

  it('contains only finite numbers and booleans', () => {
    fc.assert(
      fc.property(chunks, (given) => {
        for (const value of Object.values(measured(...given)).flat()) {
          expect(typeof value === 'boolean' || Number.isFinite(value)).toBe(true)
        }
      }),
    )
  })

  it('is the same for the same chunks in any order', () => {
    fc.assert(
      fc.property(chunks, (given) => {
        const there = measured(...given)
        expect(measured(...given)).toEqual(there)
        expect(measured(...[...given].reverse())).toEqual(there)
      }),
    )
  })
})
