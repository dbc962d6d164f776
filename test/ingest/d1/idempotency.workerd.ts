import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createD1IdempotencyStore } from '../../../packages/ingest/src/idempotency/d1-idempotency.ts'
import type { NamedRequest } from '../../../packages/ingest/src/idempotency/idempotency.ts'

const clock = { atMs: Date.UTC(2026, 0, 1), nowMs: () => clock.atMs }
const store = createD1IdempotencyStore({ db: env.DB, clock })
/** Claims a name that must be free. @returns the claim */
async function claim(named: NamedRequest): Promise<string> {
  const state = await store.begin(named)
  if (state.kind !== 'new') throw new Error(`${named.key} is ${state.kind}`)
  return state.claim
}
const request = (key: string, requestHash = 'hash', tenant = 'acme') => ({ tenant, key, requestHash })

describe('createD1IdempotencyStore', () => {
  it('lets one of several requests run, and gives the others its answer', async () => {
    const states = await Promise.all(Array.from({ length: 5 }, () => store.begin(request('many'))))
    const claims = states.flatMap((state) => (state.kind === 'new' ? [state.claim] : []))
    expect(claims).toHaveLength(1)
    expect(states.filter(({ kind }) => kind === 'running')).toHaveLength(4)
    await store.finish(request('many'), claims[0]!, 200, '{"a":1}')
    expect(await store.begin(request('many'))).toEqual({ kind: 'done', status: 200, body: '{"a":1}' })
  })

  it('detects another request with the same key, running or done, and separates tenants', async () => {
    const mine = await claim(request('reused'))
    expect(await store.begin(request('reused', 'other'))).toEqual({ kind: 'reused' })
    await store.finish(request('reused'), mine, 200, '')
    expect(await store.begin(request('reused', 'other'))).toEqual({ kind: 'reused' })
    expect(await store.begin(request('reused', 'other', 'globex'))).toMatchObject({ kind: 'new' })
  })

  it('lets a request be repeated after it was abandoned or interrupted', async () => {
    await store.abandon(request('again'), await claim(request('again')))
    expect(await store.begin(request('again'))).toMatchObject({ kind: 'new' })
    clock.atMs += 45_000
    expect(await store.begin(request('again'))).toEqual({ kind: 'running', retryAfterSeconds: 15 })
    clock.atMs += 15_000
    expect(await store.begin(request('again'))).toMatchObject({ kind: 'new' })
  })

  it('keeps a renewed claim, however long the request runs', async () => {
    const mine = await claim(request('long'))
    for (let seconds = 0; seconds < 300; seconds += 20) {
      clock.atMs += 20_000
      expect(await store.renew(request('long'), mine)).toBe(true)
    }
    expect(await store.begin(request('long'))).toEqual({ kind: 'running', retryAfterSeconds: 60 })
    await store.finish(request('long'), mine, 200, 'kept')
    expect(await store.begin(request('long'))).toMatchObject({ kind: 'done', body: 'kept' })
    expect(await store.renew(request('long'), mine)).toBe(false)
  })

  it('leaves a claim to the request that took it over', async () => {
    const lost = await claim(request('lost'))
    clock.atMs += 60_000
    const taken = await claim(request('lost'))
    expect(await store.renew(request('lost'), lost)).toBe(false)
    await store.abandon(request('lost'), lost)
    await store.finish(request('lost'), lost, 200, 'of the first')
    expect(await store.begin(request('lost'))).toMatchObject({ kind: 'running' })
    await store.finish(request('lost'), taken, 200, 'of the second')
    expect(await store.begin(request('lost'))).toMatchObject({ kind: 'done', body: 'of the second' })
  })

  it('keeps an answer when its request is abandoned afterwards', async () => {
    const mine = await claim(request('late'))
    await store.finish(request('late'), mine, 200, 'kept')
    await store.abandon(request('late'), mine)
    expect(await store.begin(request('late'))).toMatchObject({ kind: 'done', body: 'kept' })
  })

  it('deletes answers after a day', async () => {
    await store.finish(request('old'), await claim(request('old')), 200, 'kept')
    clock.atMs += 86_399_999
    await store.prune()
    expect(await store.begin(request('old'))).toMatchObject({ kind: 'done' })
    clock.atMs += 2
    await store.prune()
    expect(await env.DB.prepare("SELECT count(*) AS n FROM idempotency_keys WHERE key = 'old'").first('n')).toBe(0)
  })
})
