/** Faults of the database and the clock, by the ready Worker: answers do not suffer, and nothing is lost without a count. */
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import * as fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createBufferedDecisionLog } from '../../src/adapters/buffered-decision-log.ts'
import { createD1DecisionStore } from '../../src/adapters/d1/decision-store.ts'
import { createDirectDecisionLog } from '../../src/adapters/direct-decision-log.ts'
import type { GateBindings } from '../../workers/gate/bindings.ts'
import { compositionFor } from '../../workers/gate/compose.ts'
import worker from '../../workers/gate/index.ts'
import { HANDBOOK, OFF_TOPIC } from '../fixtures/corpus.ts'
import { countedGroups } from '../fixtures/counted-groups.ts'
import { aDecision, anEvent } from '../fixtures/decision.ts'
import { ADMIN, isolateBindings, post, send, workerOver } from '../worker-requests.ts'

beforeAll(async () => {
  await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await compositionFor(isolateBindings).log.flush()
})

/** A D1 whose batches, by which decisions are written, do something else; everything else is as it is. */
function withBatch(batch: D1Database['batch']): GateBindings {
  const db = new Proxy(env.DB, {
    get: (target, name) => {
      if (name === 'batch') return batch
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
  // Nobody waits for another's answer: that is not asked for.
  const { ANSWER_FLIGHTS: _, ...alone } = env
  return { ...alone, DB: db }
}

describe('a database that is slow to record (F33)', () => {
  test('does not delay answers, even with a full buffer while no write ends', async () => {
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    let writes = 0
    const slow = withBatch(async (statements) => {
      writes++
      await released
      return env.DB.batch(statements)
    })
    for (let at = 0; at < 105; at++) {
      const request = new Request('https://gate.test/ask', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ question: `${OFF_TOPIC} ${at}` }),
      })
      // Not by `post`, which waits a moment for what is left behind the response.
      expect((await worker.fetch(request, slow, createExecutionContext())).status).toBe(200)
    }
    expect(writes).toBeGreaterThan(0)
    release()
    await compositionFor(slow).log.flush()
  })
})

describe('a table that is missing (F34)', () => {
  test('is reported by the statistics and /health, and questions are answered', async () => {
    const onConsole = vi.spyOn(console, 'error').mockReturnValue()
    await env.DB.prepare('ALTER TABLE decisions RENAME TO gone').run()
    try {
      expect((await post('/ask', { question: OFF_TOPIC })).status).toBe(200)
      for (const path of ['/v1/decisions', '/health']) {
        const response = await send(path, { headers: ADMIN })
        expect([path, response.status, await response.json()]).toMatchObject([
          path,
          503,
          { error: { code: 'schema_outdated' } },
        ])
      }
    } finally {
      await env.DB.prepare('ALTER TABLE gone RENAME TO decisions').run()
    }
    expect((await send('/health')).status).toBe(200)
    expect(onConsole).toHaveBeenCalled()
  })
})

describe('a database that is full (F35), or down (F30)', () => {
  const FAULTS = [
    'D1_ERROR: Exceeded maximum DB size',
    'D1_ERROR: database or disk is full: SQLITE_FULL',
    'D1_ERROR: down',
  ]

  test.each(FAULTS)('does not stop answers: %s', async (message) => {
    const failing = withBatch(() => Promise.reject(new Error(message)))
    expect((await workerOver(failing).post('/ask', { question: `${OFF_TOPIC} ${message}` })).status).toBe(200)
  })

  test.each(FAULTS)('has every event written or counted as dropped: %s', async (message) => {
    vi.useFakeTimers()
    try {
      let full = true
      const real = createD1DecisionStore({ db: env.DB })
      const store = {
        ...real,
        write: (events: Parameters<typeof real.write>[0]) =>
          full ? Promise.reject(new Error(message)) : real.write(events),
      }
      let dropped = 0
      const onDropped = (count: number): void => void (dropped += count)
      const logs = [
        createDirectDecisionLog({ store, onDropped }),
        createBufferedDecisionLog({ store, onDropped, flushAt: 10, maxHeld: 20 }),
      ]
      const tenant = `full ${message}`
      const record = (count: number, from: number) =>
        logs.flatMap((log, which) =>
          Array.from({ length: count }, (_, at) =>
            log.record(anEvent(`${tenant}-${which}-${from + at}`, { decision: aDecision({ tenant }) })),
          ),
        )
      const first = record(50, 0)
      await vi.advanceTimersByTimeAsync(30_000)
      full = false
      const second = record(50, 50)
      await vi.advanceTimersByTimeAsync(30_000)
      vi.useRealTimers()
      await Promise.all([...first, ...second])
      await Promise.all(logs.map((log) => log.flush()))
      const row = await env.DB.prepare('SELECT count(*) AS n FROM decisions WHERE tenant = ?1')
        .bind(tenant)
        .first<{ n: number }>()
      expect(dropped).toBeGreaterThan(0)
      expect(row!.n + dropped).toBe(200)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('a clock that jumps, over summer time and leap days (F43)', () => {
  test('has hours and days in UTC, and every event in one of each', async () => {
    const HOUR_MS = 3_600_000
    const anyMoment = fc.oneof(
      fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) }),
      // An hour around the changes of 2026 in Europe, and around the leap day of 2028.
      ...[Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 1), Date.UTC(2028, 1, 29)].map((at) =>
        fc.integer({ min: at - HOUR_MS, max: at + HOUR_MS }),
      ),
    )
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(anyMoment, { minLength: 1, maxLength: 30 }), async (moments) => {
        const tenant = `clock-${++run}`
        const decision = aDecision({ tenant })
        const events = moments.map((atMs, at) => ({
          event: anEvent(`${tenant}-${at}`, { decision, atMs }),
          isolate: tenant,
          sequence: at + 1,
        }))
        await createD1DecisionStore({ db: env.DB }).write(events)
        const expected = new Map<string, number>()
        for (const atMs of moments) {
          const iso = new Date(atMs).toISOString()
          for (const [span, start] of [
            [HOUR_MS, `${iso.slice(0, 13)}:00:00.000Z`],
            [24 * HOUR_MS, `${iso.slice(0, 10)}T00:00:00.000Z`],
          ] as const) {
            const key = `${span} ${start}`
            expected.set(key, (expected.get(key) ?? 0) + 1)
          }
        }
        const counted = (await countedGroups(env.DB, tenant)).map(
          ({ spanMs, startMs, counts }) =>
            [`${spanMs} ${new Date(startMs).toISOString()}`, counts['decisions']] as const,
        )
        expect(new Map(counted)).toEqual(expected)
      }),
      { numRuns: env.TEST_DEEP ? 40 : 15 },
    )
  })
})
