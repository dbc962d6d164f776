import { describe, expect, it } from 'vitest'
import { grounding } from '../../../packages/presets/src/answers/grounding.ts'
import { confidenceRange } from '../../../src/core/gates/confidence-range.ts'
import type { Finding } from '../../../src/core/gates/finding.ts'
import type { PolicyGate } from '../../../src/core/gates/gate.ts'
import { gradedRelevance } from '../../../src/core/gates/graded-relevance.ts'
import { loneTerm } from '../../../src/core/gates/lone-term.ts'
import { minTopCosine } from '../../../src/core/gates/min-top-cosine.ts'
import { questionLength } from '../../../src/core/gates/question-length.ts'
import { readableQuestion } from '../../../src/core/gates/readable-question.ts'
import { conclude, judge, refusesUnseen } from '../../../src/core/policy/judge.ts'
import { logistic } from '../../../src/core/policy/logistic.ts'
import { definePolicy, type Policy, type PolicyInput } from '../../../src/core/policy/policy.ts'
import type { Signals } from '../../../src/core/signals/measure.ts'
import { askedTermCount } from '../../../src/core/signals/asked-term-count.ts'
import { topCosine } from '../../../src/core/signals/top-cosine.ts'
import { aCurve, signalsOf } from '../../fixtures/evidence.ts'

const withGates = (gates: readonly PolicyGate[], more: Partial<PolicyInput> = {}): Policy =>
  definePolicy({
    name: 'mine',
    confidence: logistic({ intercept: 0, weights: {}, provenance: '' }),
    bands: { high: 0.9, medium: 0.6, low: 0.3 },
    gates,
    ...more,
  })
const FINE = signalsOf({ askedTermCount: 2, questionReadable: true, curves: { cosine: aCurve(0.9) } })
const codes = (policy: Policy, signals: Signals): readonly string[] =>
  judge(policy, signals).findings.map(({ code }) => code)

describe('a gate about the question', () => {
  const policy = withGates([questionLength(), minTopCosine()])

  it('is asked without evidence too, unlike other gates', () => {
    expect(codes(policy, { ...FINE, chunkCount: 0 })).toEqual(['no_evidence'])
    expect(codes(policy, { ...FINE, chunkCount: 0, askedTermCount: 0 })).toEqual(['question_too_short', 'no_evidence'])
    expect(judge(policy, { ...FINE, chunkCount: 0, askedTermCount: 0 }).reason).toBe('question_too_short')
  })

  it('never counts as a judgement of the evidence', () => {
    expect(codes(withGates([questionLength()]), FINE)).toEqual(['nothing_judged'])
    expect(codes(withGates([questionLength(), grounding()]), FINE)).toEqual(['judged_with_answer'])
    // What could have judged the evidence and did not is no reason to answer.
    expect(codes(withGates([gradedRelevance(), grounding()]), FINE)).toEqual(['not_graded', 'nothing_judged'])
    expect(codes(withGates([minTopCosine(), grounding()]), FINE)).toEqual(['passed'])
  })
})

describe('refusesUnseen', () => {
  const asked: string[][] = []
  const refuses = (gates: readonly PolicyGate[], signals: Partial<Signals>): boolean =>
    refusesUnseen(withGates(gates), (read) => {
      asked.push(read.map(({ name }) => name))
      return { chunkCount: 0, droppedCount: 0, ...signals }
    })

  it('asks the gates whose signals depend on the question alone', () => {
    const gates = [minTopCosine(), loneTerm(), readableQuestion(), questionLength()]
    asked.length = 0
    expect(refuses(gates, { askedTermCount: 2, questionReadable: true })).toBe(false)
    expect(refuses(gates, { askedTermCount: 0, questionReadable: true })).toBe(true)
    expect(refuses(gates, { askedTermCount: 2, questionReadable: false })).toBe(true)
    expect(asked).toEqual(Array.from({ length: 3 }, () => ['questionReadable', 'askedTermCount']))
  })

  it('measures no signal when there is no such gate', () => {
    asked.length = 0
    const { gate, settings } = questionLength()
    const blind = { ...gate, reads: undefined as never }
    expect(refuses([minTopCosine(), loneTerm()], { askedTermCount: 0 })).toBe(false)
    expect(refuses([{ gate: blind, settings }], { askedTermCount: 0 })).toBe(false)
    const ofEvidence = { ...gate, about: undefined as never }
    expect(refuses([{ gate: ofEvidence, settings }], { askedTermCount: 0 })).toBe(false)
    const ofBoth = { ...gate, reads: () => [askedTermCount, topCosine] }
    expect(refuses([{ gate: ofBoth, settings }], { askedTermCount: 0 })).toBe(false)
    expect(asked.flat()).toEqual([])
  })

  it('does not treat advise as a refusal', () => {
    const { gate, settings } = questionLength()
    const advising = { ...gate, check: () => ({ outcome: 'advise', code: 'question_too_short', message: '' }) as const }
    expect(refuses([{ gate: advising, settings }], {})).toBe(false)
  })
})

describe('a policy with escalateRefusals', () => {
  const gates = [confidenceRange({ refuseBelow: 0.5, adviseBelow: 0.5 })]
  const judged = (more: Partial<PolicyInput>, signals: Signals = FINE) =>
    'escalate' in judge(withGates(gates, more), signals)
  const none = { ...FINE, chunkCount: 0 }

  it('sets escalate on refusals only, and not when its gates are disabled', () => {
    expect(judge(withGates(gates, { escalateRefusals: true }), none).escalate).toBe(true)
    expect(judged({ escalateRefusals: true }, FINE)).toBe(false)
    expect(judged({}, none)).toBe(false)
    expect(judged({ escalateRefusals: true, dangerouslyDisableGates: true }, none)).toBe(false)
  })
})

describe('a finding from a record or an untyped rule', () => {
  it.each<[string, Partial<Record<keyof Finding, unknown>>]>([
    ['an unknown outcome', { outcome: 'allow' }],
    ['a property name of every object as its outcome', { outcome: 'toString' }],
    ['a code that no header can carry', { code: 'not\nthis' }],
    ['an empty code', { code: '' }],
  ])('refuses when it has %s', (_, wrong) => {
    const finding = { gate: 'rule:a', stage: 'pre-generation', outcome: 'pass', code: 'passed', message: 'm', ...wrong }
    const policy = withGates([minTopCosine()])
    expect(conclude(policy, [finding as Finding], 0.7)).toMatchObject({
      verdict: 'refuse',
      reason: 'rule_failed',
      findings: [{ gate: 'rule:a', message: 'm', outcome: 'refuse', code: 'rule_failed' }],
    })
    expect(conclude(policy, [], 0.7).reason).toBe('nothing_judged')
  })
})
