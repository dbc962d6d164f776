import { weightedSignals } from '../../../packages/presets/src/weighted-signals/weighted-signals.ts'
import { describe, expect, it } from 'vitest'
import { explain, explanationText } from '../../../src/core/reports/explain.ts'
import type { Finding } from '../../../src/core/gates/finding.ts'
import { confidenceRange } from '../../../src/core/gates/confidence-range.ts'
import { gradedRelevance } from '../../../src/core/gates/graded-relevance.ts'
import type { PolicyGate } from '../../../src/core/gates/gate.ts'
import { retrievalScore } from '../../../packages/presets/src/two-tier/retrieval-score.ts'
import { minTopCosine } from '../../../src/core/gates/min-top-cosine.ts'
import { fuse } from '../../../src/core/evidence/fusion.ts'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import type { Signals } from '../../../src/core/signals/measure.ts'
import { judge } from '../../../src/core/policy/judge.ts'
import { type Policy } from '../../../src/core/policy/policy.ts'
import { balanced } from '../../../src/presets/balanced/balanced.ts'
import { twoTier, twoTierPreset } from '../../../packages/presets/src/two-tier/two-tier.ts'
import type { ScoreKind } from '../../../src/core/evidence/chunk.ts'
import { aCurve, aRanking, signalsOf } from '../../fixtures/evidence.ts'
import { measure } from '../../fixtures/english.ts'

function explained(policy: Policy, kind: ScoreKind, scores: readonly number[]) {
  const signals = measure(
    'Who asks questions?',
    fuse([aRanking(kind, scores)], { idfMass: 1, topK: 10 }),
    EMPTY_LEXICON,
  )
  return explain({ signals, ...judge(policy, signals) }, policy)
}

