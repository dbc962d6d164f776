import { methods, required, requireOptions, type Tenant } from 'hono-rag-gate/core/lib'
import type { D1Database } from '@cloudflare/workers-types'
import { and, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { decisionRollups, isolates } from 'hono-rag-gate/d1/schema'
import type { Band } from 'hono-rag-gate/core/policy'
import { ConsoleError } from '../errors.ts'
import type { Mode } from 'hono-rag-gate/ports'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import { ofRows, ofTenants } from './statistics/filter.ts'
import { createD1Counting } from './counting.ts'
import { ACTIVE_TENANTS } from './raw/tenants.ts'
import { type CountedGroup, groupsOf, isWanted, overTime } from './statistics/groups.ts'
import { type Latency, latencyOf } from './statistics/latency.ts'
import { requireSchema } from './statistics/present-schema.ts'
import { countBy, grouped, inBins, namesIn } from './statistics/sums.ts'
import {
  type ByVerdict,
  NO_VERDICTS,
  type Totals,
  totalsBy,
  type TotalsAt,
  type TotalsOf,
  totalsOf,
} from './statistics/totals.ts'
import { CACHED, type DecisionFilter, type EVERY_TENANT } from './statistics/wanted.ts'
import { DAY_MS, HOUR_MS } from '../durations.ts'

export interface D1StatisticsOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
}

/** Interval of the time series. */
export type Interval = 'hour' | 'day'

/** Period and filter of the statistics. */
export interface StatisticsPeriod {
  readonly tenant: Tenant | typeof EVERY_TENANT
  /** Start of the period, Unix time in milliseconds; rounded down to the UTC hour or day. */
  readonly fromMs: number
  /** End of the period, exclusive, Unix time in milliseconds; rounded up to the UTC hour or day. */
  readonly toMs: number
  /** @default 'hour' */
  readonly interval?: Interval
  /** @default every decision */
  readonly filter?: DecisionFilter
  /** Whether stored but uncounted decisions are counted first. @default 'count' */
  readonly uncounted?: 'count' | 'leave'
}

type SummedPeriod = Omit<StatisticsPeriod, 'tenant'>

/** Statistics of the questions in a period. */
export interface StatisticsSummary extends Totals {
  /** Start of the first hour or day, Unix time in milliseconds. */
  readonly fromMs: number
  /** End of the last hour or day, Unix time in milliseconds. */
  readonly toMs: number
  readonly interval: Interval
  /** Whether all stored decisions are included. A long backlog is counted in parts; with `leave` it is unknown. */
  readonly complete: boolean
  readonly byBand: Readonly<Record<Band, number>>
  /** Reason codes that occurred. */
  readonly byReason: Readonly<Record<string, number>>
  /** In mode `observe`, refusals are counted but not enforced. */
  readonly byMode: Readonly<Record<Mode, number>>
  /** Most frequent first. */
  readonly byPolicy: readonly TotalsOf[]
  readonly byCollection: readonly TotalsOf[]
  readonly byTenant: readonly TotalsOf[]
  /** Decisions by twentieths of confidence, ascending; the last includes 1. */
  readonly confidenceHistogram: readonly ByVerdict[]
  readonly latency: { readonly all: Latency; readonly cached: Latency; readonly uncached: Latency }
  /** Hours or days with decisions, earliest first. */
  readonly series: readonly TotalsAt[]
}

/**
 * Recorded and lost decisions of all tenants. Gaps in an isolate's numbers are losses; those at its end are not seen.
 */
export interface Recording {
  readonly isolates: number
  readonly recorded: number
  /** Dropped because the database did not answer. */
  readonly dropped: number
  /** Dropped because no table accepts them. */
  readonly rejected: number
  /** Neither recorded nor counted as dropped: lost with their isolate, or still on their way. */
  readonly missing: number
}

/** Reads the statistics. */
export interface Statistics {
  /**
   * Statistics of a period from the rollups, after counting what was stored since the last time. Apart from that, the
   * rows read grow with the hours or days, not with the decisions.
   *
   * @returns zeros and an empty series for a period without decisions
   * @throws `range` if the period is empty or not a number
   * @throws `schema_outdated` if a table is missing, `store_unavailable` if D1 does not answer
   */
  summary(period: StatisticsPeriod): Promise<StatisticsSummary>
  /**
   * The same for at most 90 tenants in one statement, without counting first.
   *
   * @throws as `summary`
   */
  summaries(tenants: readonly Tenant[], period: SummedPeriod): Promise<ReadonlyMap<Tenant, StatisticsSummary>>
  /**
   * What the isolates active in a period recorded and lost.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  recording(fromMs: number, toMs: number): Promise<Recording>
  /**
   * Tenants after a given one, in order, with decisions in a period of whole days, or an open alert. Reads up to four
   * rows per tenant, including those not returned.
   *
   * @param after '' for the first
   * @param limit -1 for all
   * @throws `schema_outdated`, `store_unavailable`
   */
  tenantsAfter(after: string, limit: number, fromMs: number, toMs: number): Promise<readonly Tenant[]>
  /** @throws `schema_outdated` if a table, column or trigger of the migrations in `d1/` is missing */
  check(): Promise<void>
}

const SPAN_MS: Readonly<Record<Interval, number>> = { hour: HOUR_MS, day: DAY_MS }
const BINS = 20
const NO_BANDS = { high: 0, medium: 0, low: 0, 'very-low': 0 }

