import { describe, expect, it, vi } from 'vitest'
import { multiGatePreset } from '../../packages/presets/src/multi-gate/index.ts'
import { twoTier } from '../../packages/presets/src/two-tier/index.ts'
import type { ScoreMeaning } from '../../src/core/evidence/index.ts'
import { definePolicy, type Policy } from '../../src/core/policy/policy.ts'
import type { RagGateError } from '../../src/errors.ts'
import { gateQuestion } from '../../src/pipeline/gate-question.ts'
import type { Reranking } from '../../src/pipeline/question-settings.ts'
import { reranking } from '../../src/pipeline/reranking.ts'
import type { Retriever } from '../../src/ports/retriever.ts'
import { answering, ASKED, SETTINGS } from '../fixtures/answering.ts'
import { aGate, bodyOf, POLICY, rankingOf, STRONG } from '../fixtures/gate.ts'

const RERANKER = reranking({ kind: 'grade', model: 'test', rerank: async ({ passages }) => passages.map(() => 3) })

describe("the declared meaning of a retriever's scores", () => {
  const codeOf = async (policy: Policy, scores?: readonly ScoreMeaning[], reranker?: Reranking) => {
    const retriever = { retrieve: async () => rankingOf([STRONG]), ...(scores && { scores }) }
    const { ask } = aGate({ policy, dependencies: { retriever, reranker } })
    const response = await ask()
    return [response.status, (await bodyOf(response)).error?.code]
  }
  /** What gating a question throws, and how often it is searched for. */
  const gating = async (scores: Retriever['scores']) => {
    const { ports } = answering()
    const retrieve = vi.fn<Retriever['retrieve']>(async () => rankingOf([STRONG]))
    const retriever = { retrieve, ...(scores && { scores }) }
    const gated = gateQuestion({ ...ports, retriever }, { ...SETTINGS, policy: () => twoTier() }, ASKED)
    const thrown = await gated.then(
      () => undefined,
      (error: RagGateError) => error,
    )
    return { thrown, searches: retrieve.mock.calls.length }
  }

  it('is checked before the search where it is known, and says what the policy needs', async () => {
    const { thrown, searches } = await gating(['ranks', 'none'])
    expect(thrown).toMatchObject({
      code: 'config_invalid',
      param: 'policy',
      message: "two-tier needs only words or meaning or reranker, but the retriever's scores are ranks, none",
    })
    expect(searches).toBe(0)
    expect((await gating(() => ['ranks'])).searches).toBe(0)
  })

  it('is checked after the search where only that reveals it', async () => {
    const revealed = vi.fn<() => readonly ScoreMeaning[] | undefined>()
    revealed.mockReturnValueOnce(undefined).mockReturnValueOnce(['ranks'])
    const { thrown, searches } = await gating(revealed)
    expect([thrown?.code, searches]).toEqual(['config_invalid', 1])
    expect(await gating(() => undefined)).toEqual({ thrown: undefined, searches: 1 })
  })

  const cosines = definePolicy({ ...POLICY, name: 'cosines', preset: multiGatePreset })

  it.each([
    ['two-tier', 'ranks', twoTier(), ['ranks'], 500],
    ['two-tier', 'no meaning, like hashed words', twoTier(), ['none'], 500],
    ['two-tier', 'words', twoTier(), ['words'], 200],
    ['two-tier', 'words and no meaning', twoTier(), ['none', 'words'], 500],
    ['two-tier', 'meaning and ranks', twoTier(), ['ranks', 'meaning'], 200],
    ['two-tier', 'unknown meaning', twoTier(), undefined, 200],
    ['a policy of the texts', 'no meaning', POLICY, ['none'], 200],
  ] as const)('is checked for %s with scores of %s', async (_, __, policy, scores, status) => {
    expect(await codeOf(policy, scores)).toEqual([status, status === 500 ? 'config_invalid' : undefined])
  })

  it('is not checked when a reranker reads the passages', async () => {
    expect(await codeOf(twoTier(), ['ranks'], RERANKER)).toEqual([200, undefined])
  })

  it('must be meaning for a policy on cosines', async () => {
    expect(await codeOf(cosines, ['words'])).toEqual([500, 'config_invalid'])
  })
})
