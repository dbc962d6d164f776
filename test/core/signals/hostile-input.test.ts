/** Hostile input of the decision core ends in a refusal or a declared error, never in a pass. */
import { PRESETS } from '../../fixtures/policy.ts'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Finding, Verdict } from '../../../src/core/gates/finding.ts'
import { explain, explanationText } from '../../../src/core/reports/explain.ts'
import { confidenceRange } from '../../../src/core/gates/confidence-range.ts'
import { gradedRelevance } from '../../../src/core/gates/graded-relevance.ts'
import type { PolicyGate } from '../../../src/core/gates/gate.ts'
import { keywordCoverage } from '../../../packages/presets/src/multi-gate/keyword-coverage.ts'
import { minTopCosine } from '../../../src/core/gates/min-top-cosine.ts'
import { retrievalScore } from '../../../packages/presets/src/two-tier/retrieval-score.ts'
import type { Signals } from '../../../src/core/signals/measure.ts'
import { conclude, judge } from '../../../src/core/policy/judge.ts'
import { answerFields, judgeAnswer } from '../../../src/core/policy/judge-answer.ts'
import { definePolicy, type Policy, policySettings, resolvePolicy } from '../../../src/core/policy/policy.ts'
import { advisory } from '../../../packages/presets/src/advisory/advisory.ts'
import { balanced } from '../../../src/presets/balanced/balanced.ts'
import { legalReview } from '../../../packages/presets/src/weighted-signals/legal-review.ts'
import { multiGate } from '../../../packages/presets/src/multi-gate/multi-gate.ts'
import { sufficiency } from '../../../packages/presets/src/sufficiency/sufficiency.ts'
import { twoTier } from '../../../packages/presets/src/two-tier/two-tier.ts'
import { weightedSignals } from '../../../packages/presets/src/weighted-signals/weighted-signals.ts'
import { isRagGateError } from '../../../src/errors.ts'
import { answerSignalsOf } from '../../fixtures/answer.ts'
import { aCurve, signalsOf } from '../../fixtures/evidence.ts'
import { examples } from '../../properties.ts'

const PROFILES: readonly Policy[] = [
  balanced(),
  twoTier(),
  multiGate(),
  weightedSignals(),
  weightedSignals({ renormalise: true, veryLow: 'advise' }),
  legalReview(),
  advisory({ requiredFields: ['summary'], optionalFields: ['detail'] }),
  sufficiency(),
]
const STRICTNESS: Readonly<Record<Verdict, number>> = { pass: 0, advise: 1, refuse: 2 }

/** As lenient as each gate can be set, so that only what is malformed can make it refuse. */
const LENIENT = {
  cosine: minTopCosine({ refuseBelow: -1 }),
  grade: gradedRelevance({ relevanceThreshold: 0, minChunks: 0 }),
  bm25: retrievalScore({ minScore: -1, minRatio: 0 }),
} as const
const withGates = (...gates: PolicyGate[]): Policy => definePolicy({ ...balanced(), name: 'mine', gates })

/** What stands where a number should, as a careless or hostile source writes it. */
const notANumber = fc.oneof(
  fc.constantFrom<unknown>(NaN, Infinity, -Infinity, null, '0.9', '', 'NaN', true, [0.9], {}, 10n),
  fc.string(),
)
const aNumber = fc.oneof(
  fc.double({ min: -2, max: 12, noNaN: true }),
  fc.constantFrom(0, -0, 1, 0.5, 0.7, Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE),
)
const anything = fc.oneof(aNumber, notANumber)

describe('the judgement from findings', () => {
  it('treats an unknown outcome as a refusal', () => {
    for (const outcome of ['block', 'PASS', '', 'toString', ['refuse'], ['pass'], null, undefined, 0]) {
      const finding = { gate: 'own', stage: 'pre-generation', outcome, code: 'own', message: '' } as unknown as Finding
      expect(conclude(balanced(), [finding], 1).verdict, String(outcome)).toBe('refuse')
    }
  })
})

