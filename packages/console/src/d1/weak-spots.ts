import type { D1Database } from '@cloudflare/workers-types'
import { and, asc, desc, eq, gte, lt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { documentWeeks, questionDays } from 'hono-rag-gate/d1/schema'
import type { Tenant } from 'hono-rag-gate/core/lib'
import { createD1Counting } from './counting.ts'
import { withTexts } from './question-texts.ts'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import { DAY_MS } from '../durations.ts'

export interface D1WeakSpotsOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
}

/** Filter and limit of weak spots. */
export interface WeakSpotsQuery {
  readonly tenant: Tenant
  /** Start of the period, Unix time in milliseconds; rounded down to the UTC day or week. */
  readonly fromMs: number
  /** End of the period, exclusive, Unix time in milliseconds. */
  readonly toMs: number
  /** @default every collection */
  readonly collection?: string
  /** Maximum number of rows. 1 and up. */
  readonly limit: number
}

/** A question that was refused, in one wording. */
export interface ContentGap {
  readonly questionHmac: string
  /** Id of the HMAC's key. */
  readonly hmacKeyId: string
  readonly collection: string
  readonly refused: number
  /** Answered with a caution, on days on which it was refused too. */
  readonly advised: number
  /** Unix time in milliseconds. */
  readonly lastMs: number
  readonly lastReason: string
  /** The question's text, if texts are stored. */
  readonly text: string | null
}

/** Confidence of the decisions with one document as best evidence, in one week. */
export interface DocumentWeek {
  /** Its Monday in UTC, Unix time in milliseconds. */
  readonly weekMs: number
  readonly decisions: number
  readonly meanConfidence: number
}

/** A document, and the confidence of questions for which it was the best evidence. */
export interface DocumentTrend {
  readonly documentId: string
  readonly collection: string
  readonly decisions: number
  readonly refused: number
  readonly advised: number
  /** 0..1 */
  readonly meanConfidence: number
  /** Weeks with decisions, earliest first. */
  readonly weeks: readonly DocumentWeek[]
  /** Mean of the last week minus that of the first; `null` for a single week. */
  readonly change: number | null
  /** Whether the mean was below `weakBelow` in every week, for at least two weeks and five decisions. */
  readonly consistentlyWeak: boolean
}

/** Filter and order of documents. */
export interface DocumentsQuery extends WeakSpotsQuery {
  /** Confidence below which a week is weak, 0..1. */
  readonly weakBelow: number
  /** Minimum number of decisions with the document as best evidence. 1 and up. */
  readonly minDecisions: number
  /** `confidence`: weakest first; `decisions`: most frequent first; `change`: largest decrease first. */
  readonly sort: DocumentSort
}

/** Sort orders of documents. */
export type DocumentSort = 'confidence' | 'decisions' | 'change'