describe('explain', () => {
  it("prints the specification's block for a pass on grades", () => {
    expect(explanationText(explained(twoTier(), 'grade', [3, 1]))).toBe(
      ['Confidence Gate:', '  Top chunk score: 3', '  Chunks above threshold (2): 1', '  Decision: PASS'].join('\n'),
    )
  })

  it("prints the specification's block for a refusal on grades", () => {
    expect(explanationText(explained(twoTier(), 'grade', [1]))).toBe(
      [
        'Confidence Gate:',
        '  Top chunk score: 1',
        '  Chunks above threshold (2): 0',
        '  Decision: REFUSE',
        '  Reason: Top chunk relevance score (1) below threshold (2)',
      ].join('\n'),
    )
  })

  it('names an advice, its gate and its message', () => {
    const signals = signalsOf()
    const policy = { gates: [confidenceRange({ refuseBelow: 0.1, adviseBelow: 0.9 })] }
    const finding = (outcome: 'advise' | 'pass', message: string): Finding => ({
      gate: 'confidence-range',
      stage: 'pre-generation',
      outcome,
      code: 'confidence_moderate',
      message,
    })
    const findings = [finding('pass', 'fine'), finding('advise', 'careful'), finding('advise', 'very careful')]
    const decision = { verdict: 'advise', confidence: 0.5, band: 'low', findings, signals } as const
    expect(explain(decision, policy)).toMatchObject({ decision: 'ADVISE', reason: 'careful' })
    expect(explain({ ...decision, verdict: 'pass' }, policy)).not.toHaveProperty('reason')
    expect(explain({ ...decision, findings: [] }, policy)).not.toHaveProperty('reason')
  })

  it("shows findings about grades as figures only when the grades and the gate's settings are known", () => {
    const finding: Finding = {
      gate: 'graded-relevance',
      stage: 'pre-generation',
      outcome: 'pass',
      code: 'passed',
      message: 'as found',
    }
    const signals = signalsOf({ curves: { grade: aCurve(3, 2, 1) } })
    const facts = (of: Finding, from: Signals, gates: readonly PolicyGate[]) =>
      explain(
        { verdict: 'pass', confidence: 1, band: 'high', findings: [of], signals: from },
        { gates, preset: twoTierPreset },
      ).facts
    const plain = [{ label: 'graded-relevance', value: 'as found' }]
    expect(facts(finding, signals, [minTopCosine(), gradedRelevance()])).toEqual([
      { label: 'Top chunk score', value: '3' },
      { label: 'Chunks above threshold (2)', value: '2' },
    ])
    expect(facts(finding, signalsOf(), [gradedRelevance()])).toEqual(plain)
    expect(facts(finding, signals, [minTopCosine()])).toEqual(plain)
    const other = { ...finding, gate: 'min-top-cosine' }
    expect(facts(other, signals, [gradedRelevance()])).toEqual([{ label: 'min-top-cosine', value: 'as found' }])
  })

  it.each<[string, ScoreKind, number[], string[]]>([
    [
      'example 1 (R017)',
      'grade',
      [3, 1],
      [
        '✅ At least 1 chunk retrieved',
        '✅ Top score (3) ≥ threshold (2)',
        '✅ Chunks above threshold: 1 ≥ required (1)',
      ],
    ],
    [
      'example 2',
      'grade',
      [0, 0],
      [
        '✅ At least 1 chunk retrieved',
        '❌ Top score (0) < threshold (2)',
        '❌ Chunks above threshold: 0 < required (1)',
      ],
    ],
    [
      'example 3',
      'bm25',
      [0.06, 0.055],
      [
        '✅ At least 1 chunk retrieved',
        '✅ Top score (0.06) ≥ minimum (0.05)',
        '❌ Ratio: 0.06 / 0.055 = 1.09 < 1.2 (not clear winner)',
      ],
    ],
    [
      'a clear winner',
      'cosine',
      [0.6, 0.5],
      [
        '✅ At least 1 chunk retrieved',
        '✅ Top score (0.6) ≥ minimum (0.05)',
        '✅ Ratio: 0.6 / 0.5 = 1.20 ≥ 1.2 (clear winner)',
      ],
    ],
    ['a single chunk', 'bm25', [0.04], ['✅ At least 1 chunk retrieved', '❌ Top score (0.04) < minimum (0.05)']],
    ['scores of another kind', 'dbsf', [0.03], ['✅ At least 1 chunk retrieved']],
    ['nothing', 'bm25', [], ['❌ At least 1 chunk retrieved']],
  ])("lists the specification's checks: %s", (_, kind, scores, lines) => {
    const { checks } = explained(twoTier(), kind, scores)
    expect(checks.map(({ text }) => text)).toEqual(lines)
    expect(explained(balanced(), kind, scores).checks).toEqual([])
  })

  it('lists only the checks of the gates that the policy has', () => {
    const checksOf = (gates: readonly PolicyGate[], curves: NonNullable<Signals['curves']>) =>
      explain(
        { verdict: 'pass', confidence: 1, band: 'high', findings: [], signals: signalsOf({ curves }) },
        { gates, preset: twoTierPreset },
      ).checks.length
    expect(checksOf([gradedRelevance()], { grade: aCurve(3) })).toBe(3)
    expect(checksOf([gradedRelevance()], { bm25: aCurve(3, 1) })).toBe(1)
    expect(
      explain(
        {
          verdict: 'refuse',
          confidence: 0,
          band: 'very-low',
          findings: [],
          signals: signalsOf({ chunkCount: 0, curves: { grade: aCurve(3) } }),
        },
        twoTier(),
      ).checks,
    ).toEqual([{ passed: false, text: '❌ At least 1 chunk retrieved' }])
    expect(checksOf([retrievalScore()], { grade: aCurve(3), bm25: aCurve(3, 1) })).toBe(3)
  })

  it('names the tier that decided when no chunk was graded', () => {
    const { facts, reason } = explained(twoTier(), 'bm25', [0.06, 0.055])
    expect(facts.map(({ label }) => label)).toEqual(['retrieval-score'])
    expect(reason).toBe('Top-1/Top-2 ratio (1.09) below threshold (1.2)')
  })

  it('has a line for every gate that judged, and metrics in words when the policy weighs them', () => {
    const { facts, decision, checks, analysis } = explained(balanced(), 'bm25', [1])
    expect(facts).toEqual([{ label: 'confidence-range', value: expect.stringMatching(/^Confidence \(/) }])
    expect(decision).toBe('REFUSE')
    expect([checks, analysis]).toEqual([[], []])
    expect(explained(weightedSignals(), 'bm25', [1]).analysis.length).toBeGreaterThan(1)
  })

  it('explains missing evidence', () => {
    const signals = measure(
      'Who asks questions?',
      fuse([aRanking('bm25', [])], { idfMass: 1, topK: 10 }),
      EMPTY_LEXICON,
    )
    const policy = twoTier()
    expect(explanationText(explain({ signals, ...judge(policy, signals) }, policy))).toContain(
      'Reason: No relevant information found in documents',
    )
  })

  it('is the same for a decision read back from its record', () => {
    const policy = twoTier()
    const signals = measure(
      'Who asks questions?',
      fuse([aRanking('grade', [2])], { idfMass: 1, topK: 10 }),
      EMPTY_LEXICON,
    )
    const decision = { signals, ...judge(policy, signals) }
    expect(explain(JSON.parse(JSON.stringify(decision)) as typeof decision, policy)).toEqual(explain(decision, policy))
  })

  it("includes the preset's glance when the preset has one", () => {
    const signals = signalsOf()
    const decision = { signals, ...judge(balanced(), signals) }
    const { gates } = balanced()
    const preset = { name: 'mine', gates: [], confidenceModels: [] }
    const glance = { light: 'red' }
    expect(explain(decision, { gates, preset: { ...preset, explain: () => ({ glance }) } })).toHaveProperty(
      'glance',
      glance,
    )
    expect(explain(decision, { gates, preset: { ...preset, explain: () => ({}) } })).not.toHaveProperty('glance')
    expect(explain(decision, { gates })).toMatchObject({ checks: [], analysis: [] })
    expect(explain(decision, { gates })).not.toHaveProperty('glance')
  })
})
