/** SQL of retention: deletes from tables by name, tenant by tenant, which drizzle does not support. */
import { knownTenants } from './tenants.ts'

/** Maximum number of rows per statement. */
export const SLICE = 5_000

/** Key, time column, period, and whether an index begins with the tenant or is missing; else with the time. */
type Old = readonly [
  key: string,
  time: string,
  keeps: 'decisions' | 'audit' | 'expiry' | 'tombstones' | 'purges',
  index?: 'tenant' | 'none',
]

/**
 * Expired rows by table: a condition on `?1`, the earliest time to keep. Tables whose index begins with the tenant are
 * processed tenant by tenant. A table without an index on the time is scanned only if its oldest row has expired, by
 * whole days; others cost one row read.
 */
export const TOO_OLD: Readonly<Record<string, Old>> = {
  question_texts: ['tenant, question_hmac', 'expires_ms', 'expiry'],
  decisions: ['place', 'place', 'decisions'],
  question_days: ['tenant, day_ms, collection, question_hmac', 'day_ms', 'decisions', 'tenant'],
  feedback: ['event_id, source', 'at_ms', 'decisions', 'tenant'],
  isolates: ['id', 'last_ms', 'decisions'],
  rejected_events: ['isolate, sequence', 'at_ms', 'decisions'],
  request_faults: ['hour_ms, route, status, code, isolate', 'hour_ms', 'decisions'],
  audit_events: ['id', 'at_ms', 'audit', 'tenant'],
  alerts: ['id', 'closed_ms', 'audit', 'none'],
  answer_purges: ['tenant, scope', 'epoch', 'purges', 'none'],
  ingestion_budgets: ['tenant, principal', 'day_ms', 'expiry', 'none'],
  // By then, everything about an erased principal that was in a queue has arrived.
  erasures: ['tenant, principal_id', 'finished_ms', 'tombstones', 'none'],
}

/** Runs after the removal of decisions, in the same batch. */
export const NOTE_HOW_MANY = `UPDATE removed_decisions SET decisions = decisions + changes()`

/** Uncounted decisions are kept until they are counted. */
const COUNTED =
  ' AND place <= (SELECT min(place) FROM counted_decisions) AND place NOT IN (SELECT place FROM late_decisions)'

/**
 * Deletes a slice of rows older than `?1`; of a table by tenant, after the tenant `?2`. A tenant without expired rows
 * costs four rows read.
 */
export function removalOf(table: string): string {
  const [key, time, , index] = TOO_OLD[table]!
  if (index !== 'tenant')
    return `DELETE FROM ${table} WHERE (${key}) IN (
    SELECT ${key} FROM ${table} WHERE ${time} < ?1${table === 'decisions' ? COUNTED : ''} ORDER BY ${time} LIMIT ${SLICE}
  ) RETURNING ?2 AS tenant`
  return `${knownTenants(table, '?2')}
  DELETE FROM ${table} WHERE (${key}) IN (
    SELECT ${key.replaceAll(/\w+/g, 'old.$&')} FROM known CROSS JOIN ${table} AS old ON old.tenant = known.tenant AND old.${time} < ?1 LIMIT ${SLICE}
  ) RETURNING tenant`
}

/** Time of the oldest row of a table. */
export function firstOf(table: string): string {
  const [, time, , index] = TOO_OLD[table]!
  const first = `SELECT min(${time}) AS ms FROM ${table}`
  return index === 'tenant'
    ? `${knownTenants(table, "''")} SELECT min((${first} WHERE tenant = known.tenant)) AS ms FROM known`
    : first
}
