import { unscaled } from '../../../src/core/policy/scaled.ts'
import { describe, expect, it } from 'vitest'
import { lifetimeSeconds } from '../../../src/core/policy/lifetimes.ts'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import type { Signals } from '../../../src/core/signals/measure.ts'
import { bandOf, judge } from '../../../src/core/policy/judge.ts'
import { definePolicy, policySettings, resolvePolicy } from '../../../src/core/policy/policy.ts'
import { balanced, balancedPreset } from '../../../src/presets/balanced/balanced.ts'
import { BALANCED_WEIGHTS } from '../../../src/presets/balanced/balanced-weights.ts'
import { evidenceOf, signalsOf } from '../../fixtures/evidence.ts'
import { buildLexicon, measure, measureQuestion } from '../../fixtures/english.ts'
import type { WeakestPartSettings } from '../../../src/core/policy/weakest-part.ts'

const TEXTS = ['The engine starts with the red key.', 'Paint is blue.', 'Brakes squeal.', 'Tyres wear.']
const LEXICON = buildLexicon(TEXTS)

const strong = { questionLikelihood: 0.7, sentenceMatch: 0.6, chunkCosineGap: 0.2 }
const signals = (given: Partial<Signals>): Signals => signalsOf({ ...strong, ...given })

describe('balanced', () => {
  it('passes a question supported by one sentence, and refuses one with no support', () => {
    const found = measure('How does the engine start?', evidenceOf(TEXTS), LEXICON)
    expect(judge(balanced(), found).verdict).toBe('pass')
    const foreign = measure('Who wrote the anthem?', evidenceOf(TEXTS), LEXICON)
    expect(judge(balanced(), foreign)).toMatchObject({ verdict: 'refuse', band: 'very-low', reason: 'confidence_low' })
  })

  it('computes its confidence from the weighted signals', () => {
    const measured = signals({ titleMatch: 0.5 })
    let z = BALANCED_WEIGHTS.intercept
    for (const [name, weight] of Object.entries(BALANCED_WEIGHTS.weights)) {
      z += weight * Number(measured[name as keyof Signals])
    }
    expect(judge(balanced(), measured).confidence).toBeCloseTo(1 / (1 + Math.exp(-z)), 12)
  })

  it('has only positive weights', () => {
    for (const weight of Object.values(BALANCED_WEIGHTS.weights)) expect(weight).toBeGreaterThan(0)
  })

  it('reports that it is not calibrated for a collection, and where its weights come from', () => {
    const confidence = unscaled(balanced().confidence)
    const { of } = confidence.settings as WeakestPartSettings
    expect(of).toMatchObject({
      calibrated: false,
      provenance: expect.stringMatching(/^npm run fit, .*: docs\/internal\/evaluation.md/),
    })
    // Read from a file it may be anything.
    const damaged = {
      ...balanced(),
      confidence: { ...confidence, settings: { ...confidence.settings, of: { ...of, calibrated: 'yes' } } },
    }
    expect(() => definePolicy(damaged)).toThrow('calibrated must be true or false')
  })

  it.each([
    ['in capitals', 'HOW DOES THE ENGINE START?'],
    ['in small letters, without a mark', 'how does the engine start'],
    ['as keywords', 'engine start'],
    ['with accents', 'How does the éngine stárt?'],
    ['politely', 'Hello! Could you please tell me how does the engine start? Thank you very much.'],
    ['with a typo', 'How does the engnie start?'],
  ])('gives the same verdict when a question is asked %s', (_, question) => {
    const asked = measure('How does the engine start?', evidenceOf(TEXTS), LEXICON)
    expect(judge(balanced(), measureQuestion(question, evidenceOf(TEXTS), LEXICON)).confidence).toBe(
      judge(balanced(), asked).confidence,
    )
  })

  it('gives the same verdict when a passage is stored twice', () => {
    const twice = TEXTS.flatMap((text) => [text, text])
    const [once, again] = [TEXTS, twice].map(
      (texts) => judge(balanced(), measure('How does the engine start?', evidenceOf(texts), LEXICON)).confidence,
    )
    expect(again).toBe(once)
  })

  it('needs no dense scores', () => {
    const dense = evidenceOf(TEXTS, { bm25: 4, cosine: 0.8 })
    const sparse = evidenceOf(TEXTS, { bm25: 4 })
    const judged = [dense, sparse].map((evidence) =>
      judge(balanced(), measure('engine start', evidence, EMPTY_LEXICON)),
    )
    expect(judged[0]).toEqual(judged[1])
  })

  it('has bands at its thresholds, so that only answered questions have a cache lifetime', () => {
    const { bands, gates } = balanced()
    expect(gates.map(({ settings }) => settings)).toEqual([
      ...['readable-question', 'question-length', 'lone-term', 'run-together'].map((gate) => ({ gate })),
      { gate: 'confidence-range', refuseBelow: bands.low, adviseBelow: bands.medium },
    ])
    expect(bandOf(bands, bands.low - 1e-6)).toBe('very-low')
    const lifetime = (verdict: 'pass' | 'advise', confidence: number): number =>
      lifetimeSeconds(balanced(), { verdict, confidence })
    expect(lifetime('advise', bands.low)).toBeGreaterThan(0)
    expect(lifetime('pass', bands.medium)).toBeGreaterThanOrEqual(lifetime('advise', bands.medium - 1e-6))
  })
})

