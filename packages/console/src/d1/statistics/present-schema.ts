/** Checks whether the database has all tables, columns and triggers of the migrations. */
import type { D1Database } from '@cloudflare/workers-types'
import { TABLES } from 'hono-rag-gate/d1/schema'
import { rethrowStoreFault, schemaOutdated } from 'hono-rag-gate/adapters/d1'
import { PRESENT_TRIGGERS, selectNothing } from '../raw/present.ts'

const TRIGGERS = [
  'decisions_are_stored',
  'decisions_are_counted',
  'rejected_events_are_counted',
  'weak_spots_are_counted',
  'late_decisions_are_noted',
  'audit_events_are_kept',
  'erased_principals_stay_erased',
  'decisions_are_erased',
]

/** @throws `schema_outdated` if a table, column or trigger is missing; `store_unavailable` */
export async function requireSchema(db: D1Database): Promise<void> {
  const [triggers] = await db
    .batch<{ name: string }>([db.prepare(PRESENT_TRIGGERS), ...TABLES.map((table) => db.prepare(selectNothing(table)))])
    .catch(rethrowStoreFault)
  const present = new Set(triggers?.results.map(({ name }) => name))
  if (TRIGGERS.some((trigger) => !present.has(trigger))) throw schemaOutdated()
}
