import type { D1Database } from '@cloudflare/workers-types'
import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { PLACES_OF_A_MS } from 'hono-rag-gate/d1/figures'
import { auditEvents, decisions, erasures, feedback, pushedPolicies } from 'hono-rag-gate/d1/schema'
import type { Tenant } from 'hono-rag-gate/core/lib'
import type { Clock } from 'hono-rag-gate/ports'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import { createD1Counting } from './counting.ts'
import { ofTenant } from './of-event.ts'
import { DROP_TEXTS, ERASE } from './raw/erasing.ts'

export interface D1ErasuresOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
  readonly clock: Clock
}

/** What one call erased for a principal, by table. */
export interface Erased {
  /** Decisions from which person and question were removed. */
  readonly decisions: number
  readonly feedback: number
  readonly questionTexts: number
  /** Audit entries from which the actor was removed. Those of erased decisions only state the erasure. */
  readonly auditEvents: number
  /** Pushed policies from which the author was removed. */
  readonly pushedPolicies: number
  /** `false` if the cron trigger must continue. */
  readonly finished: boolean
}

/** Erases the recorded data of a principal. */
export interface Erasures {
  /**
   * Records the request and carries it out as far as `maxSlices` permits. Data still in a queue or buffer is erased on
   * arrival. Decisions stay as rows without principal, question and evidence, so that a redelivery is not counted
   * again; their refusals no longer count among the content gaps. A repeated request erases what was recorded since.
   *
   * @param maxSlices maximum number of slices of 1,000 decisions. @default 10
   * @throws `schema_outdated`, `store_unavailable`
   */
  erase(tenant: Tenant, principalId: string, maxSlices?: number): Promise<Erased>
  /**
   * Continues unfinished requests, oldest first.
   *
   * @param maxSlices for all requests together. @default 10
   * @returns the number of requests still unfinished
   * @throws `schema_outdated`, `store_unavailable`
   */
  carryOn(maxSlices?: number): Promise<number>
}

const SLICE = 1_000

interface Wish {
  readonly tenant: string
  readonly principalId: string
  /** Identifies the request: one that was repeated meanwhile is neither finished nor advanced. */
  readonly requestedMs: number
  readonly untilPlace: number
}

/** Erasure in D1. It can be interrupted after any statement: each slice is written together with its progress. */
export function createD1Erasures({ db, clock }: D1ErasuresOptions): Erasures {
  const counting = createD1Counting({ db })
  const queries = drizzle(db)

  async function eraseSlice({ tenant, principalId, requestedMs, untilPlace }: Wish) {
    const { place } = decisions
    const slice = await queries
      .select({ place, tenant: decisions.tenant, principalId: decisions.principalId })
      .from(decisions)
      // The tenant `default` has no index of its own, so the decisions of all tenants are scanned.
      .where(and(tenant === 'default' ? undefined : ofTenant(tenant), gt(place, untilPlace)))
      .orderBy(place)
      .limit(SLICE)
    const end = slice.at(-1)?.place
    if (end === undefined) {
      await queries
        .update(erasures)
        .set({ finishedMs: clock.nowMs() })
        .where(
          and(
            eq(erasures.tenant, tenant),
            eq(erasures.principalId, principalId),
            eq(erasures.requestedMs, requestedMs),
          ),
        )
      return undefined
    }
    const own = slice.filter((each) => each.tenant === tenant && each.principalId === principalId)
    const places = JSON.stringify(own.map((each) => each.place))
    const [texts] = await db.batch([
      db.prepare(DROP_TEXTS).bind(tenant, places),
      db.prepare(ERASE).bind(tenant, principalId, places, end, requestedMs),
    ])
    // A batch returns one result per statement.
    return { texts: texts!.meta.changes, rows: own.length, untilPlace: end }
  }

  async function eraseSlices(wish: Wish, maxSlices: number) {
    let [decisions, questionTexts, at] = [0, 0, wish]
    for (let slices = 0; slices < maxSlices; slices++) {
      const slice = await eraseSlice(at)
      if (slice === undefined) return { decisions, questionTexts, slices: slices + 1, finished: true }
      decisions += slice.rows
      questionTexts += slice.texts
      at = { ...wish, untilPlace: slice.untilPlace }
    }
    return { decisions, questionTexts, slices: maxSlices, finished: false }
  }

  return {
    async erase(tenant, principalId, maxSlices = 10) {
      try {
        // Erased decisions cannot be counted later.
        await counting.count()
        const wish = { requestedMs: clock.nowMs(), finishedMs: null }
        const { decidedUntilPlace, finishedMs, requestedMs } = erasures
        // A running request continues; for a finished one, what was recorded since is scanned again.
        const goesOn = sql`iif(${finishedMs} IS NULL, min(${decidedUntilPlace}, ${requestedMs} * ${PLACES_OF_A_MS} - 1), -1)`
        const [[begun], rated, acted, pushed] = await queries.batch([
          queries
            .insert(erasures)
            .values({ tenant, principalId, erased: 0, decidedUntilPlace: -1, ...wish })
            .onConflictDoUpdate({
              target: [erasures.tenant, erasures.principalId],
              set: { ...wish, decidedUntilPlace: goesOn },
            })
            .returning({ requestedMs, untilPlace: decidedUntilPlace }),
          queries.delete(feedback).where(and(eq(feedback.tenant, tenant), eq(feedback.principalId, principalId))),
          queries
            .update(auditEvents)
            .set({ by: '' })
            .where(and(eq(auditEvents.tenant, tenant), eq(auditEvents.by, principalId))),
          queries
            .update(pushedPolicies)
            .set({ createdBy: '' })
            .where(and(eq(pushedPolicies.tenant, tenant), eq(pushedPolicies.createdBy, principalId))),
        ])
        const { slices: _, ...erased } = await eraseSlices({ tenant, principalId, ...begun! }, maxSlices)
        return {
          ...erased,
          feedback: rated.meta.changes,
          auditEvents: acted.meta.changes,
          pushedPolicies: pushed.meta.changes,
        }
      } catch (thrown) {
        return rethrowStoreFault(thrown)
      }
    },

    async carryOn(maxSlices = 10) {
      try {
        const wishes = await queries
          .select({
            tenant: erasures.tenant,
            principalId: erasures.principalId,
            requestedMs: erasures.requestedMs,
            untilPlace: erasures.decidedUntilPlace,
          })
          .from(erasures)
          .where(isNull(erasures.finishedMs))
          .orderBy(erasures.requestedMs)
        let unfinished = wishes.length
        let left = maxSlices
        for (const wish of wishes) {
          if (left <= 0) break
          const { finished, slices } = await eraseSlices(wish, left)
          left -= slices
          if (finished) unfinished--
        }
        return unfinished
      } catch (thrown) {
        return rethrowStoreFault(thrown)
      }
    },
  }
}
