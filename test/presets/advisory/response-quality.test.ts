import { askGate, settingsIn } from '../../fixtures/policy.ts'
import { describe, expect, it } from 'vitest'
import type { AnswerStructure } from '../../../src/core/answer/answer-signals.ts'
import {
  responseQuality,
  responseQualityOf,
  responseQualityGate,
} from '../../../packages/presets/src/advisory/response-quality.ts'
import { answerSignalsOf } from '../../fixtures/answer.ts'
import { signalsOf } from '../../fixtures/evidence.ts'

const check = (structure: AnswerStructure | undefined) =>
  askGate(responseQuality({ requiredFields: ['a'], optionalFields: ['b'] }), {
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
  ] as const)('judges %s', (_, structure, actual, outcome, code) => {
    expect(check(structure)).toMatchObject({ actual, outcome, code })
  })

  it.each([
    [lacking(), 'Response quality (0.3) meets threshold (0.3)', 0.3],
    [lacking('b'), 'Response quality (0.2) below threshold (0.3)', 0.3],
    [lacking('a'), 'Response quality (0.1) below threshold (0.2)', 0.2],
  ])('of %j has the message %s', (structure, message, threshold) => {
    expect(check(structure)).toMatchObject({ message, threshold })
  })

  it('needs every required and every optional field for its parts', () => {
    const settings = settingsIn(
      responseQualityGate,
      responseQuality({ requiredFields: ['a', 'b'], optionalFields: ['c', 'd'] }),
    )
    const quality = (...missing: string[]) =>
      responseQualityOf(
        settings,
        answerSignalsOf({ structure: { valid: true, lookedFor: ['a', 'b', 'c', 'd'], missing } }),
      )
    expect([quality(), quality('d'), quality('b'), quality('a', 'c')]).toEqual([0.3, 0.2, 0.1, 0.1])
  })

  it('needs only a readable structure by default', () => {
    expect(responseQuality().settings).toEqual({
      gate: 'response-quality',
      requiredFields: [],
      optionalFields: [],
      refuseBelow: 0.2,
      adviseBelow: 0.3,
    })
  })

  it('refuses without an answer', () => {
    expect(askGate(responseQuality(), { signals: signalsOf(), confidence: 1 })).toEqual({
      outcome: 'refuse',
      code: 'response_quality_missing',
      message: 'There is no structured answer to judge',
    })
  })

  it.each([
    [{ requiredFields: [''] }, 'requiredFields', 'requiredFields must be names of fields'],
    [{ requiredFields: ['a', ''] }, 'requiredFields', 'requiredFields must be names of fields'],
    [{ optionalFields: [7 as unknown as string] }, 'optionalFields', 'optionalFields must be names of fields'],
    [{ refuseBelow: 0.4 }, 'refuseBelow', 'refuseBelow must be a number from 0 to 0.3'],
    [{ adviseBelow: 0.1 }, 'adviseBelow', 'adviseBelow must be a number from 0.2 to 0.3'],
  ])('rejects the options %j', (options, param, message) => {
    const fault = expect.objectContaining({ code: 'policy_invalid', param, message })
    expect(() => responseQuality(options)).toThrow(fault)
  })

  it('refuses when its fields were not looked for', () => {
    expect(check({ ...lacking(), lookedFor: ['a'] })).toMatchObject({
      outcome: 'refuse',
      code: 'response_quality_missing',
    })
  })

  it('looks for every field, and refuses when a record of them is damaged', () => {
    const { gate, settings } = responseQuality({ requiredFields: ['a'], optionalFields: ['b'] })
    expect(gate.answerFields!(settings)).toEqual(['a', 'b'])
    for (const valid of [true, false])
      expect(check({ ...lacking('b', null as never), valid })).toMatchObject({ code: 'response_quality_missing' })
  })

  it('gives 0 for plain text', () => {
    expect(check(undefined)).toMatchObject({ outcome: 'refuse', code: 'response_incomplete', actual: 0 })
  })
})
