import { describe, expect, it } from 'vitest'
import { type LabelledDecision, scoresOfGate, thresholdOf } from '../../packages/calibration/src/gate-threshold.ts'
import { tuneByCollection, tuneThreshold } from '../../packages/calibration/src/tune-threshold.ts'
import { judge } from '../../src/core/policy/judge.ts'
import { balancedGraded } from '../../src/presets/balanced/balanced-graded.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { multiGate } from '../../packages/presets/src/multi-gate/multi-gate.ts'
import { sufficiency } from '../../packages/presets/src/sufficiency/sufficiency.ts'
import { seededRandom } from '../../bench/seeded-random.ts'
import { aCurve, signalsOf } from '../fixtures/evidence.ts'
import { examples } from '../properties.ts'

const GATE = { gate: 'min-top-cosine' } as const
const policy = multiGate()

/** Labelled decisions with these cosines, as the policy judges them. */
function labelled(answerable: readonly number[], unanswerable: readonly number[]): LabelledDecision[] {
  const decided = (cosine: number, label: boolean): LabelledDecision => ({
    decision: judge(policy, signalsOf({ curves: { cosine: aCurve(cosine) } })),
    answerable: label,
  })
  return [...answerable.map((cosine) => decided(cosine, true)), ...unanswerable.map((cosine) => decided(cosine, false))]
}

const spread = (count: number, from: number, to: number): number[] =>
  Array.from({ length: count }, (_, at) => from + ((to - from) * at) / count)

