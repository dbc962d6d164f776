import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { createD1Arrivals, type Followed } from '../../../packages/console/src/d1/arrivals.ts'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import type { DecisionEvent } from '../../../src/ports/decision-log.ts'
import { aDecision, anEvent } from '../../fixtures/decision.ts'

const store = createD1DecisionStore({ db: env.DB, storeQuestions: { retentionDays: 30 } })
const arrivals = createD1Arrivals({ db: env.DB })
const AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5)

let made = 0
/** Records an event so many milliseconds after a moment. @returns its id */
async function record(tenant: string, afterMs: number, given: Partial<DecisionEvent> = {}): Promise<string> {
  const id = `${tenant}-${++made}`
  const event = anEvent(id, { atMs: AT_MS + afterMs, decision: aDecision({ tenant }), ...given })
  await store.write([{ event, isolate: tenant, sequence: made }])
  return id
}

async function idsSince(tenant: string, from: Followed): Promise<[ids: readonly string[], upTo: Followed]> {
  const { decisions, upTo } = await arrivals.since({ tenant }, from)
  return [decisions.map(({ id }) => id), upTo]
}

test('from now on, what arrives is told once, also late by half a minute at most', async () => {
  const nothing = await arrivals.start({ tenant: 'now' })
  expect([nothing.place, [...nothing.known]]).toEqual([0, []])
  await record('now', -30_001)
  await record('now', -30_000)
  // The last of all tenants.
  await record('now-not', 0)
  const start = await arrivals.start({ tenant: 'now' })
  expect(start.known.size).toBe(1)
  expect((await idsSince('now', start))[0]).toEqual([])
  const late = await record('now', -30_000)
  await record('now', -30_001)
  await record('now-not', -1)
  const next = await record('now', 1)
  const [ids, upTo] = await idsSince('now', start)
  expect(ids).toEqual([late, next])
  expect((await idsSince('now', upTo))[0]).toEqual([])
  // Those of others move the half minute as well.
  await record('now-not', 40_000)
  const [none, later] = await idsSince('now', upTo)
  expect([none, later.known.size]).toEqual([[], 0])
  expect((await idsSince('now', later))[0]).toEqual([])
})

test('after an event, the half minute before it is told too, but not the event itself', async () => {
  const [, before] = [await record('after', -30_001), await record('after', -30_000)]
  const [event, next] = [await record('after', 0), await record('after', 90_000)]
  const start = await arrivals.start({ tenant: 'after' }, event)
  expect((await idsSince('after', start))[0]).toEqual([before, next])
  // The latest decision, where the tenant has no such event.
  for (const id of ['unknown', await record('after-not', 90_000)]) {
    expect((await idsSince('after', await arrivals.start({ tenant: 'after' }, id)))[0]).toEqual([])
  }
})

test('only decisions of the filter are told, with the text of the question', async () => {
  const query = { tenant: 'filtered', filter: { verdict: 'refuse' } } as const
  const decision = aDecision({ tenant: 'filtered', verdict: 'refuse' })
  const question = { hmac: 'why', keyId: 'k', text: 'Why?' }
  const known = await record('filtered', 100_000, { decision })
  const start = await arrivals.start(query)
  await record('filtered', 99_000)
  await record('filtered', 101_000)
  const wanted = [
    await record('filtered', 99_000, { decision, question }),
    await record('filtered', 101_000, { decision }),
  ]
  const { decisions } = await arrivals.since(query, start)
  expect(decisions.map(({ id, questionText }) => [id, questionText])).toEqual([
    [wanted[0], 'Why?'],
    [wanted[1], null],
  ])
  expect(decisions[0]).not.toHaveProperty('place')
  expect(decisions[1]).not.toHaveProperty('tenant')
  expect(wanted).not.toContain(known)
})

test('more than a thousand decisions in half a minute are sent once each, and no earlier ones', async () => {
  const arrivals = createD1Arrivals({ db: env.DB })
  const query = { tenant: 'busy' }
  const written = new Set<string>()
  let atMs = Date.UTC(2028, 0, 1)
  async function write(count: number): Promise<void> {
    const events = Array.from({ length: count }, () => {
      atMs += 10
      return anEvent(`busy-${++made}`, { atMs, decision: aDecision({ tenant: 'busy' }) })
    })
    await store.write(events.map((event, sequence) => ({ event, isolate: 'busy', sequence })))
    for (const { id } of events) written.add(id)
  }
  await write(2_500)
  written.clear()
  let followed = await arrivals.start(query)
  const told: string[] = []
  for (let look = 0; look < 12; look++) {
    await write(500)
    const { decisions, upTo } = await arrivals.since(query, followed)
    told.push(...decisions.map(({ id }) => id))
    followed = upTo
  }
  expect(told).toHaveLength(written.size)
  expect(new Set(told)).toEqual(written)
})
