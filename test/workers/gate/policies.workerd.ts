/** Pushed policies: who may push what, where it is used, and that a pin is held against the collection. */
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { calibratePolicy } from '../../../packages/calibration/src/calibrate-policy.ts'
import { generationConfidence } from '../../../packages/presets/src/answers/generation-confidence.ts'
import { grounding } from '../../../packages/presets/src/answers/grounding.ts'
import { definePolicy, type Policy, policySettings } from '../../../src/core/policy/policy.ts'
import { advisory } from '../../../packages/presets/src/advisory/advisory.ts'
import { balanced } from '../../../src/presets/balanced/balanced.ts'
import { multiGate } from '../../../packages/presets/src/multi-gate/multi-gate.ts'
import { sufficiency } from '../../../packages/presets/src/sufficiency/sufficiency.ts'
import { legalReview } from '../../../packages/presets/src/weighted-signals/legal-review.ts'
import type { GateBindings } from '../../../workers/gate/bindings.ts'
import { compositionFor } from '../../../workers/gate/compose.ts'
import { watchAlerts } from '../../../packages/console/src/jobs/watch-alerts.ts'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import { aDecision, anEvent } from '../../fixtures/decision.ts'
import { signalsOf } from '../../fixtures/evidence.ts'
import { MODEL } from '../../fixtures/priced-model.ts'
import { isolateBindings, workerOver } from '../../worker-requests.ts'

const ADMIN = env.ADMIN_TOKEN

const send = (
  method: string,
  path: string,
  body?: unknown,
  token: string | undefined = ADMIN,
  bindings: GateBindings = isolateBindings,
): Promise<Response> =>
  workerOver(bindings).post(path, body, token === '' ? {} : { authorization: `Bearer ${token}` }, method)

const codeOf = async (response: Response) => [
  response.status,
  (await response.json<{ error?: { code: string } }>()).error?.code,
]

interface Pin {
  readonly collection: string
  readonly embedding_model: string
  readonly dimension: number
  readonly lexicon_id: string | null
  readonly reader: string | null
  readonly corpus_version: number
}

async function pinOf(collection: string, bindings: GateBindings = isolateBindings): Promise<Pin> {
  const { collections } = await (
    await send('GET', '/v1/collections', undefined, ADMIN, bindings)
  ).json<{ collections: (Omit<Pin, 'collection'> & { id: string })[] }>()
  const found = collections.find(({ id }) => id === collection)!
  const { embedding_model, dimension, lexicon_id, reader, corpus_version } = found
  return { collection, embedding_model, dimension, lexicon_id, reader, corpus_version }
}

/** Refuses everything, at any confidence. */
const strict = (name = 'strict') => ({ ...policySettings(balanced({ refuseBelow: 1, adviseBelow: 1 })), name })

const byKey = ({ id }: { readonly id: string }) => ({ created_at: expect.any(String), created_by: `key:${id}` })

const ask = async (collection: string, question = 'What is the launch code of the rocket?') =>
  (await send('POST', '/ask', { question, collection })).json<{ refused: boolean; detail: { confidence: number } }>()

async function addDocument(collection: string, id: string, text: string): Promise<void> {
  const response = await send('POST', '/v1/documents', { collection, documents: [{ id, text }] })
  if (response.status !== 200) throw new Error(`No document was added: ${response.status} ${await response.text()}`)
}

beforeAll(async () => {
  for (const collection of ['pol-a', 'pol-b', 'pol-c']) {
    await addDocument(collection, 'rocket', '# Rocket\n\nThe launch code of the rocket is 7421.')
  }
})

