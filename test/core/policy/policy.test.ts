import { PRESETS, GATES } from '../../fixtures/policy.ts'
import { logistic } from '../../../src/core/policy/logistic.ts'
import { topCosine } from '../../../packages/presets/src/multi-gate/top-cosine.ts'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { grounding } from '../../../packages/presets/src/answers/grounding.ts'
import type { Finding } from '../../../src/core/gates/finding.ts'
import { confidenceRange } from '../../../src/core/gates/confidence-range.ts'
import { gradedRelevance } from '../../../src/core/gates/graded-relevance.ts'
import type { GateSettings, PolicyGate } from '../../../src/core/gates/gate.ts'
import { minTopCosine } from '../../../src/core/gates/min-top-cosine.ts'
import { retrievalScore } from '../../../packages/presets/src/two-tier/retrieval-score.ts'
import { curves, type ScoreCurve } from '../../../src/core/signals/score-curves.ts'
import type { Signals } from '../../../src/core/signals/measure.ts'
import { bandOf, judge } from '../../../src/core/policy/judge.ts'
import {
  definePolicy,
  type Policy,
  type PolicyInput,
  resolvePolicy,
  policySettings,
} from '../../../src/core/policy/policy.ts'
import { advisory } from '../../../packages/presets/src/advisory/advisory.ts'
import { measure } from '../../../src/core/policy/measure.ts'
import { noteText } from '../../../src/core/gates/text.ts'
import type { Signal } from '../../../src/core/signals/signal.ts'
import { questionTermCount } from '../../../src/core/signals/text-signals.ts'
import { topCosine as topCosineSignal } from '../../../src/core/signals/top-cosine.ts'
import type { Language } from '../../../src/core/text/language.ts'
import { english } from '../../../src/language/english/english.ts'
import { balanced, balancedPreset } from '../../../src/presets/balanced/balanced.ts'
import { legalReview } from '../../../packages/presets/src/weighted-signals/legal-review.ts'
import { multiGate } from '../../../packages/presets/src/multi-gate/multi-gate.ts'
import { sufficiency } from '../../../packages/presets/src/sufficiency/sufficiency.ts'
import { twoTier } from '../../../packages/presets/src/two-tier/two-tier.ts'
import { weightedSignals } from '../../../packages/presets/src/weighted-signals/weighted-signals.ts'
import { aCurve, evidenceOf, signalsOf } from '../../fixtures/evidence.ts'
import { examples } from '../../properties.ts'

const INPUT: PolicyInput = {
  name: 'mine',
  confidence: logistic({ intercept: -1, weights: { topBm25: 2, bm25Lead: 1 }, provenance: 'test' }),
  bands: { high: 0.9, medium: 0.6, low: 0.3 },
  gates: [confidenceRange({ refuseBelow: 0.4, adviseBelow: 0.6 })],
}
const withGates = (...gates: PolicyGate[]): Policy => definePolicy({ ...INPUT, gates })

/** JSON has no −0. */
const score = fc.oneof(
  fc.double({ min: -1, max: 12, noNaN: true }).map((drawn) => drawn + 0),
  fc.constantFrom(0, 0.05, 0.06, 0.7, 1.2, 2, 3),
)
const curve: fc.Arbitrary<ScoreCurve> = fc.record({
  scores: fc.array(score, { minLength: 1, maxLength: 6 }).map((scores) => scores.sort((a, b) => b - a)),
  topPairSharesDocument: fc.boolean(),
})
const signals: fc.Arbitrary<Signals> = fc.record({
  chunkCount: fc.constantFrom(0, 1, 2, 10),
  droppedCount: fc.nat({ max: 2 }),
  questionTermCount: fc.nat({ max: 9 }),
  sentenceCoverage: fc.double({ min: 0, max: 1, noNaN: true }),
  topBm25: fc.double({ min: 0, max: 2.2, noNaN: true }),
  bm25Lead: fc.double({ min: 0, max: 2.2, noNaN: true }),
  questionLikelihood: fc.double({ min: 0, max: 1, noNaN: true }),
  sentenceMatch: fc.double({ min: 0, max: 1, noNaN: true }),
  titleMatch: fc.double({ min: 0, max: 1, noNaN: true }),
  chunkCosineGap: fc.double({ min: 0, max: 1, noNaN: true }),
  keywordCoverage: fc.double({ min: 0, max: 1, noNaN: true }),
  curves: fc.record({ cosine: curve, bm25: curve, grade: curve }, { requiredKeys: [] }),
  retrieval: fc.constant(signalsOf().retrieval),
})
const share = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.3, 0.5, 0.7, 1))
const cuts = fc.tuple(share, share).map((pair) => pair.sort((a, b) => a - b) as [number, number])

