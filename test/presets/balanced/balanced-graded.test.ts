import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judge } from '../../../src/core/policy/judge.ts'
import { policySettings, resolvePolicy } from '../../../src/core/policy/policy.ts'
import type { Signals } from '../../../src/core/signals/measure.ts'
import { balanced } from '../../../src/presets/balanced/balanced.ts'
import { balancedGraded, balancedGradedPreset } from '../../../src/presets/balanced/balanced-graded.ts'
import { signalsOf } from '../../fixtures/evidence.ts'

/** As sure as words are of it, and as it was graded. */
const signals = (words: number, grades?: readonly number[]): Signals =>
  signalsOf({
    questionLikelihood: words,
    sentenceMatch: words,
    chunkCosineGap: words / 5,
    ...(grades === undefined ? {} : { curves: { grade: { scores: grades, topPairSharesDocument: false } } }),
  })
const share = fc.double({ min: 0, max: 1, noNaN: true })

describe('balancedGraded', () => {
  it('judges ungraded evidence like balanced', () => {
    fc.assert(
      fc.property(share, (words) => {
        const { verdict, reason, confidence } = judge(balanced(), signals(words))
        expect(judge(balancedGraded(), signals(words))).toMatchObject({ verdict, reason, confidence })
      }),
    )
  })

  it('judges graded evidence by the grades alone', () => {
    fc.assert(
      fc.property(share, fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 10 }), (words, given) => {
        const grades = given.sort((a, b) => b - a)
        const { verdict } = judge(balancedGraded(), signals(words, grades))
        expect(verdict).toBe(grades[0]! >= 2 ? 'pass' : 'refuse')
      }),
    )
  })

  it('accepts the settings of both', () => {
    const policy = balancedGraded({ refuseBelow: 0.6, adviseBelow: 0.9, relevanceThreshold: 3, minChunks: 2 })
    expect(policy.gates.map(({ settings }) => settings)).toEqual([
      ...['readable-question', 'question-length', 'lone-term', 'run-together'].map((gate) => ({ gate })),
      { gate: 'graded-relevance', relevanceThreshold: 3, minChunks: 2 },
      { gate: 'confidence-range', refuseBelow: 0.6, adviseBelow: 0.9, whereGraded: 'skipped' },
    ])
    expect(resolvePolicy(policySettings(policy), [balancedGradedPreset]).id).toBe(policy.id)
  })
})
