import { describe, expect, it } from 'vitest'
import { deviationsOfTail, normalTail } from '../../../bench/normal-tail.ts'
import { type ScaleObservation, scaleOf } from '../../../packages/calibration/src/scale/scale-of-windows.ts'
import { type ConfidenceScale, deviationsOn, REFUSED_BELOW } from '../../../src/core/scale/index.ts'

const REFUSED_TAIL = 0.025
/** Of collections in another language than the policy reads. */
const UNREAD_TAIL = 0.04
const NEEDED = REFUSED_BELOW
const odds = (confidence: number): number => Math.log(confidence / (1 - confidence))
const readAs = (own: ConfidenceScale, confidence: number, score?: number): number =>
  deviationsOn(own, odds(confidence), score)
const threshold = ({ middle, deviation }: ConfidenceScale): number => logistic(middle + NEEDED * deviation)
const logistic = (z: number): number => 1 / (1 + Math.exp(-z))
/** Evenly spread quantiles of a normal distribution: `count` of them. */
const normals = (count: number): number[] =>
  Array.from({ length: count }, (_, at) => -deviationsOfTail((at + 0.5) / count))
const wordsAt = (middle: number, deviation = 1, count = 400): ScaleObservation[] =>
  normals(count).map((z) => ({ leftOut: 'passage', confidence: logistic(middle + deviation * z) }))

/** @param usual the collection's own by default, in the policy's language */
function learned(
  observations: readonly ScaleObservation[],
  sentences: readonly ScaleObservation[] = [],
  usual: number | 'own' | 'unread' = 'own',
): ConfidenceScale {
  const learn = (from?: number): ConfidenceScale => {
    const scale = scaleOf(observations, { sentences, ...(from !== undefined && { usual: from }) })
    if (scale === undefined) throw new Error('There is a scale')
    return scale
  }
  if (usual === 'unread') return learn()
  // Halfway to log-odds of 0.
  return learn(usual === 'own' ? logistic(2 * odds(threshold(learn(0.5)))) : usual)
}

describe('normalTail', () => {
  it.each([
    [0, 0.5],
    [1, 0.158655254],
    [1.644853627, 0.05],
    [-1, 0.841344746],
    [3, 0.001349898],
    [6, 9.865876e-10],
  ])('above %d deviations is %d of a normal distribution', (z, tail) => {
    expect(normalTail(z) / tail).toBeCloseTo(1, 5)
    expect(deviationsOfTail(tail)).toBeCloseTo(z, 4)
  })
})

