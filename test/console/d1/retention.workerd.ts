import { env } from 'cloudflare:workers'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createD1AnswerPurges } from '../../../src/adapters/d1/answer-purges.ts'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import { createD1Erasures } from '../../../packages/console/src/d1/erasures.ts'
import { createD1Counting } from '../../../packages/console/src/d1/counting.ts'
import { createD1Retention, type RetentionCursor } from '../../../packages/console/src/d1/retention.ts'
import { createD1DocumentBudget } from '../../../packages/console/src/limits/document-budget.ts'
import type { NumberedEvent } from '../../../src/ports/decision-log.ts'
import { aDecision, anEvent } from '../../fixtures/decision.ts'

const DAY_MS = 86_400_000
const NOW_MS = Date.UTC(2026, 6, 1)
const clock = { nowMs: () => NOW_MS }
const store = createD1DecisionStore({ db: env.DB, storeQuestions: { retentionDays: 30 } })

function event(tenant: string, at: number, atMs: number, principalId = 'reader'): NumberedEvent {
  return {
    event: anEvent(`${tenant}-${at}`, {
      decision: aDecision({ tenant, verdict: 'refuse' }),
      atMs,
      principalId,
      question: { hmac: `question of ${principalId} ${at}`, keyId: 'k', text: `Secret of ${principalId} ${at}` },
      audit: [{ type: 'T', payload: { summary: `Told to ${principalId}` } }],
    }),
    isolate: `${tenant}-isolate-${Math.floor(atMs / DAY_MS)}`,
    sequence: at + 1,
  }
}

async function count(sql: string): Promise<number> {
  await createD1Counting({ db: env.DB }).count()
  return (await env.DB.prepare(`SELECT count(*) AS n FROM ${sql}`).first<{ n: number }>())?.n ?? -1
}

/** A database that fails after so many statements. */
function failingAfter(statements: number): D1Database {
  let left = statements
  return {
    prepare: (sql: string) => {
      if (left-- <= 0) throw new Error('D1_ERROR: killed')
      return env.DB.prepare(sql)
    },
    batch: (all: D1PreparedStatement[]) => env.DB.batch(all),
  } as unknown as D1Database
}

/** A database that does something before a batch, or before statements that begin like this. */
function before(which: string, work: () => Promise<unknown>): D1Database {
  return {
    prepare: (sql: string) =>
      sql.startsWith(which)
        ? {
            bind: (...values: unknown[]) => ({
              run: async () => {
                await work()
                return env.DB.prepare(sql)
                  .bind(...values)
                  .run()
              },
            }),
          }
        : env.DB.prepare(sql),
    batch: async (all: D1PreparedStatement[]) => {
      if (which === 'batch') await work()
      return env.DB.batch(all)
    },
  } as unknown as D1Database
}

// Files share the database: what is recorded by the next is not too old.
afterAll(() => env.DB.prepare('UPDATE removed_decisions SET before_ms = 0').run())

