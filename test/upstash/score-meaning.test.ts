/** What the scores of an index tell, as its retriever finds out with the first search. */
import { expect, test } from 'vitest'
import {
  createUpstashChunkIndex,
  createUpstashRetriever,
  type UpstashRetrieverOptions,
} from '../../packages/upstash/src/index.ts'
import { multiGatePreset } from '../../packages/presets/src/multi-gate/index.ts'
import { twoTier } from '../../packages/presets/src/two-tier/index.ts'
import type { ScoreMeaning } from '../../src/core/evidence/index.ts'
import { definePolicy, type Policy } from '../../src/core/policy/policy.ts'
import { embeddedIndex } from '../fixtures/embedded-index.ts'
import { aGate, bodyOf, POLICY, STRONG } from '../fixtures/gate.ts'
import { hashedEmbedder } from '../fixtures/hashed-embedder.ts'

const HASHED = { indexType: 'HYBRID' }
const NEURAL = { indexType: 'HYBRID', embeddingModel: 'BGE_SMALL_EN_V1_5' }
const SPARSE = { indexType: 'SPARSE' }

const COSINES = definePolicy({ ...POLICY, name: 'cosines', preset: multiGatePreset })

type Options = Omit<UpstashRetrieverOptions, 'url' | 'fetch'>

const gateOver = async (settings: unknown, options: Options, policy: Policy) => {
  const where = { url: 'https://index.invalid', fetch: embeddedIndex(settings) }
  const namespace = () => 'n'
  if (JSON.stringify(settings).includes('HYBRID')) {
    await createUpstashChunkIndex(where).upsert('n', [{ id: 'a', documentId: 'a', text: STRONG }])
  }
  const retriever = createUpstashRetriever({ ...where, namespace, onWarning: () => {}, ...options })
  const { ask } = aGate({ policy, dependencies: { retriever } })
  const asked = async () => {
    const response = await ask()
    const { error } = await bodyOf(response)
    return error?.code ?? response.status
  }
  const told = (): readonly ScoreMeaning[] | undefined =>
    typeof retriever.scores === 'function' ? retriever.scores() : retriever.scores
  return { asked, told }
}

test.each<[name: string, settings: unknown, options: Options, policy: Policy, told: readonly string[], first: unknown]>(
  [
    ['hashed words and BM25', HASHED, {}, twoTier(), ['none', 'words'], 'config_invalid'],
    [
      'hashed words and BM25, filled by the gate',
      HASHED,
      { filledBy: 'gate' },
      twoTier(),
      ['none', 'words'],
      'config_invalid',
    ],
    [
      'hashed words and BM25, configured without asking the index',
      HASHED,
      { index: { type: 'hybrid' } },
      twoTier(),
      ['none', 'words'],
      'config_invalid',
    ],
    ['only hashed words', HASHED, { methods: 'dense' }, twoTier(), ['none'], 'config_invalid'],
    ['only words', HASHED, { methods: 'sparse' }, twoTier(), ['words'], 200],
    ['only words, for a policy on cosines', HASHED, { methods: 'sparse' }, COSINES, ['words'], 'config_invalid'],
    ['only ranks', HASHED, { methods: 'sparse', sparseScores: 'ranks' }, twoTier(), ['ranks'], 'config_invalid'],
    ['a neural model and BM25', NEURAL, {}, twoTier(), ['meaning', 'words'], 200],
    ['hashed words, for a policy on texts', HASHED, {}, POLICY, ['none', 'words'], 200],
  ],
)('the meaning of scores is checked for %s', async (_, settings, options, policy, told, first) => {
  const gate = await gateOver(settings, options, policy)
  expect(gate.told()).toBeUndefined()
  expect(await gate.asked()).toBe(first)
  expect(gate.told()).toEqual(told)
  expect(await gate.asked()).toBe(first)
})

test('own vectors have the meaning of their embedder', async () => {
  const embedder = hashedEmbedder()
  const gate = await gateOver({ indexType: 'DENSE', dimension: embedder.dimension }, { embedder }, twoTier())
  expect(await gate.asked()).toBe('config_invalid')
  expect(gate.told()).toEqual(['none'])
})

test('sparse BM25 scores have the meaning words', async () => {
  const gate = await gateOver(SPARSE, { sparseScores: 'bm25' }, COSINES)
  expect(await gate.asked()).toBe('config_invalid')
  expect(gate.told()).toEqual(['words'])
})
