/** Purges of cached answers in D1, with a copy for each tenant in the isolate. */
import { methods, required, requireOptions } from '../../core/lib/options.ts'
import type { D1Database } from '@cloudflare/workers-types'
import { MOST_PURGES } from '../../core/policy/purged-scopes.ts'
import { purgeScopeText, tenantOfScope } from '../../core/policy/purge-scope.ts'
import type { AnswerPurges } from '../../ports/answer-purges.ts'
import type { Clock } from '../../ports/clock.ts'
import { purgeCopies } from '../answer-cache/purge-copies.ts'
import { COPY_AGE } from './copy-age.ts'
import { rethrowStoreFault } from './faults.ts'
import { jsonBatches } from './json-batches.ts'

export interface D1AnswerPurgesOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
  /**
   * How long a copy is used instead of the database, milliseconds: so long another isolate may still send purged answers.
   * 0..60,000; with 0 the database is read for every question.
   *
   * @default 5000
   */
  readonly copyMaxAgeMs?: number
  /** @default the platform's clock */
  readonly clock?: Clock
}

const DEFAULT_COPY_MAX_AGE_MS = 5000
/** Days for which purges are kept: one day more than answers. */
export const PURGES_KEPT_DAYS = 32
const KEPT_MS = PURGES_KEPT_DAYS * 86_400_000

/** A tenant's newest purges, one more than are kept individually, and those of all tenants. */
const NEWER = `SELECT scope, epoch FROM (
    SELECT scope, epoch FROM answer_purges WHERE tenant = ?1 AND epoch > ?2 ORDER BY epoch DESC LIMIT ${MOST_PURGES + 1}
  ) UNION ALL SELECT scope, epoch FROM answer_purges WHERE tenant = '' AND epoch > ?2`

/** Merges purges beyond the newest `MOST_PURGES`, or older than any stored answer, into one purge of the whole tenant. */
const FOLD = `INSERT INTO answer_purges (tenant, scope, epoch)
  SELECT ?1, ?2, max(epoch) FROM (
    SELECT epoch FROM (
      SELECT epoch FROM answer_purges WHERE tenant = ?1 ORDER BY epoch DESC LIMIT 1 OFFSET ${MOST_PURGES}
    ) UNION ALL SELECT epoch FROM (
      SELECT epoch FROM answer_purges WHERE tenant = ?1 AND epoch < ?3 ORDER BY epoch DESC LIMIT 1
    )
  ) HAVING max(epoch) IS NOT NULL
  ON CONFLICT (tenant, scope) DO UPDATE SET epoch = max(epoch, excluded.epoch)`

/** Removes the purges that a purge of the whole tenant covers. */
const DROP_FOLDED = `DELETE FROM answer_purges WHERE tenant = ?1 AND scope <> ?2
  AND epoch <= (SELECT epoch FROM answer_purges WHERE tenant = ?1 AND scope = ?2)`

/**
 * Purges in D1, with a copy for each tenant; once a copy is too old, only newer purges are read. Errors of D1 become
 * `schema_outdated` or `store_unavailable`.
 *
 * @returns purges that take up constant room: of more than two thousand of a tenant, the oldest become one of the tenant
 * @throws `config_invalid` if `copyMaxAgeMs` is out of range
 */
export function createD1AnswerPurges(options: D1AnswerPurgesOptions): AnswerPurges {
  requireOptions(options, { db: required(methods('prepare')), copyMaxAgeMs: COPY_AGE, clock: methods('nowMs') })
  const { db, copyMaxAgeMs = DEFAULT_COPY_MAX_AGE_MS, clock = { nowMs: () => Date.now() } } = options
  const { purged, ...copies } = purgeCopies(copyMaxAgeMs, clock, async (tenant, epoch) => {
    const rows = await db
      .prepare(NEWER)
      .bind(tenant, epoch)
      .all<{ scope: string; epoch: number }>()
      .catch(rethrowStoreFault)
    return rows.results.map((row) => [row.scope, row.epoch])
  })

  return {
    ...copies,

    async purge(scopes) {
      const nowMs = clock.nowMs()
      const rows = scopes.map((scope) => [tenantOfScope(scope), purgeScopeText(scope)] as const)
      const batches = jsonBatches(rows)
      if (batches.length === 0) return 0
      const tenants = [...new Set(rows.map(([tenant]) => tenant))].filter((tenant) => tenant !== '')
      // One transaction. Numbers are never reused: those of removed purges were times a month ago.
      const next = `max(?1, (SELECT coalesce(max(epoch), 0) + 1 FROM answer_purges))`
      const numbered = await db
        .batch<{ epoch: number }>([
          ...batches.map((batch) =>
            db
              .prepare(
                `INSERT INTO answer_purges (tenant, scope, epoch)
                 SELECT value ->> 0, value ->> 1, ${next} FROM json_each(?2) WHERE true
                 ON CONFLICT (tenant, scope) DO UPDATE SET epoch = excluded.epoch`,
              )
              .bind(nowMs, batch),
          ),
          db.prepare('SELECT max(epoch) AS epoch FROM answer_purges'),
          ...tenants.flatMap((tenant) => {
            const whole = purgeScopeText({ kind: 'tenant', tenant })
            return [db.prepare(FOLD).bind(tenant, whole, nowMs - KEPT_MS), db.prepare(DROP_FOLDED).bind(tenant, whole)]
          }),
        ])
        .catch(rethrowStoreFault)
      purged(scopes)
      // An aggregate returns exactly one row.
      return numbered[batches.length]!.results[0]!.epoch
    },
  }
}
