import { describe, expect, it } from 'vitest'
import { countHallucinations, type LabelledAnswer } from '../../packages/calibration/src/hallucinations.ts'
import { suggestThresholdChange } from '../../packages/calibration/src/suggest-threshold-change.ts'
import { judge } from '../../src/core/policy/judge.ts'
import { judgeAnswer } from '../../src/core/policy/judge-answer.ts'
import { multiGate } from '../../packages/presets/src/multi-gate/multi-gate.ts'
import { answerSignalsOf, aSentence } from '../fixtures/answer.ts'
import { aCurve, signalsOf } from '../fixtures/evidence.ts'

const policy = multiGate()
const signals = signalsOf({ questionTermCount: 1, keywordCoverage: 1, curves: { cosine: aCurve(0.9) } })

/** A labelled answer as the gates judge it: `supported` is what grounding sees, `hallucinated` what a person says. */
function answer(supported: boolean, hallucinated: boolean, generationConfidence = 0.9): LabelledAnswer {
  const sentences = [aSentence(supported ? {} : { missingNumbers: 1 })]
  const answerSignals = answerSignalsOf({ generationConfidence, sentences })
  return { decision: judgeAnswer(policy, { ...judge(policy, signals), signals }, answerSignals), hallucinated }
}

const refusedBefore: LabelledAnswer = {
  decision: judge(policy, signalsOf({ curves: { cosine: aCurve(0.1) } })),
  hallucinated: false,
}

describe('countHallucinations', () => {
  const answers = [
    ...Array.from({ length: 7 }, () => answer(true, false)),
    answer(true, true),
    answer(false, true),
    answer(false, true),
    answer(false, false),
    // Refused for another reason: made, not given, and still seen by grounding.
    answer(true, true, 0.1),
  ]

  it('counts hallucinations that were answered separately from those that the model made', () => {
    const { given, made, statement } = countHallucinations(answers)
    expect([given.hits, given.labels]).toEqual([1, 8])
    expect([made.hits, made.labels]).toEqual([4, 12])
    expect(statement).toBe('Hallucinated answers among those given: 1 of 8 (0.003–0.527), 95 % interval')
  })

  it('reports how many the gate for grounding catches, and its false alarms', () => {
    const { caught, falseAlarms } = countHallucinations(answers)
    expect([caught.hits, caught.labels]).toEqual([2, 4])
    expect([falseAlarms.hits, falseAlarms.labels]).toEqual([1, 8])
  })

  it('omits answers that the gate never judged from its figures', () => {
    const counted = countHallucinations([refusedBefore])
    expect([counted.caught.labels, counted.falseAlarms.labels, counted.given.labels]).toEqual([0, 0, 0])
    expect(counted.statement).toBe('No labelled answer was given: the rate of hallucinated answers is not known')
    const skipped = {
      gate: 'grounding',
      stage: 'post-generation',
      outcome: 'skip',
      code: 'passed',
      message: '',
    } as const
    const unseen = countHallucinations([{ decision: { verdict: 'pass', findings: [skipped] }, hallucinated: true }])
    expect([unseen.caught.labels, unseen.falseAlarms.labels, unseen.given.hits]).toEqual([0, 0, 1])
  })

  it('counts answers with a caution as answered', () => {
    const advised = countHallucinations([{ decision: { verdict: 'advise', findings: [] }, hallucinated: false }])
    expect([advised.given.hits, advised.given.labels]).toEqual([0, 1])
  })

  it('gives the rate that suggestThresholdChange needs', () => {
    const many = Array.from({ length: 100 }, (_, at) => answer(true, at < 2))
    const change = suggestThresholdChange(policy, {
      hallucinations: countHallucinations(many).given,
      falseRefusals: { rate: 0, labels: 100 },
    })
    expect(change).toMatchObject({ action: 'raise', change: { gate: 'generation-confidence' } })
  })
})
