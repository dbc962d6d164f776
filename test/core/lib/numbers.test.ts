import { describe, expect, it } from 'vitest'
import {
  clamp01,
  COSINE_TOLERANCE,
  finite,
  meets,
  RATIO_TOLERANCE,
  recordedFlag,
  recordedNumber,
} from '../../../src/core/lib/numbers.ts'

describe('clamp01', () => {
  it.each([
    [0.3, 0.3],
    [0, 0],
    [1, 1],
    [1.2, 1],
    [Infinity, 1],
    [-0.2, 0],
    [-0, 0],
    [NaN, 0],
  ])('of %d is %d', (x, expected) => {
    expect(clamp01(x)).toBe(expected)
  })
})

describe('finite', () => {
  it.each([
    [0.3, 0.3],
    [-0, 0],
    [NaN, undefined],
    [-Infinity, undefined],
    [undefined, undefined],
  ])('of %s is %s', (score, expected) => {
    expect(finite(score)).toBe(expected)
  })
})

describe('recordedNumber and recordedFlag', () => {
  it.each([[0.3], [0], [-1e9]])('return the number %d', (value) => {
    expect(recordedNumber(value)).toBe(value)
  })

  it.each([null, undefined, '0.9', '', true, [0.9], {}, 1n, NaN, Infinity])('return NaN for %s', (value) => {
    expect(recordedNumber(value)).toBeNaN()
  })

  it('return true only for true', () => {
    expect([true, false, 'true', 1, null, undefined].map(recordedFlag)).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ])
  })
})

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
  ])('returns whether %j meets %d: %s', (value, threshold, expected) => {
    expect(meets(value, threshold, RATIO_TOLERANCE)).toBe(expected)
  })

  it('accepts a value that is lower by exactly the tolerance', () => {
    expect(meets(0.25, 0.5, 0.25)).toBe(true)
  })

  it('uses the tolerances that the profiles document', () => {
    expect([RATIO_TOLERANCE, COSINE_TOLERANCE]).toEqual([1e-9, 1e-6])
  })
})
