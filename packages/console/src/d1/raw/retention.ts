/** Removing from any table by its name, and by the tenants of an index, which drizzle has no word for. */
import { knownTenants } from './tenants.ts'

/** Rows that a statement removes at most. */
export const SLICE = 5_000

/** Key, time, how long it is kept, and whether an index begins with the tenant or there is none; else one begins with the time. */
type Old = readonly [
  key: string,
  time: string,
  keeps: 'decisions' | 'audit' | 'expiry' | 'tombstones' | 'purges',
  index?: 'tenant' | 'none',
]

/**
 * What is too old, by table: a condition on `?1`, the first moment that stays. Tables whose index begins with the tenant are
 * gone through tenant by tenant. A table without an index on the time alone is gone through once a row of it is due, by
 * whole days: the others cost a row read.
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
  // What a queue still holds of an erased principal has arrived by then.
  erasures: ['tenant, principal_id', 'finished_ms', 'tombstones', 'none'],
}

/** After removing decisions, in the same batch. */
export const NOTE_HOW_MANY = `UPDATE removed_decisions SET decisions = decisions + changes()`

/** What is not counted stays until it is. */
const COUNTED =
  ' AND place <= (SELECT min(place) FROM counted_decisions) AND place NOT IN (SELECT place FROM late_decisions)'

/**
 * Removes a slice of what is older than `?1`; of a table by tenant, after the tenant `?2`: one that has nothing to remove costs
 * four rows read.
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

/** When the oldest row of a table is from. */
export function firstOf(table: string): string {
  const [, time, , index] = TOO_OLD[table]!
  const first = `SELECT min(${time}) AS ms FROM ${table}`
  return index === 'tenant'
    ? `${knownTenants(table, "''")} SELECT min((${first} WHERE tenant = known.tenant)) AS ms FROM known`
    : first
}
