/** Decisions as they arrive, over HTTP, and what following costs. */
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createD1Arrivals } from '../../../packages/console/src/d1/arrivals.ts'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import { compositionFor } from '../../../workers/gate/compose.ts'
import { POLLING } from '../../../packages/console/src/api/follow-decisions.ts'
import { aDecision, anEvent } from '../../fixtures/decision.ts'
import { metered } from '../../fixtures/metered-database.ts'
import { recordTraffic } from '../../fixtures/recorded-traffic.ts'
import { isolateBindings, send } from '../../worker-requests.ts'

const store = createD1DecisionStore({ db: env.DB })
const usual = { ...POLLING }

afterEach(() => {
  Object.assign(POLLING, usual)
  vi.restoreAllMocks()
})

/** When events of `anEvent` are. */
const AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5)

let made = 0
async function record(tenant: string, given: Parameters<typeof anEvent>[1] = {}, verdict: 'pass' | 'refuse' = 'pass') {
  const id = `${tenant}-${++made}`
  const event = anEvent(id, { decision: aDecision({ tenant, verdict }), ...given })
  await store.write([{ event, isolate: tenant, sequence: made }])
  return id
}

const open = (path: string, token = env.ADMIN_TOKEN): Promise<Response> =>
  send(path, { headers: { authorization: `Bearer ${token}` } })

/** The ids that a stream tells until it ends. */
async function idsOf(response: Response): Promise<string[]> {
  const lines = (await response.text()).split('\n').filter((line) => line !== '')
  return lines.map((line) => (JSON.parse(line) as { id: string }).id)
}

describe('GET /v1/decisions/live', () => {
  test('sends new decisions once each, including late ones, of this tenant only', async () => {
    Object.assign(POLLING, { everyMs: 30, forMs: 1_000 })
    await record('followed')
    const response = await open('/v1/decisions/live?tenant=followed')
    expect(response.headers.get('content-type')).toContain('application/x-ndjson')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const told = idsOf(response)
    const first = await record('followed')
    await record('unfollowed')
    // It was decided before the others, and comes now.
    const late = await record('followed', { atMs: AT_MS - 5_000 })
    await scheduler.wait(200)
    const last = await record('followed')
    const ids = await told
    expect([ids.slice(0, 2).sort(), ids.slice(2)]).toEqual([[first, late], [last]])
  })

  test('continues after the last event seen, and with a filter', async () => {
    Object.assign(POLLING, { everyMs: 20, forMs: 150 })
    const seen = await record('resumed')
    const missed = [await record('resumed'), await record('resumed', {}, 'refuse')]
    expect(await idsOf(await open(`/v1/decisions/live?tenant=resumed&since=${seen}`))).toEqual(missed)
    expect(await idsOf(await open(`/v1/decisions/live?tenant=resumed&since=${seen}&verdict=refuse`))).toEqual([
      missed[1],
    ])
    // Another tenant's event is no place, and tells nothing of it.
    expect(await idsOf(await open(`/v1/decisions/live?tenant=others&since=${seen}`))).toEqual([])
  })

  test('tells of a decision that arrives late between two responses', async () => {
    Object.assign(POLLING, { everyMs: 20, forMs: 150 })
    const [before, seen] = [await record('parted', { atMs: AT_MS - 40_000 }), await record('parted')]
    const told = await record('parted', { atMs: AT_MS - 2_000 })
    const late = await record('parted', { atMs: AT_MS - 5_000 })
    const ids = await idsOf(await open(`/v1/decisions/live?tenant=parted&since=${seen}`))
    expect(ids).toEqual([late, told])
    expect(ids).not.toContain(before)
  })

  test('stops polling when its reader leaves', async () => {
    Object.assign(POLLING, { everyMs: 20, forMs: 10_000 })
    const since = vi.spyOn(compositionFor(isolateBindings).statistics.arrivals, 'since')
    const reader = (await open('/v1/decisions/live')).body!.getReader()
    await reader.read()
    await reader.cancel()
    const asked = since.mock.calls.length
    await scheduler.wait(200)
    expect(since.mock.calls.length - asked).toBeLessThanOrEqual(1)
  })

  test('reports a failure of the database, and ends', async () => {
    Object.assign(POLLING, { everyMs: 20, forMs: 10_000 })
    const response = await open('/v1/decisions/live')
    vi.spyOn(env.DB, 'batch').mockRejectedValue(new Error('D1_ERROR: Network connection lost'))
    const text = await response.text()
    expect(JSON.parse(text.trim().split('\n').at(-1)!)).toMatchObject({ error: { code: 'store_unavailable' } })
  })
})

test('a poll reads as many rows as arrived in half a minute, however many records are older', async () => {
  const meter = metered(env.DB)
  const arrivals = createD1Arrivals({ db: meter.db })
  for (const count of [100, 2_000]) {
    await recordTraffic(env.DB, `before-${count}`, count)
    const atMs = Date.UTC(2027, 0, 1) + count * 60_000
    await record('latest', { atMs: atMs - 60_000 })
    meter.reset()
    const query = { tenant: 'any' }
    const start = await arrivals.start(query)
    expect(meter.rowsRead()).toBeLessThanOrEqual(5)
    meter.reset()
    expect((await arrivals.since(query, start)).decisions).toEqual([])
    // All three queries look at the end.
    expect(meter.rowsRead()).toBeLessThanOrEqual(3)
    const ids = [await record('any', { atMs }), await record('any', { atMs }), await record('any', { atMs })]
    meter.reset()
    const { decisions } = await arrivals.since(query, start)
    expect(decisions.map(({ id }) => id)).toEqual(ids)
    // Each of the two queries reads a row, and puts it aside to be filtered.
    expect(meter.rowsRead()).toBeLessThanOrEqual(4 * 3 + 2)
  }
})
