import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DimensionTable } from '../../../packages/vector-index/src/search/dimension-table.ts'
import { PostingLists } from '../../../packages/vector-index/src/search/posting-lists.ts'

const int32 = fc.oneof(
  fc.integer(),
  fc.integer({ min: -3, max: 3 }),
  // Multiples of a power of two would all meet in one cell of a table that takes the low bits.
  fc.integer({ min: -64, max: 63 }).map((factor) => factor * 2 ** 25),
)

describe('a dimension table', () => {
  test('numbers dimensions as they come, and knows no others', () => {
    fc.assert(
      fc.property(fc.uniqueArray(int32, { maxLength: 300 }), fc.array(int32), (dimensions, others) => {
        const table = new DimensionTable()
        dimensions.forEach((dimension, at) => expect(table.take(dimension)).toBe(at))
        dimensions.forEach((dimension, at) => expect(table.take(dimension)).toBe(at))
        for (const other of others) expect(table.find(other)).toBe(dimensions.indexOf(other))
        expect([...table.dimensions()]).toEqual(dimensions)
        expect(table.size).toBe(dimensions.length)
      }),
    )
  })
})

describe('posting lists', () => {
  const liveOf = (lists: PostingLists, dimension: number): (readonly [number, number])[] => {
    const list = lists.list(dimension)
    if (list === undefined) return []
    const found: [number, number][] = []
    for (let at = list.from; at < list.to; at++) {
      if (list.slots[at]! >= 0) found.push([list.slots[at]!, list.values[at]!])
    }
    return found
  }

  test('keep the slots of a dimension in order, whatever the order of writing', () => {
    const lists = new PostingLists()
    for (const slot of [5, 1, 3, 0, 9]) lists.add(7, slot, slot / 2)
    lists.remove(7, 3)
    lists.remove(7, 3)
    lists.remove(7, 4)
    expect(liveOf(lists, 7)).toEqual([
      [0, 0],
      [1, 0.5],
      [5, 2.5],
      [9, 4.5],
    ])
    expect(lists.count(7)).toBe(4)
    lists.add(7, 3, 11)
    expect(liveOf(lists, 7)[2]).toEqual([3, 11])
    expect(lists.count(8)).toBe(0)
  })

  test('give back the room of what was deleted', () => {
    const lists = new PostingLists()
    for (let dimension = 0; dimension < 500; dimension++) {
      for (let slot = 0; slot < 100; slot++) lists.add(dimension, slot, 1)
    }
    const full = lists.byteLength
    for (let dimension = 0; dimension < 500; dimension++) {
      for (let slot = 0; slot < 100; slot++) if (slot !== 50) lists.remove(dimension, slot)
    }
    expect(lists.byteLength).toBeLessThan(full / 3)
    for (let dimension = 0; dimension < 500; dimension++) expect(liveOf(lists, dimension)).toEqual([[50, 1]])
  })

  test('do not grow with rows replaced again and again by others', () => {
    const lists = new PostingLists()
    const replace = (round: number): void => {
      for (let at = 0; at < 1000; at++) {
        if (round > 0) lists.remove((round - 1) * 1000 + at, at)
        lists.add(round * 1000 + at, at, 1)
      }
    }
    for (let round = 0; round < 10; round++) replace(round)
    const after = lists.byteLength
    for (let round = 10; round < 100; round++) replace(round)
    expect(lists.byteLength).toBeLessThanOrEqual(after)
  })

  test('take a few bytes an entry', () => {
    const lists = new PostingLists()
    for (let slot = 0; slot < 2000; slot++) {
      for (let at = 0; at < 50; at++) lists.add((slot * 31 + at * at * 17) % 5000, slot, 1)
    }
    expect(lists.byteLength / (2000 * 50)).toBeLessThan(20)
  })
})
