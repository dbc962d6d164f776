import type { D1Database } from '@cloudflare/workers-types'
import { and, desc, eq, gte, lt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { decisions, feedback, questionTexts } from 'hono-rag-gate/d1/schema'
import type { Verdict } from 'hono-rag-gate/core/gates'
import { lengthPrefixed, type Tenant } from 'hono-rag-gate/core/lib'
import type { Clock } from 'hono-rag-gate/ports'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'

export interface D1FeedbackOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
  readonly clock: Clock
}

/** What a label says of an answer or a refusal. */
export interface Label {
  readonly tenant: Tenant
  readonly eventId: string
  /** The caller who was answered, or an operator. Each has one label for an event. */
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

/** Labels of one policy's decisions of one verdict. */
export interface LabelCount {
  readonly policyId: string
  readonly verdict: Verdict
  readonly right: number
  readonly wrong: number
}

/** A question, and whether it can be answered, by what people said of its answer or refusal. */
export interface LabelledQuestion {
  /** `null` where no text is kept. */
  readonly question: string | null
  readonly answerable: boolean
  readonly collection: string
  readonly source: 'user' | 'reviewer'
}

/** Which of them are read. */
export interface LabelledQuestionsQuery {
  readonly tenant: Tenant
  readonly fromMs: number
  readonly toMs: number
  readonly collection?: string
}

/** Labels, kept and counted. */
export interface Feedback {
  /** Keeps a label in place of what the same source said before. @throws `schema_outdated`, `store_unavailable` */
  label(label: Label): Promise<void>
  /**
   * Labels by policy and verdict. Where both said something of an event, the reviewer counts. Labels whose decision has
   * not arrived are left out.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  counts(tenant: Tenant, fromMs: number, toMs: number): Promise<readonly LabelCount[]>
  /**
   * Questions that were labelled, each once: by a reviewer before a user, and by the latest word. A wrong refusal was of
   * an answerable question, a wrong answer to one that should have been refused. At most 10,000.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  questions(query: LabelledQuestionsQuery): Promise<readonly LabelledQuestion[]>
  /** The latest first. @throws `schema_outdated`, `store_unavailable` */
  latest(tenant: Tenant, fromMs: number, toMs: number, limit: number): Promise<readonly GivenLabel[]>
}

const MOST_QUESTIONS = 10_000

/** Copies verdict, policy and collection to labels that came before their decision. */
const FILL = `UPDATE feedback SET verdict = decided.verdict, policy_id = decided.policy_id, collection = decided.collection
  FROM decisions AS decided
  WHERE decided.id = feedback.event_id AND +decided.tenant = feedback.tenant
    AND feedback.tenant = ?1 AND feedback.at_ms >= ?2 AND feedback.at_ms < ?3 AND feedback.verdict IS NULL`

/** Labels in D1. Errors of D1 itself become `schema_outdated` or `store_unavailable`. */
export function createD1Feedback({ db, clock }: D1FeedbackOptions): Feedback {
  const queries = drizzle(db)

  async function fill(tenant: Tenant, fromMs: number, toMs: number): Promise<void> {
    await db.prepare(FILL).bind(tenant, fromMs, toMs).run().catch(rethrowStoreFault)
  }

  return {
    async label({ tenant, eventId, source, rating, comment, principalId }) {
      await db
        .prepare(
          `INSERT INTO feedback (
            event_id, source, tenant, at_ms, rating, comment, principal_id, verdict, policy_id, collection
          )
          SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, decided.verdict, decided.policy_id, decided.collection
          FROM (SELECT 1) LEFT JOIN decisions AS decided ON decided.id = ?1 AND +decided.tenant = ?3
          WHERE true
          ON CONFLICT (event_id, source) DO UPDATE SET
            at_ms = excluded.at_ms, rating = excluded.rating, comment = excluded.comment,
            principal_id = excluded.principal_id, verdict = coalesce(excluded.verdict, verdict),
            policy_id = coalesce(excluded.policy_id, policy_id), collection = coalesce(excluded.collection, collection)`,
        )
        .bind(eventId, source, tenant, clock.nowMs(), rating, comment ?? null, principalId)
        .run()
        .catch(rethrowStoreFault)
    },

    async counts(tenant, fromMs, toMs) {
      await fill(tenant, fromMs, toMs)
      const f = feedback
      const rows = await queries
        .select({
          policyId: f.policyId,
          verdict: f.verdict,
          right: sql<number>`sum(${f.rating} = 'right')`,
          wrong: sql<number>`sum(${f.rating} = 'wrong')`,
        })
        .from(f)
        .where(
          and(
            eq(f.tenant, tenant),
            gte(f.atMs, fromMs),
            lt(f.atMs, toMs),
            sql`${f.verdict} IS NOT NULL`,
            sql`(${f.source} = 'reviewer' OR NOT EXISTS (
              SELECT 1 FROM feedback AS reviewed
              WHERE reviewed.event_id = ${f.eventId} AND reviewed.source = 'reviewer'
            ))`,
          ),
        )
        .groupBy(f.policyId, f.verdict)
        .catch(rethrowStoreFault)
      return rows.flatMap(({ policyId, verdict, right, wrong }) =>
        policyId === null || verdict === null ? [] : [{ policyId, verdict, right, wrong }],
      )
    },

    async questions({ tenant, fromMs, toMs, collection }) {
      const rows = await queries
        .select({
          question: questionTexts.text,
          hmac: decisions.questionHmac,
          collection: decisions.collection,
          verdict: decisions.verdict,
          rating: feedback.rating,
          source: feedback.source,
        })
        .from(feedback)
        .innerJoin(decisions, and(eq(decisions.id, feedback.eventId), sql`+${decisions.tenant} = ${feedback.tenant}`))
        .leftJoin(
          questionTexts,
          and(eq(questionTexts.tenant, decisions.tenant), eq(questionTexts.questionHmac, decisions.questionHmac)),
        )
        .where(
          and(
            eq(feedback.tenant, tenant),
            gte(feedback.atMs, fromMs),
            lt(feedback.atMs, toMs),
            collection === undefined ? undefined : eq(decisions.collection, collection),
          ),
        )
        .orderBy(sql`${feedback.source} = 'reviewer' DESC`, desc(feedback.atMs), desc(feedback.eventId))
        .limit(MOST_QUESTIONS)
        .catch(rethrowStoreFault)
      const first = new Map<string, LabelledQuestion>()
      for (const [at, { hmac, verdict, rating, ...row }] of rows.entries()) {
        // Without an HMAC it is unknown whether it is another question.
        const key = lengthPrefixed([row.collection, hmac ?? `${at}`])
        if (!first.has(key)) first.set(key, { ...row, answerable: (verdict === 'refuse') === (rating === 'wrong') })
      }
      return [...first.values()]
    },

    async latest(tenant, fromMs, toMs, limit) {
      await fill(tenant, fromMs, toMs)
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
        .where(and(eq(feedback.tenant, tenant), gte(feedback.atMs, fromMs), lt(feedback.atMs, toMs)))
        .orderBy(desc(feedback.atMs), desc(feedback.eventId))
        .limit(limit)
        .catch(rethrowStoreFault)
    },
  }
}
