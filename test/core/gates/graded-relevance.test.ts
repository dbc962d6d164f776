import { askGate } from '../../fixtures/policy.ts'
import type { GateFinding } from '../../../src/core/gates/gate.ts'
import { describe, expect, it } from 'vitest'
import { gradedRelevance, type GradedRelevanceOptions } from '../../../src/core/gates/graded-relevance.ts'
import { aCurve, signalsOf } from '../../fixtures/evidence.ts'

function check(grades: readonly number[], options: GradedRelevanceOptions = {}): GateFinding {
  const signals = signalsOf({ curves: { grade: aCurve(...grades), bm25: aCurve(99, 1) } })
  return askGate(gradedRelevance(options), { signals, confidence: 1 })
}

describe('gradedRelevance', () => {
  it.each([
    [[3, 1], {}, 'pass', 'passed'],
    [[2], {}, 'pass', 'passed'],
    [[2 - 5e-10], {}, 'pass', 'passed'],
    [[2 - 2e-9], {}, 'refuse', 'relevance_low'],
    [[1.999999], {}, 'refuse', 'relevance_low'],
    [[0, 0], {}, 'refuse', 'relevance_low'],
    [[NaN], {}, 'refuse', 'relevance_low'],
    [[3, 2, 1], { minChunks: 2 }, 'pass', 'passed'],
    [[3, 2, 1], { minChunks: 3 }, 'refuse', 'relevant_chunks_few'],
    [[3], { minChunks: 2 }, 'refuse', 'relevant_chunks_few'],
    [[1, 1], { minChunks: 3 }, 'refuse', 'relevance_low'],
    [[1, 1], { relevanceThreshold: 1, minChunks: 2 }, 'pass', 'passed'],
    [[0], { relevanceThreshold: 0 }, 'pass', 'passed'],
    [[3, NaN], { minChunks: 2 }, 'refuse', 'relevant_chunks_few'],
  ])('judges grades %j with options %j as %s (%s)', (grades, options, outcome, code) => {
    expect(check(grades, options)).toMatchObject({ outcome, code })
  })

  it('skips when no reranker graded, whether it is off or failed', () => {
    const signals = signalsOf({ curves: { bm25: aCurve(99, 1) } })
    expect(askGate(gradedRelevance(), { signals, confidence: 1 })).toMatchObject({
      outcome: 'skip',
      code: 'not_graded',
      message: 'No chunk was graded by a reranker',
    })
    const without = { chunkCount: 1, droppedCount: 0 }
    expect(askGate(gradedRelevance(), { signals: without, confidence: 1 }).code).toBe('not_graded')
  })

  it('refuses, and does not skip, when the reranker graded every chunk irrelevant', () => {
    expect(check([0])).toMatchObject({ outcome: 'refuse', actual: 0, threshold: 2 })
  })

  it('gives its reason in the words of reference document 000 (R019)', () => {
    expect(check([0, 0]).message).toBe('Top chunk relevance score (0) below threshold (2)')
    expect(check([3, 1]).message).toBe('Chunks above threshold (2): 1')
    expect(check([3], { minChunks: 2 })).toMatchObject({
      message: 'Chunks above threshold (2): 1 below required (2)',
      actual: 1,
      threshold: 2,
    })
  })

  it('rejects an unknown option', () => {
    expect(() => gradedRelevance({ other: 1 } as never)).toThrow(
      expect.objectContaining({ code: 'policy_invalid', param: 'other' }),
    )
  })

  it('rejects a fraction as minChunks', () => {
    expect(() => gradedRelevance({ minChunks: 1.5 })).toThrow('minChunks must be a whole number')
  })

  it.each([
    [{ relevanceThreshold: -1 }, 'relevanceThreshold'],
    [{ relevanceThreshold: 3.1 }, 'relevanceThreshold'],
    [{ relevanceThreshold: NaN }, 'relevanceThreshold'],
    [{ minChunks: -1 }, 'minChunks'],
    [{ minChunks: 21 }, 'minChunks'],
    [{ minChunks: 1.5 }, 'minChunks'],
    [{ minChunks: '2' as unknown as number }, 'minChunks'],
  ])('rejects the options %j', (options, param) => {
    expect(() => gradedRelevance(options)).toThrow(expect.objectContaining({ code: 'policy_invalid', param }))
  })
})
