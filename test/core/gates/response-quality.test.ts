import { describe, expect, it } from 'vitest'
import type { AnswerStructure } from '../../../src/core/answer-signals.ts'
import { responseQuality, responseQualityGate } from '../../../src/core/gates/response-quality.ts'
import { answerSignalsOf } from '../../fixtures/answer.ts'
import { signalsOf } from '../../fixtures/evidence.ts'

const check = (structure: AnswerStructure | undefined) =>
  responseQualityGate.check(responseQuality({ requiredFields: ['a'], optionalFields: ['b'] }), {
    signals: signalsOf(),
    confidence: 1,
    answer: answerSignalsOf(structure === undefined ? {} : { structure }),
  })
const lacking = (...missing: string[]): AnswerStructure => ({ valid: true, lookedFor: ['a', 'b'], missing })

describe('responseQuality', () => {
  it.each([
    ['a complete answer', lacking(), 0.3, 'pass', 'passed'],
    ['an optional field missing', lacking('b'), 0.2, 'advise', 'response_partial'],
    ['a required field missing', lacking('a'), 0.1, 'refuse', 'response_incomplete'],
    ['no JSON object', { ...lacking('a', 'b'), valid: false }, 0, 'refuse', 'response_incomplete'],
  ] as const)('of %s', (_, structure, actual, outcome, code) => {
    expect(check(structure)).toMatchObject({ actual, outcome, code })
  })

  it('refuses where nobody looked for its fields', () => {
    for (const structure of [undefined, { ...lacking(), lookedFor: ['a'] }]) {
      expect(check(structure)).toMatchObject({ outcome: 'refuse', code: 'response_quality_missing' })
    }
  })
})
