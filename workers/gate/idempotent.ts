/** `Idempotency-Key`: carries out a repeated write only once. */
import type { Context } from 'hono'
import { canonicalJson, hex, type Json, lengthPrefixed, sha256 } from 'hono-rag-gate/core/lib'
import type { IdempotencyStore, NamedRequest, NamedRequestState } from '@hono-rag-gate/ingest/idempotency'
import { WorkerError } from './errors.ts'

const KEY = /^[\x21-\x7e]{1,255}$/

/**
 * Carries out a write, or repeats the response of the first time. Only successes are stored, so that complete and
 * partial failures can be retried.
 *
 * @param asked everything that the write depends on, as JSON
 * @throws `idempotency_key` for an invalid header, `idempotency_key_reused` if it was used for another request,
 *   `idempotency_in_progress` while the first is running
 */
export async function idempotent(
  c: Context,
  store: IdempotencyStore,
  tenant: string,
  asked: Json,
  write: () => Promise<Response>,
): Promise<Response> {
  const key = c.req.header('idempotency-key')
  if (key === undefined) return write()
  if (!KEY.test(key)) {
    throw new WorkerError('idempotency_key', 'Idempotency-Key must be 1 to 255 visible ASCII characters')
  }
  const requestHash = hex(sha256(lengthPrefixed([c.req.method, c.req.path, canonicalJson(asked)])))
  const request = { tenant, key, requestHash }
  const state = await store.begin(request)
  switch (state.kind) {
    case 'reused':
      throw new WorkerError('idempotency_key_reused', 'This Idempotency-Key was sent with another request')
    case 'running':
      throw new WorkerError('idempotency_in_progress', 'The first request with this Idempotency-Key is running', {
        retryAfterSeconds: state.retryAfterSeconds,
      })
    case 'done':
      return new Response(state.body, {
        status: state.status,
        headers: { 'content-type': 'application/json', 'idempotency-replayed': 'true' },
      })
    case 'new':
      return keepingSuccess(store, request, state, write)
  }
}

async function keepingSuccess(
  store: IdempotencyStore,
  request: NamedRequest,
  { claim, renewEveryMs }: Extract<NamedRequestState, { kind: 'new' }>,
  write: () => Promise<Response>,
): Promise<Response> {
  const renewing = setInterval(() => void store.renew(request, claim).catch(() => false), renewEveryMs)
  const written = write()
  const result = await written.catch(() => undefined)
  clearInterval(renewing)
  // A claim that cannot be settled expires; the write's own result matters more.
  const settled =
    result?.status === 200
      ? store.finish(request, claim, result.status, await result.clone().text())
      : store.abandon(request, claim)
  await settled.catch(() => undefined)
  return written
}
