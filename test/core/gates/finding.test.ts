import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isCode, isOutcome, type Outcome, strictest } from '../../../src/core/gates/finding.ts'

describe('strictest', () => {
  it.each([
    [[], 'pass'],
    [['skip'], 'pass'],
    [['pass', 'skip'], 'pass'],
    [['skip', 'advise', 'pass'], 'advise'],
    [['advise', 'refuse', 'pass'], 'refuse'],
    [['refuse', 'advise'], 'refuse'],
  ] as const)('of %j is %s', (outcomes, verdict) => {
    expect(strictest(outcomes)).toBe(verdict)
  })

  it('does not depend on the order, and never becomes milder with another finding', () => {
    const outcome = fc.constantFrom<Outcome>('pass', 'advise', 'refuse', 'skip')
    const order = ['pass', 'advise', 'refuse']
    fc.assert(
      fc.property(fc.array(outcome), outcome, (outcomes, more) => {
        expect(strictest([...outcomes].reverse())).toBe(strictest(outcomes))
        expect(order.indexOf(strictest([...outcomes, more]))).toBeGreaterThanOrEqual(order.indexOf(strictest(outcomes)))
      }),
    )
  })
})

describe('isOutcome', () => {
  it.each([
    ['pass', true],
    ['advise', true],
    ['refuse', true],
    ['skip', true],
    ['', false],
    ['PASS', false],
    ['toString', false],
    [['pass'], false],
    [0, false],
    [null, false],
    [undefined, false],
  ])('returns for %j: %s', (value, expected) => {
    expect(isOutcome(value)).toBe(expected)
  })
})

describe('isCode', () => {
  it.each([
    ['confidence_low', true],
    ['A-Z.a/z:9', true],
    ['', false],
    ['two words', false],
    ['two\nlines', false],
    ['(low', false],
    ['low)', false],
    ['öfter', false],
  ])('returns for %j: %s', (value, expected) => {
    expect(isCode(value)).toBe(expected)
  })
})