describe('tuneThreshold', () => {
  it('lowers a threshold that is stricter than the labels need, in a new policy', () => {
    const before = JSON.stringify(policy)
    const tuned = tuneThreshold(policy, labelled(spread(50, 0.5, 0.9), spread(100, 0, 0.4)), GATE)
    expect(tuned).toMatchObject({ action: 'lower', gate: 'min-top-cosine', from: 0.7, fromPolicyId: policy.id })
    // Of a hundred one may get through: with two, the bound at .9 is .0523.
    expect(tuned.falseAcceptances).toMatchObject({ labels: 100 })
    expect(tuned.falseAcceptances.hits).toBeLessThanOrEqual(1)
    expect(tuned.to).toBeLessThan(0.41)
    expect(tuned.falseRefusals.hits).toBe(0)
    expect(thresholdOf(tuned.policy, 'min-top-cosine')).toBe(tuned.to)
    expect(tuned.policy.id).not.toBe(policy.id)
    expect(Object.isFrozen(tuned.policy)).toBe(true)
    expect(JSON.stringify(policy)).toBe(before)
    expect(tuned.because).toBe(
      'At most 0.05 of the unanswerable questions get through, with certainty 0.9: 0 of 100 (0.000–0.036) on these labels',
    )
  })

  it('raises a threshold that lets too many pass, even when that refuses answerable questions', () => {
    const tuned = tuneThreshold(policy, labelled(spread(50, 0.6, 0.9), spread(100, 0.5, 0.85)), GATE)
    expect(tuned.action).toBe('raise')
    expect(tuned.to).toBeGreaterThan(0.8)
    expect(tuned.falseRefusals.hits).toBeGreaterThan(25)
  })

  it('keeps the policy with too few labels, and reports how many are needed', () => {
    const tuned = tuneThreshold(policy, labelled([0.9], spread(44, 0, 0.1)), GATE)
    // ln .1 / ln .95 = 44.9: with no false acceptance at all.
    expect(tuned).toMatchObject({ action: 'keep', from: 0.7, to: 0.7 })
    expect(tuned.because).toBe('Too few labels: 44 unanswerable questions of 45 needed')
    expect(tuned.policy).toBe(policy)
    expect(tuneThreshold(policy, labelled([0.9], spread(45, 0, 0.1)), GATE).action).toBe('lower')
  })

  it('keeps the policy when no threshold keeps the promise', () => {
    const tuned = tuneThreshold(policy, labelled([], spread(60, 1, 1)), GATE)
    expect(tuned).toMatchObject({
      action: 'keep',
      because: 'No threshold up to 1 keeps false acceptances at 0.05 with this certainty',
    })
  })

  it('keeps the threshold if all that is to be refused was refused before the gate', () => {
    const unseen = judge(policy, signalsOf({ chunkCount: 0 }))
    expect(unseen).toMatchObject({ verdict: 'refuse', reason: 'no_evidence' })
    const refused: LabelledDecision[] = spread(60, 0, 0).map(() => ({ decision: unseen, answerable: false }))
    expect(tuneThreshold(policy, [...labelled([0.9], []), ...refused], GATE)).toMatchObject({
      action: 'keep',
      because: 'The gate compared no unanswerable question with its threshold',
      to: 0.7,
      policy,
    })
    // Beside others they are refused at any threshold.
    const both = [...labelled([0.9], spread(40, 0, 0.4)), ...refused.slice(0, 20)]
    expect(tuneThreshold(policy, both, GATE)).toMatchObject({
      action: 'lower',
      to: 0.4,
      falseAcceptances: { labels: 60 },
    })
  })

  it('rejects decisions that the gate did not judge, which its threshold would not refuse', () => {
    const other = judge(
      balanced(),
      signalsOf({ sentenceMatch: 1, questionLikelihood: 1, sentenceCoverage: 1, titleMatch: 1 }),
    )
    expect(other.verdict).not.toBe('refuse')
    const graded = judge(balancedGraded(), signalsOf({ curves: { grade: aCurve(3) } }))
    expect(graded.findings).toContainEqual(expect.objectContaining({ gate: 'confidence-range', outcome: 'skip' }))
    for (const [tuned, decision, gate] of [
      [policy, other, 'min-top-cosine'],
      [policy, { findings: [] }, 'min-top-cosine'],
      [balancedGraded(), graded, 'confidence-range'],
    ] as const) {
      const given = spread(60, 0, 0).map(() => ({ decision, answerable: false }))
      expect(() => tuneThreshold(tuned, given, { gate })).toThrow(
        expect.objectContaining({
          code: 'config_invalid',
          param: 'labelled',
          message: `60 of 60 decisions were not judged by ${gate}`,
        }),
      )
    }
  })

  it('returns multiples of the step', () => {
    const milder = { ...GATE, maxFalseAcceptance: 0.5, certainty: 0.5, step: 0.3 }
    const to = [0.2, 0.61, 0.95].map((score) => tuneThreshold(policy, labelled([], [score]), milder).to)
    expect(to).toEqual([0.3, 0.9, 1])
  })

  it('chooses a threshold at which the gate itself refuses what must be refused, for a cosine in 32 bits', () => {
    // .71 in 32 bits is slightly less, and the gate's tolerance lets it pass.
    const given = labelled([0.9], [...spread(44, 0, 0.4), Math.fround(0.71)])
    const tuned = tuneThreshold(policy, given, GATE)
    expect(tuned).toMatchObject({ to: 0.72, falseAcceptances: { hits: 0 } })
    const passes = (by: typeof policy) => judge(by, signalsOf({ curves: { cosine: aCurve(Math.fround(0.71)) } }))
    expect(passes(tuned.policy).findings).toContainEqual(expect.objectContaining({ code: 'similarity_low' }))
    // The rates are those of the gate too.
    const kept = tuneThreshold(multiGate({ refuseBelow: 0.71 }), given.slice(1), { ...GATE, certainty: 0.99 })
    expect(kept).toMatchObject({ action: 'keep', falseAcceptances: { hits: 1 } })
  })

  it('needs fewer labels for a weaker promise', () => {
    const milder = { ...GATE, maxFalseAcceptance: 0.5, certainty: 0.5 }
    expect(tuneThreshold(policy, labelled([], [0.2]), { ...milder, step: 0.5 })).toMatchObject({ to: 0.5 })
    expect(tuneThreshold(policy, labelled([], [0.2]), milder)).toMatchObject({ action: 'lower', to: 0.21 })
    expect(tuneThreshold(policy, [], milder).because).toBe('Too few labels: 0 unanswerable questions of 1 needed')
  })

  it('keeps a threshold that is right', () => {
    const first = tuneThreshold(policy, labelled([0.9], spread(100, 0, 0.4)), GATE)
    const again = tuneThreshold(first.policy, labelled([0.9], spread(100, 0, 0.4)), GATE)
    expect([again.action, again.policy === first.policy]).toEqual(['keep', true])
    expect([again.because, again.to]).toEqual([first.because, first.to])
  })

  it('exceeds its promise no more often than stated', () => {
    const random = seededRandom(20_261_122)
    const REPEATS = examples(400)
    let exceeded = 0
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const scores = Array.from({ length: 120 }, () => random() ** 2)
      // Only findings are looked at: the decision behind them is left out for speed.
      const labels = scores.map((actual): LabelledDecision => {
        const finding = { gate: 'min-top-cosine', stage: 'pre-generation', outcome: 'pass', code: 'passed' } as const
        return { decision: { findings: [{ ...finding, message: '', actual }] }, answerable: false }
      })
      const { to } = tuneThreshold(policy, labels, GATE)
      // The chance that a squared uniform number is at least `to`.
      if (1 - Math.sqrt(to) > 0.05) exceeded++
    }
    // At certainty .9 a tenth may; three standard errors of that over 400 repeats are .045.
    expect(exceeded / REPEATS).toBeLessThan(0.145)
  })

  it('raises adviseBelow with the threshold, and supports every gate with a threshold', () => {
    const settings = tuneThreshold(balanced({ refuseBelow: 0.1, adviseBelow: 0.2 }), highConfidence(), {
      gate: 'confidence-range',
    }).policy.gates.at(-1)
    expect(settings?.settings).toMatchObject({ refuseBelow: 0.89, adviseBelow: 0.89 })
    const apart = tuneThreshold(balanced({ refuseBelow: 0.1, adviseBelow: 0.95 }), highConfidence(), {
      gate: 'confidence-range',
    }).policy.gates.at(-1)
    expect(apart?.settings).toMatchObject({ refuseBelow: 0.89, adviseBelow: 0.95 })
    const share = tuneThreshold(sufficiency(), [], { gate: 'evidence-share' })
    expect([share.from, share.action]).toEqual([0.5, 'keep'])
    expect(() => tuneThreshold(policy, [], { gate: 'evidence-share' })).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        message: 'The policy has no gate evidence-share with a threshold',
        param: 'gate',
      }),
    )
  })

  it('tunes the threshold for a share of support, and keeps the other gates', () => {
    const of = (actual: number): LabelledDecision => ({
      decision: {
        findings: [
          { gate: 'evidence-share', stage: 'post-generation', outcome: 'pass', code: 'passed', message: '', actual },
        ],
      },
      answerable: false,
    })
    const before = sufficiency()
    const { to, policy: after } = tuneThreshold(before, spread(100, 0, 0.8).map(of), { gate: 'evidence-share' })
    expect(thresholdOf(after, 'evidence-share')).toBe(to)
    expect(to).toBeGreaterThan(0.5)
    const others = ({ gates }: typeof before) => gates.filter(({ gate }) => gate.name !== 'evidence-share')
    expect(others(after)).toEqual(others(before))
  })

  it.each([
    ['passes', 0.81, 0, 1],
    ['refuses', 0.8, 1, 0],
  ] as const)('counts a share equal to the threshold as the gate does, which %s it', (equality, to, refused, kept) => {
    const of = (actual: number, answerable: boolean): LabelledDecision => ({
      decision: {
        findings: [
          { gate: 'evidence-share', stage: 'post-generation', outcome: 'pass', code: 'passed', message: '', actual },
        ],
      },
      answerable,
    })
    const byShare = sufficiency({ equality })
    const given = [of(0.8, true), of(0.81, true), ...Array.from({ length: 45 }, () => of(0.8, false))]
    expect(tuneThreshold(byShare, given, { gate: 'evidence-share' })).toMatchObject({
      to,
      falseRefusals: { hits: 1 },
      falseAcceptances: { hits: 0 },
    })
    const few = [of(0.5, true), of(0.5, false)]
    expect(tuneThreshold(byShare, few, { gate: 'evidence-share' })).toMatchObject({
      to: 0.5,
      falseRefusals: { hits: refused },
      falseAcceptances: { hits: kept },
    })
  })

  it.each([
    { maxFalseAcceptance: 0 },
    { maxFalseAcceptance: 1 },
    { certainty: 1 },
    { certainty: 0.4 },
    { step: 0 },
    { step: 0.51 },
  ])('rejects the options %j', (options) => {
    expect(() => tuneThreshold(policy, [], { ...GATE, ...options })).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        message: 'maxFalseAcceptance, certainty or step is out of range',
        param: 'step',
      }),
    )
  })
})

