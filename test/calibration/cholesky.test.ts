import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { solve } from '../../packages/calibration/src/cholesky.ts'

const number = fc.integer({ min: -9, max: 9 })

it.each<[string, number[][], number[], number[]]>([
  ['one equation', [[4]], [2], [0.5]],
  // 4x + 2y = 10, 2x + 3y = 11.
  ['two', [[4], [2, 3]], [10, 11], [1, 3]],
  // [[4, 2, 1], [2, 5, 3], [1, 3, 6]] · [1, −1, 2].
  ['three', [[4], [2, 5], [1, 3, 6]], [4, 3, 10], [1, -1, 2]],
])('solves %s, given by the lower triangle', (_, lower, right, expected) => {
  expect(solve(lower, right)).toEqual(expected.map((value) => expect.closeTo(value, 12)))
})

it('solves any symmetric positive definite system, and changes neither side', () => {
  const system = fc.integer({ min: 1, max: 5 }).chain((size) => {
    const row = fc.array(number, { minLength: size, maxLength: size })
    return fc.tuple(fc.array(row, { minLength: size, maxLength: size }), row)
  })
  fc.assert(
    fc.property(system, ([factor, expected]) => {
      // F · Fᵀ + 1 is positive definite.
      const matrix = factor.map((row, at) =>
        factor.map((other, column) => row.reduce((sum, x, k) => sum + x * other[k]!, at === column ? 1 : 0)),
      )
      const right = matrix.map((row) => row.reduce((sum, x, k) => sum + x * expected[k]!, 0))
      const before = JSON.stringify([matrix, right])
      expect(solve(matrix, right)).toEqual(expected.map((value) => expect.closeTo(value, 6)))
      expect(JSON.stringify([matrix, right])).toBe(before)
    }),
  )
})
