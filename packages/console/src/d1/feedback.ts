import type { D1Database } from '@cloudflare/workers-types'
import { and, desc, eq, gte, isNull, lt, type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { decisions, feedback, questionTexts } from 'hono-rag-gate/d1/schema'
import { PLACES_OF_A_MS } from 'hono-rag-gate/d1/figures'
import type { Verdict } from 'hono-rag-gate/core/gates'
import { lengthPrefixed, type Tenant } from 'hono-rag-gate/core/lib'
import type { Clock } from 'hono-rag-gate/ports'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import { ofEvent, placesOf } from './of-event.ts'
import { FILL } from './raw/labels.ts'

export interface D1FeedbackOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
  readonly clock: Clock
}

/** A label of an answer or refusal. */
export interface Label {
  readonly tenant: Tenant
  readonly eventId: string
  /** The caller who got the answer, or an operator. Each has one label per event. */
  readonly source: 'user' | 'reviewer'
  readonly rating: 'right' | 'wrong'
  readonly comment?: string
  readonly principalId: string
}

/** A label as it is listed. */
export type GivenLabel = Pick<
  typeof feedback.$inferSelect,
  'eventId' | 'source' | 'rating' | 'comment' | 'atMs' | 'verdict' | 'policyId' | 'collection'
>

/** Number of labels on one policy's decisions of one verdict. */
export interface LabelCount {
  readonly policyId: string
  readonly verdict: Verdict
  readonly right: number
  readonly wrong: number
}

/** A question, and whether it is answerable according to its label. */
export interface LabelledQuestion {
  /** `null` if texts are not stored. */
  readonly question: string | null
  readonly answerable: boolean
  readonly collection: string
  readonly source: 'user' | 'reviewer'
}

/** Filter of the labels. */
export interface LabelsQuery {
  readonly tenant: Tenant
  readonly fromMs: number
  readonly toMs: number
  readonly collection?: string
  readonly policyId?: string
}

/** Stores and counts labels. */
export interface Feedback {
  /** Stores a label, replacing that of the same source. @throws `schema_outdated`, `store_unavailable` */
  label(label: Label): Promise<void>
  /**
   * Labels by policy and verdict: how often the verdict was right. If an event has both, the reviewer's label counts.
   * Labels whose decision has not arrived yet are left out.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  counts(query: LabelsQuery): Promise<readonly LabelCount[]>
  /**
   * Labelled questions, each once: the reviewer's label takes precedence, then the latest. A wrong refusal means that
   * the question is answerable, a wrong answer that it is not. At most 10,000.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  questions(query: LabelsQuery): Promise<readonly LabelledQuestion[]>
  /** Latest first. @throws `schema_outdated`, `store_unavailable` */
  latest(query: LabelsQuery, limit: number): Promise<readonly GivenLabel[]>
}

/** Whether the question is answerable. In mode `observe` the user rates an answer, also of a refused question. */
const ANSWERABLE = sql<number>`((${feedback.rating} = 'right') =
  (${feedback.verdict} <> 'refuse' OR (${feedback.source} = 'user' AND ${feedback.mode} IS 'observe')))`

const MOST_QUESTIONS = 10_000

/** Maximum number of labels to look up at once that arrived before their decision. */
const MOST_FILLED = 100

