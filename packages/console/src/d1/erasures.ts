import type { D1Database } from '@cloudflare/workers-types'
import type { Tenant } from 'hono-rag-gate/core/lib'
import type { Clock } from 'hono-rag-gate/ports'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import { createD1Counting } from './counting.ts'

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
   * counted again. Asked again, it erases what came since.
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

/** The decisions to go through: `default` has no index of its own, and goes through those of all. */
const own = (tenant: Tenant): string => (tenant === 'default' ? 'true' : `tenant = ?1 AND tenant <> 'default'`)

interface Wish {
  readonly tenant: string
  readonly principalId: string
  readonly untilPlace: number
}

/** Erasure in D1. It can be stopped after any statement: each slice and how far it went are written together. */
export function createD1Erasures({ db, clock }: D1ErasuresOptions): Erasures {
  const counting = createD1Counting({ db })

  async function eraseSlice({ tenant, principalId, untilPlace }: Wish) {
    const end = await db
      .prepare(
        `SELECT max(place) FROM (
          SELECT place FROM decisions WHERE ${own(tenant)} AND place > ?2 ORDER BY place LIMIT ${SLICE}
        ) WHERE ?1 <> ''`,
      )
      .bind(tenant, untilPlace)
      .first<number | null>('max(place)')
    if (end === null) {
      await db
        .prepare('UPDATE erasures SET finished_ms = ?3 WHERE tenant = ?1 AND principal_id = ?2')
        .bind(tenant, principalId, clock.nowMs())
        .run()
      return undefined
    }
    const ofPrincipal = `tenant = ?1 AND ${own(tenant)} AND principal_id = ?2 AND place > ?3 AND place <= ?4`
    const bound = [tenant, principalId, untilPlace, end] as const
    const [, texts, rows] = await db.batch([
      db
        .prepare(
          `UPDATE audit_events SET payload = '{}' WHERE id IN (
            SELECT erased.id || ':' || event.key
            FROM (SELECT id, audit FROM decisions WHERE ${ofPrincipal} AND audit IS NOT NULL) AS erased,
              json_each(erased.audit) AS event
          )`,
        )
        .bind(...bound),
      db
        .prepare(
          `DELETE FROM question_texts WHERE tenant = ?1 AND question_hmac IN (
            SELECT question_hmac FROM decisions WHERE ${ofPrincipal} AND question_hmac IS NOT NULL
          )`,
        )
        .bind(...bound),
      db
        .prepare(
          `UPDATE decisions SET principal_id = '', question_hmac = NULL, hmac_key_id = NULL, evidence_ids = '[]',
            document_ids = '[]', findings = '[]', audit = NULL
          WHERE ${ofPrincipal}`,
        )
        .bind(...bound),
      db
        .prepare(
          `UPDATE erasures SET decided_until_place = ?3, erased = erased + changes()
          WHERE tenant = ?1 AND principal_id = ?2`,
        )
        .bind(tenant, principalId, end),
    ])
    return { texts: texts?.meta.changes ?? 0, rows: rows?.meta.changes ?? 0, untilPlace: end }
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
        const [, feedback, audit, pushed] = await db.batch([
          db
            .prepare(
              `INSERT INTO erasures (
                tenant, principal_id, requested_ms, decided_until_place, erased, finished_ms
              ) VALUES (?1, ?2, ?3, -1, 0, NULL)
              ON CONFLICT (tenant, principal_id) DO UPDATE SET
                requested_ms = excluded.requested_ms, decided_until_place = -1, finished_ms = NULL`,
            )
            .bind(tenant, principalId, clock.nowMs()),
          db.prepare('DELETE FROM feedback WHERE tenant = ?1 AND principal_id = ?2').bind(tenant, principalId),
          db.prepare(`UPDATE audit_events SET by = '' WHERE tenant = ?1 AND by = ?2`).bind(tenant, principalId),
          db
            .prepare(`UPDATE pushed_policies SET created_by = '' WHERE tenant = ?1 AND created_by = ?2`)
            .bind(tenant, principalId),
        ])
        const { slices: _, ...erased } = await eraseSlices({ tenant, principalId, untilPlace: -1 }, maxSlices)
        return {
          ...erased,
          feedback: feedback?.meta.changes ?? 0,
          auditEvents: audit?.meta.changes ?? 0,
          pushedPolicies: pushed?.meta.changes ?? 0,
        }
      } catch (thrown) {
        return rethrowStoreFault(thrown)
      }
    },

    async carryOn(maxSlices = 10) {
      try {
        const { results } = await db
          .prepare(
            `SELECT tenant, principal_id AS principalId, decided_until_place AS untilPlace
            FROM erasures WHERE finished_ms IS NULL ORDER BY requested_ms`,
          )
          .all<Wish>()
        let unfinished = results.length
        let left = maxSlices
        for (const wish of results) {
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
