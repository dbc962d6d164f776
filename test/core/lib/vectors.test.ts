import { expect, test } from 'vitest'
import { cosine, dot } from '../../../src/core/lib/vectors.ts'

test.each<[readonly number[], readonly number[], number]>([
  [[1, 0], [1, 0], 1],
  [[2, 0], [0, 3], 0],
  [[1, 1], [-2, -2], -1],
  [[3, 4], [4, 3], 0.96],
  [[1, 2], [1], Number.NaN],
  [[0, 0], [1, 1], Number.NaN],
  [[Number.NaN, 1], [1, 1], Number.NaN],
])('the cosine of %j and %j is %s, in either order', (a, b, expected) => {
  for (const found of [cosine(a, b), cosine(b, a)]) {
    if (Number.isNaN(expected)) expect(found).toBeNaN()
    else expect(found).toBeCloseTo(expected, 12)
  }
})

test('the inner product of vectors of length 1 is their cosine', () => {
  expect(dot([0.6, 0.8], [0.8, 0.6])).toBeCloseTo(cosine([0.6, 0.8], [0.8, 0.6]), 12)
})
