import { askGate } from '../../fixtures/policy.ts'
import type { GateFinding } from '../../../src/core/gates/gate.ts'
import { describe, expect, it } from 'vitest'
import { minTopCosine } from '../../../src/core/gates/min-top-cosine.ts'
import { aCurve, signalsOf } from '../../fixtures/evidence.ts'

const check = (scores: readonly number[], refuseBelow?: number): GateFinding =>
  askGate(minTopCosine(refuseBelow === undefined ? {} : { refuseBelow }), {
    signals: signalsOf({ curves: { cosine: aCurve(...scores) } }),
    confidence: 0,
  })

describe('minTopCosine', () => {
  it.each([
    [0.71, 'pass'],
    [0.7, 'pass'],
    // What 0.7 becomes in a 32-bit float.
    [Math.fround(0.7), 'pass'],
    [0.7 - 9e-7, 'pass'],
    [0.7 - 1.1e-6, 'refuse'],
    [0.62, 'refuse'],
    [0, 'refuse'],
    [-1, 'refuse'],
    [NaN, 'refuse'],
  ])('judges a best cosine of %d as %s', (score, outcome) => {
    expect(check([score]).outcome).toBe(outcome)
  })

  it('gives its reason in the words of reference document 002 (R094)', () => {
    expect(check([0.62, 0.6])).toEqual({
      outcome: 'refuse',
      code: 'similarity_low',
      message: 'Top-1 similarity (0.62) below threshold (0.7)',
      actual: 0.62,
      threshold: 0.7,
    })
  })

  it('reports similarity and threshold when it passes', () => {
    expect(check([0.8, 0.6])).toEqual({
      outcome: 'pass',
      code: 'passed',
      message: 'Top-1 similarity (0.80) meets threshold (0.7)',
      actual: 0.8,
      threshold: 0.7,
    })
  })

  it('shows a cosine that meets its threshold within its tolerance as meeting it', () => {
    expect(check([Math.fround(0.7)]).message).toBe('Top-1 similarity (0.70) meets threshold (0.7)')
    expect(check([0.7 - 9e-7]).message).toBe('Top-1 similarity (0.70) meets threshold (0.7)')
    expect(check([0.7 - 1.1e-6]).message).toBe('Top-1 similarity (0.69) below threshold (0.7)')
  })

  it('judges only the best chunk', () => {
    expect(check([0.8, -1, -1]).outcome).toBe('pass')
  })

  it('refuses when no chunk has a cosine, however good the other scores are', () => {
    const signals = signalsOf({ curves: { bm25: aCurve(99), convex: aCurve(1), grade: aCurve(3) } })
    expect(askGate(minTopCosine(), { signals, confidence: 1 })).toMatchObject({
      outcome: 'refuse',
      code: 'similarity_missing',
      message: 'No chunk carries a cosine similarity',
    })
  })

  it('accepts another threshold from −1 to 1', () => {
    expect(check([0.5], 0.5).outcome).toBe('pass')
    expect(check([-1], -1).outcome).toBe('pass')
    expect(check([0.99], 1).outcome).toBe('refuse')
  })

  it.each([-1.01, 1.01, NaN, Infinity, '0.7' as unknown as number, null as unknown as number])(
    'rejects the options %j',
    (refuseBelow) => {
      // A default takes the place of undefined alone, as in every option.
      const fault = expect.objectContaining({ code: 'policy_invalid', param: 'refuseBelow' })
      expect(() => minTopCosine({ refuseBelow })).toThrow(fault)
    },
  )
})
