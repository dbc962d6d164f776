import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { shortestFloat32, withinFloat32 } from '../../../packages/vector-index/src/search/float32.ts'

/** How many digits a number is printed with. */
const digits = (number: number): number => number.toExponential().replace(/e.*|[-.]/g, '').length

test.each([
  [0.1, '0.1'],
  [1 / 60 + 1 / 60, '0.033333335'],
  [1 / 3, '0.33333334'],
  [0.1 + 0.2, '0.3'],
  [16777217, '16777216'],
  [3.4028234663852886e38, '3.4028235e+38'],
  [1.401298464324817e-45, '1e-45'],
  [0, '0'],
  [-2.5, '-2.5'],
])('%s is printed as %s', (value, printed) => {
  expect(String(shortestFloat32(value))).toBe(printed)
})

test('a printed number parses to the same float32', () => {
  fc.assert(
    fc.property(fc.float({ noNaN: true }), (value) => {
      expect(Math.fround(Number(String(shortestFloat32(value))))).toBe(value === 0 ? 0 : value)
    }),
  )
})

test('a printed number is as short as possible', () => {
  fc.assert(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const printed = digits(shortestFloat32(value))
      for (let fewer = 1; fewer < printed; fewer++)
        expect(Math.fround(Number(value.toPrecision(fewer)))).not.toBe(value)
    }),
  )
})

test.each([
  [1e39, 3.4028234663852886e38],
  [-Infinity, -3.4028234663852886e38],
  [3.4028234663852886e38, 3.4028234663852886e38],
  [-0.5, -0.5],
])('%s within float32 is %s', (value, within) => {
  expect(withinFloat32(value)).toBe(within)
})

test.each([Infinity, -Infinity, Number.NaN])('%s stays', (value) => {
  expect(shortestFloat32(value)).toBe(value)
})
