import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { auroc } from '../../packages/calibration/src/auroc.ts'
import { scored, scoredQuestions } from '../fixtures/scored.ts'

describe('auroc', () => {
  it.each([
    ['the right order', scored([0.9, 0.8], [0.7, 0.1]), 1],
    ['the wrong order', scored([0.1], [0.7, 0.9]), 0],
    ['a single score for all', scored([0.5, 0.5], [0.5]), 0.5],
    // 12.5 of 16 pairs, counted by hand and with numpy.
    ['ties among others', scored([0.9, 0.8, 0.7, 0.6], [0.8, 0.6, 0.6, 0.2]), 0.78125],
    ['NaN counted as the lowest score', scored([NaN, 0.5], [NaN, 0.1]), (0.5 + 0 + 1 + 1) / 4],
    ['infinite scores counted as the lowest', scored([Infinity, 0.5], [NaN, -Infinity]), (0.5 + 0.5 + 1 + 1) / 4],
  ])('is as computed for %s', (_, questions, expected) => {
    expect(auroc(questions)).toBeCloseTo(expected, 12)
  })

  it('is NaN without questions of both kinds', () => {
    for (const questions of [scored([], []), scored([0.5], []), scored([], [0.5])]) {
      expect(auroc(questions)).toBeNaN()
    }
  })

  it('is the share of pairs in the right order, for any scores', () => {
    fc.assert(
      fc.property(scoredQuestions, (questions) => {
        const of = (kind: boolean): number[] => questions.filter((q) => q.answerable === kind).map((q) => q.score)
        const pairs = of(true).flatMap((a) => of(false).map((b): number => (a > b ? 1 : a === b ? 0.5 : 0)))
        fc.pre(pairs.length > 0)
        expect(auroc(questions)).toBeCloseTo(pairs.reduce((sum, pair) => sum + pair, 0) / pairs.length, 12)
      }),
    )
  })

  it('depends neither on the order of the questions nor on the scale of the scores', () => {
    fc.assert(
      fc.property(scoredQuestions, (questions) => {
        expect(auroc(questions.toReversed())).toBe(auroc(questions))
        expect(auroc(questions.map((question) => ({ ...question, score: 3 * question.score - 7 })))).toBe(
          auroc(questions),
        )
      }),
    )
  })
})
