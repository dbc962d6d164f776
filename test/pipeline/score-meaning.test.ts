import { describe, expect, it } from 'vitest'
import { multiGatePreset } from '../../packages/presets/src/multi-gate/index.ts'
import { twoTier } from '../../packages/presets/src/two-tier/index.ts'
import type { ScoreMeaning } from '../../src/core/evidence/index.ts'
import { definePolicy, type Policy } from '../../src/core/policy/policy.ts'
import type { Reranking } from '../../src/pipeline/question-settings.ts'
import { reranking } from '../../src/pipeline/reranking.ts'
import { aGate, bodyOf, POLICY, rankingOf, STRONG } from '../fixtures/gate.ts'

const RERANKER = reranking({ kind: 'grade', model: 'test', rerank: async ({ passages }) => passages.map(() => 3) })

describe("the declared meaning of a retriever's scores", () => {
  const codeOf = async (policy: Policy, scores?: readonly ScoreMeaning[], reranker?: Reranking) => {
    const retriever = { retrieve: async () => rankingOf([STRONG]), ...(scores && { scores }) }
    const { ask } = aGate({ policy, dependencies: { retriever, reranker } })
    const response = await ask()
    return [response.status, (await bodyOf(response)).error?.code]
  }
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
