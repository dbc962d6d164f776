import { advisoryFactorsConfidence } from '../../../packages/presets/src/advisory/advisory-factors.ts'
import { topCosine } from '../../../packages/presets/src/multi-gate/top-cosine.ts'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Finding } from '../../../src/core/gates/finding.ts'
import type { AnswerInput } from '../../../src/core/answer/answer-input.ts'
import type { AnswerSignals, SentenceSupport } from '../../../src/core/answer/answer-signals.ts'
import { strictest } from '../../../src/core/gates/finding.ts'
import { confidenceRange } from '../../../src/core/gates/confidence-range.ts'
import { evidenceShare } from '../../../packages/presets/src/sufficiency/evidence-share.ts'
import { generationConfidence } from '../../../packages/presets/src/answers/generation-confidence.ts'
import { grounding } from '../../../packages/presets/src/answers/grounding.ts'
import type { PolicyGate } from '../../../src/core/gates/gate.ts'
import { keywordCoverage } from '../../../packages/presets/src/multi-gate/keyword-coverage.ts'
import { minTopCosine } from '../../../src/core/gates/min-top-cosine.ts'
import { responseQuality } from '../../../packages/presets/src/advisory/response-quality.ts'
import type { Signals } from '../../../src/core/signals/measure.ts'
import { judge } from '../../../src/core/policy/judge.ts'
import { answerFields, answerMeasure, judgeAnswer, refusedSentences } from '../../../src/core/policy/judge-answer.ts'
import { definePolicy, type Policy } from '../../../src/core/policy/policy.ts'
import { advisory } from '../../../packages/presets/src/advisory/advisory.ts'
import { multiGate } from '../../../packages/presets/src/multi-gate/multi-gate.ts'
import { sufficiency } from '../../../packages/presets/src/sufficiency/sufficiency.ts'
import { english } from '../../../src/language/english/english.ts'
import { answerSignalsOf, aSentence } from '../../fixtures/answer.ts'
import { aCurve, signalsOf } from '../../fixtures/evidence.ts'

const withGates = (...gates: PolicyGate[]): Policy =>
  definePolicy({ name: 'mine', confidence: topCosine(), bands: { high: 0.8, medium: 0.6, low: 0 }, gates })

const bothStages = (policy: Policy, signals: Signals, answer: AnswerSignals) =>
  judgeAnswer(policy, { ...judge(policy, signals), signals }, answer)

const FINE = signalsOf({ questionTermCount: 2, keywordCoverage: 1, curves: { cosine: aCurve(0.9) } })

const share = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.3, 0.5, 0.6, 0.7, 1))
const sentence: fc.Arbitrary<SentenceSupport> = fc.record({
  termCount: fc.nat({ max: 4 }),
  termShare: share,
  missingNumbers: fc.nat({ max: 1 }),
  missingNames: fc.nat({ max: 1 }),
  unknownCitations: fc.nat({ max: 1 }),
})
const overlap = fc.record(
  { chunkId: fc.constantFrom('a', 'b', 'c'), words: fc.nat({ max: 9 }), terms: fc.nat({ max: 9 }), confidence: share },
  { requiredKeys: ['chunkId', 'words', 'terms'] },
)
const answers: fc.Arbitrary<AnswerSignals> = fc
  .record({
    readable: fc.boolean(),
    generationConfidence: fc.option(share, { nil: undefined }),
    sentences: fc.array(sentence, { maxLength: 3 }),
    overlaps: fc.uniqueArray(overlap, { maxLength: 3, selector: ({ chunkId }) => chunkId }),
    termCount: fc.nat({ max: 9 }),
    unsupportedTermCount: fc.nat({ max: 9 }),
    structure: fc.option(
      fc.record({ valid: fc.boolean(), lookedFor: fc.constant(['a', 'b']), missing: fc.subarray(['a', 'b']) }),
      { nil: undefined },
    ),
  })
  .map(({ generationConfidence: sure, structure, ...rest }) =>
    answerSignalsOf({
      ...rest,
      unsupportedTermCount: Math.min(rest.unsupportedTermCount, rest.termCount),
      ...(sure === undefined ? {} : { generationConfidence: sure }),
      ...(structure === undefined ? {} : { structure }),
    }),
  )
const evidence: fc.Arbitrary<Signals> = fc
  .record({ chunkCount: fc.constantFrom(0, 1, 3), cosine: share, keywordCoverage: share, terms: fc.nat({ max: 2 }) })
  .map(({ chunkCount, cosine, terms, ...rest }) =>
    signalsOf({ ...rest, chunkCount, questionTermCount: terms, curves: { cosine: aCurve(cosine) } }),
  )
