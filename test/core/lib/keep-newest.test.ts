import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keepNewest } from '../../../src/core/lib/keep-newest.ts'
import { examples } from '../../properties.ts'

describe('keepNewest', () => {
  it('keeps the newest keys, each with its last value, oldest first', () => {
    const kept = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat()), { maxLength: 30 })
    fc.assert(
      fc.property(kept, fc.integer({ min: 1, max: 6 }), (all, room) => {
        const map = new Map<string, number>()
        for (const [key, value] of all) keepNewest(map, key, value, room)
        const last = all.filter(([key], at) => all.findLastIndex(([other]) => other === key) === at)
        expect([...map]).toEqual(last.slice(-room))
      }),
      { numRuns: examples(200) },
    )
  })

  it('removes the oldest entries of a map that already holds too many', () => {
    const map = new Map([1, 2, 3, 4].map((value) => [String(value), value]))
    keepNewest(map, '2', 5, 2)
    expect([...map]).toEqual([
      ['4', 4],
      ['2', 5],
    ])
  })
})
