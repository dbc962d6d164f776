/** Twenty questions about nothing that the collection treats, through every policy with a name, on the Worker as it is. */
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { GateBindings } from '../../../workers/gate/bindings.ts'
import { POLICY_NAMES, policyNamed } from '../../../workers/gate/policies/policy-named.ts'
import { HANDBOOK } from '../../fixtures/corpus.ts'
import { OFF_TOPIC_QUESTIONS } from '../../fixtures/off-topic.ts'
import { ADMIN, workerOver } from '../../worker-requests.ts'

const INDEX = 'https://index.test'
const stub = () => env.VECTOR_INDEX.getByName('off-topic')
const UPSTASH: GateBindings = {
  ...env,
  UPSTASH_VECTOR_REST_URL: INDEX,
  UPSTASH_VECTOR_REST_TOKEN: 'index-token-of-these-tests-0123456789abcdef',
}

/** Which policies can work where the scores tell `told`. */
const fit = (told?: 'words') =>
  POLICY_NAMES.filter((name) => {
    const { preset, gates } = policyNamed(name)
    const isOfAnswers = gates.some(({ gate }) => gate.stage === 'post-generation')
    const needs = preset?.needsOneOf
    return (needs === undefined || (told !== undefined && needs.includes(told))) && !isOfAnswers
  })

/** Its specification takes any BM25 of .05 that leads by a fifth: one word in one passage will do. */
const MOST: Readonly<Record<string, number>> = { 'two-tier': 3 }

describe.each([
  ['words in D1', { ...env }, fit('words')],
  ['an index of the protocol of Upstash Vector whose model hashes words', UPSTASH, fit()],
] as const)('over %s', (engine, bindings, fitting) => {
  const { post } = workerOver(bindings)
  const collection = engine.includes('D1') ? 'of-words' : 'of-upstash'
  const choose = (policy: string) => post(`/v1/policy?collection=${collection}`, { policy }, ADMIN, 'PUT')

  beforeAll(async () => {
    const platform = fetch
    vi.stubGlobal('fetch', (url: string, init: RequestInit) =>
      url.startsWith(INDEX) ? stub().fetch(url, init) : platform(url, init),
    )
    await post('/v1/documents', { collection, documents: HANDBOOK }, ADMIN)
  })

  afterAll(() => {
    vi.unstubAllGlobals()
  })

  it.each(POLICY_NAMES.filter((name) => !fitting.includes(name)))('%s is rejected as unfit', async (policy) => {
    const put = await choose(policy)
    expect(put.status).toBe(422)
    expect(await put.text()).toContain('it needs')
  })

  // Over the other engine the first of them, but in deep runs.
  const asked = env.TEST_DEEP || collection === 'of-words' ? fitting : fitting.slice(0, 1)
  it.each(asked)('%s answers few of twenty unrelated questions', async (policy) => {
    expect((await choose(policy)).status).toBe(200)
    const ask = async (question: string) => {
      const reply = await post('/ask', { collection, question })
      expect(reply.status).toBe(200)
      const { refused, usable } = await reply.json<{ refused: boolean; usable?: boolean }>()
      return !refused && usable !== false ? [question] : []
    }
    const answered = (await Promise.all(OFF_TOPIC_QUESTIONS.map(ask))).flat()
    expect(answered.length, answered.join(' ')).toBeLessThanOrEqual(MOST[policy] ?? 1)
  })
})