const gate: fc.Arbitrary<PolicyGate> = fc.oneof(
  share.map((refuseBelow) => minTopCosine({ refuseBelow })),
  share.map((adviseBelow) => keywordCoverage({ adviseBelow })),
  share.map((refuseBelow) => generationConfidence({ refuseBelow })),
  share.map((minTermShare) => grounding({ minTermShare })),
  share.map((threshold) => evidenceShare({ threshold })),
  fc.constant(responseQuality({ requiredFields: ['a'], optionalFields: ['b'] })),
)
const policies = fc.oneof(
  fc.array(gate, { minLength: 1, maxLength: 4 }).map((gates) => withGates(...gates)),
  fc.constantFrom(multiGate(), sufficiency(), advisory({ requiredFields: ['a'] })),
)

const STRICTNESS = { pass: 0, advise: 1, refuse: 2 } as const

describe('judge before there is an answer', () => {
  it('lets a question through with the reason judged_with_answer when the policy judges only answers', () => {
    const judged = judge(sufficiency(), FINE)
    expect(judged).toMatchObject({ verdict: 'pass', reason: 'judged_with_answer' })
    expect(judged.findings).toEqual([
      {
        gate: 'evidence',
        stage: 'pre-generation',
        outcome: 'skip',
        code: 'judged_with_answer',
        message: 'The evidence is judged with the answer',
      },
    ])
  })

  it('refuses without evidence, also when the policy judges only answers', () => {
    for (const policy of [sufficiency(), advisory(), multiGate()]) {
      const judged = judge(policy, signalsOf({ chunkCount: 0 }))
      expect(judged).toMatchObject({ verdict: 'refuse', reason: 'no_evidence' })
      expect(judged.findings).toEqual([
        {
          gate: 'evidence',
          stage: 'pre-generation',
          outcome: 'refuse',
          code: 'no_evidence',
          message: 'No relevant information found in documents',
        },
      ])
    }
  })
})

