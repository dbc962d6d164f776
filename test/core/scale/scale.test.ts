import { describe, expect, it } from 'vitest'
import { deviationsOfTail, normalTail } from '../../../src/core/lib/normal-tail.ts'
import {
  confidenceAtTail,
  REFUSED_TAIL,
  type Scale,
  type ScaleObservation,
  scaleOf,
  tailOf,
} from '../../../src/core/scale/scale.ts'

const logistic = (z: number): number => 1 / (1 + Math.exp(-z))
/** Evenly spread quantiles of a normal distribution: `count` of them. */
const normals = (count: number): number[] =>
  Array.from({ length: count }, (_, at) => -deviationsOfTail((at + 0.5) / count))
const wordsAt = (middle: number, deviation = 1, count = 400): ScaleObservation[] =>
  normals(count).map((z) => ({ leftOut: 'passage', confidence: logistic(middle + deviation * z) }))

function learned(observations: readonly ScaleObservation[], longer?: readonly ScaleObservation[]): Scale {
  const scale = scaleOf(observations, longer)
  if (scale.kind === 'none') throw new Error('There is a scale')
  return scale
}

describe('normalTail', () => {
  it.each([
    [0, 0.5],
    [1, 0.158655254],
    [1.644853627, 0.05],
    [-1, 0.841344746],
    [3, 0.001349898],
    [6, 9.865876e-10],
  ])('has above %d deviations %d of a normal distribution', (z, tail) => {
    expect(normalTail(z) / tail).toBeCloseTo(1, 5)
    expect(deviationsOfTail(tail)).toBeCloseTo(z, 4)
  })
})

describe('scaleOf', () => {
  it('finds middle and deviation of the windows in log-odds', () => {
    const { words } = learned(wordsAt(-1, 0.8))
    expect(words.middle).toBeCloseTo(-1, 2)
    expect(words.deviation).toBeCloseTo(0.8, 2)
  })

  it('puts the threshold where the share of windows that may be answered lies above', () => {
    const windows = wordsAt(-2, 0.7)
    const threshold = confidenceAtTail(learned(windows), REFUSED_TAIL)
    const above = windows.filter(({ confidence = 0 }) => confidence >= threshold).length
    expect(above / windows.length).toBeCloseTo(REFUSED_TAIL, 2)
  })

  it('does not depend on the order', () => {
    const windows = wordsAt(-1)
    expect(scaleOf([...windows].reverse())).toEqual(scaleOf(windows))
  })

  it('is moved little by a few windows far out', () => {
    const far = Array.from({ length: 8 }, (): ScaleObservation => ({ leftOut: 'passage', confidence: 1 }))
    const shift = learned([...wordsAt(-1), ...far]).words.deviation - learned(wordsAt(-1)).words.deviation
    expect(shift).toBeGreaterThan(0)
    expect(shift).toBeLessThan(0.25)
  })

  it('asks for no more confidence than .8', () => {
    expect(confidenceAtTail(learned(wordsAt(2, 1)), REFUSED_TAIL)).toBeCloseTo(0.8, 6)
  })

  it('leaves out windows that were refused for themselves or have no confidence', () => {
    const unread: ScaleObservation[] = [
      { leftOut: 'passage', confidence: undefined },
      { leftOut: 'document', confidence: NaN },
    ]
    expect(scaleOf([...wordsAt(-1), ...unread])).toEqual(scaleOf(wordsAt(-1)))
  })

  it('is none for fewer than forty observations', () => {
    expect(scaleOf(wordsAt(-1, 1, 39))).toEqual({ kind: 'none', reason: 'too-few-windows', observations: 39 })
  })

  it('keeps a deviation where all windows are alike', () => {
    const alike = Array.from({ length: 50 }, (): ScaleObservation => ({ leftOut: 'passage', confidence: 0.1 }))
    const scale = learned(alike)
    expect(tailOf(scale, { confidence: 0.1 })).toBeCloseTo(0.5, 6)
    expect(tailOf(scale, { confidence: 0.5 })).toBeLessThan(0.001)
  })

  it('survives JSON', () => {
    const scale = learnedWithMeaning(3)
    expect(JSON.parse(JSON.stringify(scale))).toEqual(scale)
    expect(JSON.stringify(scale).length).toBeLessThan(300)
  })
})

/** Meaning of windows left out lies at .5 ± .05, independent of their words; their own passage lifts it. */
function withMeaning(lift: number): ScaleObservation[] {
  const zs = normals(400)
  // 147 shares no factor with 400: every value is used once, in an order of its own.
  const meanings = zs.map((_, at) => 0.5 + 0.05 * zs[(at * 147) % 400]!)
  return [
    ...wordsAt(-1).map((observed, at): ScaleObservation => ({ ...observed, meaning: meanings[at] })),
    ...meanings.map((meaning): ScaleObservation => ({
      leftOut: 'nothing',
      confidence: 0.9,
      meaning: meaning + 0.05 * lift,
    })),
  ]
}

function learnedWithMeaning(lift: number): Scale {
  return learned(wordsAt(-1), withMeaning(lift))
}

describe('tailOf', () => {
  it('falls as the confidence rises', () => {
    const scale = learned(wordsAt(-1))
    const tails = [0, 0.2, 0.5, 0.8, 1].map((confidence) => tailOf(scale, { confidence }))
    expect(tails).toEqual([...tails].sort((a, b) => b - a))
    expect(new Set(tails).size).toBe(5)
    for (const tail of tails) expect(tail).toBeGreaterThan(0)
  })

  it('is 1 where there is no confidence', () => {
    expect(tailOf(learned(wordsAt(-1)), { confidence: NaN })).toBe(1)
  })

  it('lets a cosine that no window reaches carry a question of which words say nothing', () => {
    const scale = learnedWithMeaning(3)
    const silent = { confidence: 0.1 }
    expect(tailOf(scale, silent)).toBeGreaterThan(0.5)
    expect(tailOf(scale, { ...silent, meaning: 0.5 + 0.05 * 3 })).toBeLessThan(REFUSED_TAIL)
    expect(tailOf(scale, { ...silent, meaning: 0.5 + 0.05 * 1.5 })).toBeGreaterThan(REFUSED_TAIL)
  })

  it('lets words carry a question of which meaning says nothing', () => {
    expect(tailOf(learnedWithMeaning(3), { confidence: 0.95, meaning: 0.3 })).toBeLessThan(REFUSED_TAIL)
  })

  it('answers no more windows by both than by words alone', () => {
    const windows = withMeaning(3)
    const scale = learned(windows, windows)
    const reach = (tail: (window: { confidence: number; meaning: number }) => number): number =>
      windows.filter(
        ({ leftOut, confidence = 0, meaning = 0 }) =>
          leftOut !== 'nothing' && tail({ confidence, meaning }) < REFUSED_TAIL,
      ).length
    const byWords = reach(({ confidence }) => tailOf(scale, { confidence }))
    expect(reach((window) => tailOf(scale, window))).toBeLessThanOrEqual(byWords)
    expect(byWords).toBeGreaterThan(10)
  })

  it('gives nothing for a score that the own passage does not lift', () => {
    const scale = learnedWithMeaning(0.3)
    expect(scale.meaning).toBeUndefined()
    expect(tailOf(scale, { confidence: 0.1, meaning: 0.9 })).toBe(tailOf(scale, { confidence: 0.1 }))
  })

  it('lets meaning carry no question of several parts', () => {
    const scale = learnedWithMeaning(3)
    expect(tailOf(scale, { confidence: 0.1, meaning: 0.9, parts: 2 })).toBe(tailOf(scale, { confidence: 0.1 }))
  })
})