/** A hundred unanswerable questions with confidences up to .891. */
function highConfidence(): LabelledDecision[] {
  return spread(100, 0, 0.9).map((actual) => ({
    decision: {
      findings: [
        { gate: 'confidence-range', stage: 'pre-generation', outcome: 'pass', code: 'passed', message: '', actual },
      ],
    },
    answerable: false,
  }))
}

describe('thresholdOf', () => {
  it.each(['no-such-gate', 'readable-question'])(
    'rejects %s, because the policy has no such gate with a threshold',
    (gate) => {
      expect(() => thresholdOf(balanced(), gate)).toThrow(
        expect.objectContaining({ code: 'config_invalid', param: 'gate' }),
      )
    },
  )
})

describe('scoresOfGate', () => {
  it('reads only the figure that the gate compares with its threshold', () => {
    const finding = { gate: 'evidence-share', stage: 'post-generation', outcome: 'refuse', message: '' } as const
    const scores = (['share_low', 'overlap_low'] as const).map((code) => {
      const decision = { findings: [{ ...finding, code, actual: 0.2 }] }
      return scoresOfGate('evidence-share', [{ decision, answerable: true }])[0]?.score
    })
    expect(scores).toEqual([0.2, NaN])
    const other = { ...finding, gate: 'grounding', code: 'share_low', actual: 0.9 }
    const decision = { findings: [other, { ...finding, code: 'share_low', actual: 0.2 }] }
    expect(scoresOfGate('evidence-share', [{ decision, answerable: true }])[0]?.score).toBe(0.2)
  })

  it('is NaN for a question that the gate was not asked about', () => {
    const decision = judge(sufficiency(), signalsOf())
    expect(scoresOfGate('evidence-share', [{ decision, answerable: true }])).toEqual([{ score: NaN, answerable: true }])
  })
})

describe('tuneByCollection', () => {
  it('gives each collection the threshold for its own labels, and the others the common policy', () => {
    const { tuned, policyFor } = tuneByCollection(
      policy,
      {
        tax: labelled([0.9], spread(100, 0, 0.4)),
        criminal: labelled([0.95], spread(100, 0.5, 0.9)),
        young: labelled([0.9], [0.1]),
      },
      GATE,
    )
    expect(Object.values(tuned).map(({ action }) => action)).toEqual(['lower', 'raise', 'keep'])
    expect(policyFor('acme', 'tax').id).toBe(tuned['tax']?.policy.id)
    expect(policyFor('acme', 'young')).toBe(policy)
    expect(policyFor('acme', 'toString')).toBe(policy)
  })
})
