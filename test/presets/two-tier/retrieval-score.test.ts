import { askGate } from '../../fixtures/policy.ts'
import type { GateFinding } from '../../../src/core/gates/gate.ts'
import { describe, expect, it } from 'vitest'
import {
  retrievalScore,
  type RetrievalScoreOptions,
  scoresRead,
} from '../../../packages/presets/src/two-tier/retrieval-score.ts'
import type { Signals } from '../../../src/core/signals/measure.ts'
import { aCurve, signalsOf } from '../../fixtures/evidence.ts'

function check(curves: NonNullable<Signals['curves']>, options: RetrievalScoreOptions = {}): GateFinding {
  return askGate(retrievalScore(options), { signals: signalsOf({ curves }), confidence: 1 })
}

describe('retrievalScore', () => {
  it.each([
    // The score: equality passes, within 1e-9.
    [[0.05], 'pass', 'passed'],
    [[0.05 - 5e-10], 'pass', 'passed'],
    [[0.05 - 2e-9], 'refuse', 'score_low'],
    [[0.0499], 'refuse', 'score_low'],
    [[0], 'refuse', 'score_low'],
    [[-0.1], 'refuse', 'score_low'],
    [[NaN], 'refuse', 'score_missing'],
    // The ratio: equality passes, within 1e-9, however the quotient rounds.
    [[0.12, 0.1], 'pass', 'passed'],
    [[0.102, 0.085], 'pass', 'passed'],
    [[0.408, 0.34], 'pass', 'passed'],
    [[0.06, 0.055], 'refuse', 'no_clear_winner'],
    [[0.119999, 0.1], 'refuse', 'no_clear_winner'],
    [[0.5, 0.5], 'refuse', 'no_clear_winner'],
    [[0.9, NaN], 'refuse', 'score_missing'],
    // A runner-up at or below 0 meets the ratio; the score still counts.
    [[0.06, 0], 'pass', 'passed'],
    [[0.05, -1], 'pass', 'passed'],
    [[0.04, 0], 'refuse', 'score_low'],
    [[-0.1, -0.2], 'refuse', 'score_low'],
    // The score is asked before the ratio.
    [[0.04, 0.04], 'refuse', 'score_low'],
  ])('judges the scores %j as %s (%s)', (scores, outcome, code) => {
    expect(check({ bm25: aCurve(...scores) })).toMatchObject({ outcome, code })
    expect(check({ cosine: aCurve(...scores) })).toMatchObject({ outcome, code })
  })

  it('applies the ratio test within one document too, unless ratioWithinDocument is skipped', () => {
    const ofOne = (...scores: number[]) => ({ bm25: { scores, topPairSharesDocument: true } })
    expect(check(ofOne(0.06, 0.055))).toMatchObject({ outcome: 'refuse', code: 'no_clear_winner' })
    const skipped = { ratioWithinDocument: 'skipped' } as const
    expect(check(ofOne(0.06, 0.055), skipped)).toMatchObject({
      outcome: 'pass',
      message: 'Top chunk retrieval score (0.06) meets minimum (0.05)',
    })
    expect(check(ofOne(0.04, 0.04), skipped).outcome).toBe('refuse')
    expect(check({ bm25: aCurve(0.06, 0.055) }, skipped).outcome).toBe('refuse')
  })

  it('stores only a ratio that is skipped', () => {
    const { settings } = retrievalScore({ ratioWithinDocument: 'skipped' })
    expect(settings).toEqual({
      gate: 'retrieval-score',
      minScore: 0.05,
      minRatio: 1.2,
      ratioWithinDocument: 'skipped',
    })
    for (const options of [{}, { ratioWithinDocument: 'asked' }] as const)
      expect(retrievalScore(options).settings).not.toHaveProperty('ratioWithinDocument')
  })

  it('has no scores in a record without any', () => {
    expect(scoresRead(signalsOf({ curves: undefined as never }), {})).toEqual({})
    expect(scoresRead(signalsOf({ curves: { bm25: aCurve() } }), {})).toEqual({})
    expect(scoresRead(signalsOf({ curves: { bm25: {} as never } }), {})).toEqual({})
    expect(scoresRead(signalsOf({ curves: { bm25: aCurve(3) } }), {})).toStrictEqual({ kind: 'bm25', top: 3 })
    expect(scoresRead(signalsOf({ curves: { bm25: aCurve(3, 0) } }), {})).toStrictEqual({
      kind: 'bm25',
      top: 3,
      second: 0,
    })
    expect(scoresRead(signalsOf({ curves: { bm25: aCurve(NaN, 1) } }), {})).not.toHaveProperty('ratio')
    expect(scoresRead(signalsOf({ curves: { bm25: aCurve(1, null as never) } }), {})).not.toHaveProperty('ratio')
    expect(scoresRead(signalsOf({ curves: { bm25: aCurve(1e300, 1e-300) } }), {}).ratio).toBe(Number.MAX_VALUE)
    for (const curves of [undefined as never, { bm25: aCurve() }]) {
      const finding = askGate(retrievalScore(), { signals: signalsOf({ curves }), confidence: 1 })
      expect(finding).toMatchObject({ outcome: 'refuse', code: 'score_missing' })
    }
  })

  it('accepts a threshold for each score kind', () => {
    const options = { minScore: { bm25: 2, cosine: 0.5 } }
    expect(check({ bm25: aCurve(1.9) }, options)).toMatchObject({ outcome: 'refuse', threshold: 2 })
    expect(check({ cosine: aCurve(0.5) }, options).outcome).toBe('pass')
    expect(check({ cosine: aCurve(0.1) }, { minScore: { bm25: 2 } })).toMatchObject({ threshold: 0.05 })
  })

  it('reads BM25 before cosine', () => {
    expect(check({ bm25: aCurve(5, 1), cosine: aCurve(0.5, 0.5) }).outcome).toBe('pass')
    expect(check({ bm25: aCurve(5, 5), cosine: aCurve(0.9, 0.1) }).outcome).toBe('refuse')
  })

  it('refuses when there are only fused scores', () => {
    for (const kind of ['rrf', 'convex', 'dbsf', 'cross-encoder'] as const) {
      expect(check({ [kind]: aCurve(1, 0.1) })).toMatchObject({ outcome: 'refuse', code: 'score_missing' })
    }
    for (const none of [{}, { bm25: aCurve() }]) {
      expect(check(none)).toEqual({
        outcome: 'refuse',
        code: 'score_missing',
        message: 'No chunk carries a BM25 or cosine score',
      })
    }
  })

  it('skips graded chunks, even when every grade is 0', () => {
    expect(check({ grade: aCurve(0), bm25: aCurve(9, 1) })).toEqual({
      outcome: 'skip',
      code: 'graded_already',
      message: 'The reranker graded the chunks',
    })
  })

  it('gives its reasons in the words of reference document 000 (R020, R021)', () => {
    expect(check({ bm25: aCurve(0.06, 0.055) })).toEqual({
      outcome: 'refuse',
      code: 'no_clear_winner',
      message: 'Top-1/Top-2 ratio (1.09) below threshold (1.2)',
      actual: 0.06 / 0.055,
      threshold: 1.2,
    })
    expect(check({ bm25: aCurve(0.01) })).toMatchObject({
      message: 'Top chunk retrieval score (0.01) below minimum (0.05)',
      actual: 0.01,
      threshold: 0.05,
    })
    expect(check({ bm25: aCurve(5, 1) })).toEqual({
      outcome: 'pass',
      code: 'passed',
      message: 'Top chunk retrieval score (5) is a clear winner',
      actual: 5,
      threshold: 0.05,
    })
  })

  it('accepts other thresholds', () => {
    expect(check({ bm25: aCurve(0.6, 0.5) }, { minRatio: 1.21 }).outcome).toBe('refuse')
    expect(check({ bm25: aCurve(0.6, 0.5) }, { minRatio: 0 }).outcome).toBe('pass')
    expect(check({ cosine: aCurve(-0.5) }, { minScore: -1 }).outcome).toBe('pass')
  })

  it.each([
    [{ minScore: NaN }, 'minScore'],
    [{ minScore: { bm25: NaN } }, 'minScore.bm25'],
    [{ minScore: { convex: 1 } as object }, 'minScore.convex'],
    [{ ratioWithinDocument: 'never' as 'asked' }, 'ratioWithinDocument'],
    [{ minScore: -2 }, 'minScore'],
    [{ minScore: Infinity }, 'minScore'],
    [{ minRatio: -0.1 }, 'minRatio'],
    [{ minRatio: NaN }, 'minRatio'],
    [{ minRatio: '1.2' as unknown as number }, 'minRatio'],
  ])('rejects the options %j', (options, param) => {
    expect(() => retrievalScore(options)).toThrow(expect.objectContaining({ code: 'policy_invalid', param }))
  })
})