describe('PUT /v1/policies', () => {
  it('stores a policy with its id and a version of its name, without choosing it', async () => {
    const pushed = await (
      await send('PUT', '/v1/policies/pushed', { settings: strict(), why: 'a try' })
    ).json<{ id: string }>()
    expect(pushed).toMatchObject({ name: 'strict', version: 1, pin: null, created_by: 'admin', why: 'a try' })
    expect(pushed.id).toMatch(/^strict@[0-9a-f]{16}$/)
    const again = await (await send('PUT', '/v1/policies/pushed', { settings: strict() })).json()
    expect(again).toMatchObject({ id: pushed.id, version: 1, why: 'a try' })
    const other = { ...policySettings(balanced()), name: 'strict' }
    expect(await (await send('PUT', '/v1/policies/pushed', { settings: other })).json()).toMatchObject({ version: 2 })
    expect((await ask('pol-a')).refused).toBe(false)
  })

  it('has the author, time and reason of the latest push that has a reason, another pin or other evidence', async () => {
    const key = { name: 'second', scopes: ['ask', 'ingest', 'admin'] }
    const made = await (await send('POST', '/v1/keys', key)).json<{ id: string; token: string }>()
    const push = async (more: object, token?: string) =>
      (await send('PUT', '/v1/policies/pushed', { settings: strict('again'), ...more }, token)).json()
    const first = await push({ why: 'a try' })
    await env.DB.prepare(`UPDATE pushed_policies SET created_at_ms = 0 WHERE name = 'again'`).run()
    const early = { ...(first as object), created_at: '1970-01-01T00:00:00.000Z' }
    expect(await push({}, made.token)).toEqual(early)
    const evidence = { labels: 40 }
    expect(await push({ evidence }, made.token)).toEqual({ ...(first as object), ...byKey(made), evidence, why: '' })
    expect(await push({ evidence, why: 'looked at it' })).toMatchObject({ version: 1, created_by: 'admin', evidence })
    expect(await push({ evidence }, made.token)).toMatchObject({ created_by: 'admin', why: 'looked at it' })
  })

  it('requires the admin scope', async () => {
    expect(await codeOf(await send('PUT', '/v1/policies/pushed', { settings: strict() }, ''))).toEqual([
      401,
      'unauthorized',
    ])
    const key = await (
      await send('POST', '/v1/keys', { name: 't', scopes: ['ask', 'ingest'] })
    ).json<{ token: string }>()
    for (const method of ['PUT', 'GET']) {
      const body = method === 'PUT' ? { settings: strict() } : undefined
      expect(await codeOf(await send(method, '/v1/policies/pushed', body, key.token))).toEqual([403, 'forbidden'])
    }
  })

  it('rejects a policy that cannot work here, when it is pushed or chosen', async () => {
    const policies = [advisory(), multiGate({ refuseBelowConfidence: 'off' }), sufficiency(), legalReview()]
    for (const policy of policies) {
      const sent = await send('PUT', '/v1/policies/pushed', { settings: policySettings(policy) })
      expect(await codeOf(sent), policy.name).toEqual([422, 'policy_unfit'])
    }
    const asking = definePolicy({ ...balanced(), name: 'asking', gates: [...balanced().gates, generationConfidence()] })
    const refusalOf = async (policy: Policy, bindings?: GateBindings) =>
      (await send('PUT', '/v1/policies/pushed', { settings: policySettings(policy) }, ADMIN, bindings)).text()
    expect(await refusalOf(asking, { ...env, ...MODEL })).toContain('generation confidence')
    const grounded = definePolicy({ ...balanced(), name: 'grounded', gates: [...balanced().gates, grounding()] })
    expect(await refusalOf(grounded)).toContain('a model (LLM_BASE_URL')
    expect(await refusalOf(grounded, { ...env, ...MODEL })).not.toContain('error')
    // Pushed where there was a reranker, and chosen where there is none.
    const AI: GateBindings['AI'] = { run: () => Promise.reject(new Error('never asked')) }
    const withReranker = { ...env, AI, RERANKER: 'workers-ai' }
    const settings = policySettings(legalReview({ high: 0.95 }))
    const pushed = await send('PUT', '/v1/policies/pushed', { settings }, ADMIN, withReranker)
    const { id } = await pushed.json<{ id: string }>()
    const choose = (bindings?: GateBindings) => send('PUT', '/v1/policy', { policy: id }, ADMIN, bindings)
    expect(await codeOf(await choose())).toEqual([422, 'policy_unfit'])
    expect((await choose(withReranker)).status).toBe(200)
    await send('PUT', '/v1/policy', { policy: null })
  })

  it('rejects a pin that does not match the collection', async () => {
    const pin = await pinOf('pol-a')
    for (const wrong of [{ embedding_model: 'other' }, { dimension: 1 }, { lexicon_id: 'old' }]) {
      const sent = await send('PUT', '/v1/policies/pushed', { settings: strict('wrong'), pin: { ...pin, ...wrong } })
      expect(await codeOf(sent)).toEqual([409, 'policy_pin_mismatch'])
    }
    const unknown = await send('PUT', '/v1/policies/pushed', {
      settings: strict('wrong'),
      pin: { ...pin, collection: 'none' },
    })
    expect(await codeOf(unknown)).toEqual([404, 'collection_not_found'])
    expect((await send('PUT', '/v1/policies/pushed', { settings: strict('right'), pin })).status).toBe(200)
    const elsewhere = await send('PUT', '/v1/policies/pushed', { settings: strict('right'), pin: await pinOf('pol-b') })
    expect(await elsewhere.json()).toMatchObject({
      error: {
        code: 'policy_pin_mismatch',
        message: 'The same policy is stored for pol-a: give this one another name',
      },
    })
    await send('PUT', '/v1/policies/pushed', { settings: strict('unpinned') })
    const pinned = await send('PUT', '/v1/policies/pushed', { settings: strict('unpinned'), pin })
    expect(await pinned.json()).toMatchObject({
      error: { message: 'The same policy is stored for any collection: give this one another name' },
    })
  })
})

