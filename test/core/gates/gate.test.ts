import { describe, expect, it } from 'vitest'
import { confidenceRange, confidenceRangeGate } from '../../../src/core/gates/confidence-range.ts'
import { gateWith, plainSettings, type PolicyGate, settingsOf } from '../../../src/core/gates/gate.ts'
import { gradedRelevance, gradedRelevanceGate } from '../../../src/core/gates/graded-relevance.ts'
import { loneTerm } from '../../../src/core/gates/lone-term.ts'
import { minTopCosine, minTopCosineGate } from '../../../src/core/gates/min-top-cosine.ts'
import { questionLength } from '../../../src/core/gates/question-length.ts'
import { readableQuestion } from '../../../src/core/gates/readable-question.ts'
import { runTogether } from '../../../src/core/gates/run-together.ts'
import { GATES } from '../../fixtures/policy.ts'

const MAKERS: readonly (readonly [name: string, make: () => PolicyGate])[] = [
  ['confidence-range', () => confidenceRange({ refuseBelow: 0.5, adviseBelow: 0.7 })],
  ['graded-relevance', gradedRelevance],
  ['min-top-cosine', minTopCosine],
  ['lone-term', loneTerm],
  ['question-length', questionLength],
  ['readable-question', readableQuestion],
  ['run-together', runTogether],
]

describe('the gates of the profiles', () => {
  it('judge the evidence before the model call and the answer after it', () => {
    expect(Object.fromEntries(Object.values(GATES).map(({ name, stage }) => [name, stage]))).toEqual({
      'advisory-confidence': 'post-generation',
      'confidence-range': 'pre-generation',
      'lone-term': 'pre-generation',
      'question-length': 'pre-generation',
      'readable-question': 'pre-generation',
      'run-together': 'pre-generation',
      'evidence-share': 'post-generation',
      'generation-confidence': 'post-generation',
      'graded-relevance': 'pre-generation',
      grounding: 'post-generation',
      'keyword-coverage': 'pre-generation',
      'min-top-cosine': 'pre-generation',
      'response-quality': 'post-generation',
      'retrieval-score': 'pre-generation',
    })
  })
})

describe('gateWith', () => {
  it.each([
    [undefined, { gate: 'x' }],
    [null, { gate: 'x' }],
    [{}, { gate: 'x' }],
    [minTopCosineGate, undefined],
    [minTopCosineGate, null],
    [minTopCosineGate, 'min-top-cosine'],
    [{ ...minTopCosineGate, validate: () => undefined }, null],
  ])('rejects a missing gate or missing settings: %o, %o', (gate, settings) => {
    expect(() => gateWith(gate as never, settings as never)).toThrow(
      expect.objectContaining({
        code: 'policy_invalid',
        param: 'gate',
        message: 'gateWith needs a gate with settings',
      }),
    )
  })

  it.each(MAKERS)('rejects unknown settings for the gate %s', (name, make) => {
    const { gate, settings } = make()
    expect([gate.name, settings.gate]).toEqual([name, name])
    expect(gateWith(gate, settings)).toEqual({ gate, settings })
    const fault = expect.objectContaining({ code: 'policy_invalid', param: 'other' })
    expect(() => gateWith(gate, { ...settings, other: 1 } as never)).toThrow(fault)
    expect(() => gateWith(gate, { ...settings, gate: 7 } as never)).toThrow(
      expect.objectContaining({ code: 'policy_invalid', param: 'gate' }),
    )
  })
})

describe('plainSettings', () => {
  it('must name their gate', () => {
    expect(() => plainSettings({ gate: 'x' })).not.toThrow()
    expect(() => plainSettings({} as never)).toThrow(expect.objectContaining({ code: 'policy_invalid', param: 'gate' }))
  })
})

describe('settingsOf', () => {
  it('finds the settings of the given gate among those of a policy', () => {
    const gates = MAKERS.map(([, make]) => make())
    expect(settingsOf(minTopCosineGate, gates)).toEqual({ gate: 'min-top-cosine', refuseBelow: 0.7 })
    expect(settingsOf(gradedRelevanceGate, gates)?.minChunks).toBe(1)
    expect(settingsOf(minTopCosineGate, [gradedRelevance()])).toBeUndefined()
    expect(settingsOf(minTopCosineGate, [])).toBeUndefined()
  })
})

describe('the threshold of a gate', () => {
  it('is its refuseBelow, and can be replaced', () => {
    const { threshold: ofCosine } = minTopCosineGate
    const cosine = { gate: 'min-top-cosine', refuseBelow: 0.7 } as const
    expect(ofCosine?.of(cosine)).toBe(0.7)
    expect(ofCosine?.moved(cosine, 0.4)).toEqual({ ...cosine, refuseBelow: 0.4 })
    const { threshold: ofRange } = confidenceRangeGate
    const range = { gate: 'confidence-range', refuseBelow: 0.5, adviseBelow: 0.7, whereGraded: 'skipped' } as const
    expect(ofRange?.of(range)).toBe(0.5)
    expect(ofRange?.moved(range, 0.6)).toEqual({ ...range, refuseBelow: 0.6 })
    // A caution begins no lower than answers do.
    expect(ofRange?.moved(range, 0.8)).toEqual({ ...range, refuseBelow: 0.8, adviseBelow: 0.8 })
  })
})
