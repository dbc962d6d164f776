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

/** What was erased of a principal by one call, by table. */
export interface Erased {
  /** Rows without a person and without a question any more. */
  readonly decisions: number
  readonly feedback: number
  readonly questionTexts: number
  /** Entries of the audit trail that do not say who acted any more. Those of erased decisions only say that they were. */
  readonly auditEvents: number
  /** Pushed policies that do not say who pushed them any more. */
  readonly pushedPolicies: number
  /** `false`: the cron trigger carries on with what is left. */
  readonly finished: boolean
}

/** Erases what is recorded of a principal. */
export interface Erasures {
  /**
   * Notes the wish and carries it out as far as the slices reach. What is on its way (in a queue, in a buffer) is erased
   * when it arrives. Decisions stay as rows without principal, question and evidence, so that a further delivery is not
   * counted again; refusals do not count among the content gaps any more. Asked again, it erases what came since.
   *
   * @param maxSlices most slices of 1,000 decisions gone through. @default 10
   * @throws `schema_outdated`, `store_unavailable`
   */
  erase(tenant: Tenant, principalId: string, maxSlices?: number): Promise<Erased>
  /**
   * Carries on with what is not finished, the oldest wish first.
   *
   * @param maxSlices of all wishes together. @default 10
   * @returns how many wishes are still not finished
   * @throws `schema_outdated`, `store_unavailable`
   */
  carryOn(maxSlices?: number): Promise<number>
}

const SLICE = 1_000

interface Wish {
  readonly tenant: string
  readonly principalId: string
  readonly untilPlace: number
}

/** Erasure in D1. It can be stopped after any statement: each slice and how far it went are written together. */
export function createD1Erasures({ db, clock }: D1ErasuresOptions): Erasures {
  const counting = createD1Counting({ db })
  const queries = drizzle(db)

  async function eraseSlice({ tenant, principalId, untilPlace }: Wish) {
    const { place } = decisions
    const slice = await queries
      .select({ place, tenant: decisions.tenant, principalId: decisions.principalId })
      .from(decisions)
      // `default` has no index of its own, and goes through those of all.
      .where(and(tenant === 'default' ? undefined : ofTenant(tenant), gt(place, untilPlace)))
      .orderBy(place)
      .limit(SLICE)
    const end = slice.at(-1)?.place
    if (end === undefined) {
      await queries
        .update(erasures)
        .set({ finishedMs: clock.nowMs() })
        .where(and(eq(erasures.tenant, tenant), eq(erasures.principalId, principalId)))
      return undefined
    }
    const own = slice.filter((each) => each.tenant === tenant && each.principalId === principalId)
    const places = JSON.stringify(own.map((each) => each.place))
    const [texts] = await db.batch([
      db.prepare(DROP_TEXTS).bind(tenant, places),
      db.prepare(ERASE).bind(tenant, principalId, places, end),
    ])
    // A batch gives a result for each.
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
        // What is erased is not there to be counted later.
        await counting.count()
        const wish = { requestedMs: clock.nowMs(), finishedMs: null }
        const { decidedUntilPlace, finishedMs, requestedMs } = erasures
        // One that is under way goes on; what came since it was asked for is gone through again.
        const goesOn = sql`iif(${finishedMs} IS NULL, min(${decidedUntilPlace}, ${requestedMs} * ${PLACES_OF_A_MS} - 1), -1)`
        const [[begun], rated, acted, pushed] = await queries.batch([
          queries
            .insert(erasures)
            .values({ tenant, principalId, erased: 0, decidedUntilPlace: -1, ...wish })
            .onConflictDoUpdate({
              target: [erasures.tenant, erasures.principalId],
              set: { ...wish, decidedUntilPlace: goesOn },
            })
            .returning({ untilPlace: decidedUntilPlace }),
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