/** Statistics of the decisions in D1. Errors of D1 itself become `schema_outdated` or `store_unavailable`. */
export function createD1Statistics(options: D1StatisticsOptions): Statistics {
  requireOptions(options, { db: required(methods('prepare')) })
  const { db } = options
  const queries = drizzle(db)
  const counting = createD1Counting({ db })

  const rowsOf = (whose: SQL, { fromMs, toMs, interval }: WholeHours, filter: DecisionFilter = {}) =>
    queries
      .select()
      .from(decisionRollups)
      .where(and(whose, inPeriod(SPAN_MS[interval], fromMs, toMs), ofRows(filter)))
      .orderBy(decisionRollups.startMs)
      .catch(rethrowStoreFault)

  return {
    async summary({ tenant, ...period }) {
      const hours = wholeHours(period)
      const complete = period.uncounted !== 'leave' && (await counting.count('sums'))
      return sumUp(await rowsOf(ofTenants(tenant), hours, period.filter), hours, complete, period.filter)
    },

    async summaries(tenants, period) {
      const hours = wholeHours(period)
      const rows = await rowsOf(inArray(decisionRollups.tenant, [...tenants]), hours, period.filter)
      const byTenant = grouped(rows, ({ tenant }) => tenant)
      return new Map(
        tenants.map((tenant) => [tenant, sumUp(byTenant.get(tenant) ?? [], hours, false, period.filter)] as const),
      )
    },

    async recording(fromMs, toMs) {
      await counting.count('sums')
      const i = isolates
      const gone = sql<number>`${i.highestSequence} - ${i.recorded} - ${i.dropped} - ${i.rejected}`
      const [row] = await queries
        .select({
          isolates: sql<number>`count(*)`,
          recorded: sumOf(i.recorded),
          dropped: sumOf(i.dropped),
          rejected: sumOf(i.rejected),
          // Events dropped before anything was recorded have no number yet.
          missing: sql<number>`coalesce(sum(max(0, ${gone})), 0)`,
        })
        .from(i)
        .where(and(gte(i.lastMs, fromMs), lt(i.firstMs, toMs)))
        .catch(rethrowStoreFault)
      // An aggregate query returns one row.
      return row!
    },

    async tenantsAfter(after, limit, fromMs, toMs) {
      const dayMs = SPAN_MS.day
      const { results } = await db
        .prepare(ACTIVE_TENANTS)
        .bind(after, limit, Math.floor(fromMs / dayMs) * dayMs, toMs)
        .all<{ tenant: string }>()
        .catch(rethrowStoreFault)
      return results.map(({ tenant }) => tenant)
    },

    check: () => requireSchema(db),
  }
}

/** The whole hours or days of a period. */
interface WholeHours {
  readonly fromMs: number
  readonly toMs: number
  readonly interval: Interval
}

function wholeHours({ fromMs, toMs, interval = 'hour' }: SummedPeriod): WholeHours {
  if (!(fromMs < toMs) || !Number.isFinite(toMs - fromMs)) {
    throw new ConsoleError('range', 'The period must end after it begins')
  }
  const spanMs = SPAN_MS[interval]
  return { fromMs: Math.floor(fromMs / spanMs) * spanMs, toMs: Math.ceil(toMs / spanMs) * spanMs, interval }
}

function sumUp(
  rows: Parameters<typeof groupsOf>[0],
  hours: WholeHours,
  complete: boolean,
  filter: DecisionFilter = {},
): StatisticsSummary {
  const points = groupsOf(rows).filter((group) => isWanted(group, filter))
  const groups = overTime(points)
  const names = namesIn(groups)
  const isCached = ({ cache }: CountedGroup): boolean => CACHED.includes(cache)
  return {
    ...hours,
    complete,
    ...totalsOf(groups),
    byBand: countBy(groups, ({ band }) => band, NO_BANDS),
    byReason: countBy<CountedGroup, string>(groups, ({ reason }) => reason, {}),
    byMode: countBy(groups, ({ mode }) => mode, { enforce: 0, observe: 0 }),
    byPolicy: totalsBy(groups, ({ policyId }) => policyId),
    byCollection: totalsBy(groups, ({ collection }) => collection),
    byTenant: totalsBy(groups, (group) => group.tenant),
    confidenceHistogram: histogram(groups),
    latency: {
      all: latencyOf(groups),
      cached: latencyOf(groups.filter(isCached)),
      uncached: latencyOf(groups.filter((group) => !isCached(group))),
    },
    series: [...grouped(points, ({ startMs }) => startMs)].map(([startMs, ofPoint]) => ({
      startMs,
      ...totalsOf(ofPoint, names),
    })),
  }
}

/** Sum of a column; 0 over no rows. */
function sumOf(column: SQLiteColumn): SQL<number> {
  return sql<number>`coalesce(sum(${column}), 0)`.mapWith(Number)
}

function inPeriod(spanMs: number, from: number, to: number): SQL | undefined {
  const r = decisionRollups
  return and(eq(r.spanMs, spanMs), gte(r.startMs, from), lt(r.startMs, to))
}

function histogram(groups: readonly CountedGroup[]): ByVerdict[] {
  const byVerdict = [...grouped(groups, ({ verdict }) => verdict)].map(
    ([verdict, ofVerdict]) => [verdict, inBins(ofVerdict, 'confidenceBins')] as const,
  )
  return Array.from({ length: BINS }, (_, at) => ({
    ...NO_VERDICTS,
    ...Object.fromEntries(byVerdict.map(([verdict, bins]) => [verdict, bins.get(at) ?? 0])),
  }))
}
