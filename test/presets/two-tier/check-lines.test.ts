import { describe, expect, it } from 'vitest'
import { keywordCoverage } from '../../../packages/presets/src/multi-gate/keyword-coverage.ts'
import { checkLines, gradeFacts } from '../../../packages/presets/src/two-tier/check-lines.ts'
import { topRelevance } from '../../../packages/presets/src/two-tier/top-relevance.ts'
import { twoTier, twoTierPreset } from '../../../packages/presets/src/two-tier/two-tier.ts'
import type { Decision } from '../../../src/core/policy/decision.ts'
import { confidenceOf } from '../../../src/core/policy/confidence.ts'
import type { Finding } from '../../../src/core/gates/finding.ts'
import { aCurve, signalsOf } from '../../fixtures/evidence.ts'

const graded = (...scores: number[]) => signalsOf({ chunkCount: scores.length, curves: { grade: aCurve(...scores) } })
const scored = (...scores: number[]) => signalsOf({ chunkCount: scores.length, curves: { bm25: aCurve(...scores) } })
const FOUND = '✅ At least 1 chunk retrieved'

describe('the checks of the two tiers', () => {
  const { gates } = twoTier({ relevanceThreshold: 2, minChunks: 2, minScore: 3, minRatio: 1.5 })
  const texts = (...given: Parameters<typeof checkLines>) => checkLines(...given).map(({ text }) => text)

  it('are those of the grades if the chunks were graded', () => {
    expect(texts(graded(3, 2, 1), gates)).toEqual([
      FOUND,
      '✅ Top score (3) ≥ threshold (2)',
      '✅ Chunks above threshold: 2 ≥ required (2)',
    ])
    expect(texts(graded(1, 0), gates)).toEqual([
      FOUND,
      '❌ Top score (1) < threshold (2)',
      '❌ Chunks above threshold: 0 < required (2)',
    ])
  })

  it('are those of the scores otherwise, without a ratio for a single chunk', () => {
    expect(texts(scored(6, 3), gates)).toEqual([
      FOUND,
      '✅ Top score (6) ≥ minimum (3)',
      '✅ Ratio: 6 / 3 = 2.00 ≥ 1.5 (clear winner)',
    ])
    expect(texts(scored(2.5, 2.5), gates)).toEqual([
      FOUND,
      '❌ Top score (2.5) < minimum (3)',
      '❌ Ratio: 2.5 / 2.5 = 1.00 < 1.5 (not clear winner)',
    ])
    expect(texts(scored(6), gates)).toEqual([FOUND, '✅ Top score (6) ≥ minimum (3)'])
  })

  it('are one tier alone if the policy has one', () => {
    const [grades, scores] = gates
    expect(texts(graded(3, 2), [scores!])).toEqual([FOUND])
    expect(texts(scored(6, 3), [grades!])).toEqual([FOUND])
    expect(texts(scored(6, 3), [scores!])).toHaveLength(3)
    expect(texts(graded(3, 2), [grades!])).toHaveLength(3)
  })

  it('of scores are none without scores', () => {
    expect(texts(signalsOf({ curves: undefined as never }), gates)).toEqual([FOUND])
    expect(texts(signalsOf({ curves: { rrf: aCurve(1) } }), gates)).toEqual([FOUND])
    expect(texts(signalsOf({ curves: { bm25: aCurve() } }), gates)).toEqual([FOUND])
  })

  it('end at the first without chunks, and are none for other policies', () => {
    const none = signalsOf({ chunkCount: 0 })
    expect(checkLines(none, gates)).toEqual([{ passed: false, text: '❌ At least 1 chunk retrieved' }])
    expect(checkLines(scored(6, 3), [keywordCoverage()])).toEqual([])
  })
})

it('the facts about grades are the best one and how many reach the threshold', () => {
  const { gates } = twoTier({ relevanceThreshold: 2 })
  const finding = (gate: string): Finding => ({
    gate,
    stage: 'pre-generation',
    outcome: 'pass',
    code: 'passed',
    message: '',
  })
  const own = finding('graded-relevance')
  expect(gradeFacts(own, graded(3, 2, 1), gates)).toEqual([
    { label: 'Top chunk score', value: '3' },
    { label: 'Chunks above threshold (2)', value: '2' },
  ])
  expect(gradeFacts(finding('retrieval-score'), graded(3), gates)).toBeUndefined()
  expect(gradeFacts(own, scored(3), gates)).toBeUndefined()
  expect(gradeFacts(own, graded(3), gates.slice(1))).toBeUndefined()
})

describe('the confidence by the best chunk', () => {
  const of = (signals: ReturnType<typeof signalsOf>) => confidenceOf(topRelevance(), signals)

  it('is the best grade of three, or without grades the BM25 score of its maximum', () => {
    const topBm25 = 1.1
    expect([of({ ...graded(3, 0), topBm25 }), of({ ...graded(1.5), topBm25 }), of({ ...graded(0), topBm25 })]).toEqual([
      1, 0.5, 0,
    ])
    expect(of({ ...scored(6), topBm25 })).toBeCloseTo(1.1 / (1.2 + 1), 10)
    expect(of({ ...scored(6), topBm25: 99 })).toBe(1)
  })

  it('is that of BM25 in a record without scores', () => {
    expect(of({ ...signalsOf({ curves: undefined as never }), topBm25: 2.2 })).toBe(1)
  })

  it('is no number without the grade that a record should have', () => {
    expect(of(graded())).toBeNaN()
    expect(of({ ...signalsOf(), curves: { grade: aCurve('3' as never) } })).toBeNaN()
  })
})

it('has the shorter message of the specification where no reranker judged', () => {
  const reason = (code: string, reranker: string) =>
    twoTierPreset.operatorReason!({ code } as Finding, { reranker } as Decision, 'neutral')
  const message = 'No relevant information found'
  expect([reason('no_evidence', 'off'), reason('no_evidence', 'ok'), reason('score_low', 'off')]).toEqual([
    message,
    undefined,
    undefined,
  ])
})
