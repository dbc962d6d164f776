import { describe, expect, it } from 'vitest'
import { rankingsOfMode, SEARCH_MODES } from '../../../src/core/evidence/search-mode.ts'
import { aRanking } from '../../fixtures/evidence.ts'

const DENSE = aRanking('cosine', [0.9])
const SPARSE = aRanking('bm25', [9])
const FUSED = aRanking('rrf', [0.03])

describe('rankingsOfMode', () => {
  it.each([
    ['dense', [DENSE]],
    ['sparse', [SPARSE]],
    ['hybrid', [DENSE, FUSED, SPARSE]],
  ] as const)('%s takes the rankings of its method', (mode, expected) => {
    expect(rankingsOfMode([DENSE, FUSED, SPARSE], mode)).toEqual(expected)
  })

  it.each([
    ['dense', SPARSE],
    ['sparse', DENSE],
  ] as const)('%s is an error where the retriever has no such ranking, not another search', (mode, only) => {
    expect(() => rankingsOfMode([only, FUSED], mode)).toThrow(
      expect.objectContaining({
        code: 'search_mode',
        param: 'search_mode',
        message: `This collection is not searched by the ${mode} method alone`,
      }),
    )
  })

  it('keeps a method that found nothing: it was asked', () => {
    expect(rankingsOfMode([aRanking('bm25', []), DENSE], 'sparse')).toEqual([aRanking('bm25', [])])
    expect(rankingsOfMode([], 'hybrid')).toEqual([])
  })
})

it('has three modes', () => {
  expect(SEARCH_MODES).toEqual(['dense', 'sparse', 'hybrid'])
})