describe('judgeAnswer', () => {
  it('keeps the findings of both stages in order', () => {
    const judged = bothStages(multiGate(), FINE, answerSignalsOf({ generationConfidence: 0.9 }))
    expect(judged).toMatchObject({ verdict: 'pass', reason: 'passed' })
    expect(judged.findings.map((finding) => finding.gate)).toEqual([
      'min-top-cosine',
      'keyword-coverage',
      'generation-confidence',
      'grounding',
    ])
  })

  it.each([
    ['an answer without a report', answerSignalsOf(), 'generation_confidence_missing'],
    ['an invalid report', answerSignalsOf({ unusable: ['generationConfidence'] }), 'generation_confidence_invalid'],
    ['no answer', answerSignalsOf({ readable: false, generationConfidence: 1 }), 'answer_unreadable'],
    ['NaN', answerSignalsOf({ generationConfidence: NaN }), 'generation_confidence_missing'],
  ])('refuses %s', (_, answer, reason) => {
    expect(bothStages(multiGate(), FINE, answer)).toMatchObject({ verdict: 'refuse', reason })
  })

  it('refuses when a number that a gate needs was not recorded, for every gate', () => {
    for (const settings of [evidenceShare(), responseQuality(), generationConfidence(), grounding()]) {
      const answer = answerSignalsOf({ sentences: [], overlaps: [] })
      expect(bothStages(withGates(settings), FINE, answer).verdict).toBe('refuse')
    }
  })

  it('rejects a judgement made under another policy', () => {
    const judged = judge(multiGate(), FINE)
    expect(() => judgeAnswer(sufficiency(), { ...judged, signals: FINE }, answerSignalsOf())).toThrow(
      expect.objectContaining({
        code: 'policy_invalid',
        param: 'policyId',
        message: 'The evidence was judged under another policy',
      }),
    )
  })

  it('refuses when no gate of either stage judged', () => {
    const policy = withGates(minTopCosine())
    const judged = { findings: [], policyId: policy.id, signals: FINE }
    expect(judgeAnswer(policy, judged, answerSignalsOf())).toMatchObject({
      verdict: 'refuse',
      reason: 'nothing_judged',
      findings: [
        {
          gate: 'answer',
          stage: 'post-generation',
          outcome: 'refuse',
          code: 'nothing_judged',
          message: 'No gate could judge this answer',
        },
      ],
    })
  })

  it('refuses when every gate of both stages skipped', () => {
    const policy = withGates(minTopCosine())
    const skipped: Finding = {
      gate: 'graded-relevance',
      stage: 'pre-generation',
      outcome: 'skip',
      code: 'not_graded',
      message: 'No reranker graded the chunks',
    }
    const judged = { findings: [skipped], policyId: policy.id, signals: FINE }
    const judgement = judgeAnswer(policy, judged, answerSignalsOf())
    expect(judgement).toMatchObject({ verdict: 'refuse', reason: 'nothing_judged' })
    expect(judgement.findings.map(({ code }) => code)).toEqual(['not_graded', 'nothing_judged'])
  })

  it('has a confidence of 0 without evidence', () => {
    const none = { ...FINE, chunkCount: 0 }
    expect(bothStages(multiGate(), none, answerSignalsOf({ generationConfidence: 1 }))).toMatchObject({
      verdict: 'refuse',
      confidence: 0,
    })
  })

  it('reports that the answer could not be read', () => {
    const { findings } = bothStages(multiGate(), FINE, answerSignalsOf({ readable: false }))
    expect(findings.at(-1)).toEqual({
      gate: 'answer',
      stage: 'post-generation',
      outcome: 'refuse',
      code: 'answer_unreadable',
      message: 'The answer could not be read',
    })
  })

  it('changes nothing for a policy without gates for answers', () => {
    const policy = withGates(minTopCosine())
    const before = judge(policy, FINE)
    expect(judgeAnswer(policy, { ...before, signals: FINE }, answerSignalsOf({ readable: false }))).toEqual(before)
    expect(judgeAnswer(policy, { ...before, signals: FINE }, answerSignalsOf(), false)).toEqual(before)
  })

  it('shows the answer to the confidence model only when a gate judges the answer', () => {
    const model = {
      kind: 'x',
      validate: () => undefined,
      confidence: (_: object, __: Signals, answer?: object) => (answer ? 1 : 0.5),
    }
    const seeing = (...gates: PolicyGate[]) =>
      definePolicy({ ...withGates(...gates), confidence: { model, settings: { kind: 'x' } } })
    expect(bothStages(seeing(minTopCosine()), FINE, answerSignalsOf()).confidence).toBe(0.5)
    expect(bothStages(seeing(minTopCosine(), grounding()), FINE, answerSignalsOf()).confidence).toBe(1)
  })

  it('refuses an answer that cannot be read unless every gate can judge it', () => {
    const unreadable = answerSignalsOf({ readable: false })
    const codes = (...gates: PolicyGate[]) =>
      bothStages(withGates(minTopCosine(), ...gates), FINE, unreadable).findings.map(({ code }) => code)
    expect(codes(responseQuality(), grounding())).toContain('answer_unreadable')
    expect(codes(responseQuality())).not.toContain('answer_unreadable')
  })

  it('uses the strictest finding of both stages', () => {
    fc.assert(
      fc.property(policies, evidence, answers, (policy, signals, answer) => {
        const before = judge(policy, signals)
        const { verdict, findings } = judgeAnswer(policy, { ...before, signals }, answer)
        expect(verdict).toBe(strictest(findings.map(({ outcome }) => outcome)))
        expect(STRICTNESS[verdict]).toBeGreaterThanOrEqual(STRICTNESS[before.verdict])
        expect(findings.slice(0, before.findings.length)).toEqual(before.findings)
      }),
    )
  })

  it('gives the same judgement for recorded signals and when repeated', () => {
    fc.assert(
      fc.property(policies, evidence, answers, (policy, signals, answer) => {
        const judged = bothStages(policy, signals, answer)
        const [again, recorded] = JSON.parse(JSON.stringify([signals, answer])) as [Signals, AnswerSignals]
        expect(bothStages(policy, again, recorded)).toEqual(judged)
        expect(judgeAnswer(policy, { ...judged, signals }, answer)).toEqual(judged)
      }),
    )
  })

  it('does not depend on the order of the gates', () => {
    fc.assert(
      fc.property(fc.array(gate, { minLength: 1, maxLength: 4 }), evidence, answers, (gates, signals, answer) => {
        const turned = withGates(...[...gates].reverse())
        expect(bothStages(turned, signals, answer).verdict).toBe(
          bothStages(withGates(...gates), signals, answer).verdict,
        )
      }),
    )
  })

  it('never becomes milder when a threshold rises', () => {
    const made = [
      (at: number) => withGates(generationConfidence({ refuseBelow: at })),
      (at: number) => withGates(grounding({ minTermShare: at })),
      (at: number) => withGates(evidenceShare({ threshold: at })),
      (at: number) => withGates(evidenceShare({ minOverlap: at, threshold: 0 })),
      (at: number) => withGates(keywordCoverage({ adviseBelow: at })),
      (at: number) => advisory({ adviseBelow: at, unusableBelow: 0 }),
    ]
    fc.assert(
      fc.property(fc.constantFrom(...made), share, share, evidence, answers, (make, one, other, signals, answer) => {
        const [low, high] = one < other ? [one, other] : [other, one]
        const strictness = (at: number): number => STRICTNESS[bothStages(make(at), signals, answer).verdict]
        expect(strictness(high)).toBeGreaterThanOrEqual(strictness(low))
      }),
    )
  })

  it('never passes a value that is not a number, in any place', () => {
    const broken: readonly (readonly [PolicyGate, Partial<AnswerSignals>])[] = [
      [generationConfidence({ refuseBelow: 0 }), { generationConfidence: NaN }],
      // What JSON and databases make of it.
      [generationConfidence({ refuseBelow: 0 }), { generationConfidence: null as unknown as number }],
      [grounding({ minTermShare: 0 }), { sentences: [aSentence({ termShare: NaN })] }],
      [grounding({ minTermShare: 0 }), { sentences: [aSentence({ missingNumbers: NaN })] }],
      [evidenceShare({ threshold: 0 }), { overlaps: [{ chunkId: 'a', words: 1, terms: NaN }] }],
      [evidenceShare({ threshold: 0 }), { reportedShares: [{ chunkId: 'a', share: NaN }] }],
      [
        evidenceShare({ threshold: 0, weighting: 'chunk-confidence' }),
        { reportedShares: [{ chunkId: 'a', share: 1 }] },
      ],
    ]
    for (const [settings, given] of broken) {
      expect(bothStages(withGates(settings), FINE, answerSignalsOf(given)).verdict).toBe('refuse')
    }
    expect(bothStages(withGates(keywordCoverage()), { ...FINE, keywordCoverage: NaN }, answerSignalsOf()).verdict).toBe(
      'refuse',
    )
  })
})

