/** A database of every older state of the migrations is upgraded, with what it holds. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unstable_splitSqlQuery } from 'wrangler'
import { createD1Statistics } from '../../packages/console/src/d1/statistics.ts'
import { ROOT } from '../../scripts/local-gate.ts'
import { createD1DecisionStore } from '../../src/adapters/d1/decision-store.ts'
import { aDecision, anEvent } from '../fixtures/decision.ts'

const DIRECTORY = join(ROOT, 'd1', 'migrations')
const MIGRATIONS = readdirSync(DIRECTORY).sort()
/** The first with which decisions could be recorded. */
const FIRST = MIGRATIONS.indexOf('0005_counting.sql')
const OLDER = MIGRATIONS.slice(FIRST, -1)
/** After these nothing can be recorded until the next: what counts is made anew there. */
const UNFINISHED = ['0009_counted_later.sql', '0015_decisions_by_place.sql']
const AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5)

let miniflare: Miniflare
beforeAll(() => {
  miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: 'export default { fetch: () => new Response() }',
      compatibilityDate: '2026-11-01',
      d1Databases: OLDER.map((name) => name.slice(0, -4)),
    }),
  )
})
afterAll(() => miniflare.dispose())

async function apply(db: D1Database, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const statements = unstable_splitSqlQuery(readFileSync(join(DIRECTORY, name), 'utf8'))
    for (const statement of statements) await db.prepare(statement).run()
  }
}

const event = (at: number) => ({
  event: anEvent(`upgraded-${at}`, {
    decision: aDecision({ tenant: 'upgraded', collection: at % 2 === 0 ? 'manual' : 'wiki', verdict: 'refuse' }),
    atMs: AT_MS + at,
    question: { hmac: 'question', keyId: 'k' },
  }),
  isolate: 'upgraded',
  sequence: at + 1,
})

/** As the code of that time wrote: a batch, and the highest rowid before it. */
async function recordAsThen(db: D1Database, events: readonly ReturnType<typeof event>[]): Promise<void> {
  const rows = events.map(({ event: { id, atMs, decision }, isolate, sequence }) => ({
    id,
    decision_id: decision.id,
    at_ms: atMs,
    tenant: decision.tenant,
    collection: decision.collection,
    corpus_version: 1,
    policy_id: decision.policyId,
    mode: 'enforce',
    route: '/ask',
    verdict: decision.verdict,
    band: 'low',
    confidence: 0.25,
    reason: 'no_evidence',
    cache: 'miss',
    status: 200,
    ranked_by: 'convex',
    signals: {},
    findings: [],
    evidence_ids: [],
    document_ids: ['guide'],
    total_ms: 5,
    principal_id: 'reader',
    question_hmac: 'question',
    hmac_key_id: 'k',
    isolate,
    sequence,
  }))
  await db
    .prepare('INSERT INTO decision_batches (events, place) SELECT ?1, coalesce(max(rowid), 0) FROM decisions')
    .bind(JSON.stringify(rows))
    .run()
}

describe('a database with the migrations', () => {
  it.each(OLDER)('up to %s keeps and counts what it holds, once', async (name) => {
    // What miniflare gives is a D1 database, under a type of its own.
    const db = (await miniflare.getD1Database(name.slice(0, -4))) as unknown as D1Database
    const at = MIGRATIONS.indexOf(name) + 1
    await apply(db, MIGRATIONS.slice(0, at))
    const isUnfinished = UNFINISHED.includes(name)
    if (!isUnfinished) await recordAsThen(db, [event(0), event(1), event(2)])
    else await apply(db, [MIGRATIONS[at]!])
    await apply(db, MIGRATIONS.slice(isUnfinished ? at + 1 : at))
    await createD1DecisionStore({ db }).write([0, 1, 2, 3].map(event))
    const statistics = createD1Statistics({ db })
    await statistics.check()
    const summary = await statistics.summary({ tenant: 'upgraded', fromMs: AT_MS, toMs: AT_MS + 1 })
    expect(summary).toMatchObject({ decisions: 4, failed: 0, byVerdict: { refuse: 4 } })
    expect(summary.byCollection.map(({ name: of, decisions }) => [of, decisions])).toEqual([
      ['manual', 2],
      ['wiki', 2],
    ])
    expect(await statistics.recording(AT_MS, AT_MS + 10)).toMatchObject({ recorded: 4, missing: 0 })
    const days = await db.prepare('SELECT sum(refused) AS refused FROM question_days').first()
    expect(days).toEqual({ refused: 4 })
  })
})
