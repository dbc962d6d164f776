/** A database of every state of the migrations is upgraded to the newest, with what it holds. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'
import type { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createD1Counting } from '../../packages/console/src/d1/counting.ts'
import { createD1Statistics } from '../../packages/console/src/d1/statistics.ts'
import { ROOT } from '../../scripts/local-gate.ts'
import { createD1DecisionStore } from '../../src/adapters/d1/decision-store.ts'
import { DEEP } from '../deep-run.ts'
import { aDecision, anEvent } from '../fixtures/decision.ts'

const DIRECTORY = join(ROOT, 'd1', 'migrations')
const MIGRATIONS = readdirSync(DIRECTORY).sort()
/** States with which decisions could be recorded, from the first on; the last is the one of today. */
const STATES = MIGRATIONS.slice(MIGRATIONS.indexOf('0004_triggers.sql')).filter((name) => !name.endsWith('_tables.sql'))
const AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5)

let miniflare: Miniflare
beforeAll(async () => {
  const { convertV4MiniflareOptions, Miniflare: InProcess } = await import('miniflare')
  miniflare = new InProcess(
    convertV4MiniflareOptions({
      modules: true,
      script: 'export default { fetch: () => new Response() }',
      compatibilityDate: '2026-11-01',
      d1Databases: STATES.map((name) => name.slice(0, -4)),
    }),
  )
})
afterAll(() => miniflare.dispose())

async function apply(db: D1Database, names: readonly string[]): Promise<void> {
  for (const name of names) await applyFile(db, join(DIRECTORY, name))
}

async function applyFile(db: D1Database, file: string): Promise<void> {
  // D1 runs all statements of a text.
  await db.prepare(readFileSync(file, 'utf8')).run()
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

/** As the code of that time wrote. */
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
  await db.prepare('INSERT INTO decision_batches (events) VALUES (?1)').bind(JSON.stringify(rows)).run()
}

// Where there is one state alone, nothing is upgraded: other tests begin with it.
describe.runIf(DEEP || STATES.length > 1)('a database with migrations', { timeout: 120_000 }, () => {
  it.each(STATES)('up to %s keeps its rows after the upgrade, and counts them once', async (name) => {
    // What miniflare gives is a D1 database, under a type of its own.
    const db = (await miniflare.getD1Database(name.slice(0, -4))) as unknown as D1Database
    const at = MIGRATIONS.indexOf(name) + 1
    await apply(db, MIGRATIONS.slice(0, at))
    await recordAsThen(db, [event(0), event(1), event(2)])
    await db.prepare(`INSERT INTO uncounted_decisions SELECT 'sums', max(place) FROM decisions`).run()
    // A table that is made anew keeps its rows, and what hangs on it is made again.
    await apply(db, MIGRATIONS.slice(at))
    for (const file of ['counting.sql', 'triggers.sql']) await applyFile(db, join(ROOT, 'd1', 'raw', file))
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
    await createD1Counting({ db }).count()
    const days = await db.prepare('SELECT sum(refused) AS refused FROM question_days').first()
    expect(days).toEqual({ refused: 4 })
  })
})
