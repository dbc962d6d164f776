import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixedHalfEven, floored, percent, roundHalfEven } from '../../../src/core/lib/rounding.ts'

/** A whole number divided by a power of two, rounded with whole numbers alone. */
function reference(whole: number, halvings: number, digits: number): string {
  const scaled = BigInt(Math.abs(whole)) * 10n ** BigInt(digits)
  const divisor = 2n ** BigInt(halvings)
  const [below, twiceRest] = [scaled / divisor, (scaled % divisor) * 2n]
  const isUp = twiceRest > divisor || (twiceRest === divisor && below % 2n === 1n)
  const figures = String(isUp ? below + 1n : below).padStart(digits + 1, '0')
  const [integer, decimals] = [figures.slice(0, figures.length - digits), figures.slice(figures.length - digits)]
  return `${whole < 0 ? '-' : ''}${integer}${digits > 0 ? '.' : ''}${decimals}`
}

describe('fixedHalfEven', () => {
  it.each([
    // Ties, which go to the even digit.
    [0.5, 0, '0'],
    [1.5, 0, '2'],
    [2.5, 0, '2'],
    [-0.5, 0, '-0'],
    [0.125, 2, '0.12'],
    [0.375, 2, '0.38'],
    [0.03125, 4, '0.0312'],
    [1e15 + 0.5, 0, '1000000000000000'],
    // No ties: the binary value lies beside what was written.
    [1.005, 2, '1.00'],
    [0.145, 2, '0.14'],
    [2.675, 2, '2.67'],
    [0.35, 1, '0.3'],
    [0.45, 1, '0.5'],
    [0.5 + 2 ** -52, 0, '1'],
    // No decimals to look at.
    [1e21, 2, '1e+21'],
    [NaN, 2, 'NaN'],
    [-Infinity, 2, '-Infinity'],
  ])('writes %d with %d decimals as %s', (value, digits, written) => {
    expect(fixedHalfEven(value, digits)).toBe(written)
  })

  it('agrees with integer arithmetic, near ties and far from them', () => {
    const wholes = fc.oneof(fc.integer({ min: -4000, max: 4000 }), fc.integer({ min: -(2 ** 40), max: 2 ** 40 }))
    fc.assert(
      fc.property(wholes, fc.nat({ max: 12 }), fc.nat({ max: 6 }), (whole, halvings, digits) => {
        expect(fixedHalfEven(whole / 2 ** halvings, digits)).toBe(reference(whole, halvings, digits))
      }),
    )
  })
})

describe('roundHalfEven', () => {
  it('returns the same as a number', () => {
    expect([0.00005, 0.00015, 0.03125, 7].map((value) => roundHalfEven(value, 4))).toEqual([0.0001, 0.0001, 0.0312, 7])
  })
})

describe('percent', () => {
  it.each([
    [0.35, '35.0%'],
    [1, '100.0%'],
    [0.0625, '6.2%'],
    [0.1875, '18.8%'],
    [2 / 3, '66.7%'],
    [NaN, 'NaN%'],
  ])('writes a share of %d as %s', (share, written) => {
    expect(percent(share)).toBe(written)
  })
})

describe('floored', () => {
  it.each([
    [0.699, '0.69'],
    [0.7, '0.70'],
    // 57.99999999999999 hundredths.
    [0.58, '0.58'],
    [-0.011, '-0.02'],
    [12, '12.00'],
    [NaN, '0.00'],
    [Infinity, '0.00'],
  ])('of %d is %s', (value, shown) => {
    expect(floored(value)).toBe(shown)
  })
})
