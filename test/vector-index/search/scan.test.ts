import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BoundedTop, float32Row, nearest, quantise, vectorOf } from '../../../packages/vector-index/src/search/scan.ts'

const length = (v: number[]) => Math.hypot(...v) || 1
const row = (...values: number[]) => float32Row(Float32Array.from(values))

describe('top k', () => {
  test('equals a full sort, ties in insertion order', () => {
    const scores = fc.array(fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ noNaN: true })), { maxLength: 200 })
    fc.assert(
      fc.property(scores, fc.integer({ min: 0, max: 50 }), (given, k) => {
        const best = new BoundedTop(k)
        given.forEach((score, slot) => best.offer(slot, score))
        const sorted = given
          .map((score, slot) => ({ slot, score }))
          .sort((a, b) => b.score - a.score || a.slot - b.slot)
        expect(best.sorted()).toEqual(sorted.slice(0, k))
      }),
    )
  })

  test('never keeps a score that is not a number', () => {
    const best = new BoundedTop(2)
    best.offer(0, Number.NaN)
    best.offer(1, -1)
    expect(best.sorted()).toEqual([{ slot: 1, score: -1 }])
  })
})

describe('dense scores', () => {
  test.each([
    ['the same direction', [1, 0], [2, 0], 1],
    ['a right angle', [1, 0], [0, 3], 0.5],
    ['opposite directions', [1, 0], [-1, 0], 0],
    ['a row of zeros', [1, 0], [0, 0], 0.5],
  ])('of %s are (1 + cosine) / 2', (_name, question, stored, score) => {
    expect(nearest([row(...stored)], Float32Array.from(question), 1)).toEqual([{ slot: 0, score }])
  })

  test('are float32', () => {
    const [found] = nearest([row(0.1, 0.7)], Float32Array.from([0.3, 0.4]), 1)
    expect(found!.score).toBe(Math.fround(found!.score))
    expect(found!.score).toBeCloseTo((1 + 0.31 / (0.5 * Math.sqrt(0.5))) / 2, 6)
  })

  test('rank every row as a sort by exact cosine does', () => {
    const vector = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(vector, { maxLength: 30 }), vector, (stored, question) => {
        const cosine = (v: number[]) =>
          v.reduce((sum, x, at) => sum + x * question[at]!, 0) / length(v) / length(question)
        const found = nearest(
          stored.map((v) => row(...v)),
          Float32Array.from(question),
          5,
        )
        expect(found.length).toBe(question.every((x) => x === 0) ? 0 : Math.min(5, stored.length))
        const best = stored.map(cosine).sort((a, b) => b - a)
        found.forEach(({ score }, rank) => expect(score).toBeCloseTo((1 + best[rank]!) / 2, 5))
      }),
    )
  })

  test('are those of float64 for vectors of every length that float32 can hold', () => {
    const direction = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 8, maxLength: 8 })
    const scale = fc.integer({ min: -140, max: 123 }).map((power) => 2 ** power)
    fc.assert(
      fc.property(direction, scale, direction, scale, (asked, askedScale, stored, storedScale) => {
        // Powers of two scale whole numbers without rounding them.
        const question = Float32Array.from(asked, (value) => value * askedScale)
        const product = asked.reduce((sum, value, at) => sum + value * stored[at]!, 0)
        const cosine = product / (length(asked) * length(stored))
        const found = nearest([row(...stored.map((value) => value * storedScale))], question, 1)
        if (asked.every((value) => value === 0)) expect(found).toEqual([])
        else expect(found[0]?.score).toBeCloseTo((1 + cosine) / 2, 6)
      }),
      { numRuns: 2000 },
    )
  })

  test.each([1e20, 1e-25, 3e38, 1e-45])('rank vectors with components of %f', (component) => {
    const rows = [row(component, 0), row(component, component), row(0, component), row(-component, 0)]
    const found = nearest(rows, Float32Array.of(component, 0), 4)
    expect(found.map(({ slot }) => slot)).toEqual([0, 1, 2, 3])
    expect(found.map(({ score }) => Math.round(score * 1000) / 1000)).toEqual([1, 0.854, 0.5, 0])
  })

  test('a question of zeros finds nothing', () => {
    expect(nearest([row(1, 0)], new Float32Array(2), 3)).toEqual([])
  })

  test('deleted rows are passed over', () => {
    expect(nearest([undefined, row(1, 0)], Float32Array.from([1, 0]), 3)).toEqual([{ slot: 1, score: 1 }])
  })
})

describe('rows of bytes', () => {
  test('stay within half a step of the vector', () => {
    const vector = Float32Array.from([0.5, -0.25, 0.1, 0])
    const stored = quantise(vector)
    vectorOf(stored).forEach((value, at) => expect(Math.abs(value - vector[at]!)).toBeLessThan(0.5 / 127))
  })

  test('a vector of zeros stays one', () => {
    expect(vectorOf(quantise(new Float32Array(3)))).toEqual(new Float32Array(3))
  })

  test('score as their vector does, to the third digit', () => {
    const vector = Float32Array.from({ length: 64 }, (_, at) => Math.sin(at * 12.9898))
    const question = Float32Array.from({ length: 64 }, (_, at) => Math.sin(at * 78.233))
    const [exact] = nearest([float32Row(vector)], question, 1)
    const [stored] = nearest([quantise(vector)], question, 1)
    expect(stored!.score).toBeCloseTo(exact!.score, 3)
  })
})
