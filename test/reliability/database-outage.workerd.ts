/**
 * D1 is away for five minutes. Where the index is elsewhere, questions are answered all the same, and all of them are counted
 * once it is back; where it is D1 itself, stored answers are sent.
 */
import { env } from 'cloudflare:workers'
import { afterEach, expect, test, vi } from 'vitest'
import { createD1Statistics } from '../../packages/console/src/d1/statistics.ts'
import type { GateBindings } from '../../workers/gate/bindings.ts'
import { objectFor } from '../../packages/vector-index/src/index.ts'
import { compositionFor } from '../../workers/gate/compose.ts'
import { HANDBOOK, OFF_TOPIC, STRONG } from '../fixtures/corpus.ts'
import { ADMIN, workerOver } from '../worker-requests.ts'

type Database = 'up' | 'failing' | 'hanging'

/** The database, and whether it answers. */
function fallible(): { readonly db: D1Database; is: Database } {
  const state = { is: 'up' as Database }
  const answer = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (state.is === 'hanging') return new Promise(() => undefined)
    if (state.is === 'failing') throw new Error('D1_ERROR: Network connection lost')
    return work()
  }
  const originals = new WeakMap<object, D1PreparedStatement>()
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      all: () => answer(() => statement.all()),
      run: () => answer(() => statement.run()),
      first: () => answer(() => statement.first()),
      raw: () => answer(() => statement.raw()),
      // Nothing else of a statement is used.
    } as unknown as D1PreparedStatement
    originals.set(wrapped, statement)
    return wrapped
  }
  return Object.assign(state, {
    db: {
      prepare: (sql: string) => wrap(env.DB.prepare(sql)),
      batch: (statements: D1PreparedStatement[]) =>
        answer(() => env.DB.batch(statements.map((statement) => originals.get(statement) ?? statement))),
      // Nor of the database.
    } as unknown as D1Database,
  })
}

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('with another index, questions with a key are answered while D1 is down, and counted once it is up', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (address, init) => {
    const url = address as string
    return env.VECTOR_INDEX.getByName(objectFor('default', new URL(url))).fetch(url, init)
  })
  vi.spyOn(console, 'error').mockReturnValue()
  vi.spyOn(console, 'warn').mockReturnValue()
  // Timers are the platform's.
  vi.useFakeTimers({ toFake: ['Date'] })
  const startMs = Date.UTC(2026, 5, 10, 12)
  vi.setSystemTime(startMs)
  const database = fallible()
  const index = { UPSTASH_VECTOR_REST_URL: 'https://index.test', UPSTASH_VECTOR_REST_TOKEN: 'token' }
  const bindings: GateBindings = { ...env, ...index, DB: database.db, ANONYMOUS_ASK: 'off' }
  const { post } = workerOver(bindings)
  await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
  const made = await post('/v1/keys', { name: 'Intranet', scopes: ['ask'], tenant: 'default' }, ADMIN)
  const { token } = await made.json<{ token: string }>()
  let asked = 0
  const ask = async (): Promise<number> => {
    const question = asked % 2 === 0 ? STRONG : `${OFF_TOPIC} ${asked}`
    const { status } = await post('/ask', { question }, { authorization: `Bearer ${token}` })
    if (status === 200) asked++
    return status
  }
  expect(await ask()).toBe(200)

  database.is = 'failing'
  const statuses: number[] = []
  for (let second = 15; second <= 300; second += 5) {
    vi.setSystemTime(startMs + second * 1000)
    // Some failures are silence.
    database.is = second % 150 === 0 ? 'hanging' : 'failing'
    statuses.push(await ask())
  }
  expect(statuses).toHaveLength(58)
  expect(new Set(statuses)).toEqual(new Set([200]))
  // A key that D1 was not asked for is none that is known.
  expect((await post('/ask', { question: STRONG }, { authorization: `Bearer ${token}x` })).status).toBeGreaterThan(400)
  // What was read more than ten minutes ago stands in no longer.
  vi.setSystemTime(startMs + 601_000)
  database.is = 'failing'
  expect(await ask()).toBe(503)

  database.is = 'up'
  vi.setSystemTime(startMs + 660_000)
  expect(await ask()).toBe(200)
  await compositionFor(bindings).log.flush()
  const statistics = createD1Statistics({ db: env.DB })
  const summary = await statistics.summary({ tenant: 'default', fromMs: startMs, toMs: startMs + 700_000 })
  expect(summary.decisions).toBe(asked)
  expect(asked).toBe(60)
  expect(await statistics.recording(startMs, startMs + 700_000)).toMatchObject({ recorded: 60, dropped: 0, missing: 0 })
})

test('with the words in D1, stored answers are sent, and other questions get an error', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  vi.spyOn(console, 'warn').mockReturnValue()
  const database = fallible()
  const { post } = workerOver({ ...env, DB: database.db })
  await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
  const stored = await (await post('/ask', { question: STRONG })).json<{ answer: string }>()
  database.is = 'failing'
  const again = await post('/ask', { question: STRONG })
  expect([again.status, (await again.json<{ answer: string }>()).answer]).toEqual([200, stored.answer])
  const other = await post('/ask', { question: 'How long are debug logs kept?' })
  expect([other.status, await other.json()]).toMatchObject([503, { error: { code: 'retriever_unavailable' } }])
})
