import { describe, expect, it } from 'vitest'
import { COSINE_TOLERANCE, meets, RATIO_TOLERANCE } from '../../../src/core/lib/numbers.ts'
import { requireWithin } from '../../../src/core/gates/gate.ts'
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

describe('requireWithin', () => {
  it('takes both bounds', () => {
    expect(() => requireWithin('x', 0, 0, 1)).not.toThrow()
    expect(() => requireWithin('x', 1, 0, 1)).not.toThrow()
  })

  it.each([-0.001, 1.001, NaN, Infinity, '0.5', null, undefined, true, [0.5]])(
    'refuses %j and names the setting',
    (value) => {
      const fault = expect.objectContaining({ code: 'policy_invalid', param: 'refuseBelow' })
      expect(() => requireWithin('refuseBelow', value as number, 0, 1)).toThrow(fault)
    },
  )

  it('says what it takes', () => {
    expect(() => requireWithin('minRatio', -1, 0, 9)).toThrow('minRatio must be a number from 0 to 9')
  })
})

describe('the gates', () => {
  it('judge the evidence before the model call, and the answer after it', () => {
    expect(Object.fromEntries(Object.values(GATES).map(({ name, stage }) => [name, stage]))).toEqual({
      'advisory-confidence': 'post-generation',
      'confidence-range': 'pre-generation',
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
