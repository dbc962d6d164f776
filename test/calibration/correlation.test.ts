import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Pair, pearson, populationDeviation, spearman } from '../../packages/calibration/src/correlation.ts'
import { meanOf } from '../../src/core/lib/statistics.ts'

const number = fc.double({ noNaN: true, noDefaultInfinity: true })
const pairs = fc.array(fc.tuple(number, number), { maxLength: 8 })

describe('pearson', () => {
  it.each<[string, Pair[], number]>([
    [
      'rising together',
      [
        [1, 10],
        [2, 20],
        [3, 30],
      ],
      1,
    ],
    [
      'one rising, one falling',
      [
        [1, 3],
        [2, 2],
        [3, 1],
      ],
      -1,
    ],
    [
      'unrelated',
      [
        [1, 1],
        [1, -1],
        [-1, 1],
        [-1, -1],
      ],
      0,
    ],
    // means 2 and 3: products −1·−2 + 0·1 + 1·1 = 3; squares 2 and 6; 3 / √12
    [
      'partly related',
      [
        [1, 1],
        [2, 4],
        [3, 4],
      ],
      0.8660254037844387,
    ],
  ])('of series %s is as computed', (_, given, expected) => {
    expect(pearson(given)).toBeCloseTo(expected, 12)
  })

  it.each<[string, Pair[]]>([
    ['no pair', []],
    ['one pair', [[1, 2]]],
    [
      'a constant series',
      [
        [1, 0.1],
        [2, 0.1],
        [3, 0.1],
      ],
    ],
    [
      'a series that varies only by rounding',
      [
        [1, 0.3],
        [2, 0.1 + 0.2],
        [3, 0.3],
      ],
    ],
    [
      'zeros',
      [
        [0, 0],
        [0, 0],
      ],
    ],
  ])('is undefined for %s', (_, given) => {
    expect(pearson(given)).toBeUndefined()
  })

  it('is within −1..1 for any numbers, and the same in any order', () => {
    fc.assert(
      fc.property(pairs, (given) => {
        const r = pearson(given)
        expect(r === undefined || (r >= -1 && r <= 1)).toBe(true)
        expect(pearson([...given].reverse())).toBe(r)
      }),
    )
  })
})

it('pearson of two pairs is 1 or −1', () => {
  const rising: Pair[] = [
    [1, 3],
    [2, 5],
  ]
  expect(pearson(rising)).toBeCloseTo(1, 12)
  expect(pearson(rising.map(([x, y]): Pair => [x, -y]))).toBeCloseTo(-1, 12)
})

it.each([1e-200, 1e200])('pearson does not depend on the magnitude of the numbers: %d', (size) => {
  const given: Pair[] = [
    [1, 1],
    [2, 4],
    [3, 4],
  ]
  expect(pearson(given.map(([x, y]): Pair => [x * size, y * size]))).toBeCloseTo(0.8660254037844387, 12)
})

it('pearson is the same in any order when one series has equal numbers', () => {
  const equal = fc.array(fc.tuple(fc.constantFrom(0.1, 0.7), number), { minLength: 3, maxLength: 8 })
  fc.assert(
    fc.property(equal, (given) => {
      expect(pearson([...given].reverse())).toBe(pearson(given))
    }),
  )
})

describe('spearman', () => {
  it('uses ranks only', () => {
    expect(
      spearman([
        [0.99, 0.033],
        [0.5, 0.0325],
        [0.4, 0.032],
        [0.3, 0.016],
      ]),
    ).toBeCloseTo(1, 12)
    // ranks 4 3 2 1 against 1 3 2 4: 1 − 6 · 18 / (4 · 15)
    expect(
      spearman([
        [0.9, 0.4],
        [0.6, 0.8],
        [0.3, 0.5],
        [0.1, 0.9],
      ]),
    ).toBeCloseTo(-0.8, 12)
  })

  it('gives equal values the mean of their ranks', () => {
    // ranks 1.5 1.5 3 against 1 2 3: Pearson of these is 1.5 / √(1.5 · 2)
    expect(
      spearman([
        [1, 1],
        [1, 2],
        [2, 3],
      ]),
    ).toBeCloseTo(0.8660254037844387, 12)
  })
})

describe('populationDeviation', () => {
  it.each<[number[], number]>([
    [[], 0],
    [[7], 0],
    [[0, 0], 0],
    [[0.8, 0.6], 0.1],
    [[2, 4, 4, 4, 5, 5, 7, 9], 2],
    [[0.8, 0.8, 0.8], 0],
  ])('of %j is %d', (values, expected) => {
    expect(populationDeviation(values)).toBeCloseTo(expected, 12)
  })

  it('is finite for any finite numbers, like the mean', () => {
    fc.assert(
      fc.property(fc.array(number, { maxLength: 8 }), (values) => {
        expect(populationDeviation(values)).toSatisfy((value: number) => Number.isFinite(value) && value >= 0)
        expect(meanOf(values)).toSatisfy(Number.isFinite)
      }),
    )
    expect(meanOf([Number.MAX_VALUE, Number.MAX_VALUE])).toBe(Number.MAX_VALUE)
  })
})
