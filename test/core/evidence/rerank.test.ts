import { describe, expect, test } from 'vitest'
import { reranked } from '../../../src/core/evidence/rerank.ts'
import { evidenceOf } from '../../fixtures/evidence.ts'

const EVIDENCE = evidenceOf(['a', 'b', 'c'])

describe('reranked evidence', () => {
  test('is ordered by the new scores and keeps the old ones', () => {
    const evidence = reranked(EVIDENCE, 'grade', [0, 3, 2])
    expect(evidence).toMatchObject({ rankedBy: 'grade', kinds: ['bm25', 'cosine', 'grade'] })
    expect(evidence.chunks.map(({ text, scores }) => [text, scores])).toEqual([
      ['b', { convex: 0.5, grade: 3 }],
      ['c', { convex: 0.5, grade: 2 }],
      ['a', { convex: 0.5, grade: 0 }],
    ])
  })

  test('keeps the order of retrieval for equal scores', () => {
    expect(reranked(EVIDENCE, 'cross-encoder', [0.5, 0.5, 0.9]).chunks.map(({ text }) => text)).toEqual(['c', 'a', 'b'])
  })

  test.each([
    ['too few', 'grade', [1, 2]],
    ['too many', 'grade', [1, 2, 3, 3]],
    ['a grade over 3', 'grade', [1, 2, 4]],
    ['a grade below 0', 'grade', [1, 2, -1]],
    ['NaN', 'grade', [1, 2, Number.NaN]],
    ['null', 'grade', [1, 2, null as unknown as number]],
    ['a text', 'grade', [1, 2, '3' as unknown as number]],
    ['a list with a hole', 'grade', Object.assign(Array(3) as number[], { 0: 1, 2: 2 })],
    ['no list', 'grade', '123' as unknown as number[]],
    ['a cross-encoder score over 1', 'cross-encoder', [0.1, 0.2, 1.1]],
  ] as const)('is not made from %s', (_name, kind, scores) => {
    expect(() => reranked(EVIDENCE, kind, scores)).toThrow(
      expect.objectContaining({
        code: 'reranker_bad_response',
        message: 'The reranker gave no usable score for some passages',
      }),
    )
  })
})
