import { askGate } from '../../fixtures/policy.ts'
import { describe, expect, it } from 'vitest'
import type { SentenceSupport } from '../../../src/core/answer/answer-signals.ts'
import { grounding } from '../../../packages/presets/src/answers/grounding.ts'
import { answerSignalsOf, aSentence } from '../../fixtures/answer.ts'
import { signalsOf } from '../../fixtures/evidence.ts'

const check = (...sentences: SentenceSupport[]) =>
  askGate(grounding(), { signals: signalsOf(), confidence: 1, answer: answerSignalsOf({ sentences }) })

describe('grounding', () => {
  it.each([
    ['half of its words supported', { termShare: 0.5 }, 'pass'],
    ['less than half of its words supported', { termShare: 0.49 }, 'refuse'],
    ['an unsupported figure', { missingNumbers: 1 }, 'refuse'],
    ['an unsupported name', { missingNames: 1 }, 'refuse'],
    ['a citation of a missing passage', { unknownCitations: 1 }, 'refuse'],
  ])('judges a sentence with %s: %s', (_, given, outcome) => {
    expect(check(aSentence(given)).outcome).toBe(outcome)
    expect(check(aSentence(), aSentence(given)).outcome).toBe(outcome)
  })

  it('names unsupported sentences by number, without their words', () => {
    expect(check(aSentence({ termShare: 0 }), aSentence(), aSentence({ missingNames: 2 }))).toMatchObject({
      code: 'answer_unsupported',
      message: 'Not supported by the passages: sentence 1, 3 of 3',
      actual: 2,
    })
  })

  it('reports how many sentences are supported', () => {
    expect(check(aSentence(), aSentence({ termCount: 0 }), aSentence())).toEqual({
      outcome: 'pass',
      code: 'passed',
      message: 'All 2 sentences that can be checked are supported by the passages',
      actual: 0,
      threshold: 0,
    })
  })

  it('refuses without an answer', () => {
    expect(askGate(grounding(), { signals: signalsOf(), confidence: 1 })).toEqual({
      outcome: 'refuse',
      code: 'answer_uncheckable',
      message: 'The answer says nothing that could be checked',
    })
  })

  it.each([-0.1, 1.1])('rejects a minTermShare of %d', (minTermShare) => {
    const fault = expect.objectContaining({ code: 'policy_invalid', param: 'minTermShare' })
    expect(() => grounding({ minTermShare })).toThrow(fault)
  })

  it('refuses an answer with nothing to check, but allows such a sentence among others', () => {
    expect(check()).toMatchObject({ outcome: 'refuse', code: 'answer_uncheckable' })
    expect(check(aSentence({ termCount: 0, termShare: 0 }))).toMatchObject({ code: 'answer_uncheckable' })
    expect(check(aSentence({ termCount: 0, termShare: 0 }), aSentence())).toMatchObject({ outcome: 'pass' })
  })
})
