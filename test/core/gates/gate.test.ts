import { describe, expect, it } from 'vitest'
import { COSINE_TOLERANCE, meets, RATIO_TOLERANCE } from '../../../src/core/lib/numbers.ts'
import { GATES } from '../../fixtures/policy.ts'

describe('meets', () => {
  it.each([
    [1.2, 1.2, true],
    [1.2 - 5e-10, 1.2, true],
    [1.2 - 2e-9, 1.2, false],
    [NaN, 0, false],
    [NaN, -1, false],
    // What JSON and D1 make of NaN: it must not count as 0.
    [null as unknown as number, -1, false],
    [null as unknown as number, 0, false],
    [undefined as unknown as number, -1, false],
    ['2' as unknown as number, 1, false],
  ])('says whether %j meets %d: %s', (value, threshold, expected) => {
    expect(meets(value, threshold, RATIO_TOLERANCE)).toBe(expected)
  })

  it('counts a value that is lower by exactly the tolerance', () => {
    expect(meets(0.25, 0.5, 0.25)).toBe(true)
  })

  it('has the tolerances that the profiles promise', () => {
    expect([RATIO_TOLERANCE, COSINE_TOLERANCE]).toEqual([1e-9, 1e-6])
  })
})

describe('the gates', () => {
  it('judge the evidence before the model call, and the answer after it', () => {
    expect(Object.fromEntries(Object.values(GATES).map(({ name, stage }) => [name, stage]))).toEqual({
      'advisory-confidence': 'post-generation',
      'confidence-range': 'pre-generation',
      'lone-term': 'pre-generation',
      'question-length': 'pre-generation',
      'readable-question': 'pre-generation',
      'run-together': 'pre-generation',
      'evidence-share': 'post-generation',
      'generation-confidence': 'post-generation',
      'graded-relevance': 'pre-generation',
      grounding: 'post-generation',
      'keyword-coverage': 'pre-generation',
      'min-top-cosine': 'pre-generation',
      'response-quality': 'post-generation',
      'retrieval-score': 'pre-generation',
    })
  })
})