describe('scaleOf', () => {
  it('sets the refuse threshold at the upper 2.5 % of a normal distribution', () => {
    expect(deviationsOfTail(REFUSED_TAIL)).toBeCloseTo(REFUSED_BELOW, 4)
  })

  it('computes middle and deviation of the windows in log-odds', () => {
    const words = learned(wordsAt(-1, 0.8))
    expect(words.middle).toBeCloseTo(-1, 2)
    expect(words.deviation).toBeCloseTo(0.8, 2)
  })

  it('sets a threshold that the allowed share of windows exceeds', () => {
    const windows = wordsAt(-2, 0.7)
    const from = threshold(learned(windows))
    const above = windows.filter(({ confidence = 0 }) => confidence >= from).length
    expect(above / windows.length).toBeCloseTo(REFUSED_TAIL, 2)
  })

  it('lets one in twenty-five windows pass in a language that the policy does not read', () => {
    const windows = wordsAt(-2, 0.7)
    const from = threshold(learned(windows, [], 'unread'))
    const above = windows.filter(({ confidence = 0 }) => confidence >= from).length
    expect(above / windows.length).toBeCloseTo(UNREAD_TAIL, 2)
  })

  it.each([0.3, 0.7])('is at most halfway from a usual threshold of %f, from below and from above', (usual) => {
    const own = odds(threshold(learned(wordsAt(-1, 0.7))))
    expect(odds(threshold(learned(wordsAt(-1, 0.7), [], usual)))).toBeCloseTo((own + odds(usual)) / 2, 6)
  })

  it('does not depend on the order of the windows', () => {
    const windows = wordsAt(-1)
    expect(scaleOf([...windows].reverse())).toEqual(scaleOf(windows))
  })

  it('changes little with a few outliers', () => {
    const far = Array.from({ length: 8 }, (): ScaleObservation => ({ leftOut: 'passage', confidence: 1 }))
    const shift = learned([...wordsAt(-1), ...far]).deviation - learned(wordsAt(-1)).deviation
    expect(shift).toBeGreaterThan(0)
    expect(shift).toBeLessThan(0.25)
  })

  it('never needs a confidence above .9', () => {
    expect(threshold(learned(wordsAt(1, 1)))).toBeCloseTo(0.9, 6)
    expect(threshold(learned(wordsAt(2, 1), [], 0.95))).toBeCloseTo(0.9, 6)
    expect(threshold(learned(wordsAt(2, 1), [], 'unread'))).toBeCloseTo(0.9, 6)
  })

  it('treats windows without a passage like windows without a matching word', () => {
    const found = (confidence: number): ScaleObservation[] =>
      Array.from({ length: 100 }, () => ({ leftOut: 'passage', confidence }))
    expect(learned([...wordsAt(-1), ...found(0)])).toEqual(learned([...wordsAt(-1), ...found(0.02)]))
  })

  it('ignores windows that were refused before retrieval or have no confidence', () => {
    const unread: ScaleObservation[] = [
      { leftOut: 'passage', confidence: undefined },
      { leftOut: 'document', confidence: NaN },
    ]
    expect(scaleOf([...wordsAt(-1), ...unread])).toEqual(scaleOf(wordsAt(-1)))
  })

  it('is undefined for fewer than twenty windows', () => {
    const again = wordsAt(-1, 1, 19).map((each): ScaleObservation => ({ ...each, leftOut: 'document' }))
    expect(scaleOf([...wordsAt(-1, 1, 19), ...again])).toBeUndefined()
    expect(scaleOf(wordsAt(-1, 1, 20))).toBeDefined()
  })

  it('has a deviation when all windows are equal', () => {
    const alike = Array.from({ length: 50 }, (): ScaleObservation => ({ leftOut: 'passage', confidence: 0.1 }))
    const scale = learned(alike)
    expect(readAs(scale, 0.1)).toBeCloseTo(0, 6)
    expect(readAs(scale, 0.5)).toBeGreaterThan(3)
  })

  it('survives JSON unchanged', () => {
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

function learnedWithMeaning(lift: number): ConfidenceScale {
  return learned(wordsAt(-1), withMeaning(lift))
}

const at = (deviations: number): number => 0.5 + 0.05 * deviations

describe('a semantic score', () => {
  it('that no window reaches is enough for a question that the words do not support', () => {
    const scale = learnedWithMeaning(3)
    expect(readAs(scale, 0.1)).toBeLessThan(0)
    expect(readAs(scale, 0.1, at(2.5))).toBeGreaterThan(NEEDED)
    expect(readAs(scale, 0.1, at(1.9))).toBeLessThan(NEEDED)
  })

  it('that is low leaves the words to support a question', () => {
    const scale = learnedWithMeaning(3)
    expect(readAs(scale, 0.95, 0.3)).toBeGreaterThan(NEEDED)
    expect(readAs(scale, 0.95, 0.3)).toBeLessThan(readAs(scale, 0.95))
  })

  it('raises the result without steps, like the words', () => {
    const scale = learnedWithMeaning(3)
    const row = Array.from({ length: 400 }, (_, step) => step / 100 - 1)
    const rises = (values: readonly number[]): void =>
      values.slice(1).forEach((value, step) => {
        expect(value - values[step]!).toBeGreaterThanOrEqual(0)
        expect(value - values[step]!).toBeLessThan(0.3)
      })
    for (const fixed of [-2, 0, 2]) {
      rises(row.map((step) => deviationsOn(scale, fixed, at(step))))
      rises(row.map((step) => deviationsOn(scale, step, at(fixed))))
    }
  })

  it('lets no more windows pass beside words than words alone', () => {
    const windows = withMeaning(3)
    const scale = learned(windows, windows)
    const reach = (of: (confidence: number, meaning?: number) => number): number =>
      windows.filter(
        ({ leftOut, confidence = 0, meaning }) => leftOut !== 'nothing' && of(confidence, meaning) > NEEDED,
      ).length
    const byWords = reach((confidence) => readAs(scale, confidence))
    expect(reach((confidence, meaning) => readAs(scale, confidence, meaning))).toBeLessThanOrEqual(byWords)
    expect(byWords).toBe(10)
  })

  it("that the window's own passage raises by less than a deviation is not used", () => {
    const scale = learnedWithMeaning(0.8)
    expect(scale.meaning).toBeUndefined()
    expect(readAs(scale, 0.1, 0.9)).toBe(readAs(scale, 0.1))
    expect(learnedWithMeaning(1.5).meaning).toBeDefined()
  })

  it('moves the threshold between the last window that words alone answer and the next', () => {
    // No spread in words to speak of, and five windows that words answer: they are five of forty with both, too.
    const words = wordsAt(-3, 0.1, 40).map((each, at) => (at < 5 ? { ...each, confidence: 0.95 } : each))
    const windows = words.map((each, at): ScaleObservation => ({ ...each, meaning: 0.4 + 0.005 * at }))
    const present = windows.map((each): ScaleObservation => ({ ...each, leftOut: 'nothing', meaning: 0.9 }))
    const scale = learned(words, [...windows, ...present])
    const reached = windows
      .map(({ confidence = 0, meaning }) => readAs(scale, confidence, meaning))
      .sort((one, other) => other - one)
    expect(reached[4]).toBeGreaterThan(NEEDED)
    expect((reached[4]! + reached[5]!) / 2).toBeCloseTo(NEEDED, 9)
  })

  it.each([
    [10, true],
    [9, false],
  ])('of %i sentences without their text is used: %s', (count, isRead) => {
    const sentences = withMeaning(3)
    const absent = sentences.filter(({ leftOut }) => leftOut !== 'nothing').filter((_, at) => at % 20 === 0)
    const present = sentences.filter(({ leftOut }) => leftOut === 'nothing')
    const scale = learned(wordsAt(-1), [...absent.slice(0, count), ...present])
    expect(scale.meaning !== undefined).toBe(isRead)
  })

  it('that some sentences lack is learned from the others', () => {
    const lacking: ScaleObservation[] = [
      { leftOut: 'passage', confidence: 0.3 },
      { leftOut: 'document', confidence: 0.3, meaning: NaN },
      { leftOut: 'nothing', confidence: 0.9, meaning: undefined },
    ]
    expect(learned(wordsAt(-1), [...withMeaning(3), ...lacking])).toEqual(learnedWithMeaning(3))
  })

  it('has no charge when words alone answer every window', () => {
    const sentences = withMeaning(3).map((each): ScaleObservation => ({ ...each, confidence: 0.99 }))
    expect(learned(sentences, sentences).meaning?.charge).toBe(0)
  })

  it('that is the same in every window is not used there', () => {
    const alike = wordsAt(-1).map((each): ScaleObservation => ({ ...each, meaning: 0.5 }))
    expect(learned(alike, withMeaning(3))).toEqual(learnedWithMeaning(3))
  })
})