describe('a malformed score', () => {
  const read = (policy: Policy, signals: Signals): Verdict => judge(policy, signals).verdict

  it.each(Object.keys(LENIENT) as (keyof typeof LENIENT)[])('never passes the gate that reads it: best %s', (kind) => {
    fc.assert(
      fc.property(notANumber, fc.array(anything, { maxLength: 3 }), (top, rest) => {
        const curves = { [kind]: aCurve(top as number, ...(rest as number[])) }
        expect(read(withGates(LENIENT[kind]), signalsOf({ curves }))).toBe('refuse')
      }),
    )
  })

  it('never passes as the runner-up of a ratio', () => {
    fc.assert(
      fc.property(notANumber, (second) => {
        const signals = signalsOf({ curves: { bm25: aCurve(9, second as number) } })
        expect(read(withGates(retrievalScore({ minRatio: 0 })), signals)).toBe('refuse')
      }),
    )
  })

  it('never passes by way of a confidence computed from it', () => {
    const everything = confidenceRange({ refuseBelow: 0, adviseBelow: 0 })
    fc.assert(
      fc.property(
        fc.constantFrom('questionLikelihood', 'sentenceMatch', 'chunkCosineGap', 'titleMatch'),
        notANumber,
        (name, value) => {
          const signals = { ...signalsOf(), [name]: value }
          expect(read(withGates(everything), signals as Signals)).toBe('refuse')
        },
      ),
    )
    const retrieval = signalsOf({ chunkCount: 2 }).retrieval
    const weighted = definePolicy({ ...weightedSignals(), gates: [everything] })
    const names = ['topScore', 'scoreGap', 'scoreSpread', 'bm25DenseAgreement', 'documentDiversity', 'scores'] as const
    fc.assert(
      fc.property(fc.constantFrom(...names), notANumber, (name, value) => {
        const broken = { ...retrieval, scores: [0.9, 0.8], [name]: name === 'scores' ? [0.9, value] : value }
        expect(read(weighted, signalsOf({ chunkCount: 2, retrieval: broken }))).toBe('refuse')
      }),
    )
  })

  it('is not replaced by another kind: the first kind that document 003 reads decides', () => {
    const policy = advisory({ adviseBelow: 0, unusableBelow: 0 })
    const answer = answerSignalsOf({ structure: { valid: true, lookedFor: [], missing: [] } })
    for (const kind of ['cross-encoder', 'grade', 'cosine'] as const) {
      for (const scores of [[NaN], [null as unknown as number], ['1' as unknown as number], []]) {
        const signals = signalsOf({ topBm25: 2.2, curves: { cosine: aCurve(0.9), [kind]: aCurve(...scores) } })
        const judged = judgeAnswer(policy, { ...judge(policy, signals), signals }, answer)
        expect(judged, `${kind} ${String(scores[0])}`).toMatchObject({
          verdict: 'refuse',
          reason: 'confidence_unavailable',
        })
      }
    }
  })
})

describe('a ratio of two good scores', () => {
  it('is not lower because the runner-up is almost 0', () => {
    for (const second of [Number.MIN_VALUE, 1e-310, 0, -0, -1]) {
      const judgement = judge(twoTier(), signalsOf({ curves: { bm25: aCurve(9, second) } }))
      expect(judgement.verdict, String(second)).toBe('pass')
      expect(JSON.parse(JSON.stringify(judgement))).toEqual(judgement)
    }
  })
})

