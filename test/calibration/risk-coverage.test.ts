import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coverageAtFalseAcceptance, riskCoverageArea } from '../../packages/calibration/src/risk-coverage.ts'
import { scored, scoredQuestions } from '../fixtures/scored.ts'

const MIXED = scored([0.9, 0.8, 0.7, 0.6], [0.8, 0.6, 0.6, 0.2])

describe('riskCoverageArea', () => {
  it.each([
    ['only answerable questions', scored([0.3, 0.9], []), 0],
    ['only unanswerable questions', scored([], [0.3, 0.9]), 1],
    // Risks 0, 0, 1/3, 2/4.
    ['the right order', scored([0.9, 0.8], [0.2, 0.1]), (1 / 3 + 1 / 2) / 4],
    ['a single score for all', scored([0.5], [0.5, 0.5, 0.5]), 0.75],
    // The mean over all twelve orders of the ties, enumerated with numpy.
    ['NaN counted as the lowest score', scored([0.5], [NaN]), (0 + 1 / 2) / 2],
    ['ties, counted as the mean over their orders', MIXED, 0.310515873015873],
  ])('is as computed for %s', (_, questions, expected) => {
    expect(riskCoverageArea(questions)).toBeCloseTo(expected, 12)
  })

  it('is NaN without questions', () => {
    expect(riskCoverageArea([])).toBeNaN()
  })

  it('lies within 0..1 and does not depend on the order of the questions', () => {
    fc.assert(
      fc.property(scoredQuestions, (questions) => {
        const area = riskCoverageArea(questions)
        expect(area >= 0 && area <= 1).toBe(true)
        expect(riskCoverageArea(questions.toReversed())).toBe(area)
      }),
    )
  })
})

describe('coverageAtFalseAcceptance', () => {
  it.each([
    [0, { threshold: 0.9, coverage: 0.25, falseAcceptance: 0 }],
    [0.24, { threshold: 0.9, coverage: 0.25, falseAcceptance: 0 }],
    // A quarter of four is one: the tie of .8 holds exactly that one.
    [0.25, { threshold: 0.7, coverage: 0.75, falseAcceptance: 0.25 }],
    // The tie of .6 holds two: half is not enough for three, though one of its questions would fit.
    [0.5, { threshold: 0.7, coverage: 0.75, falseAcceptance: 0.25 }],
    [0.75, { threshold: 0.6, coverage: 1, falseAcceptance: 0.75 }],
    [1, { threshold: 0.2, coverage: 1, falseAcceptance: 1 }],
  ])('keeps as many as possible when a share of %d may pass, with ties together', (atMost, expected) => {
    expect(coverageAtFalseAcceptance(MIXED, atMost)).toEqual(expected)
  })

  it('answers nothing when the best score is a tie of both kinds and none may pass', () => {
    expect(coverageAtFalseAcceptance(scored([0.5], [0.5]), 0)).toEqual({
      threshold: Infinity,
      coverage: 0,
      falseAcceptance: 0,
    })
  })

  it('answers no question without a finite score, which a gate refuses at every threshold', () => {
    for (const unusable of [NaN, Infinity, -Infinity]) {
      expect(coverageAtFalseAcceptance(scored([0.5, unusable], [0.2, unusable]), 1)).toEqual({
        threshold: 0.2,
        coverage: 0.5,
        falseAcceptance: 0.5,
      })
      expect(coverageAtFalseAcceptance(scored([unusable], [unusable]), 1)).toEqual({
        threshold: Infinity,
        coverage: 0,
        falseAcceptance: 0,
      })
    }
  })

  it('counts whole questions, not rounded shares', () => {
    const twenty = Array.from({ length: 20 }, (_, at) => at / 100)
    // .05 · 20 is 1, .15 · 20 comes out above 2.9999 and below 3 or at it: three may pass.
    expect(coverageAtFalseAcceptance(scored([0.1], twenty), 0.15).falseAcceptance).toBe(0.15)
    expect(coverageAtFalseAcceptance(scored([0.1], twenty), 0.05).falseAcceptance).toBe(0.05)
  })

  it('never lets more pass than stated, never keeps less when more may pass, and equals the result of its threshold', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(scoredQuestions, share, share, (questions, a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)]
        const strict = coverageAtFalseAcceptance(questions, low)
        const mild = coverageAtFalseAcceptance(questions, high)
        const unanswerable = questions.filter(({ answerable }) => !answerable)
        if (unanswerable.length > 0) expect(strict.falseAcceptance).toBeLessThanOrEqual(low + 1e-9)
        expect(mild.threshold).toBeLessThanOrEqual(strict.threshold)
        const answerable = questions.filter((question) => question.answerable)
        const kept = answerable.filter(({ score }) => score >= strict.threshold).length
        if (answerable.length > 0) expect(strict.coverage).toBe(kept / answerable.length)
        expect(coverageAtFalseAcceptance(questions.toReversed(), low)).toEqual(strict)
      }),
    )
  })
})
