import { expect, test } from 'vitest'
import { uncertainMiddle } from '../../packages/calibration/src/uncertain-middle.ts'

const labels = (answerable: boolean, confidences: readonly number[]) =>
  confidences.map((confidence) => ({ answerable, confidence }))
const spread = (count: number, from: number, to: number) =>
  Array.from({ length: count }, (_, at) => from + ((to - from) * (at + 0.5)) / count)

test('at most the stated share of each kind of question is outside the middle on the wrong side', () => {
  // 100 of each: of so many, one may be wrong at 5 % with certainty .9.
  const all = [...labels(true, spread(100, 0.2, 1)), ...labels(false, spread(100, 0, 0.8))]
  const [from, below] = uncertainMiddle(all, { risk: 0.05, certainty: 0.9 })!
  const lost = all.filter(({ answerable, confidence }) => answerable && confidence < from).length
  const through = all.filter(({ answerable, confidence }) => !answerable && confidence >= below).length
  expect([lost, through]).toEqual([1, 1])
  expect(from).toBeCloseTo(0.212, 3)
  expect(below).toBeCloseTo(0.7881, 3)
})

test('is open on a side with too few labels', () => {
  const all = [...labels(true, spread(100, 0.2, 1)), ...labels(false, [0.1, 0.2])]
  expect(uncertainMiddle(all, { risk: 0.05, certainty: 0.9 })).toEqual([expect.closeTo(0.212, 3), 1])
  expect(uncertainMiddle(labels(false, spread(100, 0, 0.8)), { risk: 0.05, certainty: 0.9 })![0]).toBe(0)
})

test('is undefined when words alone separate the kinds', () => {
  const all = [...labels(true, spread(100, 0.6, 1)), ...labels(false, spread(100, 0, 0.4))]
  expect(uncertainMiddle(all, { risk: 0.05, certainty: 0.9 })).toBeUndefined()
  const same = (answerable: boolean, confidence: number) =>
    labels(
      answerable,
      Array.from({ length: 100 }, () => confidence),
    )
  // What is at .5001 is answered by words, and what is below it refused.
  expect(uncertainMiddle([...same(true, 0.5002), ...same(false, 0.5)], { risk: 0.05, certainty: 0.9 })).toBeUndefined()
})

test('counts a confidence that could not be computed as 0, as the gate does, which then asks no reader', () => {
  const promised = { risk: 0.05, certainty: 0.9 }
  const unanswerable = labels(false, spread(100, 0, 0.8))
  const measured = labels(true, spread(50, 0.7, 1))
  const [unmeasured, zero] = [NaN, 0].map((confidence) =>
    labels(
      true,
      Array.from({ length: 50 }, () => confidence),
    ),
  )
  const found = uncertainMiddle([...measured, ...unmeasured!, ...unanswerable], promised)
  expect(found![0]).toBe(0)
  expect(found).toEqual(uncertainMiddle([...measured, ...zero!, ...unanswerable], promised))
})

test('ranges from the confidence of an answerable question to a step above that of an unanswerable one', () => {
  const promised = { risk: 0.05, certainty: 0.9 }
  // With 45 labels of a kind none may be wrong.
  for (const [least, most] of [
    [0.2, 0.8],
    [0.1234, 0.5678],
    [0, 0.5],
    [0.3, 1],
  ] as const) {
    const all = [...labels(true, [least, ...spread(44, 0.9, 1)]), ...labels(false, [most, ...spread(44, 0, 0.1)])]
    const [from, below] = uncertainMiddle(all, promised)!
    expect(from).toBeLessThanOrEqual(least)
    expect(from).toBeGreaterThanOrEqual(Math.max(0, least - 0.0001 - 1e-9))
    expect(below).toBeCloseTo(Math.min(1, most + 0.0001), 9)
  }
})

test('is narrower for a milder promise, and the same in any order', () => {
  const all = [...labels(true, spread(100, 0.2, 1)), ...labels(false, spread(100, 0, 0.8))]
  const [mild, strict] = [0.1, 0.05].map((risk) => uncertainMiddle(all, { risk, certainty: 0.9 })!)
  expect(mild![0]).toBeGreaterThan(strict![0])
  expect(mild![1]).toBeLessThan(strict![1])
  const [average] = uncertainMiddle(all, { risk: 0.05, certainty: 'average' })!
  expect(average).toBeGreaterThan(strict![0])
  expect(uncertainMiddle(all.toReversed(), { risk: 0.1, certainty: 0.9 })).toEqual(mild)
})
