import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../bench/seeded-random.ts'
import { fitAdjustment, type LabelledSignals } from '../../packages/calibration/src/fit-adjustment.ts'
import { logOdds } from '../../packages/calibration/src/log-odds.ts'
import { type Example, fitLogistic } from '../../packages/calibration/src/logistic-fit.ts'
import { hasReaderScores, recordedMeasure } from '../../packages/calibration/src/recorded-measures.ts'
import { aCurve, signalsOf } from '../fixtures/evidence.ts'

/** Labels of which the given share is answerable, and of which every so many were read; none for 0. */
function labelled(count: number, share: number, readEvery: number): LabelledSignals[] {
  const random = seededRandom(count)
  return Array.from({ length: count }, (_, at) => {
    const answerable = random() < share
    const cosine = aCurve((answerable ? 0.2 : 0) + 0.8 * random(), 0.1)
    const grade = aCurve((answerable ? 1 : 0) + 2 * random(), random())
    const curves = at % readEvery === 0 ? { cosine, grade } : { cosine }
    return { answerable, general: random(), signals: signalsOf({ curves, sentenceMatch: random() }) }
  })
}

/** The fit of these features, with both kinds of label weighted alike, beside the general log-odds. */
function reference(labels: readonly LabelledSignals[], features: (label: LabelledSignals) => number[], l2: number) {
  const of = (kind: boolean): number => labels.filter(({ answerable }) => answerable === kind).length
  const examples = labels.map((label): Example => ({
    features: features(label),
    label: label.answerable ? 1 : 0,
    weight: 0.5 / of(label.answerable),
    offset: logOdds(label.general),
  }))
  return fitLogistic(examples, { l2 })
}

const rounded = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 9))

describe('fitAdjustment', () => {
  it.each([0.5, 0.2, 0.9])('weights both kinds of label alike where a share of %d is answerable', (share) => {
    const labels = labelled(80, share, 0)
    const measures = ['sentenceMatch', 'cosine.top']
    const plain = reference(
      labels,
      ({ signals }) => measures.map((name) => recordedMeasure(signals, name)),
      20 / labels.length,
    )
    const { intercept, weights, unread } = fitAdjustment(labels, { measures })
    expect(intercept).toBeCloseTo(plain.intercept, 9)
    expect(Object.keys(weights)).toEqual(measures)
    expect(Object.values(weights)).toEqual(rounded(plain.coefficients))
    expect(unread).toBeUndefined()
    expect(fitAdjustment(labels, { measures, strength: 20 })).toEqual({ intercept, weights })
    expect(fitAdjustment(labels, { measures, strength: 5 })).not.toEqual({ intercept, weights })
  })

  it('applies the measures of a reader to what was read, as the difference to what was not', () => {
    const labels = labelled(90, 0.4, 3)
    const measures = ['grade.top', 'grade.lead', 'grade.above']
    const plain = reference(
      labels,
      ({ signals }) =>
        hasReaderScores(signals) ? [1, ...measures.map((name) => recordedMeasure(signals, name))] : [0, 0, 0, 0],
      20 / labels.length,
    )
    const { intercept, weights, unread } = fitAdjustment(labels)
    expect(unread).toBe('general')
    expect(Object.keys(weights).sort()).toEqual([...measures].sort())
    expect([intercept, ...measures.map((name) => weights[name])]).toEqual(rounded(plain.coefficients))
  })

  it('uses every measure that all labels have, without a reader, and only those of a reader that read all', () => {
    const { weights } = fitAdjustment(labelled(40, 0.5, 0))
    expect(Object.keys(weights)).toEqual(expect.arrayContaining(['sentenceMatch', 'cosine.top', 'cosine.lead']))
    const read = fitAdjustment(labelled(40, 0.5, 1))
    expect(read.unread).toBeUndefined()
    expect(Object.keys(read.weights).sort()).toEqual(['grade.above', 'grade.lead', 'grade.top'])
  })
})
