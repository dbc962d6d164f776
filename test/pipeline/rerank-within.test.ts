import { reranking, type RerankingOptions } from '../../src/pipeline/reranking.ts'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calibratedParts } from '../../packages/calibration/src/calibrated-parts.ts'
import { confidenceRange } from '../../src/core/gates/confidence-range.ts'
import { gradedRelevance } from '../../src/core/gates/graded-relevance.ts'
import { definePolicy, type Policy, policySettings, resolvePolicy } from '../../src/core/policy/policy.ts'
import { unscaled } from '../../src/core/policy/scaled.ts'
import type { QuestionPorts } from '../../src/pipeline/question-settings.ts'
import { gateQuestion } from '../../src/pipeline/gate-question.ts'
import { balanced, balancedPreset } from '../../src/presets/balanced/balanced.ts'
import { createStaticCollections } from '../../src/adapters/static-collections.ts'
import { ASKED, SETTINGS } from '../fixtures/answering.ts'
import { QUESTION, rankingOf, STRONG } from '../fixtures/gate.ts'
import { buildLexicon } from '../fixtures/english.ts'

/** Refuses what the reader finds irrelevant; without a reader, the confidence alone decides. */
const POLICY: Policy = definePolicy({
  ...balanced(),
  gates: [confidenceRange({ refuseBelow: 0.1, adviseBelow: 0.1 }), gradedRelevance()],
})

function asking(options: RerankingOptions, grade: () => Promise<readonly number[]> = async () => [0], policy = POLICY) {
  let calls = 0
  const ports: QuestionPorts = {
    clock: { nowMs: () => 0 },
    collections: createStaticCollections([
      { id: ASKED.collection, tenant: ASKED.principal.tenant, lexicon: buildLexicon([STRONG, 'Paint is blue.']) },
    ]),
    retriever: { retrieve: async () => rankingOf([STRONG]) },
    reranker: reranking(
      {
        model: 'reader',
        kind: 'grade',
        rerank: () => {
          calls++
          return grade()
        },
      },
      options,
    ),
  }
  const settings = { ...SETTINGS, policy: () => policy }
  return gateQuestion(ports, settings, { ...ASKED, question: QUESTION }).then((gated) => {
    if (gated.kind !== 'judged') throw new Error('There is no cache here')
    return { ...gated.decision, calls }
  })
}

/** The confidence of `balanced`, moved by the grade where there is one. */
const COUNTING: Policy = resolvePolicy(
  {
    ...policySettings(balanced({ refuseBelow: 0.1, adviseBelow: 0.1 })),
    name: 'counting',
    confidence: {
      kind: 'adjusted',
      base: unscaled(balanced().confidence).settings,
      intercept: -9,
      weights: { 'grade.top': 6 },
      unread: 'general',
      provenance: 'written by hand',
    },
  },
  [balancedPreset, calibratedParts],
)

describe("a policy whose confidence uses the reranker's scores", () => {
  it('does not rerank outside the bounds, uses the scores within them, and refuses when the reranker fails', async () => {
    const general = (await asking({ between: [0, 0.0001] }, undefined, balanced())).confidence
    const ask = (bounds: object, grade?: () => Promise<readonly number[]>) => asking(bounds, grade, COUNTING)
    expect(await ask({ between: [0, general] })).toMatchObject({ reranker: 'spared', confidence: general })
    for (const [grade, verdict] of [
      [0, 'refuse'],
      [3, 'pass'],
    ] as const) {
      const read = await ask({ between: [general, 1] }, async () => [grade])
      expect(read).toMatchObject({ calls: 1, reranker: 'ok', verdict })
      const logOdds = Math.log(general / (1 - general)) - 9 + 6 * grade
      expect(read.confidence).toBeCloseTo(1 / (1 + Math.exp(-logOdds)), 9)
    }
    const failing = await ask({ between: [general, 1] }, () => Promise.reject(new Error('down')))
    expect(failing).toMatchObject({
      reranker: 'failed',
      verdict: 'refuse',
      reason: 'reader_failed',
      confidence: general,
    })
  })
})

describe('a reranker with bounds of confidence', () => {
  const made = (given: object, options: object = {}) =>
    reranking({ model: 'reader', kind: 'grade', rerank: async () => [], ...given }, options)

  it.each([
    [[0.5]],
    [[0.2, 0.5, 0.6]],
    [[0.5, 0.5]],
    [[0.6, 0.5]],
    [[-0.1, 0.5]],
    [[0.5, 1.1]],
    [['0.2', '0.5']],
    [{ 0: 0.2, 1: 0.5, length: 2 }],
    [null],
  ])('rejects the bounds %j', (between) => {
    const message = 'between must be two numbers from 0 to 1, the first under the second'
    const error = expect.objectContaining({ code: 'config_invalid', param: 'between', message })
    expect(() => made({}, { between })).toThrow(error)
  })

  it('names what is wrong with the reranker', () => {
    expect(() => made({ rerank: undefined })).toThrow(expect.objectContaining({ param: 'reranker' }))
    expect(() => made({ kind: 'other' })).toThrow(expect.objectContaining({ param: 'reranker.kind' }))
    expect(() => made({ model: 7 })).toThrow(
      expect.objectContaining({ code: 'config_invalid', param: 'reranker.model' }),
    )
    expect(() => made({ kind: 'cross-encoder' })).not.toThrow()
  })

  it('has its model and its bounds in the answer key', () => {
    const rerankers = [
      made({}),
      made({ model: 'other' }),
      made({}, { between: [0.2, 0.5] }),
      made({}, { between: [0.2, 0.6] }),
      made({}, { between: [0.3, 0.5] }),
    ]
    expect(new Set(rerankers.map(({ key }) => key)).size).toBe(5)
    expect(made({}, { timeoutMs: 5 }).key).toBe(made({}).key)
  })

  it('is asked at any confidence without bounds', async () => {
    const read = await asking({})
    expect(read).toMatchObject({ calls: 1, reranker: 'ok', verdict: 'refuse', reason: 'relevance_low' })
    expect(read.confidence).toBeGreaterThan(0.3)
    expect(read.confidence).toBeLessThan(1)
  })

  it('is asked only within the bounds, and questions outside are judged without it', async () => {
    const { confidence } = await asking({})
    await fc.assert(
      fc.asyncProperty(fc.nat(99), fc.integer({ min: 1, max: 100 }), async (from, more) => {
        const [first, below] = [from / 100, Math.min(1, (from + more) / 100)]
        const found = await asking({ between: [first, below] })
        const within = confidence >= first && confidence < below
        expect(found).toMatchObject(
          within
            ? { calls: 1, reranker: 'ok', verdict: 'refuse' }
            : { calls: 0, reranker: 'spared', verdict: 'pass', confidence },
        )
        expect(found.signals.curves?.grade === undefined).toBe(!within)
      }),
    )
  })

  it('is asked from the lower bound, inclusive, to the upper, exclusive', async () => {
    const { confidence } = await asking({})
    expect(await asking({ between: [confidence, 1] })).toMatchObject({ calls: 1 })
    expect(await asking({ between: [0, confidence] })).toMatchObject({ calls: 0 })
  })

  it('that fails within the bounds leaves the earlier judgement', async () => {
    const { confidence } = await asking({ between: [0, 0.0001] })
    const failing = await asking({ between: [0, 1] }, () => Promise.reject(new Error('down')))
    expect(failing).toMatchObject({ calls: 1, reranker: 'failed', verdict: 'pass', confidence })
  })
})
