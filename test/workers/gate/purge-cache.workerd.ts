/** `POST /v1/cache/purge` of the ready Worker, with its database. */
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { ADMIN, post, send } from '../../worker-requests.ts'

const QUESTION = { question: 'How long are backups of the ledger kept?' }
const ask = (): Promise<Response> => post('/ask', QUESTION, ADMIN)
const cacheStatus = async (): Promise<string> => (await ask()).headers.get('cache-status') ?? ''

beforeAll(async () => {
  const documents = [
    { id: 'ledger', text: '# Ledger\n\nBackups of the ledger are kept for ninety days.' },
    { id: 'paint', text: '# Paint\n\nThe fence was painted green in spring.' },
  ]
  const response = await post('/v1/documents', { documents }, ADMIN)
  if (!response.ok) throw new Error(`The documents were not ingested: ${response.status}`)
})

describe('POST /v1/cache/purge', () => {
  test.each<[string, Record<string, unknown>]>([
    ['everything', { everything: true }],
    ['the tenant', { tenant: 'default' }],
    ['the collection', { collection: 'default' }],
    ['a document of its evidence', { collection: 'default', documents: ['nowhere', 'ledger'] }],
  ])('of %s removes an answer at once', async (_, scope) => {
    await ask()
    expect(await cacheStatus()).toMatch(/^rag-gate; hit/)
    const response = await post('/v1/cache/purge', scope, ADMIN)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toMatchObject({ elsewhere_within_seconds: 5, epoch: expect.any(Number) as number })
    expect(await cacheStatus()).toBe('rag-gate; fwd=miss')
    expect(await cacheStatus()).toMatch(/^rag-gate; hit/)
  })

  test.each(['made', 'sent from the cache'])(
    'of an answer by the id of a decision that was %s removes it',
    async (how) => {
      await post('/v1/cache/purge', { collection: 'default' }, ADMIN)
      if (how === 'sent from the cache') await ask()
      const [, id = ''] = /;id="([^"]+)"/.exec((await ask()).headers.get('rag-gate') ?? '') ?? []
      // Written, so that it can be found.
      await send('/v1/decisions', { headers: ADMIN })
      expect((await post('/v1/cache/purge', { answers: [id] }, ADMIN)).status).toBe(200)
      expect(await cacheStatus()).toBe('rag-gate; fwd=miss')
    },
  )

  test('of a question removes its answer, in any spelling, and no other', async () => {
    await ask()
    await post('/v1/cache/purge', { collection: 'default', questions: ['Where?'] }, ADMIN)
    expect(await cacheStatus()).toMatch(/^rag-gate; hit/)
    await post('/v1/cache/purge', { collection: 'default', questions: [`  ${QUESTION.question} `] }, ADMIN)
    expect(await cacheStatus()).toBe('rag-gate; fwd=miss')
  })

  test('of another collection, or of a document outside the evidence, keeps the answer', async () => {
    await ask()
    await post('/v1/documents', { collection: 'other', documents: [{ id: 'a', text: 'Other.' }] }, ADMIN)
    await post('/v1/cache/purge', { collection: 'other' }, ADMIN)
    await post('/v1/cache/purge', { collection: 'default', documents: ['nowhere'] }, ADMIN)
    await post('/v1/cache/purge', { tenant: 'acme' }, ADMIN)
    expect(await cacheStatus()).toMatch(/^rag-gate; hit/)
  })

  test.each<Record<string, unknown>>([{}, { questions: ['Where?'] }, { documents: ['ledger'] }])(
    'of a collection that does not exist, with %j, is an error',
    async (more) => {
      const response = await post('/v1/cache/purge', { collection: 'defualt', ...more }, ADMIN)
      expect([response.status, await response.json()]).toMatchObject([
        404,
        { error: { code: 'collection_not_found', param: 'collection' } },
      ])
    },
  )

  test('is stored in the database for other isolates', async () => {
    await post('/v1/cache/purge', { collection: 'default' }, ADMIN)
    const { results } = await env.DB.prepare(`SELECT scope FROM answer_purges WHERE tenant = 'default'`).all<{
      scope: string
    }>()
    expect(results.map(({ scope }) => scope)).toContain('10:collection7:default7:default')
  })

  test("requires the admin scope, for the caller's own tenant", async () => {
    expect((await post('/v1/cache/purge', { tenant: 'default' })).status).toBe(401)
    const keyFor = async (scopes: string[]): Promise<Record<string, string>> => {
      const made = await post('/v1/keys', { name: 'key', scopes, tenant: 'acme' }, ADMIN)
      return { authorization: `Bearer ${(await made.json<{ token: string }>()).token}` }
    }
    const [writer, admin] = [await keyFor(['ask', 'ingest']), await keyFor(['admin'])]
    expect((await post('/v1/cache/purge', { tenant: 'acme' }, writer)).status).toBe(403)
    expect((await post('/v1/cache/purge', { tenant: 'acme' }, admin)).status).toBe(200)
    expect((await post('/v1/cache/purge', { tenant: 'default' }, admin)).status).toBe(403)
    expect((await post('/v1/cache/purge', { everything: true }, admin)).status).toBe(403)
  })
})

describe('a change of the documents', () => {
  test('outside the evidence costs a retrieval and no model call', async () => {
    await ask()
    await post('/v1/documents', { documents: [{ id: 'paint', text: '# Paint\n\nThe fence is blue now.' }] }, ADMIN)
    const status = await cacheStatus()
    // The other passage is evidence too as long as it is among the ten best: the collection is small.
    expect(status).toMatch(/^rag-gate; (fwd=miss|hit; ttl=\d+; detail=same-evidence)$/)
    await post('/v1/documents', { documents: [{ id: 'paint', text: '# Paint\n\nThe fence is blue now.' }] }, ADMIN)
    expect(await cacheStatus()).toMatch(/^rag-gate; hit/)
  })

  test('that removes a document removes the answers based on it', async () => {
    await ask()
    expect((await send('/v1/documents?id=ledger', { method: 'DELETE', headers: ADMIN })).status).toBe(200)
    const response = await ask()
    expect(response.headers.get('cache-status')).toBe('rag-gate; fwd=miss')
    expect(await response.text()).not.toContain('ninety days')
  })
})