/** Labels in D1. Errors of D1 itself become `schema_outdated` or `store_unavailable`. */
export function createD1Feedback({ db, clock }: D1FeedbackOptions): Feedback {
  const queries = drizzle(db)

  async function fill({ tenant, fromMs, toMs }: LabelsQuery): Promise<void> {
    const early = await queries
      .selectDistinct({ eventId: feedback.eventId })
      .from(feedback)
      .where(and(labelsOf({ tenant, fromMs, toMs }), isNull(feedback.verdict)))
      // Latest first: the decisions of old labels may be lost, and must not block new ones.
      .orderBy(desc(feedback.atMs))
      .limit(MOST_FILLED)
      .catch(rethrowStoreFault)
    if (early.length === 0) return
    const labels = JSON.stringify(early.map(({ eventId: id }) => [id, ...placesOf(id)]))
    await db.prepare(FILL).bind(tenant, labels).run().catch(rethrowStoreFault)
  }

  return {
    async label({ tenant, eventId, source, rating, comment = null, principalId }) {
      const { verdict, mode, policyId, collection, atMs: decidedMs } = decisions
      const [decided] = await queries
        .select({ verdict, mode, policyId, collection, decidedMs })
        .from(decisions)
        .where(ofEvent(tenant, eventId))
        .limit(1)
        .catch(rethrowStoreFault)
      // If the decision was removed, its known fields are kept.
      const given = { atMs: clock.nowMs(), rating, comment, principalId, ...decided }
      await queries
        .insert(feedback)
        .values({ eventId, source, tenant, ...given })
        .onConflictDoUpdate({ target: [feedback.eventId, feedback.source], set: given })
        .catch(rethrowStoreFault)
    },

    async counts(query) {
      await fill(query)
      const f = feedback
      return queries
        .select({
          // Both are set together.
          policyId: sql<string>`${f.policyId}`,
          verdict: sql<Verdict>`${f.verdict}`,
          right: sql<number>`sum((${f.verdict} = 'refuse') <> ${ANSWERABLE})`,
          wrong: sql<number>`sum((${f.verdict} = 'refuse') = ${ANSWERABLE})`,
        })
        .from(f)
        .where(
          and(
            labelsOf(query),
            sql`${f.verdict} IS NOT NULL`,
            sql`(${f.source} = 'reviewer' OR NOT EXISTS (
              SELECT 1 FROM feedback AS reviewed
              WHERE reviewed.event_id = ${f.eventId} AND reviewed.source = 'reviewer'
            ))`,
          ),
        )
        .groupBy(f.policyId, f.verdict)
        .catch(rethrowStoreFault)
    },

    async questions(query) {
      await fill(query)
      const rows = await queries
        .select({
          question: questionTexts.text,
          hmac: decisions.questionHmac,
          collection: decisions.collection,
          answerable: ANSWERABLE,
          source: feedback.source,
        })
        .from(feedback)
        .innerJoin(
          decisions,
          and(
            eq(decisions.tenant, feedback.tenant),
            gte(decisions.place, sql`${feedback.decidedMs} * ${PLACES_OF_A_MS}`),
            lt(decisions.place, sql`(${feedback.decidedMs} + 1) * ${PLACES_OF_A_MS}`),
            eq(decisions.id, feedback.eventId),
          ),
        )
        .leftJoin(
          questionTexts,
          and(eq(questionTexts.tenant, decisions.tenant), eq(questionTexts.questionHmac, decisions.questionHmac)),
        )
        .where(labelsOf(query))
        .orderBy(sql`${feedback.source} = 'reviewer' DESC`, desc(feedback.atMs), desc(feedback.eventId))
        .limit(MOST_QUESTIONS)
        .catch(rethrowStoreFault)
      const first = new Map<string, LabelledQuestion>()
      for (const [at, { hmac, answerable, ...row }] of rows.entries()) {
        // Without an HMAC, each question counts as different.
        const key = lengthPrefixed([row.collection, hmac ?? `${at}`])
        if (!first.has(key)) first.set(key, { ...row, answerable: answerable === 1 })
      }
      return [...first.values()]
    },

    async latest(query, limit) {
      await fill(query)
      return queries
        .select({
          eventId: feedback.eventId,
          source: feedback.source,
          rating: feedback.rating,
          comment: feedback.comment,
          atMs: feedback.atMs,
          verdict: feedback.verdict,
          policyId: feedback.policyId,
          collection: feedback.collection,
        })
        .from(feedback)
        .where(labelsOf(query))
        .orderBy(desc(feedback.atMs), desc(feedback.eventId))
        .limit(limit)
        .catch(rethrowStoreFault)
    },
  }
}

function labelsOf({ tenant, fromMs, toMs, collection, policyId }: LabelsQuery): SQL | undefined {
  return and(
    eq(feedback.tenant, tenant),
    gte(feedback.atMs, fromMs),
    lt(feedback.atMs, toMs),
    collection === undefined ? undefined : eq(feedback.collection, collection),
    policyId === undefined ? undefined : eq(feedback.policyId, policyId),
  )
}