/** Finds what the collections do not answer well. */
export interface WeakSpots {
  /**
   * The questions refused most often. Only the hundred most refused of each day are summed, so a question that is never
   * among them is not found, whatever its total.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  contentGaps(query: WeakSpotsQuery): Promise<readonly ContentGap[]>
  /**
   * Documents by the confidence of decisions with them as best evidence. The rows read grow with documents and weeks,
   * not with decisions.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  documents(query: DocumentsQuery): Promise<readonly DocumentTrend[]>
}

const WEEK_MS = 7 * DAY_MS
/** The first Monday of 1970. */
const FIRST_WEEK_MS = 4 * DAY_MS
const MOST_OF_A_DAY = 100
/** Minimum number of decisions for a trend. */
const MIN_FOR_A_TREND = 5
/** Maximum number of rows scanned per day to find these for one collection. */
const MOST_SCANNED_OF_A_DAY = 1_000

/** Weak spots from the counts in D1. Errors of D1 itself become `schema_outdated` or `store_unavailable`. */
export function createD1WeakSpots({ db }: D1WeakSpotsOptions): WeakSpots {
  const queries = drizzle(db)
  const counting = createD1Counting({ db })

  return {
    async contentGaps({ tenant, fromMs, toMs, collection, limit }) {
      await counting.count('weak_spots')
      const days = Array.from(
        { length: Math.ceil((toMs - Math.floor(fromMs / DAY_MS) * DAY_MS) / DAY_MS) },
        (_, at) => Math.floor(fromMs / DAY_MS + at) * DAY_MS,
      )
      const [first, ...others] = days.map((dayMs) => {
        const ofDay = and(eq(questionDays.tenant, tenant), eq(questionDays.dayMs, dayMs))
        const ofCollection = collection === undefined ? undefined : eq(questionDays.collection, collection)
        const often = queries
          .select()
          .from(questionDays)
          // The condition is that of the index.
          .where(and(ofDay, sql`${questionDays.refused} > 1`))
          .orderBy(desc(questionDays.refused))
          .limit(collection === undefined ? MOST_OF_A_DAY : MOST_SCANNED_OF_A_DAY)
          .as('often')
        // Enough of a day with fewer of these.
        const some = queries.select().from(questionDays).where(and(ofDay, ofCollection)).limit(MOST_OF_A_DAY).as('some')
        const found = queries
          .select()
          .from(often)
          .where(collection === undefined ? undefined : eq(often.collection, collection))
          .union(queries.select().from(some))
          .as('found')
        return queries.select().from(found).orderBy(desc(found.refused)).limit(MOST_OF_A_DAY)
      })
      if (first === undefined) return []
      const found = (await queries.batch([first, ...others]).catch(rethrowStoreFault)).flat()
      const gaps = await withTexts(db, tenant, addUp(found).slice(0, limit))
      return gaps.map(({ questionText: text, ...gap }) => ({ ...gap, text }))
    },

    async documents({ tenant, fromMs, toMs, collection, limit, weakBelow, minDecisions, sort }) {
      await counting.count('weak_spots')
      const rows = await queries
        .select()
        .from(documentWeeks)
        .where(
          and(
            eq(documentWeeks.tenant, tenant),
            gte(documentWeeks.weekMs, weekOf(fromMs)),
            lt(documentWeeks.weekMs, toMs),
            collection === undefined ? undefined : eq(documentWeeks.collection, collection),
          ),
        )
        .orderBy(asc(documentWeeks.weekMs))
        .catch(rethrowStoreFault)
      const byDocument = new Map<string, WeekRow[]>()
      for (const row of rows) {
        const key = JSON.stringify([row.collection, row.documentId])
        byDocument.set(key, [...(byDocument.get(key) ?? []), row])
      }
      return [...byDocument.values()]
        .map((weeks) => trendOf(weeks, weakBelow))
        .filter(({ decisions }) => decisions >= minDecisions)
        .sort(ORDERS[sort])
        .slice(0, limit)
    },
  }
}

type GapRow = typeof questionDays.$inferSelect
type WeekRow = typeof documentWeeks.$inferSelect

/** One gap per question and collection, most refused first. @param rows day by day */
function addUp(rows: readonly GapRow[]): Omit<ContentGap, 'text'>[] {
  const gaps = new Map<string, Omit<ContentGap, 'text'>>()
  for (const { questionHmac, hmacKeyId, collection, refused, advised, lastMs, lastReason } of rows) {
    const key = JSON.stringify([collection, questionHmac])
    const known = gaps.get(key)
    gaps.set(key, {
      questionHmac,
      hmacKeyId,
      collection,
      refused: refused + (known?.refused ?? 0),
      advised: advised + (known?.advised ?? 0),
      lastMs,
      lastReason,
    })
  }
  return [...gaps.values()].sort(
    (a, b) => b.refused - a.refused || b.lastMs - a.lastMs || (a.questionHmac < b.questionHmac ? -1 : 1),
  )
}

/** @param weeks of one document, earliest first, at least one */
function trendOf(weeks: readonly WeekRow[], weakBelow: number): DocumentTrend {
  const sum = (name: 'decisions' | 'refused' | 'advised' | 'confidenceSum'): number =>
    weeks.reduce((soFar, week) => soFar + week[name], 0)
  const { documentId, collection } = weeks[0]!
  const means = weeks.map(({ confidenceSum, decisions }) => confidenceSum / decisions)
  const [first = 0, last = 0] = [means[0], means.at(-1)]
  return {
    documentId,
    collection,
    decisions: sum('decisions'),
    refused: sum('refused'),
    advised: sum('advised'),
    meanConfidence: sum('confidenceSum') / sum('decisions'),
    weeks: weeks.map(({ weekMs, decisions }, at) => ({ weekMs, decisions, meanConfidence: means[at] ?? 0 })),
    change: weeks.length < 2 ? null : last - first,
    consistentlyWeak:
      weeks.length > 1 && sum('decisions') >= MIN_FOR_A_TREND && means.every((mean) => mean < weakBelow),
  }
}

const ORDERS: Readonly<Record<DocumentSort, (a: DocumentTrend, b: DocumentTrend) => number>> = {
  confidence: (a, b) => a.meanConfidence - b.meanConfidence || b.decisions - a.decisions,
  decisions: (a, b) => b.decisions - a.decisions || a.meanConfidence - b.meanConfidence,
  change: (a, b) => (a.change ?? 0) - (b.change ?? 0) || a.meanConfidence - b.meanConfidence,
}

function weekOf(ms: number): number {
  return ms - ((ms - FIRST_WEEK_MS) % WEEK_MS)
}