describe('retention', () => {
  // Every test begins with decisions that are too old.
  beforeEach(async () => {
    await env.DB.prepare('UPDATE removed_decisions SET before_ms = 0').run()
  })

  it('removes what is too old in slices, can be stopped anywhere, and keeps the counts', async () => {
    const tenants = ['old-a', 'old-b']
    for (const tenant of tenants) {
      await store.write([
        ...Array.from({ length: 700 }, (_, at) => event(tenant, at, NOW_MS - 91 * DAY_MS - at)),
        ...Array.from({ length: 5 }, (_, at) => event(tenant, 1_000 + at, NOW_MS - 89 * DAY_MS)),
      ])
    }
    await env.DB.prepare(
      `INSERT INTO feedback (event_id, source, tenant, at_ms, rating, principal_id) VALUES
        ('old-1', 'user', 'old-a', ${NOW_MS - 100 * DAY_MS}, 'right', 'x'), ('new-1', 'user', 'old-a', ${NOW_MS}, 'right', 'x')`,
    ).run()
    await createD1Counting({ db: env.DB }).count()
    const counted = await env.DB.prepare('SELECT * FROM decision_rollups ORDER BY 1, 2, 3, 4').all()

    // Killed after the first statement, the second, and so on: what is left goes with a later run.
    for (let statements = 0; statements < 30; statements++) {
      await createD1Retention({ db: failingAfter(statements), clock })
        .run(1)
        .catch(() => undefined)
    }
    const retention = createD1Retention({ db: env.DB, clock })
    let run = await retention.run(3)
    while (!run.finished) run = await retention.run(3, run.next)

    expect(await count(`decisions WHERE at_ms < ${NOW_MS - 90 * DAY_MS}`)).toBe(0)
    expect(await count(`decisions WHERE tenant IN ('old-a', 'old-b')`)).toBe(10)
    expect(await count(`question_days WHERE tenant IN ('old-a', 'old-b')`)).toBe(10)
    expect(await count(`question_texts WHERE expires_ms < ${NOW_MS}`)).toBe(0)
    expect(await count(`feedback WHERE tenant = 'old-a'`)).toBe(1)
    expect(await count(`isolates WHERE id GLOB 'old-*'`)).toBe(2)
    // The audit trail is kept for longer.
    expect(await count(`audit_events WHERE tenant = 'old-a'`)).toBe(705)
    expect((await createD1Retention({ db: env.DB, clock, auditDays: 90 }).run(50)).removed['audit_events']).toBe(1_400)
    const after = await env.DB.prepare('SELECT * FROM decision_rollups ORDER BY 1, 2, 3, 4').all()
    expect(after.results).toEqual(counted.results)
    expect(await retention.run()).toMatchObject({ finished: true, removed: { decisions: 0 } })
  })

  it('removes more than a slice completely, even with triggers that write rows', async () => {
    for (const [tenant, length] of Object.entries({ 'lot-a': 5_050, 'lot-b': 50 })) {
      await store.write(Array.from({ length }, (_, at) => event(tenant, at, NOW_MS - 91 * DAY_MS - at)))
    }
    const run = await createD1Retention({ db: env.DB, clock }).run()
    expect(run).toMatchObject({ finished: true, removed: { decisions: 5_100 } })
    expect(await count(`decisions WHERE tenant GLOB 'lot-*'`)).toBe(0)
  })

  it('alternates between tables, and between the tenants of a table', async () => {
    for (const [tenant, length] of Object.entries({ 'turn-a': 5_500, 'turn-b': 500 })) {
      await store.write(Array.from({ length }, (_, at) => event(tenant, at, NOW_MS - 91 * DAY_MS - 5_000 - at)))
    }
    await env.DB.prepare(
      `INSERT INTO rejected_events (isolate, sequence, at_ms) VALUES ('turn', 1, ${NOW_MS - 91 * DAY_MS})`,
    ).run()
    const retention = createD1Retention({ db: env.DB, clock })
    const left = async (table: string, tenant: string) => count(`${table} WHERE tenant = '${tenant}'`)
    const first = await retention.run(12)
    // One statement for each table: the smallest is not kept waiting by the largest. Of decisions the oldest go, of any tenant.
    expect(await count(`rejected_events WHERE isolate = 'turn'`)).toBe(0)
    expect([first.finished, await left('decisions', 'turn-a'), await left('decisions', 'turn-b')]).toEqual([
      false,
      500,
      500,
    ])
    // Of other tables what the first tenant has left waits until the second had its turn.
    const gaps = async () => [await left('question_days', 'turn-a'), await left('question_days', 'turn-b')]
    expect(await gaps()).toEqual([500, 500])
    let run = first
    while (run.next.tables[0] !== 'question_days') run = await retention.run(1, run.next)
    run = await retention.run(1, run.next)
    expect(await gaps()).toEqual([500, 0])
    while (!run.finished) run = await retention.run(1, run.next)
    expect(await gaps()).toEqual([0, 0])
    expect(await count(`decisions WHERE tenant GLOB 'turn-*'`)).toBe(0)
  })

  it('does not count a removed decision again when it is delivered again, beside new ones', async () => {
    const old = Array.from({ length: 40 }, (_, at) => event('again', at, NOW_MS - 91 * DAY_MS - at))
    await store.write(old)
    const retention = createD1Retention({ db: env.DB, clock })
    expect((await retention.run()).finished).toBe(true)
    expect(await count(`decisions WHERE tenant = 'again'`)).toBe(0)
    const counts = async () =>
      JSON.stringify(
        await env.DB.batch(
          ['decision_rollups', 'question_days', 'document_weeks', 'audit_events'].map((table) =>
            env.DB.prepare(`SELECT * FROM ${table} WHERE tenant = 'again'`),
          ),
        ).then((all) => all.map(({ results }) => results)),
      )
    const counted = await counts()
    expect(counted).toContain('again-39:0')
    const onRejected = vi.fn<(cause: unknown) => void>()
    const later = createD1DecisionStore({ db: env.DB, onRejected, storeQuestions: { retentionDays: 30 } })
    const fresh = event('again-fresh', 1, NOW_MS)
    for (let delivery = 0; delivery < 2; delivery++) await later.write([...old.slice(0, 20), fresh, ...old.slice(20)])
    expect(onRejected).not.toHaveBeenCalled()
    expect(await counts()).toBe(counted)
    expect(await count(`decisions WHERE tenant = 'again'`)).toBe(0)
    expect(await count(`question_texts WHERE tenant = 'again'`)).toBe(0)
    expect(await count(`isolates WHERE id GLOB 'again-isolate-*'`)).toBe(0)
    expect(
      await count(
        `decision_rollups, json_each(counts) AS cell WHERE tenant = 'again-fresh' AND cell.value ->> 'n' = 1`,
      ),
    ).toBe(2)
  })

  it('keeps at most the configured number of decisions, and all that are not exported', async () => {
    await env.DB.batch(
      [
        'DELETE FROM decisions',
        'UPDATE removed_decisions SET decisions = (SELECT max(decisions) FROM counted_decisions)',
      ].map((sql) => env.DB.prepare(sql)),
    )
    const times = Array.from({ length: 2_000 }, (_, at) => NOW_MS - (2_000 - at) * 60_000)
    await store.write(times.map((atMs, at) => event(at % 3 === 0 ? 'many-a' : 'many-b', at, atMs)))
    const kept = async () => count(`decisions WHERE tenant GLOB 'many-*'`)
    const retention = createD1Retention({ db: env.DB, clock, decisionsAtMost: 1_000 })
    expect(await retention.run(undefined, undefined, times[250])).toMatchObject({ removed: { decisions: 250 } })
    expect(await kept()).toBe(1_750)
    expect(await retention.run()).toMatchObject({ finished: true, removed: { decisions: 750 } })
    expect(await kept()).toBe(1_000)
    expect(await count(`decisions WHERE at_ms < ${times[1_000]}`)).toBe(0)
    // What is kept by their number alone is counted as before, and does not come back.
    await store.write(times.map((atMs, at) => event(at % 3 === 0 ? 'many-a' : 'many-b', at, atMs)))
    expect(await kept()).toBe(1_000)
  })

  it('removes purges once no answer can be older, and keeps numbering above them', async () => {
    const purgesAt = (nowMs: number) =>
      createD1AnswerPurges({ db: env.DB, copyMaxAgeMs: 0, clock: { nowMs: () => nowMs } })
    const scope = (tenant: string) => ({ kind: 'tenant', tenant }) as const
    await purgesAt(NOW_MS - 34 * DAY_MS).purge([scope('purged-a'), scope('purged-b')])
    const latest = await purgesAt(NOW_MS - 31 * DAY_MS).purge([scope('purged-c')])
    const { next } = await createD1Retention({ db: env.DB, clock }).run()
    expect(await count(`answer_purges WHERE tenant IN ('purged-a', 'purged-b')`)).toBe(0)
    expect(await count(`answer_purges WHERE tenant = 'purged-c'`)).toBe(1)
    const later = { nowMs: () => NOW_MS + 2 * DAY_MS }
    await createD1Retention({ db: env.DB, clock: later }).run(undefined, next)
    expect(await count(`answer_purges WHERE tenant GLOB 'purged-*'`)).toBe(0)
    expect(await purgesAt(later.nowMs()).purge([scope('purged-d')])).toBeGreaterThan(latest)
  })

  it('scans a table tenant by tenant once one of its rows is due, and no row waits longer than a day', async () => {
    const at = (days: number) => NOW_MS + days * DAY_MS
    const rate = (id: string, atMs: number) =>
      env.DB.prepare(
        `INSERT INTO feedback (event_id, source, tenant, at_ms, rating, principal_id) VALUES (?1, 'user', ?1, ?2, 'right', 'x')`,
      )
        .bind(id, atMs)
        .run()
    await env.DB.prepare('DELETE FROM feedback').run()
    await rate('due-a', at(-88.5))
    let next: RetentionCursor | undefined
    const runAt = async (days: number) => {
      const run = await createD1Retention({ db: env.DB, clock: { nowMs: () => at(days) } }).run(undefined, next)
      next = run.next
      return run.removed['feedback'] ?? 0
    }
    await runAt(0)
    expect(next?.due?.['feedback']).toBe(at(-88.5))
    // What a queue held for as long as it can.
    await rate('due-b', at(-13.9))
    expect([await runAt(1), await runAt(1.9), await runAt(2)]).toEqual([0, 0, 1])
    expect([await runAt(76), await runAt(77)]).toEqual([0, 1])
    // The same into an empty table.
    await rate('due-c', at(77 - 13.9))
    expect([await runAt(153), await runAt(154)]).toEqual([0, 1])
  })

  it('counts removed decisions, and no other removed rows, as room for more', async () => {
    const removed = async () => env.DB.prepare('SELECT decisions FROM removed_decisions').first<number>('decisions')
    const rate = (id: string) =>
      env.DB.prepare(
        `INSERT INTO feedback (event_id, source, tenant, at_ms, rating, principal_id) VALUES (?1, 'user', 'room', 1, 'right', 'x')`,
      )
        .bind(id)
        .run()
    for (let at = 0; at < 5; at++) await rate(`room-${at}`)
    await store.write(Array.from({ length: 3 }, (_, at) => event('room', at, NOW_MS - 91 * DAY_MS - at)))
    const before = (await removed())!
    const run = await createD1Retention({ db: env.DB, clock }).run()
    expect(run.removed).toMatchObject({ decisions: 3, feedback: 5, question_days: 3, question_texts: 3 })
    expect(await removed()).toBe(before + 3)
  })

  it('removes the document budgets of past days, which name principals, and keeps that of the day', async () => {
    const nowMs = NOW_MS + 13 * 3_600_000
    const spendAt = (atMs: number, id: string) =>
      createD1DocumentBudget({ db: env.DB, documentsPerDay: 5, clock: { nowMs: () => atMs } }).spend(
        { tenant: 'spent', id },
        { documents: 3 },
      )
    await spendAt(NOW_MS - 1, 'yesterday')
    await spendAt(NOW_MS, 'today')
    await createD1Retention({ db: env.DB, clock: { nowMs: () => nowMs } }).run()
    const { results } = await env.DB.prepare(`SELECT principal FROM ingestion_budgets WHERE tenant = 'spent'`).all()
    expect(results).toEqual([{ principal: 'today' }])
    await expect(spendAt(nowMs, 'today')).rejects.toMatchObject({ code: 'budget_spent' })
  })

  it('keeps pushed policies of any age, because decisions name them', async () => {
    await env.DB.prepare(
      `INSERT INTO pushed_policies (tenant, id, name, version, settings, created_at_ms, created_by, why)
       VALUES ('kept', 'p@1', 'p', 1, '{}', 1, 'x', '')`,
    ).run()
    await createD1Retention({ db: env.DB, clock }).run()
    expect(await count(`pushed_policies WHERE tenant = 'kept'`)).toBe(1)
  })

  it.each([0, 3_651, Number.NaN])('rejects %d days', (days) => {
    expect(() => createD1Retention({ db: env.DB, clock, decisionDays: days })).toThrow('decisionDays')
    expect(() => createD1Retention({ db: env.DB, clock, auditDays: days })).toThrow('auditDays')
  })

  it('reports a missing table', async () => {
    const db = { prepare: () => ({ first: () => Promise.reject(new Error('no such table: x')) }) }
    await expect(createD1Retention({ db: db as never, clock }).run()).rejects.toMatchObject({ code: 'schema_outdated' })
  })
})

