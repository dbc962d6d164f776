import { expect, it } from 'vitest'
import { byLength, deviationsOf, deviationsOn, logOdds } from '../../../src/core/scale/index.ts'

const WORDS = { middle: -1, deviation: 0.5 }
const MEANING = { kind: 'cosine', middle: 0.4, deviation: 0.1, charge: 0.25 }
const BOTH = { ...WORDS, meaning: MEANING }

it.each([
  [0.5, 0],
  [0.8, Math.log(4)],
  [0.2, -Math.log(4)],
  [0, -Infinity],
  [1, Infinity],
])('the log-odds of %d are %d', (share, odds) => {
  expect(logOdds(share)).toBeCloseTo(odds, 12)
})

it('log-odds rise by .4 when a question has e times the terms', () => {
  expect(byLength(-1, 1)).toBe(-1)
  expect(byLength(-1, Math.E)).toBeCloseTo(-0.6, 12)
  expect(byLength(-1)).toBeNaN()
})

it.each<[string, Parameters<typeof deviationsOn>, number]>([
  ['words where there is no meaning', [WORDS, 0, 0.9], 2],
  ['words where there is no score', [BOTH, 0, undefined], 2],
  ['words less the charge, where meaning adds nothing', [BOTH, 0, 0.4], 1.75],
  ['words and what of meaning is beyond one', [BOTH, 0, 0.7], 3.75],
  ['meaning where words say nothing', [BOTH, -1.5, 0.7], 2.75],
  ['meaning less what pieces lack', [BOTH, -1.5, 0.7, 0.5], 2.25],
])('deviations above the unanswerable questions of a collection: %s', (_, asked, deviations) => {
  expect(deviationsOn(...asked)).toBeCloseTo(deviations, 12)
})

it('a damaged scale gives NaN', () => {
  for (const damaged of [{ deviation: 0 }, { deviation: -1 }, { deviation: null }, { middle: null }, { middle: '1' }])
    expect(deviationsOf({ ...WORDS, ...damaged } as never, 0), JSON.stringify(damaged)).toBeNaN()
  expect(deviationsOn({ ...WORDS, meaning: { ...MEANING, charge: null as never } }, 0, 0.9)).toBeNaN()
})
