import { policySettings } from '../../../src/core/policy/policy.ts'
import { confidenceOf } from '../../../src/core/policy/confidence.ts'
import { signalsOf } from '../../fixtures/evidence.ts'
import { topCosine } from '../../../packages/presets/src/multi-gate/top-cosine.ts'
import { describe, expect, it } from 'vitest'
import { multiGate } from '../../../packages/presets/src/multi-gate/multi-gate.ts'

describe('multiGate', () => {
  it('has the four gates of document 002, with its thresholds', () => {
    expect(policySettings(multiGate()).gates).toEqual([
      { gate: 'min-top-cosine', refuseBelow: 0.7 },
      { gate: 'keyword-coverage', adviseBelow: 0.5 },
      { gate: 'generation-confidence', refuseBelow: 0.6 },
      { gate: 'grounding', minTermShare: 0.5 },
    ])
  })

  it('passes each option to its gate', () => {
    const options = { refuseBelow: 0.1, adviseBelowKeywords: 0.2, refuseBelowConfidence: 0.3, minTermShare: 0.4 }
    expect(policySettings(multiGate(options)).gates).toEqual([
      { gate: 'min-top-cosine', refuseBelow: 0.1 },
      { gate: 'keyword-coverage', adviseBelow: 0.2 },
      { gate: 'generation-confidence', refuseBelow: 0.3 },
      { gate: 'grounding', minTermShare: 0.4 },
    ])
  })

  it.each([
    [{ refuseBelowConfidence: 7 }, 'refuseBelowConfidence', "from 0 to 1, or 'off'"],
    [{ adviseBelowKeywords: -1 }, 'adviseBelowKeywords', 'from 0 to 1'],
  ])('rejects %j under the name of the option', (options, param, words) => {
    expect(() => multiGate(options)).toThrow(
      expect.objectContaining({ code: 'policy_invalid', param, message: `${param} must be a number ${words}` }),
    )
  })

  it('omits each of the gates for answers on request', () => {
    const names = (options: Parameters<typeof multiGate>[0]) => multiGate(options).gates.map(({ gate }) => gate.name)
    const before = ['min-top-cosine', 'keyword-coverage']
    expect(names({ refuseBelowConfidence: 'off' })).toEqual([...before, 'grounding'])
    expect(names({ answerGrounding: 'off' })).toEqual([...before, 'generation-confidence'])
    expect(names({ refuseBelowConfidence: 'off', answerGrounding: 'off' })).toEqual(before)
    expect(names({ answerGrounding: 'on' })).toHaveLength(4)
  })

  it("gives the specification's one sentence for every refusal, also without evidence", () => {
    const { texts } = multiGate({ wording: 'specification' })
    const answers = Object.values(texts).flatMap(({ answer }) => (answer === '' ? [] : [answer]))
    expect(new Set(answers)).toEqual(new Set(['This information cannot be verified from the book content.']))
    for (const code of ['no_evidence', 'similarity_low', 'question_unreadable'])
      expect(texts[code]?.answer).not.toBe('')
    expect(multiGate().texts['no_evidence']?.answer).not.toContain('book')
  })

  it('takes a wording, and has no empty settings', () => {
    expect(policySettings(multiGate({ wording: 'specification' })).wording).toBe('specification')
    expect(policySettings(multiGate())).not.toHaveProperty('wording')
    expect(() => multiGate({ wording: 'loud' as never })).toThrow(expect.objectContaining({ code: 'policy_invalid' }))
  })
})

describe('the confidence', () => {
  it.each([
    [0.8, 0.8],
    [1.00001, 1],
    [-0.5, 0],
    [NaN, NaN],
    [undefined, NaN],
    ['0.8', NaN],
  ])('for a cosine of %j is %d', (cosine, confidence) => {
    expect(confidenceOf(topCosine(), signalsOf({ topCosine: cosine as never }))).toBe(confidence)
  })

  it('is stored and recorded', () => {
    const { model, settings } = topCosine()
    expect(settings).toEqual({ kind: 'top-cosine' })
    expect(model.reads!(settings).map(({ name }) => name)).toEqual(['topCosine'])
  })
})
