/** Purges of cached answers in D1, with a copy for each tenant in the isolate. */
import { object, required, requireOptions } from '../../core/lib/options.ts'
import { keepNewest } from '../../core/lib/keep-newest.ts'
import type { D1Database } from '@cloudflare/workers-types'
import { purgedSince } from '../../core/policy/purged-scopes.ts'
import { purgeScopeText, tenantOfScope } from '../../core/policy/purge-scope.ts'
import type { AnswerPurges } from '../../ports/answer-purges.ts'
import type { Clock } from '../../ports/clock.ts'
import { COPY_AGE } from './copy-age.ts'
import { rethrowStoreFault } from './faults.ts'
import { jsonBatches } from './json-batches.ts'

export interface D1AnswerPurgesOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
  /**
   * How long a copy answers instead of the database, milliseconds: how long another isolate may go on sending what was
   * purged. 0..60,000; 0 asks for every question.
   *
   * @default 5000
   */
  readonly copyMaxAgeMs?: number
  /** @default the platform's clock */
  readonly clock?: Clock
}

/** What is known of a tenant's purges. */
interface Copy {
  readonly epoch: number
  readonly epochs: ReadonlyMap<string, number>
  readonly readAtMs: number
}

const DEFAULT_COPY_MAX_AGE_MS = 5000
const MAX_COPIES = 1000
/** Days for which a purge is needed: twice as long as an answer can be kept. */
export const PURGES_KEPT_DAYS = 62
const KEPT_MS = PURGES_KEPT_DAYS * 86_400_000

/**
 * Purges in D1. A copy is kept for each tenant; when it has aged, only what is newer is read. Errors of D1 itself become
 * `schema_outdated` or `store_unavailable`.
 *
 * @returns purges that are forgotten after 62 days, twice as long as an answer can be kept
 * @throws `config_invalid` when `copyMaxAgeMs` is out of range
 */
export function createD1AnswerPurges(options: D1AnswerPurgesOptions): AnswerPurges {
  requireOptions(options, { db: required(object), copyMaxAgeMs: COPY_AGE, clock: object })
  const { db, copyMaxAgeMs = DEFAULT_COPY_MAX_AGE_MS, clock = { nowMs: () => Date.now() } } = options
  const copies = new Map<string, Copy>()
  // Counts the purges through this object: a reading that began before one of them has read too little.
  let purged = 0

  async function refresh(tenant: string, held: Copy | undefined): Promise<Copy> {
    // Taken before reading: what is purged meanwhile is read the next time.
    const startedMs = clock.nowMs()
    const purgedBefore = purged
    const { results } = await db
      .prepare(`SELECT scope, epoch FROM answer_purges WHERE tenant IN (?1, '') AND epoch > ?2`)
      .bind(tenant, held?.epoch ?? 0)
      .all<{ scope: string; epoch: number }>()
      .catch(rethrowStoreFault)
    const epochs = new Map(held?.epochs)
    let epoch = held?.epoch ?? 0
    for (const row of results) {
      epochs.set(row.scope, row.epoch)
      epoch = Math.max(epoch, row.epoch)
    }
    // Another request may have read later purges meanwhile.
    const current = copies.get(tenant)
    if (current !== undefined && current.epoch > epoch) return current
    const copy = { epoch, epochs, readAtMs: purged === purgedBefore ? startedMs : -Infinity }
    keepNewest(copies, tenant, copy, MAX_COPIES)
    return copy
  }

  return {
    maxAgeSeconds: Math.ceil(copyMaxAgeMs / 1000),

    async known(tenant) {
      const held = copies.get(tenant)
      const ageMs = held === undefined ? Infinity : clock.nowMs() - held.readAtMs
      const copy = held !== undefined && ageMs >= 0 && ageMs < copyMaxAgeMs ? held : await refresh(tenant, held)
      return { epoch: copy.epoch, purgedSince: (since, scopes) => purgedSince(copy, since, scopes) }
    },

    async purge(scopes) {
      const nowMs = clock.nowMs()
      const rows = scopes.map((scope) => [tenantOfScope(scope), purgeScopeText(scope)] as const)
      const batches = jsonBatches(rows)
      if (batches.length === 0) return 0
      // One transaction. Numbers never come again: the newest row is not forgotten.
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
          db
            .prepare(
              `DELETE FROM answer_purges WHERE epoch < ?1 AND epoch < (SELECT max(epoch) FROM answer_purges)
               AND tenant IN (SELECT value FROM json_each(?2))`,
            )
            .bind(nowMs - KEPT_MS, JSON.stringify([...new Set(rows.map(([tenant]) => tenant))])),
        ])
        .catch(rethrowStoreFault)
      purged++
      // A purge is known at once: the next question reads.
      for (const tenant of new Set(rows.map(([tenant]) => tenant))) {
        if (tenant === '') forgetAll()
        else age(tenant)
      }
      // An aggregate gives exactly one row.
      return numbered[batches.length]!.results[0]!.epoch
    },
  }

  function age(tenant: string): void {
    const held = copies.get(tenant)
    if (held !== undefined) copies.set(tenant, { ...held, readAtMs: -Infinity })
  }

  function forgetAll(): void {
    for (const tenant of copies.keys()) age(tenant)
  }
}
