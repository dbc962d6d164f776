import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createD1IdempotencyStore } from '../../../src/adapters/d1/idempotency.ts'

const clock = { atMs: Date.UTC(2026, 0, 1), nowMs: () => clock.atMs }
const store = createD1IdempotencyStore({ db: env.DB, clock })
const request = (key: string, requestHash = 'hash', tenant = 'acme') => ({ tenant, key, requestHash })

describe('createD1IdempotencyStore', () => {
  it('lets one of many in, and gives the others its answer once there is one', async () => {
    const states = await Promise.all(Array.from({ length: 5 }, () => store.begin(request('many'))))
    expect(states.filter(({ kind }) => kind === 'new')).toHaveLength(1)
    expect(states.filter(({ kind }) => kind === 'running')).toHaveLength(4)
    await store.finish(request('many'), 200, '{"a":1}')
    expect(await store.begin(request('many'))).toEqual({ kind: 'done', status: 200, body: '{"a":1}' })
  })

  it('tells another request under the same name, running or done, and keeps tenants apart', async () => {
    await store.begin(request('reused'))
    expect(await store.begin(request('reused', 'other'))).toEqual({ kind: 'reused' })
    await store.finish(request('reused'), 200, '')
    expect(await store.begin(request('reused', 'other'))).toEqual({ kind: 'reused' })
    expect(await store.begin(request('reused', 'other', 'globex'))).toEqual({ kind: 'new' })
  })

  it('lets a request that was abandoned or cut off be tried again', async () => {
    await store.begin(request('again'))
    await store.abandon(request('again'))
    expect(await store.begin(request('again'))).toEqual({ kind: 'new' })
    clock.atMs += 45_000
    expect(await store.begin(request('again'))).toEqual({ kind: 'running', retryAfterSeconds: 15 })
    clock.atMs += 15_000
    expect(await store.begin(request('again'))).toEqual({ kind: 'new' })
  })

  it('does not forget an answer when it is abandoned late', async () => {
    await store.begin(request('late'))
    await store.finish(request('late'), 200, 'kept')
    await store.abandon(request('late'))
    expect(await store.begin(request('late'))).toMatchObject({ kind: 'done', body: 'kept' })
  })

  it('forgets after a day', async () => {
    await store.begin(request('old'))
    await store.finish(request('old'), 200, 'kept')
    clock.atMs += 86_399_999
    await store.prune()
    expect(await store.begin(request('old'))).toMatchObject({ kind: 'done' })
    clock.atMs += 2
    await store.prune()
    expect(await env.DB.prepare("SELECT count(*) AS n FROM idempotency_keys WHERE key = 'old'").first('n')).toBe(0)
  })
})