describe('a policy pinned to a reader', () => {
  it('does not judge once the reranker or its bounds change', async () => {
    const AI: GateBindings['AI'] = {
      run: async (_model: string, input: { contexts?: readonly unknown[] }) => ({
        response: (input.contexts ?? []).map((_, id) => ({ id, score: 4 })),
      }),
    }
    const readBy = (more: Partial<GateBindings> = {}): GateBindings => ({ ...env, AI, RERANKER: 'workers-ai', ...more })
    const [reader, spared] = [readBy(), readBy({ RERANK_FROM: '0.2' })]
    const pin = await pinOf('pol-c', reader)
    expect(pin.reader).toBe('cross-encoder @cf/baai/bge-reranker-base always')
    expect((await pinOf('pol-c', spared)).reader).toBe('cross-encoder @cf/baai/bge-reranker-base from 0.2 below 0.95')
    expect((await pinOf('pol-c')).reader).toBeNull()
    const push = (bindings?: GateBindings) => {
      const body = { settings: strict('read'), pin }
      return send('PUT', '/v1/policies/pushed', body, ADMIN, bindings)
    }
    expect(await codeOf(await push())).toEqual([409, 'policy_pin_mismatch'])
    expect(await codeOf(await push(spared))).toEqual([409, 'policy_pin_mismatch'])
    const { id } = await (await push(reader)).json<{ id: string }>()
    const choose = (policy: string | null, bindings?: GateBindings) =>
      send('PUT', '/v1/collections/pol-c/policy', { policy }, ADMIN, bindings)
    expect(await codeOf(await choose(id))).toEqual([409, 'policy_pin_mismatch'])
    expect((await choose(id, reader)).status).toBe(200)
    const body = { question: 'What is the launch code of the rocket?', collection: 'pol-c' }
    const status = async (bindings?: GateBindings) => (await send('POST', '/ask', body, ADMIN, bindings)).status
    expect([await status(reader), await status(spared), await status()]).toEqual([200, 500, 500])
    const judged = await send('POST', '/v1/judgements', body, ADMIN, spared)
    expect(await judged.text()).toContain('for another embedding or reader: choose another, then calibrate')
    await choose(null)
    expect(await status()).toBe(200)
  })
})

