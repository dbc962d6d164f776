import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { BoundedTop, falling } from '../../../packages/vector-index/src/search/best.ts'

test('the best rows equal those of a full sort, with ties in insertion order', () => {
  const scores = fc.array(fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ noNaN: true })), { maxLength: 200 })
  fc.assert(
    fc.property(scores, fc.integer({ min: 0, max: 50 }), (given, k) => {
      const best = new BoundedTop(k)
      given.forEach((score, position) => best.offer(position, score))
      const sorted = given
        .map((score, position) => ({ position, score }))
        .sort((a, b) => b.score - a.score || a.position - b.position)
      expect(best.sorted()).toEqual(sorted.slice(0, k))
      const least = k === 0 ? Infinity : given.length < k ? -Infinity : sorted[k - 1]!.score
      expect(best.least).toBe(least)
    }),
  )
})

test('NaN is never kept as a score', () => {
  const best = new BoundedTop(2)
  best.offer(0, Number.NaN)
  best.offer(1, -1)
  expect(best.sorted()).toEqual([{ position: 1, score: -1 }])
})

test('scores never rise along the list', () => {
  const ranked = [0, 1, 2].map((position) => ({ position, score: 0 }))
  expect(falling(ranked, (position) => [0.5, 0.75, 0.25][position]!).map(({ score }) => score)).toEqual([
    0.5, 0.5, 0.25,
  ])
})

test('a row is told whether it is one of the best', () => {
  const best = new BoundedTop(2)
  const offered = [
    [3, 0.5],
    [4, 0.5],
    [5, 0.5],
    [2, 0.5],
    [9, 0.4],
    [9, 0.6],
    [9, Number.NaN],
  ] as const
  expect(offered.map(([position, score]) => best.offer(position, score))).toEqual([
    true,
    true,
    false,
    true,
    false,
    true,
    false,
  ])
  expect(best.sorted().map(({ position }) => position)).toEqual([9, 2])
  expect(new BoundedTop(0).offer(0, Infinity)).toBe(false)
})
