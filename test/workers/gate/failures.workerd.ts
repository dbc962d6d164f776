/** Questions that are judged and then fail, and requests that fail before they are judged: both are counted and shown. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, test, vi } from 'vitest'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import { createD1RequestFaults } from '../../../packages/console/src/d1/request-faults.ts'
import { createFaultCounter } from '../../../workers/gate/statistics/count-faults.ts'
import worker from '../../../workers/gate/index.ts'
import { aDecision, anEvent } from '../../fixtures/decision.ts'
import { isolateBindings } from '../../worker-requests.ts'

const AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5)
/** An hour in which no other test counts: what its requests left is written up to five seconds later. */
const OWN_HOUR_MS = Date.UTC(2030, 5, 6, 7)
const AUTHORIZED = { authorization: `Bearer ${env.ADMIN_TOKEN}` }

async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const context = createExecutionContext()
  const response = await worker.fetch(new Request(`https://gate.test${path}`, init), isolateBindings, context)
  await waitOnExecutionContext(context)
  return response
}

const get = async <Body>(path: string): Promise<Body> => (await send(path, { headers: AUTHORIZED })).json<Body>()

afterEach(() => {
  vi.useRealTimers()
})

test('a request that failed after its judgement is counted, and can be filtered', async () => {
  const statuses = [200, 200, 502, 504, 200, 429]
  await createD1DecisionStore({ db: env.DB }).write(
    statuses.map((status, at) => ({
      event: anEvent(`failing-${at}`, { decision: aDecision({ tenant: 'failing' }), atMs: AT_MS, status }),
      isolate: 'failing',
      sequence: at + 1,
    })),
  )
  const period = `tenant=failing&from=${AT_MS}&to=${AT_MS + 1}`
  const all = { decisions: 6, failed: 2, by_verdict: { pass: 6 } }
  expect(await get(`/v1/stats?${period}`)).toMatchObject({ ...all, series: [all] })
  expect(await get(`/v1/stats?${period}&outcome=failed`)).toMatchObject({ decisions: 2, failed: 2 })
  expect(await get(`/v1/stats?${period}&outcome=served`)).toMatchObject({ decisions: 4, failed: 0 })
  const { decisions } = await get<{ decisions: { id: string }[] }>(`/v1/decisions?${period}&outcome=failed`)
  expect(decisions.map(({ id }) => id)).toEqual(['failing-3', 'failing-2'])
  expect((await send(`/v1/stats?${period}&outcome=lost`, { headers: AUTHORIZED })).status).toBe(422)
})

test('failed and rejected requests are counted by route, status and code, for operators', async () => {
  vi.useFakeTimers({ now: OWN_HOUR_MS, toFake: ['Date'] })
  const rejected = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }
  await Promise.all([
    ...Array.from({ length: 3 }, () => send('/ask', rejected)),
    send('/ask', { ...rejected, body: JSON.stringify({ question: 'Which key?', collection: 'none' }) }),
    send('/v1/stats'),
    send('/v1/no-such-route'),
    send('/v1/decisions/there-is-none', { headers: AUTHORIZED }),
    send('/health'),
  ])
  const faults = [
    { route: '/ask', status: 400, code: 'invalid_json', requests: 3 },
    { route: '/ask', status: 404, code: 'collection_not_found', requests: 1 },
    { route: '/v1', status: 404, code: 'decision_not_found', requests: 1 },
    { route: '/v1', status: 404, code: 'not_found', requests: 1 },
    { route: '/v1/stats', status: 401, code: 'unauthorized', requests: 1 },
  ]
  const stats = await get<{ faults: object[] }>(`/v1/stats?from=${OWN_HOUR_MS}`)
  expect(stats.faults).toEqual(faults)
  const made = await send('/v1/keys', {
    method: 'POST',
    headers: { ...AUTHORIZED, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Acme', scopes: ['admin'], tenant: 'acme' }),
  })
  const { token } = await made.json<{ token: string }>()
  const own = await send('/v1/stats', { headers: { authorization: `Bearer ${token}` } })
  expect(await own.json()).not.toHaveProperty('faults')
})

test('failures of forty kinds are counted, also those that arrive while others are written', async () => {
  vi.useFakeTimers({ now: OWN_HOUR_MS + 3_600_000, toFake: ['Date', 'setTimeout'] })
  const counted = createD1RequestFaults({ db: env.DB })
  let write: () => void = () => {}
  const written = new Promise<void>((resolve) => (write = resolve))
  const clock = { nowMs: () => Date.now() }
  const counter = createFaultCounter(
    { ...counted, note: async (...all) => (await written, counted.note(...all)) },
    clock,
  )
  const counting = Promise.all(Array.from({ length: 40 }, (_, at) => counter.count('/ask', 400 + at, '')))
  await vi.advanceTimersByTimeAsync(5_000)
  const later = [counter.count('/ask', 500, ''), counter.count('/ask', 400, '')]
  // Of the hour before by the time they are written.
  vi.setSystemTime(OWN_HOUR_MS + 7_200_000)
  write()
  await counting
  await vi.advanceTimersByTimeAsync(5_000)
  await Promise.all(later)
  const found = await counted.list(OWN_HOUR_MS + 3_600_000, OWN_HOUR_MS + 7_200_000)
  expect(found).toHaveLength(41)
  expect(found[0]).toEqual({ route: '/ask', status: 400, code: '', requests: 2 })
})