describe('dangerouslyDisableGates', () => {
  it('makes another policy that advises for every question and still records the findings', () => {
    const disabled = definePolicy({ ...multiGate(), dangerouslyDisableGates: true })
    expect(disabled.id).not.toBe(multiGate().id)
    fc.assert(
      fc.property(evidence, answers, (signals, answer) => {
        const { verdict, reason, findings } = bothStages(disabled, signals, answer)
        expect([verdict, reason, findings[0]?.code]).toEqual(['advise', 'gate_disabled', 'gate_disabled'])
        expect(findings.slice(1)).toEqual(bothStages(multiGate(), signals, answer).findings)
      }),
    )
  })

  it('rejects any value except true', () => {
    const input = { ...multiGate(), dangerouslyDisableGates: false as unknown as true }
    expect(() => definePolicy(input)).toThrow(
      expect.objectContaining({
        code: 'policy_invalid',
        param: 'dangerouslyDisableGates',
        message: 'dangerouslyDisableGates must be true or left out',
      }),
    )
  })

  it('puts a warning finding first', () => {
    const disabled = definePolicy({ ...multiGate(), dangerouslyDisableGates: true })
    expect(judge(disabled, FINE).findings[0]).toEqual({
      gate: 'policy',
      stage: 'pre-generation',
      outcome: 'advise',
      code: 'gate_disabled',
      message: 'The gate is disabled: nothing was checked',
    })
  })
})

