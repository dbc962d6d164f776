import { expect, it } from 'vitest'
import { meanOf } from '../../../src/core/lib/statistics.ts'

it.each([
  [[1, 2, 6], 3],
  [[-4], -4],
  [[], 0],
  [[Number.MAX_VALUE, Number.MAX_VALUE], Number.MAX_VALUE],
  [[Number.MAX_VALUE, Number.MAX_VALUE, -Number.MAX_VALUE, -Number.MAX_VALUE], 0],
])('the mean of %j is %d', (values, mean) => {
  expect(meanOf(values)).toBe(mean)
})
