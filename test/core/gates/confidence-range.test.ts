import { states } from '../../../src/core/signals/states.ts'
import { askGate } from '../../fixtures/policy.ts'
import type { GateFinding } from '../../../src/core/gates/gate.ts'
import { describe, expect, it } from 'vitest'
import { confidenceRange, confidenceRangeGate } from '../../../src/core/gates/confidence-range.ts'
import { curves } from '../../../src/core/signals/score-curves.ts'
import type { Signals } from '../../../src/core/signals/measure.ts'
import { signalsOf } from '../../fixtures/evidence.ts'

const check = (confidence: number, refuseBelow = 0.5, adviseBelow = 0.7): GateFinding =>
  askGate(confidenceRange({ refuseBelow, adviseBelow }), { signals: signalsOf(), confidence })

describe('confidenceRange', () => {
  it.each([
    [0, 'refuse', 'confidence_low'],
    [0.4999, 'refuse', 'confidence_low'],
    [0.5 - 2e-9, 'refuse', 'confidence_low'],
    [0.5 - 5e-10, 'advise', 'confidence_moderate'],
    [0.5, 'advise', 'confidence_moderate'],
    [0.7 - 2e-9, 'advise', 'confidence_moderate'],
    [0.7 - 5e-10, 'pass', 'passed'],
    [0.7, 'pass', 'passed'],
    [1, 'pass', 'passed'],
    [NaN, 'refuse', 'confidence_unavailable'],
    [Infinity, 'refuse', 'confidence_unavailable'],
    [-Infinity, 'refuse', 'confidence_unavailable'],
  ])('judges a confidence of %d as %s (%s)', (confidence, outcome, code) => {
    expect(check(confidence)).toMatchObject({ outcome, code })
  })

  it('never advises when both thresholds are equal', () => {
    expect(check(0.5, 0.5, 0.5).outcome).toBe('pass')
    expect(check(0.49, 0.5, 0.5).outcome).toBe('refuse')
  })

  it('reports the measured value and the threshold', () => {
    expect(check(0.25)).toEqual({
      outcome: 'refuse',
      code: 'confidence_low',
      message: 'Confidence (0.2500) below threshold (0.5)',
      actual: 0.25,
      threshold: 0.5,
    })
    expect(check(0.6)).toMatchObject({
      message: 'Confidence (0.6000) below threshold (0.7)',
      actual: 0.6,
      threshold: 0.7,
    })
    expect(check(0.9)).toMatchObject({
      message: 'Confidence (0.9000) meets threshold (0.7)',
      actual: 0.9,
      threshold: 0.7,
    })
  })

  it('shows a confidence that meets its threshold by rounding alone as meeting it, and one below as below', () => {
    const shown = (confidence: number): string => check(confidence, 0.5, 0.85).message
    // .2 · .145, the weight of a signal, is slightly below .029.
    expect(check(0.2 * 0.145, 0.029).message).toBe('Confidence (0.0290) below threshold (0.7)')
    expect(shown(0.85 - 1e-12)).toBe('Confidence (0.8500) meets threshold (0.85)')
    expect(shown(0.85 - 5e-10)).toBe('Confidence (0.8500) meets threshold (0.85)')
    // Calibrated thresholds have four decimals.
    expect(check(0.81239, 0.5, 0.8123).message).toBe('Confidence (0.8123) meets threshold (0.8123)')
    expect(check(0.81229, 0.5, 0.8123).message).toBe('Confidence (0.8122) below threshold (0.8123)')
    expect(shown(0.85 - 2e-9)).toBe('Confidence (0.8499) below threshold (0.85)')
  })

  it("skips graded chunks only with whereGraded: 'skipped'", () => {
    const graded = signalsOf({ curves: { grade: { scores: [0], topPairSharesDocument: false } } })
    const asked = (whereGraded: 'skipped' | undefined, signals: Signals) =>
      askGate(confidenceRange({ refuseBelow: 0.5, adviseBelow: 0.7, ...(whereGraded && { whereGraded }) }), {
        signals,
        confidence: 0.2,
      })
    expect(asked('skipped', graded)).toMatchObject({ outcome: 'skip', code: 'graded_already' })
    expect(asked('skipped', { chunkCount: 1, droppedCount: 0 })).toMatchObject({ code: 'confidence_low' })
    const read = (whereGraded?: 'skipped') =>
      confidenceRangeGate.reads?.({
        gate: 'confidence-range',
        refuseBelow: 0,
        adviseBelow: 0,
        ...(whereGraded && { whereGraded }),
      })
    expect([read('skipped'), read()]).toEqual([[states, curves], [states]])
    expect(asked('skipped', signalsOf())).toMatchObject({ outcome: 'refuse', code: 'confidence_low' })
    expect(asked(undefined, graded)).toMatchObject({ outcome: 'refuse', code: 'confidence_low' })
    expect(() =>
      confidenceRange({ refuseBelow: 0.5, adviseBelow: 0.7, whereGraded: 'asked' as unknown as 'skipped' }),
    ).toThrow('whereGraded must be one of skipped')
  })

  it('advises instead of passing when the question contains a statement beside what it asks', () => {
    const gate = confidenceRange({ refuseBelow: 0.5, adviseBelow: 0.7 })
    const asked = (confidence: number, signal?: boolean): unknown =>
      askGate(gate, { confidence, signals: signalsOf(signal === undefined ? {} : { states: signal }) })
    expect(asked(0.9, true)).toMatchObject({
      outcome: 'advise',
      code: 'confidence_moderate',
      message: 'Confidence (0.9000) meets threshold (0.7), beside a statement',
    })
    expect(asked(0.6, true)).toMatchObject({ outcome: 'advise', threshold: 0.7 })
    expect(asked(0.4, true)).toMatchObject({ outcome: 'refuse', code: 'confidence_low', threshold: 0.5 })
    expect(asked(0.9, false)).toMatchObject({ outcome: 'pass', message: 'Confidence (0.9000) meets threshold (0.7)' })
    expect(asked(0.9)).toMatchObject({ outcome: 'pass' })
  })

  it('reports a missing confidence', () => {
    expect(check(NaN).message).toBe('The evidence could not be judged')
  })

  it('names the fault when refuseBelow is above adviseBelow', () => {
    expect(() => confidenceRange({ refuseBelow: 0.7, adviseBelow: 0.5 })).toThrow(
      'adviseBelow must not be under refuseBelow',
    )
  })

  it.each([
    [{ refuseBelow: -0.1, adviseBelow: 0.7 }, 'refuseBelow'],
    [{ refuseBelow: NaN, adviseBelow: 0.7 }, 'refuseBelow'],
    [{ refuseBelow: 0.5, adviseBelow: 1.01 }, 'adviseBelow'],
    [{ refuseBelow: 0.7, adviseBelow: 0.5 }, 'adviseBelow'],
    [{ refuseBelow: '0.5' as unknown as number, adviseBelow: 0.7 }, 'refuseBelow'],
    [{ refuseBelow: 0.5 } as { refuseBelow: number; adviseBelow: number }, 'adviseBelow'],
  ])('rejects the options %j', (options, param) => {
    expect(() => confidenceRange(options)).toThrow(expect.objectContaining({ code: 'policy_invalid', param }))
  })

  it('freezes its settings', () => {
    expect(Object.isFrozen(confidenceRange({ refuseBelow: 0.1, adviseBelow: 0.2 }))).toBe(true)
  })
})
