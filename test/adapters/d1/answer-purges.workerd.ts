import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { createD1AnswerPurges } from '../../../src/adapters/d1/answer-purges.ts'
import type { PurgeScope } from '../../../src/core/policy/purge-scope.ts'
import { answerPurgesContract } from '../../contracts/answer-purges.ts'

beforeEach(async () => {
  await env.DB.prepare('DELETE FROM answer_purges').run()
})

answerPurgesContract('createD1AnswerPurges', () => createD1AnswerPurges({ db: env.DB }))
answerPurgesContract('createD1AnswerPurges without copies', () => createD1AnswerPurges({ db: env.DB, copyMaxAgeMs: 0 }))

const MANUAL: PurgeScope = { kind: 'collection', tenant: 'acme', collection: 'manual' }
const DAY_MS = 86_400_000

/** The database, with the statements that were run counted. */
function counted() {
  const counts = { reads: 0 }
  const db = new Proxy(env.DB, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (name === 'prepare' && String(args[0]).startsWith('SELECT scope')) counts.reads++
        return Reflect.apply(value, target, args) as unknown
      }
    },
  })
  return { db, counts }
}

describe('createD1AnswerPurges', () => {
  it('is known to another isolate within the maximum age of its copy', async () => {
    const clock = { atMs: Date.now(), nowMs: () => clock.atMs }
    const [here, there] = [0, 1].map(() => createD1AnswerPurges({ db: env.DB, clock, copyMaxAgeMs: 5000 }))
    const before = await there!.known('acme')
    await here!.purge([MANUAL])
    clock.atMs += 4999
    expect((await there!.known('acme')).purgedSince(before.epoch, [MANUAL])).toBe(false)
    clock.atMs += 1
    expect((await there!.known('acme')).purgedSince(before.epoch, [MANUAL])).toBe(true)
    expect(there!.maxAgeSeconds).toBe(5)
  })

  it('reads once per tenant until its copy is too old, and then only newer purges', async () => {
    const clock = { atMs: Date.now(), nowMs: () => clock.atMs }
    const { db, counts } = counted()
    const purges = createD1AnswerPurges({ db, clock })
    for (let at = 0; at < 100; at++) await purges.known('acme')
    expect(counts.reads).toBe(1)
    await purges.known('globex')
    clock.atMs += 5000
    await purges.known('acme')
    expect(counts.reads).toBe(3)
  })

  it('does not use a read that began before its own purge', async () => {
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const slow = new Proxy(env.DB, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (name !== 'prepare' || typeof value !== 'function')
          return typeof value === 'function' ? value.bind(target) : value
        return (query: string) => {
          const statement = target.prepare(query)
          if (!query.startsWith('SELECT scope')) return statement
          return {
            bind: (...values: unknown[]) => ({
              all: async () => {
                const found = await statement.bind(...values).all()
                await held
                return found
              },
            }),
          }
        }
      },
    })
    const purges = createD1AnswerPurges({ db: slow })
    const early = purges.known('acme')
    await new Promise((resolve) => setTimeout(resolve, 100))
    await purges.purge([MANUAL])
    release()
    const { epoch } = await early
    expect((await purges.known('acme')).purgedSince(epoch, [MANUAL])).toBe(true)
  })

  it('deletes purges after 32 days, except the newest, so that no number is repeated', async () => {
    const clock = { atMs: Date.now(), nowMs: () => clock.atMs }
    const purges = createD1AnswerPurges({ db: env.DB, clock })
    const first = await purges.purge([MANUAL])
    clock.atMs += 63 * DAY_MS
    const second = await purges.purge([{ kind: 'tenant', tenant: 'acme' }])
    expect(second).toBeGreaterThan(first)
    const { results } = await env.DB.prepare('SELECT scope FROM answer_purges').all()
    expect(results).toHaveLength(1)
    // A clock that was set back takes nothing away from that.
    clock.atMs -= 63 * DAY_MS
    expect(await purges.purge([MANUAL])).toBeGreaterThan(second)
  })

  it('reads as much of 50,000 purges as of 2,000, and keeps no more', async () => {
    await env.DB.prepare(
      `WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 50000)
       INSERT INTO answer_purges (tenant, scope, epoch) SELECT 'acme', 'document ' || n, n FROM many`,
    ).run()
    let rowsRead = 0
    const db = new Proxy(env.DB, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (name !== 'prepare' || typeof value !== 'function')
          return typeof value === 'function' ? value.bind(target) : value
        return (query: string) => ({
          bind: (...values: unknown[]) => ({
            all: async () => {
              const found = await target
                .prepare(query)
                .bind(...values)
                .all()
              rowsRead += found.meta.rows_read
              return found
            },
          }),
        })
      },
    })
    const known = await createD1AnswerPurges({ db }).known('acme')
    expect(rowsRead).toBeLessThan(5000)
    expect(known.epoch).toBe(50_000)
    // Of what it did not read, it knows that it was purged.
    expect(known.purgedSince(10, [{ kind: 'document', tenant: 'acme', collection: 'm', documentId: 'any' }])).toBe(true)
    expect(known.purgedSince(49_000, [MANUAL])).toBe(false)
    await createD1AnswerPurges({ db: env.DB }).purge([MANUAL])
    const { results } = await env.DB.prepare('SELECT scope FROM answer_purges').all()
    expect(results.length).toBeLessThanOrEqual(2001)
  })

  it('reports a database that is down, and rejects a copy age out of range', async () => {
    const db = { prepare: () => ({ bind: () => ({ all: () => Promise.reject(new Error('D1 down')) }) }) }
    const purges = createD1AnswerPurges({ db: db as unknown as D1Database })
    await expect(purges.known('acme')).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(() => createD1AnswerPurges({ db: env.DB, copyMaxAgeMs: 60_001 })).toThrow(/copyMaxAgeMs/)
  })
})
