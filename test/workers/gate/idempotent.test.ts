import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { RagGateError } from '../../../src/errors.ts'
import { respondWithError } from '../../../src/middleware/respond.ts'
import { INGEST_STATUS } from '../../../packages/ingest/src/errors.ts'
import type { IdempotencyStore } from '../../../packages/ingest/src/idempotency/idempotency.ts'
import { idempotent } from '../../../workers/gate/idempotent.ts'

function never(): never {
  throw new Error('this was not asked for')
}

/** A store that has just claimed the key, and what is expected of it. */
function claimed(more: Partial<IdempotencyStore>): IdempotencyStore {
  const begin: IdempotencyStore['begin'] = async () => ({ kind: 'new', claim: 'mine', renewEveryMs: 20_000 })
  return { begin, renew: never, finish: never, abandon: never, prune: never, ...more }
}

async function send(store: IdempotencyStore, write: () => Promise<Response>): Promise<Response> {
  const app = new Hono()
  app.post('/', (c) => idempotent(c, store, 'acme', { a: 1 }, write))
  app.onError((thrown, c) => respondWithError(c, thrown, INGEST_STATUS))
  return app.request('/', { method: 'POST', headers: { 'idempotency-key': 'k1' } })
}

describe('a write with an idempotency key', () => {
  it('stores a success', async () => {
    const kept: unknown[] = []
    const finish: IdempotencyStore['finish'] = async ({ tenant, key }, claim, status, body) => {
      kept.push([tenant, key, claim, status, body])
    }
    expect(await (await send(claimed({ finish }), async () => Response.json({ ok: 1 }))).json()).toEqual({ ok: 1 })
    expect(kept).toEqual([['acme', 'k1', 'mine', 200, '{"ok":1}']])
  })

  it('releases its claim after a partial failure', async () => {
    let abandoned = 0
    const abandon: IdempotencyStore['abandon'] = async (_request, claim) => {
      expect(claim).toBe('mine')
      abandoned++
    }
    const response = await send(claimed({ abandon }), async () => Response.json({}, { status: 207 }))
    expect([response.status, abandoned]).toEqual([207, 1])
  })

  it('renews its claim while it runs, also after a failed renewal, and not after its end', async () => {
    vi.useFakeTimers()
    try {
      const renewed: string[] = []
      const renew: IdempotencyStore['renew'] = async ({ key }, claim) => {
        renewed.push(`${key} ${claim}`)
        throw new RagGateError('store_unavailable', 'down')
      }
      const sent = send(claimed({ renew, finish: async () => undefined }), async () => {
        await new Promise((resolve) => setTimeout(resolve, 150_000))
        return Response.json({})
      })
      await vi.advanceTimersByTimeAsync(150_000)
      expect((await sent).status).toBe(200)
      expect(renewed).toEqual(Array.from({ length: 7 }, () => 'k1 mine'))
      await vi.advanceTimersByTimeAsync(150_000)
      expect(renewed).toHaveLength(7)
    } finally {
      vi.useRealTimers()
    }
  })

  it('reports the error of the write, also when its claim cannot be released', async () => {
    const abandon = (): Promise<void> => Promise.reject(new RagGateError('store_unavailable', 'down'))
    const response = await send(claimed({ abandon }), () =>
      Promise.reject(new RagGateError('collection_conflict', 'Another writer', { retryAfterSeconds: 7 })),
    )
    expect([response.status, response.headers.get('retry-after')]).toEqual([409, '7'])
  })

  it.each([200, 207])('responds %d to what was written, also when that cannot be stored', async (status) => {
    const down = (): Promise<void> => Promise.reject(new RagGateError('store_unavailable', 'down'))
    const response = await send(claimed({ finish: down, abandon: down }), async () =>
      Response.json({ ok: 1 }, { status }),
    )
    expect([response.status, await response.json()]).toEqual([status, { ok: 1 }])
  })
})