describe('a pushed policy', () => {
  it('judges the collection that chooses it until it is replaced, and each choice is recorded', async () => {
    const pin = await pinOf('pol-a')
    const { id } = await (
      await send('PUT', '/v1/policies/pushed', { settings: strict('mine'), pin })
    ).json<{ id: string }>()
    const choose = (collection: string, policy: string | null, why = '') =>
      send('PUT', `/v1/collections/${collection}/policy`, { policy, why })
    expect((await choose('pol-a', id, 'calibrated')).status).toBe(200)
    expect((await ask('pol-a')).refused).toBe(true)
    expect((await ask('pol-b')).refused).toBe(false)
    expect(await codeOf(await choose('pol-b', id))).toEqual([409, 'policy_pin_mismatch'])
    expect(await codeOf(await send('PUT', '/v1/policy', { policy: id }))).toEqual([409, 'policy_pin_mismatch'])
    expect(await codeOf(await choose('pol-a', 'mine@0000000000000000'))).toEqual([422, 'policy_unknown'])
    // Documents come and go: the choice stays.
    await addDocument('pol-a', 'more', 'Fuel is methane.')
    expect((await ask('pol-a')).refused).toBe(true)
    expect((await choose('pol-a', null, 'too strict')).status).toBe(200)
    expect((await ask('pol-a')).refused).toBe(false)
    const { choices } = await (await send('GET', '/v1/policies/pushed')).json<{ choices: unknown[] }>()
    expect(choices.slice(0, 2)).toEqual([
      { collection: 'pol-a', policy: null, at: expect.any(String), by: 'admin', why: 'too strict' },
      { collection: 'pol-a', policy: id, at: expect.any(String), by: 'admin', why: 'calibrated' },
    ])
    // The audit trail is where they stand, and the list of policies shows the same.
    const { changes } = await (await send('GET', '/v1/policies')).json<{ changes: unknown[] }>()
    expect(changes.slice(0, 2)).toMatchObject(choices.slice(0, 2) as object[])
    const { events } = await (
      await send('GET', '/v1/audit?type=POLICY_CHOSEN')
    ).json<{ events: { by: string; payload: unknown }[] }>()
    expect(events[1]).toMatchObject({
      by: 'admin',
      payload: { collection: 'pol-a', policy: id, policy_id: id, why: 'calibrated' },
    })
  })

  it('is rolled back to the one before it, step by step, and never to one that was rolled back', async () => {
    const path = '/v1/collections/pol-b/policy'
    const back = async (): Promise<unknown> => {
      const response = await send('PUT', path, { rollback: true, why: 'worse' })
      return response.ok ? (await response.json<{ policy: string | null }>()).policy : codeOf(response)
    }
    expect(await back()).toEqual([409, 'nothing_to_roll_back'])
    for (const policy of ['balanced', 'balanced-strict', 'two-tier']) {
      expect((await send('PUT', path, { policy })).status).toBe(200)
    }
    // Choices of others in between, more than a list shows.
    const other = JSON.stringify({ collection: 'pol-a', policy: 'balanced', policy_id: 'balanced', why: '' })
    await env.DB.prepare(
      `WITH RECURSIVE many(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM many WHERE value < 150)
       INSERT INTO audit_events (id, tenant, at_ms, type, payload)
       SELECT 'other-' || value, 'default', ?1, 'POLICY_CHOSEN', ?2 FROM many`,
    )
      .bind(Date.now(), other)
      .run()
    expect(await back()).toBe('balanced-strict')
    expect(await back()).toBe('balanced')
    await send('PUT', path, { policy: 'weighted-signals' })
    await send('PUT', path, { policy: 'two-tier' })
    expect(await back()).toBe('weighted-signals')
    expect(await back()).toBe('balanced')
    expect(await back()).toBe(null)
    expect(await back()).toEqual([409, 'nothing_to_roll_back'])
    expect(await codeOf(await send('PUT', path, { rollback: true, policy: null }))).toEqual([422, 'policy_unknown'])
    expect(await codeOf(await send('PUT', path, { rollback: 'yes' }))).toEqual([422, 'policy_unknown'])
    await env.DB.prepare(`DELETE FROM audit_events WHERE id LIKE 'other-%'`).run()
  })

  it('is rolled back once by two requests of the same moment, and the next one goes on from there', async () => {
    const path = '/v1/collections/pol-c/policy'
    const back = async (): Promise<string | null> =>
      (await (await send('PUT', path, { rollback: true })).json<{ policy: string | null }>()).policy
    const policies = ['balanced', 'balanced-strict', 'two-tier', 'weighted-signals']
    for (const policy of policies) await send('PUT', path, { policy })
    expect(await Promise.all([back(), back()])).toEqual(['two-tier', 'two-tier'])
    expect(await back()).toBe('balanced-strict')
    expect(await Promise.all([back(), back()])).toEqual(['balanced', 'balanced'])
    expect(await back()).toBe(null)
  })

  it.each([
    ['a collection', '/v1/collections/pol-c/policy'],
    ['the tenant', '/v1/policy'],
  ])('is what %s rolls back to, even when its choice is no longer in the audit trail', async (_, path) => {
    const put = async (body: object): Promise<unknown> => {
      const response = await send('PUT', path, body)
      return response.ok ? (await response.json<{ policy: string | null }>()).policy : codeOf(response)
    }
    const forget = () => env.DB.prepare(`DELETE FROM audit_events WHERE type = 'POLICY_CHOSEN'`).run()
    await forget()
    await put({ policy: 'balanced' })
    await forget()
    await put({ policy: 'balanced-strict' })
    expect(await put({ rollback: true })).toBe('balanced')
    expect(await put({ rollback: true })).toEqual([409, 'nothing_to_roll_back'])
    await put({ policy: null })
    await put({ policy: 'two-tier' })
    expect(await put({ rollback: true })).toBe(null)
  })

  it('is not visible to other tenants', async () => {
    const { id } = await (await send('PUT', '/v1/policies/pushed', { settings: strict('own') })).json<{ id: string }>()
    const key = { name: 't', tenant: 'elsewhere', scopes: ['ask', 'ingest', 'admin'] }
    const { token } = await (await send('POST', '/v1/keys', key)).json<{ token: string }>()
    expect(await codeOf(await send('PUT', '/v1/policy', { policy: id }, token))).toEqual([422, 'policy_unknown'])
    expect(await (await send('GET', '/v1/policies/pushed', undefined, token)).json()).toMatchObject({ policies: [] })
    // Chosen and used, it stays with its tenant.
    await send('PUT', '/v1/policy', { policy: id })
    await ask('pol-b')
    await send('PUT', '/v1/policy', { policy: null })
    const known = async (by?: string) =>
      (await (await send('GET', '/v1/policies', undefined, by)).json<{ policies: { id: string }[] }>()).policies
    expect((await known()).map((each) => each.id)).toContain(id)
    expect((await known(token)).map((each) => each.id)).not.toContain(id)
  })

  it('is shown with its decisions, and in the suggestions from labels', async () => {
    const { id } = await (
      await send('PUT', '/v1/policies/pushed', { settings: strict('known') })
    ).json<{ id: string }>()
    await send('PUT', '/v1/collections/pol-b/policy', { policy: id })
    const asked = await send('POST', '/ask', { question: 'What is the launch code?', collection: 'pol-b' })
    const { decision_id: decision } = await asked.json<{ decision_id: string }>()
    await send('PUT', '/v1/collections/pol-b/policy', { policy: null })
    expect(await (await send('GET', `/v1/decisions/${decision}`)).json()).toMatchObject({
      policy_id: id,
      policy: { id, name: 'known', gates: expect.any(Array) },
    })
    await send('PUT', `/v1/decisions/${decision}/label`, { rating: 'wrong' })
    const { policies } = await (
      await send('GET', '/v1/feedback')
    ).json<{ policies: { policy_id: string; suggestion: unknown }[] }>()
    expect(policies.find((each) => each.policy_id === id)?.suggestion).toEqual({
      action: 'keep',
      because: 'Too few labels',
    })
  })

  it('does not judge once the collection has another embedding', async () => {
    const pin = await pinOf('pol-c')
    const { id } = await (
      await send('PUT', '/v1/policies/pushed', { settings: strict('embedded'), pin })
    ).json<{ id: string }>()
    await env.DB.prepare(`UPDATE pushed_policies SET pin = json_set(pin, '$.embedding_model', 'other') WHERE id = ?1`)
      .bind(id)
      .run()
    await env.DB.prepare(`UPDATE collections SET policy_id = ?1 WHERE id = 'pol-c'`).bind(id).run()
    await addDocument('pol-c', 'more', 'Fuel is methane.')
    const response = await send('POST', '/ask', { question: 'What is the launch code?', collection: 'pol-c' })
    expect(await codeOf(response)).toEqual([500, 'config_invalid'])
  })

  it('may contain a confidence fitted to the collection', async () => {
    const labels = Array.from({ length: 120 }, (_, at) => ({
      answerable: at % 2 === 0,
      group: String(at),
      signals: signalsOf({
        sentenceMatch: (at % 2 === 0 ? 0.5 : 0) + at / 400,
      }),
    }))
    const found = calibratePolicy(balanced(), labels, { name: 'fitted', fit: 'weights' })
    if (found.kind !== 'calibrated') throw new Error(found.statement)
    const settings = policySettings(found.policy)
    expect(await codeOf(await send('PUT', '/v1/policies/pushed', { settings }))).toEqual([409, 'policy_pin_mismatch'])
    const pushed = await send('PUT', '/v1/policies/pushed', { settings, pin: await pinOf('pol-b') })
    const { id } = await pushed.json<{ id: string }>()
    expect(id).toBe(found.policy.id)
    const before = (await ask('pol-b', 'What is the code of the rocket?')).detail.confidence
    await send('PUT', '/v1/collections/pol-b/policy', { policy: id })
    expect((await ask('pol-b', 'What is the code of the rocket?')).detail.confidence).not.toBeCloseTo(before, 3)
  })

  it('raises an alert when its collection or the confidences change, until another is chosen', async () => {
    const key = { name: 't', tenant: 'drifting', scopes: ['ask', 'ingest', 'admin'] }
    const { token } = await (await send('POST', '/v1/keys', key)).json<{ token: string }>()
    const add = (id: string, text: string) =>
      send('POST', '/v1/documents', { collection: 'drift', documents: [{ id, text }] }, token)
    await add('rocket', '# Rocket\n\nThe launch code of the rocket is 7421.')
    const { collections } = await (
      await send('GET', '/v1/collections', undefined, token)
    ).json<{ collections: (Omit<Pin, 'collection'> & { id: string })[] }>()
    const { embedding_model, dimension, lexicon_id, corpus_version } = collections[0]!
    const pin = { collection: 'drift', embedding_model, dimension, lexicon_id, corpus_version }
    const evidence = { confidence_histogram: Array.from({ length: 20 }, (_, at) => (at >= 16 ? 25 : 0)) }
    const { id } = await (
      await send('PUT', '/v1/policies/pushed', { settings: strict('drifting'), pin, evidence }, token)
    ).json<{ id: string }>()
    const choose = (policy: string | null) => send('PUT', '/v1/collections/drift/policy', { policy }, token)
    await choose(id)
    const decide = (confidence: number, prefix: string) =>
      createD1DecisionStore({ db: env.DB }).write(
        Array.from({ length: 60 }, (_, at) => ({
          event: anEvent(`${prefix}-${at}`, {
            decision: aDecision({
              tenant: 'drifting',
              collection: 'drift',
              policyId: id,
              confidence,
              corpusVersion: 1,
            }),
            atMs: Date.now() - 1_000,
          }),
          isolate: `isolate ${prefix}`,
          sequence: at + 1,
        })),
      )
    const kinds = async () => {
      await watchAlerts(compositionFor(isolateBindings).statistics)
      const { alerts } = await (
        await send('GET', '/v1/alerts', undefined, token)
      ).json<{ alerts: { kind: string; closed: string | null; message: string }[] }>()
      return alerts.filter(({ closed }) => closed === null).map(({ kind }) => kind)
    }
    const record = async () =>
      (await send('GET', '/v1/decisions/as-calibrated-0', undefined, token)).json<{ calibration: unknown }>()
    await decide(0.9, 'as-calibrated')
    expect(await kinds()).toEqual([])
    expect((await record()).calibration).toEqual({ pin, documents_changed: false, advice: null })
    await decide(0.1, 'elsewhere')
    expect(await kinds()).toEqual(['calibration_drift'])
    await add('more', 'Fuel is methane.')
    expect((await kinds()).sort()).toEqual(['calibration_drift', 'calibration_outdated'])
    const asked = await send('POST', '/ask', { question: 'What is the launch code?', collection: 'drift' }, token)
    const { decision_id: decision } = await asked.json<{ decision_id: string }>()
    expect(await (await send('GET', `/v1/decisions/${decision}`, undefined, token)).json()).toMatchObject({
      policy_id: id,
      calibration: { pin, documents_changed: true, advice: expect.stringContaining('calibrate again') },
    })
    await choose(null)
    expect(await kinds()).toEqual([])
  })
})