const STRICTNESS = { pass: 0, advise: 1, refuse: 2 } as const

describe('definePolicy', () => {
  it('makes the id of the name and 16 hexadecimal characters', () => {
    expect(definePolicy(INPUT).id).toMatch(/^mine@[0-9a-f]{16}$/)
  })

  it('gives equal settings the same id, in any order of members', () => {
    const { name, confidence, bands, gates } = INPUT
    const turned = {
      gates: gates.map(({ gate, settings }) => ({
        gate,
        settings: Object.fromEntries(Object.entries(settings).reverse()),
      })),
      bands,
      confidence,
      name,
    }
    // The same members in another order are the same input.
    expect(definePolicy(turned as unknown as PolicyInput).id).toBe(definePolicy(INPUT).id)
  })

  it('gives the same id to a policy read back from its own JSON', () => {
    for (const policy of [balanced(), twoTier(), multiGate(), weightedSignals(), definePolicy(INPUT)]) {
      const settings = policySettings(policy)
      const restored = resolvePolicy(JSON.parse(JSON.stringify(settings)), PRESETS)
      expect(restored.id).toBe(policy.id)
      expect(policySettings(restored)).toEqual(settings)
      expect(restored.reads.map(({ name }) => name)).toEqual(policy.reads.map(({ name }) => name))
    }
  })

  it('changes the id when any setting changes', () => {
    const base = definePolicy(INPUT)
    const lifetimes = base.cacheLifetimes
    const weights = { topBm25: 2, bm25Lead: 1 }
    const model = { intercept: -1, weights, provenance: 'test' }
    const others: PolicyInput[] = [
      { ...INPUT, name: 'yours' },
      { ...INPUT, confidence: topCosine() },
      { ...INPUT, confidence: logistic({ ...model, intercept: -1.000001 }) },
      { ...INPUT, confidence: logistic({ ...model, weights: { ...weights, topBm25: 2.1 } }) },
      { ...INPUT, confidence: logistic({ ...model, weights: { topBm25: 1, bm25Lead: 2 } }) },
      { ...INPUT, confidence: logistic({ ...model, provenance: 'other' }) },
      { ...INPUT, bands: { high: 0.91, medium: 0.6, low: 0.3 } },
      { ...INPUT, bands: { high: 0.9, medium: 0.61, low: 0.3 } },
      { ...INPUT, bands: { high: 0.9, medium: 0.6, low: 0.31 } },
      { ...INPUT, gates: [confidenceRange({ refuseBelow: 0.41, adviseBelow: 0.6 })] },
      { ...INPUT, gates: [confidenceRange({ refuseBelow: 0.4, adviseBelow: 0.61 })] },
      { ...INPUT, gates: [...INPUT.gates, minTopCosine()] },
      { ...INPUT, gates: [minTopCosine(), ...INPUT.gates] },
      { ...INPUT, gates: [...INPUT.gates, minTopCosine({ refuseBelow: 0.71 })] },
      { ...INPUT, gates: [...INPUT.gates, gradedRelevance()] },
      { ...INPUT, gates: [...INPUT.gates, gradedRelevance({ minChunks: 2 })] },
      { ...INPUT, gates: [...INPUT.gates, retrievalScore()] },
      { ...INPUT, gates: [...INPUT.gates, retrievalScore({ minRatio: 1.3 })] },
      { ...INPUT, cacheLifetimes: { ...lifetimes, refusalSeconds: 31 } },
      { ...INPUT, cacheLifetimes: { ...lifetimes, adviseAtMostSeconds: 31 } },
      { ...INPUT, cacheLifetimes: { ...lifetimes, high: { ...lifetimes.high, toSeconds: 86_401 } } },
    ]
    const ids = [base, ...others.map(definePolicy)].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('keeps the ids of the five profiles unchanged: another id is a new policy version', () => {
    const profiles = [twoTier(), multiGate(), weightedSignals(), legalReview(), advisory(), sufficiency()]
    expect(profiles.map(({ id }) => id)).toMatchInlineSnapshot(`
      [
        "two-tier@b7f232e106524532",
        "multi-gate@3ef2d41fd83890bb",
        "weighted-signals@5e98c06857cecefa",
        "legal-review@d35b64efea3ee4a3",
        "advisory@edd913528659d473",
        "sufficiency@d4b8a2a83fd56886",
      ]
    `)
  })

  it('freezes the policy, and does not change its input', () => {
    const input = {
      ...INPUT,
      bands: { high: 0.9, medium: 0.6, low: 0.3 },
      gates: [{ gate: INPUT.gates[0]!.gate, settings: { ...INPUT.gates[0]!.settings } }],
    }
    const policy = definePolicy(input)
    const unfrozen = (value: unknown): boolean =>
      value !== null && typeof value === 'object' && (!Object.isFrozen(value) || Object.values(value).some(unfrozen))
    const { gates, confidence, bands, cacheLifetimes, texts } = policy
    const held = [gates.map(({ settings }) => settings), confidence.settings, bands, cacheLifetimes, texts].flat()
    expect([Object.isFrozen(policy), held.some(unfrozen)]).toEqual([true, false])
    input.bands.high = 0
    expect(policy.bands.high).toBe(0.9)
    expect(Object.isFrozen(input.gates[0]?.settings)).toBe(false)
  })

  const lifetimes = definePolicy(INPUT).cacheLifetimes
  const gate = (settings: GateSettings & Readonly<Record<string, unknown>>): PolicyGate[] => [
    { gate: GATES[settings.gate], settings } as unknown as PolicyGate,
  ]
  it.each<[string, Partial<PolicyInput>, string]>([
    ['an empty name', { name: '' }, 'name'],
    ['a name that is a number', { name: 7 as unknown as string }, 'name'],
    ['a language that is none', { language: {} as Language }, 'language'],
    ['no language', { language: null as unknown as Language }, 'language'],
    [
      'a gate with the settings of another',
      { gates: [{ ...minTopCosine(), settings: retrievalScore().settings }] },
      'gates',
    ],
    [
      'a code that no header can carry',
      { gates: [{ ...minTopCosine(), gate: { ...minTopCosine().gate, texts: { 'a b': noteText('') } } }] },
      'gates',
    ],
    [
      'a gate that judges answers without measuring them',
      { gates: [{ ...grounding(), gate: { ...grounding().gate, measure: undefined as never } }] },
      'gates',
    ],
    ['a band without lifetimes', { cacheLifetimes: { ...lifetimes, low: undefined as never } }, 'cacheLifetimes'],
    ['a name with a space', { name: 'a b' }, 'name'],
    ['a name that would end its id early', { name: 'a@b' }, 'name'],
    ['a name in capitals', { name: 'Mine' }, 'name'],
    ['a name of 41 characters', { name: 'a'.repeat(41) }, 'name'],
    ['a band that is not a number', { bands: { high: NaN, medium: 0.5, low: 0.1 } }, 'bands.high'],
    ['a band above 1', { bands: { high: 1.1, medium: 0.5, low: 0.1 } }, 'bands.high'],
    ['a band below 0', { bands: { high: 0.9, medium: 0.5, low: -0.1 } }, 'bands.low'],
    ['a band that is text', { bands: { high: 0.9, medium: '0.5' as unknown as number, low: 0.1 } }, 'bands.medium'],
    ['bands that rise', { bands: { high: 0.5, medium: 0.9, low: 0.1 } }, 'bands'],
    ['bands that rise at the end', { bands: { high: 0.9, medium: 0.2, low: 0.3 } }, 'bands'],
    ['no gates', { gates: [] }, 'gates'],
    ['a gate that does not exist', { gates: gate({ gate: 'always-pass' }) }, 'gates'],
    ['a gate that every object has', { gates: gate({ gate: 'toString' }) }, 'gates'],
    [
      'a confidence of an unknown kind',
      { confidence: { kind: 'x' } as unknown as PolicyInput['confidence'] },
      'confidence',
    ],
    ['a threshold that is not a number', { gates: gate({ gate: 'min-top-cosine', refuseBelow: NaN }) }, 'refuseBelow'],
    ['a threshold that is missing', { gates: gate({ gate: 'min-top-cosine' }) }, 'refuseBelow'],
    [
      'thresholds swapped',
      { gates: gate({ gate: 'confidence-range', refuseBelow: 0.7, adviseBelow: 0.5 }) },
      'adviseBelow',
    ],
    ['a ratio below 0', { gates: gate({ gate: 'retrieval-score', minScore: 0, minRatio: -1 }) }, 'minRatio'],
    [
      'a bad gate behind a good one',
      { gates: [minTopCosine(), ...gate({ gate: 'graded-relevance', relevanceThreshold: 4, minChunks: 1 })] },
      'relevanceThreshold',
    ],
    ['a lifetime below 0', { cacheLifetimes: { ...lifetimes, refusalSeconds: -1 } }, 'cacheLifetimes'],
    [
      'a lifetime that is not a number',
      { cacheLifetimes: { ...lifetimes, adviseAtMostSeconds: NaN } },
      'cacheLifetimes',
    ],
    [
      'a lifetime without end',
      { cacheLifetimes: { ...lifetimes, high: { fromSeconds: 86_400, toSeconds: Infinity } } },
      'cacheLifetimes',
    ],
    [
      'lifetimes that fall within a band',
      { cacheLifetimes: { ...lifetimes, low: { fromSeconds: 9, toSeconds: 8 } } },
      'cacheLifetimes',
    ],
    [
      'lifetimes that fall with the band',
      { cacheLifetimes: { ...lifetimes, medium: { fromSeconds: 1, toSeconds: 21_600 } } },
      'cacheLifetimes',
    ],
  ])('rejects %s, naming the setting', (_, change, param) => {
    expect(() => definePolicy({ ...INPUT, ...change })).toThrow(
      expect.objectContaining({ code: 'policy_invalid', param }),
    )
  })
})

describe('messages of definePolicy', () => {
  const { measure: _measure, ...unmeasured } = grounding().gate
  it.each<[Partial<PolicyInput>, string]>([
    [{ name: '' }, 'name must be 1 to 40 of a-z, 0-9 and -'],
    [{ bands: { high: 0.5, medium: 0.9, low: 0.1 } }, 'bands must fall from high to low'],
    [{ bands: { high: 2, medium: 0.9, low: 0.1 } }, 'bands.high must be a number from 0 to 1'],
    [{ gates: [] }, 'gates must be a list of one or more gates'],
    [{ confidence: {} as PolicyInput['confidence'] }, 'confidence must be one such as logistic()'],
    [{ language: {} as Language }, 'language must be one such as english'],
    [
      { gates: [{ ...minTopCosine(), settings: retrievalScore().settings }] },
      'gates must be such as confidenceRange()',
    ],
    [
      { gates: [{ ...minTopCosine(), gate: { ...minTopCosine().gate, texts: { 'a b': noteText('') } } }] },
      'The codes of a gate may hold A-Z a-z 0-9 . _ - : /',
    ],
    [{ gates: [{ gate: 'always-pass' } as unknown as PolicyGate] }, 'gates must be such as confidenceRange()'],
    [{ gates: [{ ...grounding(), gate: unmeasured }] }, 'A gate of answers needs measure'],
    [
      { cacheLifetimes: { ...definePolicy(INPUT).cacheLifetimes, refusalSeconds: -1 } },
      'cacheLifetimes must rise from low to high',
    ],
  ])('about %j: %s', (change, message) => {
    expect(() => definePolicy({ ...INPUT, ...change })).toThrow(expect.objectContaining({ message }))
  })
})

describe('a policy', () => {
  it('measures the signals that it reads and those that it only records', () => {
    const names = (signals: readonly Signal[]): readonly string[] => signals.map(({ name }) => name)
    const recording = definePolicy({ ...INPUT, gates: [minTopCosine()], records: [curves, topCosineSignal] })
    expect(names(recording.reads)).toEqual(['topBm25', 'bm25Lead', 'topCosine'])
    expect(names(recording.signals)).toEqual(['topBm25', 'bm25Lead', 'topCosine', 'curves'])
    const plain = definePolicy(INPUT)
    expect(plain.records).toEqual([])
    expect(plain.signals).toEqual(plain.reads)
    const model = { kind: 'blind', validate: () => undefined, confidence: () => 1 }
    expect(
      definePolicy({ ...INPUT, confidence: { model, settings: { kind: 'blind' } }, gates: [minTopCosine()] }).reads.map(
        ({ name }) => name,
      ),
    ).toEqual(['topCosine'])
  })

  it('measures in its own language', () => {
    const asked = { question: 'the engine of it', evidence: evidenceOf(['Engine.']) }
    const counted = (more: Partial<PolicyInput>) =>
      measure(definePolicy({ ...INPUT, records: [questionTermCount], ...more }), asked).questionTermCount
    expect([counted({}), counted({ language: english })]).toEqual([4, 1])
  })

  it("has the texts of its engine and gates, or the specification's with wording: 'specification'", () => {
    const specificationTexts = { confidence_low: noteText('Not so.') }
    const preset = { name: 'spec', gates: [], confidenceModels: [], specificationTexts }
    const low = (more: Partial<PolicyInput>) => definePolicy({ ...INPUT, ...more }).texts['confidence_low']?.reason
    expect(definePolicy(INPUT).texts).toHaveProperty('no_evidence')
    expect(low({})).toBe('Retrieved information not sufficiently relevant')
    expect(low({ preset })).toBe(low({}))
    expect(low({ wording: 'specification' })).toBe(low({}))
    expect(low({ preset, wording: 'specification' })).toBe('Not so.')
  })

  it('stores wording and flags only when they differ from the defaults', () => {
    const stored = (more: Partial<PolicyInput>) => policySettings(definePolicy({ ...INPUT, ...more }))
    const [plain, other] = [stored({}), stored({ wording: 'specification', escalateRefusals: true })]
    expect(other).toStrictEqual({ ...plain, wording: 'specification', escalateRefusals: true })
    expect(Object.keys(plain)).toEqual(['name', 'confidence', 'bands', 'gates', 'cacheLifetimes'])
  })
})

describe('resolvePolicy', () => {
  const stored = policySettings(balanced())
  it.each<[string, unknown, string, string]>([
    ['no settings', null, '', ''],
    [
      'another confidence',
      { ...stored, confidence: { kind: 'x' } },
      'confidence',
      'The confidence model of this policy is not known here',
    ],
    ['another language', { ...stored, language: 'x' }, 'language', 'The language of this policy is not known here'],
    ['another preset', { ...stored, preset: 'x' }, 'preset', 'The preset of this policy is not known here'],
    ['another gate', { ...stored, gates: [{ gate: 'x' }] }, 'gates', 'A gate of this policy is not known here'],
    ['a gate that is none', { ...stored, gates: [null] }, 'gates', 'A gate of this policy is not known here'],
  ])('rejects a policy with %s', (_, settings, param, message) => {
    const said = message === '' ? {} : { param, message }
    expect(() => resolvePolicy(settings, PRESETS)).toThrow(expect.objectContaining({ code: 'policy_invalid', ...said }))
  })

  it('requires a list of presets', () => {
    const message = 'resolvePolicy needs a list of presets'
    expect(() => resolvePolicy(stored, balancedPreset as never)).toThrow(
      expect.objectContaining({ code: 'policy_invalid', param: 'parts', message }),
    )
    expect(resolvePolicy(stored, [{ gates: [], confidenceModels: [] }, balancedPreset]).id).toBe(balanced().id)
  })
})

describe('judge', () => {
  const rule = (outcome: Finding['outcome'], name = 'weather'): Finding => ({
    gate: name,
    stage: 'pre-generation',
    outcome,
    code: outcome === 'pass' ? 'passed' : 'relevance_low',
    message: 'Questions about weather not supported',
  })
  const strong = signalsOf({
    topBm25: 2,
    bm25Lead: 2,
    sentenceCoverage: 1,
    curves: { cosine: aCurve(0.9), bm25: aCurve(9, 1) },
  })

  it('refuses without evidence, under every policy and rule', () => {
    const lenient = withGates(confidenceRange({ refuseBelow: 0, adviseBelow: 0 }))
    for (const chunkCount of [0, -1, NaN, null as unknown as number]) {
      const judgement = judge(lenient, { ...strong, chunkCount }, [rule('pass')])
      expect(judgement).toMatchObject({ verdict: 'refuse', reason: 'no_evidence', confidence: 0, band: 'very-low' })
    }
  })

  it('refuses when every gate skips', () => {
    const judgement = judge(withGates(gradedRelevance()), strong)
    expect(judgement).toMatchObject({ verdict: 'refuse', reason: 'nothing_judged' })
    expect(judgement.findings.map(({ code }) => code)).toEqual(['not_graded', 'nothing_judged'])
    expect(judgement.findings[1]?.message).toBe('The evidence could not be judged')
  })

  it('uses the strictest finding, and names the first one with that outcome', () => {
    const policy = withGates(minTopCosine({ refuseBelow: 0.99 }), retrievalScore({ minScore: 99 }))
    expect(judge(policy, strong)).toMatchObject({ verdict: 'refuse', reason: 'similarity_low' })
    const gates = [minTopCosine(), confidenceRange({ refuseBelow: 0, adviseBelow: 1 })]
    expect(judge(withGates(...gates), strong)).toMatchObject({ verdict: 'advise', reason: 'confidence_moderate' })
    expect(judge(withGates(minTopCosine(), retrievalScore()), strong)).toMatchObject({
      verdict: 'pass',
      reason: 'passed',
    })
  })

  it('counts the findings of rules beside those of its gates', () => {
    const policy = withGates(minTopCosine())
    expect(judge(policy, strong, [rule('refuse')])).toMatchObject({ verdict: 'refuse', reason: 'relevance_low' })
    expect(judge(policy, strong, [rule('skip')]).verdict).toBe('pass')
    expect(judge(policy, { ...strong, topCosine: null }, [rule('pass')]).verdict).toBe('refuse')
    expect(judge(policy, strong, [rule('refuse')]).findings.map(({ gate }) => gate)).toEqual([
      'min-top-cosine',
      'weather',
    ])
  })

  it('refuses when a number that it needs is missing or not a number', () => {
    const bad = [NaN, Infinity, -Infinity, null as unknown as number, undefined as unknown as number]
    for (const value of bad) {
      for (const name of ['questionLikelihood', 'sentenceMatch', 'chunkCosineGap'] as const) {
        const measured = { ...strong, [name]: value }
        expect(judge(balanced({ refuseBelow: 0, adviseBelow: 0 }), measured).verdict, `${name} ${value}`).toBe('refuse')
      }
      const cosine = { ...strong, topCosine: value }
      expect(judge(withGates(minTopCosine({ refuseBelow: -1 })), cosine).verdict).toBe('refuse')
      const lenient = { relevanceThreshold: 0, minScore: -1, minRatio: 0 }
      expect(judge(twoTier(lenient), { ...strong, curves: { grade: aCurve(value) } }).verdict).toBe('refuse')
      expect(judge(twoTier(lenient), { ...strong, curves: { bm25: aCurve(value, 1) } }).verdict).toBe('refuse')
    }
    for (const value of [NaN, null as unknown as number]) {
      expect(judge(twoTier(), { ...strong, curves: { bm25: aCurve(9, value) } }).verdict).toBe('refuse')
    }
  })

  it('is deterministic, and gives the same verdict for signals read back from JSON', () => {
    fc.assert(
      fc.property(
        signals,
        fc.constantFrom(balanced(), twoTier(), multiGate(), definePolicy(INPUT)),
        (measured, policy) => {
          const judgement = judge(policy, measured)
          expect(judge(policy, measured)).toEqual(judgement)
          const recorded = JSON.parse(JSON.stringify(measured)) as Signals
          const restored = resolvePolicy(JSON.parse(JSON.stringify(policySettings(policy))), PRESETS)
          expect(judge(restored, recorded)).toEqual(judgement)
          expect(JSON.parse(JSON.stringify(judgement))).toEqual(judgement)
        },
      ),
    )
  })

  it('changes neither policy nor signals', () => {
    const policy = balanced()
    const frozen = Object.freeze({ ...strong })
    judge(policy, frozen)
    expect(policySettings(policy)).toEqual(policySettings(balanced()))
    expect(frozen).toEqual(strong)
  })

  it('gives a confidence within 0..1 and its band', () => {
    fc.assert(
      fc.property(signals, (measured) => {
        for (const policy of [balanced(), twoTier(), multiGate()]) {
          const { confidence, band } = judge(policy, measured)
          expect(confidence >= 0 && confidence <= 1).toBe(true)
          expect(band).toBe(bandOf(policy.bands, confidence))
        }
      }),
    )
  })
})

describe('a stricter setting (R023)', () => {
  const notMilder = (stricter: Policy, milder: Policy, measured: Signals): boolean =>
    STRICTNESS[judge(stricter, measured).verdict] >= STRICTNESS[judge(milder, measured).verdict]

  it('refuseBelow and adviseBelow of a confidence range never give a milder verdict when raised', () => {
    fc.assert(
      fc.property(signals, cuts, cuts, (measured, a, b) => {
        const low = { refuseBelow: Math.min(a[0], b[0]), adviseBelow: Math.min(a[1], b[1]) }
        const high = { refuseBelow: Math.max(a[0], b[0]), adviseBelow: Math.max(a[1], b[1]) }
        expect(notMilder(balanced(high), balanced(low), measured)).toBe(true)
      }),
      { numRuns: examples(500) },
    )
  })

  it('refuseBelow of a best cosine never gives a milder verdict when raised', () => {
    fc.assert(
      fc.property(signals, cuts, (measured, [low, high]) => {
        expect(notMilder(multiGate({ refuseBelow: high }), multiGate({ refuseBelow: low }), measured)).toBe(true)
      }),
      { numRuns: examples(500) },
    )
  })

  it.each([
    ['minScore', [-1, 0, 0.05, 0.5, 2, 9]],
    ['minRatio', [0, 1, 1.05, 1.2, 1.5, 3]],
    ['relevanceThreshold', [0, 0.5, 1, 2, 2.5, 3]],
    ['minChunks', [1, 2, 3, 5, 20]],
  ])('%s never gives a milder verdict when raised', (option, values) => {
    fc.assert(
      fc.property(signals, (measured) => {
        const verdicts = values.map((value) => STRICTNESS[judge(twoTier({ [option]: value }), measured).verdict])
        expect(verdicts).toEqual([...verdicts].sort((a, b) => a - b))
      }),
      { numRuns: examples(500) },
    )
  })

  it.each([
    ['minScore', { minScore: 0.05 }, { minScore: 0.2 }, { bm25: aCurve(0.1) }],
    ['minRatio', { minRatio: 1.2 }, { minRatio: 1.5 }, { bm25: aCurve(1.3, 1) }],
    ['relevanceThreshold', { relevanceThreshold: 1 }, { relevanceThreshold: 2 }, { grade: aCurve(1.5) }],
    ['minChunks', { minChunks: 1 }, { minChunks: 2 }, { grade: aCurve(3, 1) }],
  ] as const)('%s changes the verdict for some evidence', (_, milder, stricter, curves) => {
    expect(judge(twoTier(milder), signalsOf({ curves })).verdict).toBe('pass')
    expect(judge(twoTier(stricter), signalsOf({ curves })).verdict).toBe('refuse')
  })
})

describe('bandOf', () => {
  const bands = { high: 0.85, medium: 0.7, low: 0.5 }
  it.each([
    [1, 'high'],
    [0.85, 'high'],
    [0.8499999, 'medium'],
    [0.7, 'medium'],
    [0.6999999, 'low'],
    [0.5, 'low'],
    [0.4999999, 'very-low'],
    [0, 'very-low'],
  ])('puts %d into the band %s, without rounding it', (confidence, band) => {
    expect(bandOf(bands, confidence)).toBe(band)
  })
})
