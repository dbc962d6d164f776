import type { D1Database } from '@cloudflare/workers-types'
import { and, asc, desc, eq, getTableColumns, gt, gte, lt, notInArray, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import {
  auditEvents,
  decisions,
  feedback,
  policies,
  pushedPolicies,
  questionTexts,
  signalShapes,
} from 'hono-rag-gate/d1/schema'
import { lostOfRecord, type RecordedDecision as ReplayableDecision } from '@hono-rag-gate/calibration'
import type { PolicyPin } from 'hono-rag-gate/core/policy'
import type { Tenant } from 'hono-rag-gate/core/lib'
import type { Saving } from 'hono-rag-gate/core/reports'
import type { Signals } from 'hono-rag-gate/core/signals'
import { putTogether, rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import { bodyOf } from './policies.ts'
import { between, ofEvent, ofTenant, placeOf } from './of-event.ts'
import { withTexts } from './question-texts.ts'
import { matches } from './statistics/filter.ts'
import { CACHED, type DecisionFilter } from './statistics/wanted.ts'

export interface D1RecordedDecisionsOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
}

/** A decision as shown in lists. */
export type ListedDecision = Pick<
  DecisionRow,
  | 'id'
  | 'decisionId'
  | 'atMs'
  | 'collection'
  | 'policyId'
  | 'mode'
  | 'verdict'
  | 'band'
  | 'confidence'
  | 'reason'
  | 'cache'
  | 'status'
  | 'totalMs'
  | 'model'
  | 'saved'
  | 'escalate'
  | 'documentIds'
  | 'questionHmac'
  | 'principalId'
> & {
  /** The question's text, if texts are stored. */
  readonly questionText: string | null
}

/** A recorded decision. */
export type DecisionRow = Omit<typeof decisions.$inferSelect, 'place' | 'signals' | 'signalShape'> & {
  readonly signals: Signals
}

/** A decision with its place. */
export type PlacedDecision = DecisionRow & { readonly place: Position }

/** End of a page: the place of its last decision. */
export type Position = number

/** Filter and page of a list. */
export interface DecisionsPage {
  readonly tenant: Tenant
  /** Start of the period, Unix time in milliseconds. */
  readonly fromMs: number
  /** End of the period, exclusive, Unix time in milliseconds. */
  readonly toMs: number
  readonly filter?: DecisionFilter
  /** Only those of one principal. */
  readonly principalId?: string
  /** Only those of one question, by its HMAC. */
  readonly questionHmac?: string
  /** Only those with this document in their evidence. */
  readonly documentId?: string
  /** Only those with this document as best evidence, without answers from the cache. */
  readonly ledBy?: string
  /** Only those that saved a model call, by refusal or by the cache. */
  readonly saved?: Saving['by']
  /** Minimum confidence, 0..1. */
  readonly minConfidence?: number
  /** Maximum confidence, exclusive, 0..1; 1 means no bound. */
  readonly maxConfidence?: number
  /** Maximum length of the page. 1..1000. */
  readonly limit: number
  /** End of the previous page. */
  readonly after?: Position | undefined
}

/** Selects consecutive decisions. */
export type DecisionsStretch = Pick<DecisionsPage, 'tenant' | 'fromMs' | 'toMs' | 'limit' | 'after'>

/** A page of decisions, latest first. */
export interface ListedDecisions {
  readonly decisions: readonly ListedDecision[]
  /** Where the next page starts; absent on the last. Any page may be short or empty without being the last. */
  readonly next?: Position
}

/** All data about one decision. */
export interface RecordedDecision extends DecisionRow {
  /** The question's text, if texts are stored. */
  readonly questionText: string | null
  /** The policy that decided, if it was stored. */
  readonly policy: (typeof policies.$inferSelect)['body'] | null
  /** State of the collection when the policy was calibrated; `null` for an uncalibrated policy. */
  readonly pin: PolicyPin | null
  readonly labels: readonly Pick<typeof feedback.$inferSelect, 'source' | 'rating' | 'comment' | 'atMs'>[]
  readonly auditEvents: readonly Pick<typeof auditEvents.$inferSelect, 'type' | 'payload' | 'atMs'>[]
}

/** Reads single decisions. */
export interface RecordedDecisions {
  /**
   * A page of a tenant's decisions. It scans at most 2,000 of the tenant's decisions (for the tenant `default`, of all
   * tenants), so that a rare filter costs no more than a common one.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  list(page: DecisionsPage): Promise<ListedDecisions>
  /**
   * The latest decisions for a replay, without answers from the cache.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  sample(page: DecisionsPage): Promise<readonly ReplayableDecision[]>
  /**
   * Complete decisions of a tenant from a position on, earliest first.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  stretch(stretch: DecisionsStretch): Promise<readonly PlacedDecision[]>
  /**
   * One decision of a tenant, by the id of its event.
   *
   * @returns `undefined` if the tenant has none with that id
   * @throws `schema_outdated`, `store_unavailable`
   */
  one(tenant: Tenant, id: string): Promise<RecordedDecision | undefined>
}

const MOST_SCANNED = 2_000

const {
  place: _place,
  signalShape: _shape,
  decisionId: _id,
  signals: _signals,
  ...COLUMNS
} = getTableColumns(decisions)
const DECISION_ID = sql<string>`iif(${decisions.decisionId} = '', ${decisions.id}, ${decisions.decisionId})`.as(
  'own_id',
)
const STORED = { ...COLUMNS, decisionId: DECISION_ID }
const SIGNALS = { signals: decisions.signals, shape: signalShapes.shape }

/** Columns of a `ListedDecision`. @internal */
export const LISTED = {
  id: decisions.id,
  decisionId: DECISION_ID,
  atMs: decisions.atMs,
  collection: decisions.collection,
  policyId: decisions.policyId,
  mode: decisions.mode,
  verdict: decisions.verdict,
  band: decisions.band,
  confidence: decisions.confidence,
  reason: decisions.reason,
  cache: decisions.cache,
  status: decisions.status,
  totalMs: decisions.totalMs,
  model: decisions.model,
  saved: decisions.saved,
  escalate: decisions.escalate,
  documentIds: decisions.documentIds,
  questionHmac: decisions.questionHmac,
  principalId: decisions.principalId,
}

/** Reads single decisions from D1. Errors of D1 itself become `schema_outdated` or `store_unavailable`. */
export function createD1RecordedDecisions({ db }: D1RecordedDecisionsOptions): RecordedDecisions {
  const queries = drizzle(db)

  async function find(tenant: Tenant, id: string) {
    const [row] = await queries
      .select({
        decision: STORED,
        ...SIGNALS,
        questionText: questionTexts.text,
        policy: policies.body,
        pushed: pushedPolicies.settings,
        pin: pushedPolicies.pin,
      })
      .from(decisions)
      .leftJoin(signalShapes, eq(signalShapes.id, decisions.signalShape))
      .leftJoin(
        questionTexts,
        and(eq(questionTexts.tenant, decisions.tenant), eq(questionTexts.questionHmac, decisions.questionHmac)),
      )
      .leftJoin(policies, eq(policies.id, decisions.policyId))
      .leftJoin(
        pushedPolicies,
        and(eq(pushedPolicies.tenant, decisions.tenant), eq(pushedPolicies.id, decisions.policyId)),
      )
      .where(ofEvent(tenant, id))
      .limit(1)
      .catch(rethrowStoreFault)
    return row
  }

  return {
    async list({ tenant, fromMs, toMs, filter = {}, limit, after, ...only }) {
      // So that the limit applies to the scanned rows.
      const own = tenant === 'default' ? undefined : ofTenant(tenant)
      const wanted = and(own, between(placeOf(fromMs), Math.min(placeOf(toMs), after ?? Infinity)))
      // Without its own order, the outer query keeps the inner one's, and stops early when it has enough rows.
      const scanned = queries
        .select({ ...LISTED, tenant: decisions.tenant, place: decisions.place })
        .from(decisions)
        .where(wanted)
        .orderBy(desc(decisions.place))
        .limit(MOST_SCANNED)
        .as('scanned')
      const found = await queries
        .select()
        .from(scanned)
        .where(
          and(
            eq(scanned.tenant, tenant),
            matches(scanned, filter),
            only.principalId === undefined ? undefined : eq(scanned.principalId, only.principalId),
            only.questionHmac === undefined ? undefined : eq(scanned.questionHmac, only.questionHmac),
            only.documentId === undefined
              ? undefined
              : sql`EXISTS (SELECT 1 FROM json_each(${scanned.documentIds}) WHERE value = ${only.documentId})`,
            only.ledBy === undefined
              ? undefined
              : sql`${scanned.documentIds} ->> 0 = ${only.ledBy} AND ${scanned.confidence} IS NOT NULL AND ${notInArray(scanned.cache, [...CACHED])}`,
            only.saved === undefined ? undefined : sql`${scanned.saved} ->> 'by' = ${only.saved}`,
            only.minConfidence === undefined ? undefined : gte(scanned.confidence, only.minConfidence),
            (only.maxConfidence ?? 1) === 1 ? undefined : lt(scanned.confidence, only.maxConfidence ?? 1),
          ),
        )
        .limit(limit + 1)
        .catch(rethrowStoreFault)
      const rows = found.slice(0, limit)
      const listed = rows.map(({ tenant: _tenant, place: _place, ...decision }) => decision)
      const page = await withTexts(db, tenant, listed)
      if (found.length > limit) return { decisions: page, next: rows.at(-1)!.place }
      const [end] = await queries
        .select({ next: decisions.place })
        .from(decisions)
        .where(wanted)
        .orderBy(desc(decisions.place))
        .limit(1)
        .offset(MOST_SCANNED - 1)
        .catch(rethrowStoreFault)
      return { decisions: page, ...end }
    },

    async sample({ tenant, fromMs, toMs, filter = {}, limit }) {
      const scanned = queries
        .select({
          ...LISTED,
          ...SIGNALS,
          findings: decisions.findings,
          cut: decisions.cut,
          reranker: decisions.reranker,
        })
        .from(decisions)
        .leftJoin(signalShapes, eq(signalShapes.id, decisions.signalShape))
        .where(and(ofTenant(tenant), between(placeOf(fromMs), placeOf(toMs))))
        .orderBy(desc(decisions.place))
        .limit(MOST_SCANNED)
        .as('scanned')
      const rows = await queries
        .select({
          id: scanned.id,
          verdict: scanned.verdict,
          signals: scanned.signals,
          shape: scanned.shape,
          findings: scanned.findings,
          policyId: scanned.policyId,
          reranker: scanned.reranker,
          cut: scanned.cut,
          principalId: scanned.principalId,
        })
        .from(scanned)
        .where(and(matches(scanned, filter), notInArray(scanned.cache, [...CACHED])))
        .limit(limit)
        .catch(rethrowStoreFault)
      return rows.map(({ cut, principalId, reranker, signals, shape, ...decision }) => {
        const lost = lostOfRecord({ cut, principalId })
        return {
          ...decision,
          signals: signalsOf(signals, shape),
          ...(reranker === null ? {} : { reader: reranker }),
          ...(lost === undefined ? {} : { lost }),
        }
      })
    },

    async stretch({ tenant, fromMs, toMs, limit, after }) {
      const rows = await queries
        .select({ decision: { ...STORED, place: decisions.place }, ...SIGNALS })
        .from(decisions)
        .leftJoin(signalShapes, eq(signalShapes.id, decisions.signalShape))
        .where(and(ofTenant(tenant), between(placeOf(fromMs), placeOf(toMs)), gt(decisions.place, after ?? -1)))
        .orderBy(asc(decisions.place))
        .limit(limit)
        .catch(rethrowStoreFault)
      return rows.map(({ decision, signals, shape }) => ({ ...decision, signals: signalsOf(signals, shape) }))
    },

    async one(tenant, id) {
      const row = await find(tenant, id)
      if (row === undefined) return undefined
      const { decision } = row
      const [labels, events] = await queries
        .batch([
          queries
            .select({
              source: feedback.source,
              rating: feedback.rating,
              comment: feedback.comment,
              atMs: feedback.atMs,
            })
            .from(feedback)
            .where(and(eq(feedback.eventId, decision.id), eq(feedback.tenant, tenant))),
          queries
            .select({ type: auditEvents.type, payload: auditEvents.payload, atMs: auditEvents.atMs })
            .from(auditEvents)
            .where(
              and(
                eq(auditEvents.tenant, tenant),
                eq(auditEvents.atMs, decision.atMs),
                eq(auditEvents.decisionId, decision.id),
              ),
            ),
        ])
        .catch(rethrowStoreFault)
      const policy = row.policy ?? (row.pushed === null ? null : bodyOf(decision.policyId, row.pushed))
      const signals = signalsOf(row.signals, row.shape)
      return { ...decision, signals, questionText: row.questionText, policy, pin: row.pin, labels, auditEvents: events }
    },
  }
}

/** The recorded signals; old rows have them whole instead of by shape. */
function signalsOf(stored: (typeof decisions.$inferSelect)['signals'], shape: string | null): Signals {
  // The store writes both from signals.
  return (Array.isArray(stored) && shape !== null ? putTogether(shape, stored) : stored) as Signals
}
