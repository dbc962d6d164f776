import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Outcome, strictest } from '../../../src/core/gates/finding.ts'

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

  it('does not depend on order, and never grows milder with another finding', () => {
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
