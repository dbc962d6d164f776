import { askGate } from '../../fixtures/policy.ts'
import { describe, expect, it } from 'vitest'
import { generationConfidence } from '../../../packages/presets/src/answers/generation-confidence.ts'
import { answerSignalsOf } from '../../fixtures/answer.ts'
import { signalsOf } from '../../fixtures/evidence.ts'

const INPUT = { signals: signalsOf(), confidence: 1 }
const check = (given: Parameters<typeof answerSignalsOf>[0]) =>
  askGate(generationConfidence(), { ...INPUT, answer: answerSignalsOf(given) })

const MISSING = {
  outcome: 'refuse',
  code: 'generation_confidence_missing',
  message: 'No generation confidence was reported',
}

describe('generationConfidence', () => {
  it.each([
    [0.9, 'pass', 'passed', 'Generation confidence (0.90) meets threshold (0.6)'],
    [0.6, 'pass', 'passed', 'Generation confidence (0.60) meets threshold (0.6)'],
    [0.5, 'refuse', 'generation_confidence_low', 'Generation confidence (0.50) below threshold (0.6)'],
    [0, 'refuse', 'generation_confidence_low', 'Generation confidence (0.00) below threshold (0.6)'],
  ])('judges a reported %d as %s', (actual, outcome, code, message) => {
    expect(check({ generationConfidence: actual })).toEqual({ outcome, code, message, actual, threshold: 0.6 })
  })

  it('refuses when no number was reported, or there is no answer', () => {
    expect(check({})).toEqual(MISSING)
    expect(check({ generationConfidence: NaN })).toEqual(MISSING)
    expect(check({ generationConfidence: '0.9' as unknown as number })).toEqual(MISSING)
    expect(askGate(generationConfidence(), INPUT)).toEqual(MISSING)
  })

  it('refuses an invalid report, but not for another invalid report', () => {
    expect(check({ unusable: ['generationConfidence'], generationConfidence: 0.9 })).toEqual({
      outcome: 'refuse',
      code: 'generation_confidence_invalid',
      message: 'The reported generation confidence is not a number from 0 to 1',
    })
    expect(check({ unusable: ['attribution'], generationConfidence: 0.9 }).code).toBe('passed')
  })

  it.each([-0.1, 1.1, NaN])('rejects the threshold %d', (refuseBelow) => {
    const fault = expect.objectContaining({ code: 'policy_invalid', param: 'refuseBelow' })
    expect(() => generationConfidence({ refuseBelow })).toThrow(fault)
  })
})