describe('findings of rules', () => {
  const outcome = fc.constantFrom<Finding['outcome']>('pass', 'advise', 'refuse', 'skip')
  const finding = outcome.map((said): Finding => ({
    gate: 'rule:any',
    stage: 'pre-generation',
    outcome: said,
    code: said === 'pass' || said === 'skip' ? 'passed' : 'rule_refused',
    message: 'm',
  }))
  const curve = fc
    .array(aNumber, { minLength: 1, maxLength: 4 })
    .map((scores) => aCurve(...scores.sort((a, b) => b - a)))
  const signals = fc
    .record({
      questionTermCount: fc.constantFrom(0, 2),
      keywordCoverage: fc.double({ min: 0, max: 1, noNaN: true }),
      curves: fc.record({ cosine: curve, bm25: curve, grade: curve }, { requiredKeys: [] }),
    })
    .map(signalsOf)
  const policies = [...PROFILES, withGates(gradedRelevance()), withGates(keywordCoverage())]

  it('never make a verdict milder, even when every gate skips', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...policies),
        signals,
        fc.array(finding, { maxLength: 3 }),
        (policy, measured, more) => {
          const alone = judge(policy, measured).verdict
          const together = judge(policy, measured, more).verdict
          expect(STRICTNESS[together]).toBe(
            Math.max(
              STRICTNESS[alone],
              ...more.map((each) => (each.outcome === 'skip' ? 0 : STRICTNESS[each.outcome])),
            ),
          )
        },
      ),
      { numRuns: examples(500) },
    )
  })

  it('of the first stage also count in the second, even without their stage in the record', () => {
    const policy = multiGate({ refuseBelowConfidence: 'off' })
    const measured = signalsOf({ curves: { cosine: aCurve(0.9) } })
    const { findings, policyId } = judge(policy, measured)
    const { stage: _, ...refusal }: Partial<Finding> & Finding = { ...findings[0]!, outcome: 'refuse' }
    const recorded = [...findings, refusal as Finding]
    expect(judgeAnswer(policy, { findings: recorded, policyId, signals: measured }, answerSignalsOf()).verdict).toBe(
      'refuse',
    )
  })
})

describe('a policy read from any JSON', () => {
  const members = ['name', 'confidence', 'bands', 'gates', 'cacheLifetimes'] as const
  const json = fc.jsonValue({ maxDepth: 3 })
  const broken = fc.tuple(fc.constantFrom(...PROFILES), fc.constantFrom(...members), json)

  /** Every path to a value in plain data. */
  function pathsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
    if (value === null || typeof value !== 'object') return [path]
    return [path, ...Object.entries(value).flatMap(([key, member]) => pathsIn(member, [...path, key]))]
  }
  const replaced = (value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown => {
    if (key === undefined) return by
    const copy = Array.isArray(value) ? [...value] : { ...(value as object) }
    Object.assign(copy, { [key]: replaced((value as Record<string, unknown>)[key], rest, by) })
    return copy
  }

  /** What came of it: its code where it was refused, `judges` where it is a policy that works. */
  function becameOf(input: unknown): string {
    let policy: Policy
    try {
      policy = resolvePolicy(input, PRESETS)
    } catch (thrown) {
      return isRagGateError(thrown) ? thrown.code : String(thrown)
    }
    // What was taken can judge: nothing about it is found out while a question is answered.
    const measured = signalsOf({ curves: { cosine: aCurve(0.9), bm25: aCurve(9, 1), grade: aCurve(3, 1) } })
    const before = judge(policy, measured)
    judgeAnswer(policy, { ...before, signals: measured }, answerSignalsOf())
    const named = answerFields(policy).every((field) => typeof field === 'string')
    const again = resolvePolicy(JSON.parse(JSON.stringify(policySettings(policy))), PRESETS)
    return named && again.id === policy.id ? 'judges' : 'is another policy when it is read back'
  }
  const REFUSED_OR_JUDGES = /^(?:policy_invalid|judges)$/

  it('is rejected with policy_invalid, or can judge', () => {
    fc.assert(
      fc.property(broken, ([policy, member, value]) => {
        expect(becameOf({ ...policySettings(policy), [member]: value })).toMatch(REFUSED_OR_JUDGES)
      }),
      { numRuns: examples(500) },
    )
  })

  it('is rejected or can judge whichever setting is replaced', () => {
    const at = fc
      .constantFrom(...PROFILES)
      .chain((policy) =>
        fc.record({ policy: fc.constant(policy), path: fc.constantFrom(...pathsIn(policySettings(policy))) }),
      )
    fc.assert(
      fc.property(at, fc.oneof(json, notANumber), ({ policy, path }, value) => {
        expect(becameOf(replaced(policySettings(policy), path, value))).toMatch(REFUSED_OR_JUDGES)
      }),
      { numRuns: examples(1000) },
    )
  })

  it.each([undefined, null, 7, 'balanced', [], Promise.resolve(balanced())])('is rejected: %s', (input) => {
    expect(() => definePolicy(input as unknown as Policy)).toThrow(expect.objectContaining({ code: 'policy_invalid' }))
  })

  it.each([
    ['a name that is not a string', { name: ['balanced'] }, 'name'],
    ['an empty name', { name: undefined }, 'name'],
    ['gates that are a set', { gates: new Set([minTopCosine().settings]) }, 'gates'],
    ['a gate that is missing', { gates: [null] }, 'gates'],
    ['missing bands', { bands: null }, 'bands'],
    ['lifetimes that are missing in part', { cacheLifetimes: { high: {} } }, 'cacheLifetimes'],
    ['a model without weights', { confidence: { kind: 'logistic', intercept: 0 } }, 'confidence.weights'],
    ['weights in a list', { confidence: { kind: 'logistic', intercept: 0, weights: [] } }, 'confidence.weights'],
    [
      'a model without fields',
      { confidence: { kind: 'advisory-factors', requiredFields: [] } },
      'confidence.optionalFields',
    ],
    [
      'fields as one string',
      { confidence: { kind: 'advisory-factors', requiredFields: 'summary', optionalFields: [] } },
      'confidence.requiredFields',
    ],
    ['an unknown model', { confidence: { kind: 'always-one' } }, 'confidence'],
    ['an unknown preset', { preset: 'house' }, 'preset'],
    ['an unknown gate', { gates: [{ gate: 'always-pass' }] }, 'gates'],
    ['a gate that every object has', { gates: [{ gate: 'toString' }] }, 'gates'],
  ])('is rejected naming the setting at fault: %s', (_, change, param) => {
    expect(() => resolvePolicy({ ...policySettings(balanced()), ...change }, PRESETS)).toThrow(
      expect.objectContaining({ code: 'policy_invalid', param }),
    )
  })

  it.each(['abc', 5, [7], ['']])('is rejected unless its fields are a list of names: %j', (fields) => {
    const options = { requiredFields: fields as unknown as string[] }
    expect(() => advisory(options)).toThrow(expect.objectContaining({ code: 'policy_invalid' }))
  })
})