describe('balanced with a limit on near misses', () => {
  const thresholdsOf = (nearMisses: number) => {
    const { gates, bands } = balanced({ refuse: { nearMisses } })
    const { refuseBelow, adviseBelow } = gates.at(-1)!.settings as unknown as Record<string, number>
    return { refuseBelow: refuseBelow!, adviseBelow: adviseBelow!, bands }
  }

  it('refuses more when fewer near misses may be answered, with bands on the same scale', () => {
    // docs/internal/scale.md, "Near misses".
    expect(thresholdsOf(0.1)).toEqual({
      refuseBelow: 0.333,
      adviseBelow: 0.756,
      bands: { high: 0.9, medium: 0.756, low: 0.333 },
    })
    expect(thresholdsOf(0.02).bands.high).toBe(thresholdsOf(0.02).adviseBelow)
    const shares = [0.02, 0.05, 0.1, 0.2, 0.3].map(thresholdsOf)
    for (const [at, { refuseBelow, adviseBelow }] of shares.entries()) {
      expect(adviseBelow).toBeGreaterThan(refuseBelow)
      expect(refuseBelow).toBeLessThan(shares[at - 1]?.refuseBelow ?? 1)
    }
  })

  it('gives answers the lifetimes of its bands', () => {
    const policy = balanced({ refuse: { nearMisses: 0.1 } })
    const lives = (confidence: number) => lifetimeSeconds(policy, { verdict: 'pass', confidence })
    expect(lives(0.332)).toBe(0)
    expect(lives(0.333)).toBe(300)
    expect(lives(0.756)).toBe(3600)
  })

  it('uses the scale of eight typical collections for a collection without a scale', () => {
    const measured = signals({})
    const plain = judge(balanced(), measured).confidence
    const policy = balanced({ refuse: { nearMisses: 0.1 } })
    const read = judge(policy, measured).confidence
    expect(read).not.toBeCloseTo(plain, 3)
    expect(resolvePolicy(JSON.parse(JSON.stringify(policySettings(policy))), [balancedPreset]).id).toBe(policy.id)
    const typical = { middle: -0.438, deviation: 1.095, learnedAtMs: 0, corpusVersion: 1 }
    expect(read).toBeCloseTo(judge(balanced(), { ...measured, scale: typical }).confidence, 12)
    const own = { ...typical, middle: -2 }
    expect(judge(policy, { ...measured, scale: own }).confidence).toBeCloseTo(
      judge(balanced(), { ...measured, scale: own }).confidence,
      12,
    )
  })

  it.each([
    [{ refuse: { nearMisses: 0 } }, 'refuse.nearMisses'],
    [{ refuse: { nearMisses: 0.5 } }, 'refuse.nearMisses'],
    [{ refuse: { nearMisses: '0.1' } }, 'refuse.nearMisses'],
    [{ refuse: { nearMisses: NaN } }, 'refuse.nearMisses'],
    [{ refuse: {} }, 'refuse.nearMisses'],
    [{ refuse: { offTopic: 0.1 } }, 'refuse.offTopic'],
    [{ refuse: 0.1 }, 'refuse'],
    [{ refuse: null }, 'refuse'],
    [{ refuse: { nearMisses: 0.1 }, refuseBelow: 0.5 }, 'refuseBelow'],
    [{ refuse: { nearMisses: 0.1 }, adviseBelow: 0.8 }, 'adviseBelow'],
  ])('rejects %j', (options, param) => {
    expect(() => balanced(options as never)).toThrow(expect.objectContaining({ code: 'policy_invalid', param }))
  })
})