describe('advisory', () => {
  const policy = advisory({ requiredFields: ['a'], optionalFields: ['b'] })
  const structure = { valid: true, lookedFor: ['a', 'b'], missing: [] }
  const judged = (cosine: number, given: Partial<AnswerSignals>) => {
    const signals = signalsOf({ curves: { cosine: aCurve(cosine) } })
    return bothStages(policy, signals, answerSignalsOf({ structure, ...given }))
  }

  it.each([
    [1, { citedSources: ['government'] }, 1, 'high', 'passed'],
    [0.7, { citedSources: ['government', 'third-party'] }, 0.8, 'medium', 'passed'],
    [0.7, { citedSources: ['third-party'] }, 0.7, 'medium', 'passed'],
    [0.7, {}, 0.6, 'low', 'advisory_only'],
    [0.5, { structure: { ...structure, missing: ['b'] } }, 0.4, 'very-low', 'advisory_unusable'],
    [0.5, { structure: { ...structure, missing: ['a'] } }, 0.3, 'very-low', 'advisory_unusable'],
    [0, { structure: { ...structure, valid: false } }, 0.1, 'very-low', 'advisory_unusable'],
  ] as const)('adds a cosine of %f and %j up to %f: %s, %s', (cosine, given, confidence, band, reason) => {
    expect(judged(cosine, given)).toMatchObject({ confidence: expect.closeTo(confidence, 9), band, reason })
  })

  it('refuses when the required fields were not looked for', () => {
    const unlooked = answerSignalsOf({ structure: { valid: true, lookedFor: [], missing: [] } })
    expect(bothStages(policy, FINE, unlooked).verdict).toBe('refuse')
  })

  it('gives no points for plain text, broken JSON or a stream, and does not refuse', () => {
    const broken = answerSignalsOf({ structure: { valid: false, lookedFor: [], missing: [] } })
    for (const answer of [answerSignalsOf(), broken, answerSignalsOf({ readable: false })]) {
      const { verdict, findings } = bothStages(policy, FINE, answer)
      expect(verdict).toBe('advise')
      expect(findings.map(({ outcome }) => outcome)).not.toContain('refuse')
    }
  })
})

describe('answerFields', () => {
  it('names every field that a gate or the confidence model reads, once', () => {
    const quality = responseQuality({ requiredFields: ['a', 'b'], optionalFields: ['c'] })
    expect(answerFields(withGates(quality))).toEqual(['a', 'b', 'c'])
    const confidence = advisoryFactorsConfidence({ requiredFields: ['b'], optionalFields: ['d'] })
    expect(answerFields(definePolicy({ ...withGates(quality, grounding()), confidence }))).toEqual(['a', 'b', 'c', 'd'])
  })

  it('is empty for a policy that reads no fields', () => {
    expect(answerFields(multiGate())).toEqual([])
  })
})

describe('answerMeasure', () => {
  it("measures with the gates for answers, using the policy's fields and language", () => {
    const quality = responseQuality({ requiredFields: ['a'] })
    const language = { ...english, name: 'mine' }
    let heard: AnswerInput | undefined
    const measure = (input: AnswerInput): AnswerSignals => {
      heard = input
      return answerSignalsOf()
    }
    const policy = definePolicy({ ...withGates({ ...quality, gate: { ...quality.gate, measure } }), language })
    const answered = { question: 'asked', chunks: [], answer: 'said' }
    expect(answerMeasure(policy)?.(answered)).toEqual(answerSignalsOf())
    expect(heard).toEqual({ ...answered, fields: ['a'], language })
  })

  it('is undefined when no gate judges the answer', () => {
    expect(answerMeasure(withGates(minTopCosine()))).toBeUndefined()
    expect(answerMeasure(withGates(minTopCosine(), grounding()))).toBeTypeOf('function')
  })
})

describe('refusedSentences', () => {
  it('collects the sentences that each gate refuses', () => {
    const refusing = grounding()
    const gate = {
      ...refusing.gate,
      refusedSentences: (settings: object, answer: string) => [`${Object.keys(settings).length} of ${answer}`],
    } as PolicyGate['gate']
    const policy = withGates(minTopCosine(), { ...refusing, gate })
    const count = Object.keys(refusing.settings).length
    expect(refusedSentences(policy, 'This.', answerSignalsOf())).toEqual([`${count} of This.`])
    expect(refusedSentences(withGates(minTopCosine()), 'This.', answerSignalsOf())).toEqual([])
  })
})

describe('the other gate makers', () => {
  it('reject wrong options', () => {
    const made = [
      () => confidenceRange({ refuseBelow: 2, adviseBelow: 2 }),
      () => generationConfidence({ refuseBelow: 1.1 }),
      () => keywordCoverage({ adviseBelow: -0.1 }),
      () => grounding({ minTermShare: NaN }),
      () => evidenceShare({ threshold: 1.5 }),
      () => evidenceShare({ largest: 1.5 }),
      () => evidenceShare({ largest: 0 }),
      () => evidenceShare({ minOverlap: 2 }),
      () => evidenceShare({ equality: 'sometimes' as 'passes' }),
      () => responseQuality({ refuseBelow: 0.3, adviseBelow: 0.2 }),
      () => responseQuality({ requiredFields: [''] }),
      () => advisory({ adviseBelow: 0.5, unusableBelow: 0.6 }),
      () => sufficiency({ threshold: 'lax' as 'loose' }),
    ]
    for (const make of made) expect(make).toThrow(expect.objectContaining({ code: 'policy_invalid' }))
  })
})