describe('an explanation', () => {
  it('exists for every decision of every profile, also for a record without all signals', () => {
    const stages = ['judged', 'answered', 'old', 'empty'] as const
    fc.assert(
      fc.property(fc.constantFrom(...PROFILES), fc.constantFrom(...stages), aNumber, (policy, stage, score) => {
        const { retrieval, ...old } = signalsOf({ curves: { cosine: aCurve(score), grade: aCurve(2) } })
        const measured =
          stage === 'old' ? (old as Signals) : { ...old, retrieval, ...(stage === 'empty' ? { chunkCount: 0 } : {}) }
        const before = judge(policy, measured)
        const decision =
          stage === 'answered' ? judgeAnswer(policy, { ...before, signals: measured }, answerSignalsOf()) : before
        const explained = explain({ ...decision, signals: measured }, policy)
        expect(explained.decision.toLowerCase()).toBe(decision.verdict)
        expect(JSON.stringify(explained)).not.toMatch(/undefined|NaN/)
        expect(explanationText(explained)).toContain(`Decision: ${explained.decision}`)
      }),
    )
  })

  it('never presents a refusal as safe, nor an answer with a caution', () => {
    const signals = signalsOf({ chunkCount: 2 })
    const finding = { gate: 'rule:any', stage: 'pre-generation', code: 'rule_refused', message: 'm' } as const
    for (const verdict of ['refuse', 'advise'] as const) {
      const findings: Finding[] = [{ ...finding, outcome: verdict }]
      const { analysis } = explain({ verdict, confidence: 0.99, band: 'high', findings, signals }, weightedSignals())
      expect(analysis.at(-1)).toMatchObject({ metric: 'conclusion', standing: verdict === 'refuse' ? 'poor' : 'fair' })
    }
  })
})
