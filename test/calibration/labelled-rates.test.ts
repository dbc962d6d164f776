import { describe, expect, it } from 'vitest'
import { binomialInterval } from '../../packages/calibration/src/binomial-interval.ts'
import { estimateErrorRates } from '../../packages/calibration/src/labelled-rates.ts'
import { seededRandom } from '../../bench/seeded-random.ts'

describe('estimateErrorRates', () => {
  it('weights each kind by its number of decisions, not of labels', () => {
    // 10 % of 1,000 refusals are wrong, 5 % of 9,000 answers: 100 of 8,650 answerable questions, 450 of 1,350 others.
    const rates = estimateErrorRates(
      { decisions: 1_000, right: 90, wrong: 10 },
      { decisions: 9_000, right: 19, wrong: 1 },
    )
    expect(rates.falseRefusals.rate).toBeCloseTo(100 / 8_650, 12)
    expect(rates.falseAcceptances.rate).toBeCloseTo(450 / 1_350, 12)
    for (const { low, rate, high } of Object.values(rates)) {
      expect(low).toBeLessThan(rate!)
      expect(high).toBeGreaterThan(rate!)
    }
  })

  it('has no rate without labels, and a rate of 0 without decisions', () => {
    const [unlabelled, labelled] = [
      { decisions: 5, right: 0, wrong: 0 },
      { decisions: 5, right: 3, wrong: 0 },
    ]
    const unknown = estimateErrorRates(unlabelled, labelled)
    expect(unknown.falseRefusals).toMatchObject({ rate: null, low: 0 })
    expect(estimateErrorRates(labelled, unlabelled).falseRefusals.rate).toBeNull()
    expect(unknown.falseRefusals.high).toBeGreaterThan(0.5)
    const none = { decisions: 0, right: 0, wrong: 0 }
    expect(estimateErrorRates(none, none).falseRefusals).toEqual({ rate: 0, low: 0, high: 0 })
  })

  it('combines exact intervals of 97.5 % each', () => {
    const refused = binomialInterval(2, 20, 0.975)
    const answered = binomialInterval(3, 30, 0.975)
    const { falseRefusals, falseAcceptances } = estimateErrorRates(
      { decisions: 200, right: 18, wrong: 2 },
      { decisions: 700, right: 27, wrong: 3 },
    )
    for (const bound of ['low', 'high'] as const) {
      const [wrongRefusals, wrongAnswers] = [200 * refused[bound], 700 * answered[bound]]
      expect(falseRefusals[bound]).toBeCloseTo(wrongRefusals / (wrongRefusals + 700 - wrongAnswers), 12)
      expect(falseAcceptances[bound]).toBeCloseTo(wrongAnswers / (wrongAnswers + 200 - wrongRefusals), 12)
    }
  })

  it('is 0 of a kind that was not decided, whether or not there are labels of it, and 1 where all were wrong', () => {
    const answers = { decisions: 50, right: 8, wrong: 2 }
    for (const labels of [0, 4]) {
      const { falseRefusals, falseAcceptances } = estimateErrorRates(
        { decisions: 0, right: labels, wrong: labels },
        answers,
      )
      expect(falseRefusals).toEqual({ rate: 0, low: 0, high: 0 })
      // All unanswerable questions were answered.
      expect(falseAcceptances).toEqual({ rate: 1, low: 1, high: 1 })
    }
  })

  it('is one half when as many answerable questions were refused as answered', () => {
    const refusals = { decisions: 100, right: 15, wrong: 5 }
    const answers = { decisions: 100, right: 5, wrong: 15 }
    const { falseRefusals, falseAcceptances } = estimateErrorRates(refusals, answers)
    expect([falseRefusals.rate, falseAcceptances.rate]).toEqual([0.5, 0.5])
  })

  it('contains the true rate in at least 95 of 100 cases', () => {
    const random = seededRandom(17)
    const [wrongRefusals, wrongAnswers, refusals, answers] = [0.2, 0.1, 300, 700]
    const truth = (refusals * wrongRefusals) / (refusals * wrongRefusals + answers * (1 - wrongAnswers))
    const label = (share: number, labels: number): number =>
      Array.from({ length: labels }, () => (random() < share ? 1 : 0)).reduce<number>((sum, each) => sum + each, 0)
    let covered = 0
    for (let run = 0; run < 300; run++) {
      const [ofRefusals, ofAnswers] = [label(wrongRefusals, 40), label(wrongAnswers, 60)]
      const { low, high } = estimateErrorRates(
        { decisions: refusals, right: 40 - ofRefusals, wrong: ofRefusals },
        { decisions: answers, right: 60 - ofAnswers, wrong: ofAnswers },
      ).falseRefusals
      if (low <= truth && truth <= high) covered++
    }
    expect(covered).toBeGreaterThanOrEqual(285)
  })
})