describe('erasure', () => {
  const erasures = createD1Erasures({ db: env.DB, clock })

  async function dump(tenant: string): Promise<string> {
    const tables = ['decisions', 'question_days', 'question_texts', 'feedback', 'audit_events', 'pushed_policies']
    const rows = await Promise.all(
      tables.map((table) => env.DB.prepare(`SELECT * FROM ${table} WHERE tenant = ?1`).bind(tenant).all()),
    )
    return JSON.stringify(rows.map(({ results }) => results))
  }

  it('removes everything of a principal, and nothing of others or of the counts', async () => {
    await store.write(
      Array.from({ length: 60 }, (_, at) => event('erased', at, NOW_MS - at, at % 3 === 0 ? 'canary-1' : 'other')),
    )
    await store.write([event('erased-not', 1, NOW_MS - 1, 'canary-1')])
    await env.DB.prepare(
      `INSERT INTO feedback (event_id, source, tenant, at_ms, rating, comment, principal_id)
       VALUES ('e', 'user', 'erased', 1, 'right', 'by canary-1', 'canary-1')`,
    ).run()
    await env.DB.prepare(
      `INSERT INTO audit_events (id, tenant, at_ms, type, by, payload) VALUES ('a', 'erased', 1, 'T', 'canary-1', '{}')`,
    ).run()
    await env.DB.prepare(
      `INSERT INTO pushed_policies (tenant, id, name, version, settings, created_at_ms, created_by, why)
       VALUES ('erased', 'p@1', 'p', 1, '{}', 1, 'canary-1', 'a try'), ('erased', 'p@2', 'p', 2, '{}', 1, 'other', '')`,
    ).run()
    expect(await dump('erased')).toContain('canary-1')
    expect(await erasures.erase('erased', 'canary-1')).toEqual({
      decisions: 20,
      questionTexts: 20,
      feedback: 1,
      auditEvents: 1,
      pushedPolicies: 1,
      finished: true,
    })
    const left = await dump('erased')
    expect(left).not.toContain('canary-1')
    expect(left).toContain('Secret of other')
    expect(await dump('erased-not')).toContain('canary-1')
    expect(await count(`decisions WHERE tenant = 'erased'`)).toBe(60)
    expect(await count(`pushed_policies WHERE tenant = 'erased'`)).toBe(2)
    expect(await count(`pushed_policies WHERE tenant = 'erased' AND created_by = ''`)).toBe(1)
    expect(await count(`audit_events WHERE tenant = 'erased' AND by = ''`)).toBe(1)
    expect(await erasures.erase('erased', 'canary-1')).toEqual({
      decisions: 0,
      questionTexts: 0,
      feedback: 0,
      auditEvents: 0,
      pushedPolicies: 0,
      finished: true,
    })
  })

  it('in the tenant default, whose decisions are scanned with those of all, leaves the others as they were', async () => {
    const same = [event('default', 1, NOW_MS - 5, 'canary-0'), event('default-not', 2, NOW_MS - 5, 'canary-0')]
    await store.write([...same, event('default', 3, NOW_MS - 4, 'other')])
    await createD1Counting({ db: env.DB }).count()
    const before = await dump('default-not')
    expect(await erasures.erase('default', 'canary-0')).toMatchObject({
      decisions: 1,
      questionTexts: 1,
      finished: true,
    })
    expect(await dump('default-not')).toBe(before)
    const left = await dump('default')
    expect([left.includes('canary-0'), left.includes('Secret of other')]).toEqual([false, true])
  })

  it('applies to decisions that arrive later, and counts a repeated delivery once', async () => {
    await erasures.erase('late', 'canary-2')
    const late = event('late', 1, NOW_MS - 5, 'canary-2')
    await store.write([late])
    await store.write([late])
    const rows = await env.DB.prepare(`SELECT * FROM decisions WHERE tenant = 'late'`).all()
    expect(rows.results).toHaveLength(1)
    expect(JSON.stringify(rows.results)).not.toContain('canary-2')
    expect(
      await count(`decision_rollups, json_each(counts) AS cell WHERE tenant = 'late' AND cell.value ->> 'n' = 1`),
    ).toBe(2)
    // Nor does its text come in by another delivery.
    expect(await count(`question_texts WHERE tenant = 'late'`)).toBe(0)
    expect(await count(`audit_events WHERE tenant = 'late' AND payload = '{}'`)).toBe(1)
    // Asked after the wish, it is recorded like any other.
    await store.write([event('late', 2, NOW_MS + 5, 'canary-2')])
    expect(await count(`decisions WHERE tenant = 'late' AND principal_id = 'canary-2'`)).toBe(1)
  })

  it('is not undone by a repeated delivery', async () => {
    const asked = event('undone', 1, NOW_MS - 5, 'canary-4')
    await store.write([asked])
    await erasures.erase('undone', 'canary-4')
    await store.write([asked, event('undone', 2, NOW_MS - 5, 'other')])
    const left = await dump('undone')
    expect(left).not.toContain('canary-4')
    expect(left).toContain('Secret of other 2')
    expect(
      await count(`decision_rollups, json_each(counts) AS cell WHERE tenant = 'undone' AND cell.value ->> 'n' = 2`),
    ).toBe(2)
  })

  it("subtracts the principal's refusals from content gaps, and no uncounted or other ones", async () => {
    const ask = (at: number, principalId: string, hmac: string): NumberedEvent => {
      const numbered = event('gaps', at, NOW_MS - 50 + at, principalId)
      return { ...numbered, event: { ...numbered.event, question: { hmac, keyId: 'k' } } }
    }
    await store.write([ask(1, 'canary-5', 'own'), ask(3, 'canary-5', 'shared'), ask(5, 'other', 'shared')])
    await createD1Counting({ db: env.DB }).count()
    // One is stored late, and one after all that is counted.
    await store.write([ask(2, 'canary-5', 'shared'), ask(9, 'canary-5', 'shared'), ask(4, 'other', 'shared')])
    const gaps = async () =>
      (await env.DB.prepare(`SELECT question_hmac, refused FROM question_days WHERE tenant = 'gaps'`).all()).results
    expect(await gaps()).toHaveLength(2)
    await env.DB.prepare(
      `INSERT INTO erasures (tenant, principal_id, requested_ms, decided_until_place, erased) VALUES ('gaps', 'canary-5', ?1, -1, 0)`,
    )
      .bind(NOW_MS)
      .run()
    while ((await erasures.carryOn()) > 0);
    expect(await gaps()).toEqual([{ question_hmac: 'shared', refused: 1 }])
    await createD1Counting({ db: env.DB }).count()
    expect(await gaps()).toEqual([{ question_hmac: 'shared', refused: 2 }])
    expect(await dump('gaps')).not.toMatch(/canary-5|"own"/)
  })

  it('of many decisions is continued wherever it was stopped', async () => {
    await store.write(Array.from({ length: 2_500 }, (_, at) => event('much', at, NOW_MS - at, 'canary-3')))
    expect(await erasures.erase('much', 'canary-3', 1)).toMatchObject({ decisions: 1_000, finished: false })
    for (let statements = 0; statements < 8; statements++) {
      await createD1Erasures({ db: failingAfter(statements), clock })
        .carryOn(1)
        .catch(() => undefined)
    }
    while ((await erasures.carryOn(1)) > 0);
    expect(await count(`decisions WHERE tenant = 'much' AND principal_id <> ''`)).toBe(0)
    expect(await count(`decisions WHERE tenant = 'much'`)).toBe(2_500)
    const wish = await env.DB.prepare(`SELECT erased FROM erasures WHERE tenant = 'much'`).first<{ erased: number }>()
    expect(wish?.erased).toBe(2_500)
  })

  it('of several principals is continued in their order, and reports how many are left', async () => {
    for (const [at, id] of ['late', 'early', 'middle'].entries()) {
      await env.DB.prepare(
        `INSERT INTO erasures (tenant, principal_id, requested_ms, decided_until_place, erased) VALUES ('turns', ?1, ?2, -1, 0)`,
      )
        .bind(id, NOW_MS + [3, 1, 2][at]!)
        .run()
    }
    const left = async () =>
      (
        await env.DB.prepare(`SELECT principal_id FROM erasures WHERE finished_ms IS NULL ORDER BY requested_ms`).raw<
          [string]
        >()
      ).flat()
    // Without decisions each takes one slice.
    expect([await erasures.carryOn(0), await left()]).toEqual([3, ['early', 'middle', 'late']])
    expect([await erasures.carryOn(1), await left()]).toEqual([2, ['middle', 'late']])
    expect([await erasures.carryOn(2), await left()]).toEqual([0, []])
    expect(await erasures.carryOn()).toBe(0)
  })

  it('shares the slices of a run between principals', async () => {
    await store.write(Array.from({ length: 1_001 }, (_, at) => event('shared', at, NOW_MS - at, 'canary-8')))
    for (const id of ['canary-8', 'canary-9']) {
      await env.DB.prepare(
        `INSERT INTO erasures (tenant, principal_id, requested_ms, decided_until_place, erased) VALUES ('shared', ?1, ?2, -1, 0)`,
      )
        .bind(id, NOW_MS)
        .run()
    }
    // Two with decisions, and one that finds no more, for each.
    expect([await erasures.carryOn(3), await erasures.carryOn(2), await erasures.carryOn(1)]).toEqual([1, 1, 0])
    expect(await dump('shared')).not.toContain('canary-8')
  })

  it('reports a database that does not answer', async () => {
    const away = createD1Erasures({ db: failingAfter(0), clock })
    for (const asked of [away.erase('away', 'p'), away.carryOn()]) {
      await expect(asked).rejects.toMatchObject({ code: 'store_unavailable' })
    }
  })

  it('of many decisions ends when requested repeatedly, including those that arrive meanwhile', async () => {
    await store.write(Array.from({ length: 3_500 }, (_, at) => event('again', at, NOW_MS - 9_000 + at, 'canary-6')))
    let nowMs = NOW_MS
    const asked = createD1Erasures({ db: env.DB, clock: { nowMs: () => nowMs } })
    const erased: number[] = []
    let isFinished = false
    while (!isFinished && erased.length < 20) {
      const { decisions, finished } = await asked.erase('again', 'canary-6', 1)
      erased.push(decisions)
      isFinished = finished
      nowMs += 1_000
      // In order, and behind those of other isolates.
      if (erased.length === 2) {
        const later = [NOW_MS + 1_500, NOW_MS - 8_999].map((atMs, at) => event('again', 4_000 + at, atMs, 'canary-6'))
        await store.write(later)
      }
    }
    expect(erased.reduce((sum, each) => sum + each)).toBe(3_501)
    expect(erased.length).toBeLessThan(10)
    expect(await dump('again')).not.toContain('canary-6')
    expect(await count(`decisions WHERE tenant = 'again'`)).toBe(3_502)
  })

  it('requested again finds late decisions behind those already scanned', async () => {
    let nowMs = NOW_MS
    const asked = createD1Erasures({ db: env.DB, clock: { nowMs: () => nowMs } })
    await store.write(Array.from({ length: 1_500 }, (_, at) => event('behind', at, NOW_MS + 1 + at, 'other')))
    expect(await asked.erase('behind', 'canary-7', 1)).toMatchObject({ decisions: 0, finished: false })
    await store.write([event('behind', 2_000, NOW_MS + 2, 'canary-7')])
    nowMs += 5_000
    expect(await asked.erase('behind', 'canary-7')).toMatchObject({ decisions: 1, finished: true })
    expect(await dump('behind')).not.toContain('canary-7')
  })

  it.each(['a slice is written', 'it is finished'])('requested again while %s continues as requested', async (when) => {
    const tenant = when.replaceAll(' ', '-')
    let nowMs = NOW_MS
    const asked = createD1Erasures({ db: env.DB, clock: { nowMs: () => nowMs } })
    const others = when === 'it is finished' ? 500 : 1_500
    await store.write(Array.from({ length: others }, (_, at) => event(tenant, at, NOW_MS + 1 + at, 'other')))
    await asked.erase(tenant, 'canary-10', 1)
    await store.write([event(tenant, 2_000, NOW_MS + 2, 'canary-10')])
    nowMs += 5_000
    const again = () => asked.erase(tenant, 'canary-10', 0)
    const cron = createD1Erasures({
      db: before(when === 'it is finished' ? 'update "erasures"' : 'batch', again),
      clock,
    })
    await cron.carryOn(1)
    expect(await asked.carryOn()).toBe(0)
    expect(await dump(tenant)).not.toContain('canary-10')
  })
})
