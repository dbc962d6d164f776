import { requireOptions } from '../../core/lib/options.ts'
import type { D1Database } from '@cloudflare/workers-types'
import { and, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from '../../../d1/schema.ts'
import type { Band, CacheState } from '../../core/policy/decision.ts'
import type { Verdict } from '../../core/gates/finding.ts'
import type { Tenant } from '../../core/lib/ids.ts'
import { RagGateError } from '../../errors.ts'
import type { Mode } from '../../ports/decision-log.ts'
import { rethrowStoreFault, schemaOutdated } from './faults.ts'
import { matches, ofTenants } from './statistics/filter.ts'
import type { DecisionFilter, EVERY_TENANT } from './statistics/wanted.ts'
import { type Bins, percentileMs } from './statistics/latency-bins.ts'

export interface D1StatisticsOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
}

/** Length of a point of the time series. */
export type Interval = 'hour' | 'day'

/** Which decisions are summed up. */
export interface StatisticsPeriod {
  readonly tenant: Tenant | typeof EVERY_TENANT
  /** First moment of the period, milliseconds since 1970; the whole UTC hour, or day, around it counts. */
  readonly fromMs: number
  /** First moment after the period, milliseconds since 1970; the whole UTC hour, or day, that it cuts counts. */
  readonly toMs: number
  /** @default 'hour' */
  readonly interval?: Interval
  /** @default every decision */
  readonly filter?: DecisionFilter
}

/** Decisions by verdict. */
export type ByVerdict = Readonly<Record<Verdict, number>>

/** What is summed up of decisions that have something in common. */
export interface Totals {
  readonly decisions: number
  readonly byVerdict: ByVerdict
  readonly byCache: Readonly<Record<CacheState, number>>
  /** Mean confidence, 0..1; `null` when no decision has one. */
  readonly meanConfidence: number | null
  /** Mean time of a response, milliseconds; `null` when none is known. */
  readonly meanTotalMs: number | null
  /**
   * Mean of the largest share of an answer's support that one passage has, 0..1, refusals included; `null` when no answer
   * was judged by it.
   */
  readonly meanEvidenceShare: number | null
  /** Decisions that name a model. */
  readonly modelCalls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly savings: Savings
}

/** Totals of one hour or day. */
export interface TotalsAt extends Totals {
  /** Its beginning in UTC, milliseconds since 1970. */
  readonly startMs: number
}

/** Totals of one policy, collection or tenant. */
export interface TotalsOf extends Totals {
  readonly name: string
}

/** Time of responses, milliseconds; percentiles are within 5 % of the exact ones. */
export interface Latency {
  readonly counted: number
  readonly p50: number | null
  readonly p90: number | null
  readonly p95: number | null
  readonly p99: number | null
}

/** Tokens of model calls that were not made. */
export interface SavedTokens {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
}

/** What was not spent, because no model was asked. */
export interface Savings {
  /** Questions refused before the model was called. */
  readonly callsAvoidedByRefusal: number
  /** Questions answered from the cache. */
  readonly callsAvoidedByCache: number
  /** Of all decisions; `null` without any. */
  readonly shareAvoided: number | null
  /** As the model counted them when it made the answers that were sent again. */
  readonly measured: SavedTokens
  /** By the average call that the deployment set. */
  readonly estimated: SavedTokens
  /** Calls whose tokens nobody knows. */
  readonly unknownCalls: number
  /** In the currency of the prices at that time; `null` when no call has a price. */
  readonly money: SavedMoney | null
  /** The mean time of a generation, for each that was not needed, milliseconds; `null` when none is known. */
  readonly generationMsSaved: number | null
}

/** What model calls would have cost that were not made. */
export interface SavedMoney {
  /** Calls that have a price: the amounts are theirs alone. */
  readonly calls: number
  readonly modelCost: number
  /** Spent on the retrievals that found out that they were not needed. */
  readonly retrievalCost: number
  /** The one less the other: below 0 where retrieval cost more than it saved. */
  readonly net: number
}

/** What became of the questions in a period. */
export interface StatisticsSummary extends Totals {
  /** Beginning of the first hour or day counted, milliseconds since 1970. */
  readonly fromMs: number
  /** End of the last hour or day counted, milliseconds since 1970. */
  readonly toMs: number
  readonly interval: Interval
  readonly byBand: Readonly<Record<Band, number>>
  /** Reason codes that occurred. */
  readonly byReason: Readonly<Record<string, number>>
  /** Refusals of mode `observe` were counted but not enforced. */
  readonly byMode: Readonly<Record<Mode, number>>
  /** The most frequent first. */
  readonly byPolicy: readonly TotalsOf[]
  readonly byCollection: readonly TotalsOf[]
  readonly byTenant: readonly TotalsOf[]
  /** Decisions by twentieth of confidence, the lowest first; the last holds 1 as well. */
  readonly confidenceHistogram: readonly ByVerdict[]
  readonly latency: { readonly all: Latency; readonly cached: Latency; readonly uncached: Latency }
  readonly meanRetrievalMs: number | null
  readonly meanGenerationMs: number | null
  /** Refusals that ask for a person. */
  readonly escalated: number
  /** Decisions for which a further round of retrieval was tried. */
  readonly expanded: number
  /** Hours, or days, with decisions, earliest first. */
  readonly series: readonly TotalsAt[]
}

/** What was recorded and what was lost, over all tenants: the numbers of an isolate have no gaps unless events are gone. */
export interface Recording {
  readonly isolates: number
  readonly recorded: number
  /** Given up because the database did not answer. */
  readonly dropped: number
  /** Given up because no table takes them. */
  readonly rejected: number
  /** Neither recorded nor counted as given up: lost with their isolate, or on their way. */
  readonly missing: number
}

/** Reads the statistics. */
export interface Statistics {
  /**
   * Sums up a period from the rollups: what it reads grows with the hours, or days, never with the decisions.
   *
   * @returns zeros and an empty series for a period without decisions
   * @throws `range` when the period is empty or no number
   * @throws `schema_outdated` when the table is missing, `store_unavailable` when D1 does not answer
   */
  summary(period: StatisticsPeriod): Promise<StatisticsSummary>
  /**
   * What the isolates active in a period recorded and lost.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  recording(fromMs: number, toMs: number): Promise<Recording>
  /** @throws `schema_outdated` when a table, column or trigger is missing: the migrations of `d1/` were not applied */
  check(): Promise<void>
}

const SPAN_MS: Readonly<Record<Interval, number>> = { hour: 3_600_000, day: 86_400_000 }
const TABLES = Object.values(schema)
const TRIGGERS = [
  'decisions_are_counted',
  'weak_questions_are_counted',
  'leading_documents_are_counted',
  'isolates_are_counted',
  'rejected_events_are_counted',
  'removed_decisions_are_noted',
  'audit_events_are_kept',
  'erased_principals_stay_erased',
]
const BINS = 20
/** Number of a bin, and how many events it has, where `json_each` gives bins as `bins`. */
const BIN = sql<number>`CAST(bins.key AS INTEGER)`
const IN_BIN = sql<number>`sum(bins.value)`
const NO_VERDICTS = { pass: 0, advise: 0, refuse: 0 }
const NO_CACHE_STATES = { hit: 0, 'evidence-hit': 0, miss: 0, bypass: 0, stale: 0 }
const NO_BANDS = { high: 0, medium: 0, low: 0, 'very-low': 0 }

/** Statistics over the decisions in D1. Errors of D1 itself become `schema_outdated` or `store_unavailable`. */
export function createD1Statistics(options: D1StatisticsOptions): Statistics {
  requireOptions(options, { db: 'an object' }, {})
  const { db } = options
  const queries = drizzle(db)

  return {
    async summary({ tenant, fromMs, toMs, interval = 'hour', filter = {} }) {
      if (!(fromMs < toMs) || !Number.isFinite(toMs - fromMs)) {
        throw new RagGateError('range', 'The period must end after it begins')
      }
      const spanMs = SPAN_MS[interval]
      const from = Math.floor(fromMs / spanMs) * spanMs
      const to = Math.ceil(toMs / spanMs) * spanMs
      const r = schema.decisionRollups
      const period = and(ofTenants(tenant), eq(r.spanMs, spanMs), gte(r.startMs, from), lt(r.startMs, to))
      const wanted = and(period, matches(r, filter)) ?? sql`true`
      const sums = sumsOf(r)
      const cached = sql<number>`${r.cache} IN ('hit', 'evidence-hit', 'stale')`
      const [groups, points, confidences, latencies] = await queries
        .batch([
          queries
            .select({
              tenant: r.tenant,
              collection: r.collection,
              policyId: r.policyId,
              verdict: r.verdict,
              band: r.band,
              cache: r.cache,
              reason: r.reason,
              mode: r.mode,
              ...sums,
            })
            .from(r)
            .where(wanted)
            .groupBy(r.tenant, r.collection, r.policyId, r.verdict, r.band, r.cache, r.reason, r.mode),
          queries
            .select({ startMs: r.startMs, verdict: r.verdict, cache: r.cache, ...sums })
            .from(r)
            .where(wanted)
            .groupBy(r.startMs, r.verdict, r.cache)
            .orderBy(r.startMs),
          queries
            .select({ verdict: r.verdict, bin: BIN, events: IN_BIN })
            .from(r)
            .innerJoin(sql`json_each(${r.confidenceBins}) AS bins`, sql`true`)
            .where(wanted)
            .groupBy(r.verdict, BIN),
          queries
            .select({ cached, bin: BIN, events: IN_BIN })
            .from(r)
            .innerJoin(sql`json_each(${r.latencyBins}) AS bins`, sql`true`)
            .where(wanted)
            .groupBy(cached, BIN),
        ])
        .catch(rethrowStoreFault)
      return {
        fromMs: from,
        toMs: to,
        interval,
        ...totalsOf(groups),
        byBand: countBy(groups, ({ band }) => band, NO_BANDS),
        byReason: countBy<Counted & { readonly reason: string }, string>(groups, ({ reason }) => reason, {}),
        byMode: countBy(groups, ({ mode }) => mode, { enforce: 0, observe: 0 }),
        byPolicy: split(groups, ({ policyId }) => policyId),
        byCollection: split(groups, ({ collection }) => collection),
        byTenant: split(groups, (group) => group.tenant),
        confidenceHistogram: histogram(confidences),
        latency: latencyOf(latencies),
        meanRetrievalMs: mean(groups, 'retrievalMs'),
        meanGenerationMs: mean(groups, 'generationMs'),
        escalated: added(groups, 'escalated'),
        expanded: added(groups, 'expanded'),
        series: [...grouped(points, ({ startMs }) => startMs)].map(([startMs, ofPoint]) => ({
          startMs,
          ...totalsOf(ofPoint),
        })),
      }
    },

    async recording(fromMs, toMs) {
      const i = schema.isolates
      const gone = sql<number>`${i.highestSequence} - ${i.recorded} - ${i.dropped} - ${i.rejected}`
      const [row] = await queries
        .select({
          isolates: sql<number>`count(*)`,
          recorded: sumOf(i.recorded),
          dropped: sumOf(i.dropped),
          rejected: sumOf(i.rejected),
          // What was dropped before anything was recorded has no number yet.
          missing: sql<number>`coalesce(sum(max(0, ${gone})), 0)`,
        })
        .from(i)
        .where(and(gte(i.lastMs, fromMs), lt(i.firstMs, toMs)))
        .catch(rethrowStoreFault)
      return row ?? { isolates: 0, recorded: 0, dropped: 0, rejected: 0, missing: 0 }
    },

    async check() {
      const [triggers] = await db
        .batch<{ name: string }>([
          db.prepare(`SELECT name FROM sqlite_master WHERE type = 'trigger'`),
          ...TABLES.map((table) => db.prepare(selectNothing(table))),
        ])
        .catch(rethrowStoreFault)
      const present = new Set(triggers?.results.map(({ name }) => name))
      if (TRIGGERS.some((trigger) => !present.has(trigger))) throw schemaOutdated()
    },
  }
}

function sumsOf(r: typeof schema.decisionRollups) {
  return {
    events: sumOf(r.events),
    confidenceCount: sumOf(r.confidenceCount),
    confidenceSum: sumOf(r.confidenceSum),
    totalMsCount: sumOf(r.totalMsCount),
    totalMsSum: sumOf(r.totalMsSum),
    retrievalMsCount: sumOf(r.retrievalMsCount),
    retrievalMsSum: sumOf(r.retrievalMsSum),
    generationMsCount: sumOf(r.generationMsCount),
    generationMsSum: sumOf(r.generationMsSum),
    modelCalls: sumOf(r.modelCalls),
    inputTokens: sumOf(r.inputTokens),
    outputTokens: sumOf(r.outputTokens),
    escalated: sumOf(r.escalated),
    expanded: sumOf(r.expanded),
    savedByRefusal: sumOf(r.savedByRefusal),
    savedByCache: sumOf(r.savedByCache),
    savedMeasured: sumOf(r.savedMeasured),
    savedMeasuredInput: sumOf(r.savedMeasuredInput),
    savedMeasuredOutput: sumOf(r.savedMeasuredOutput),
    savedEstimated: sumOf(r.savedEstimated),
    savedEstimatedInput: sumOf(r.savedEstimatedInput),
    savedEstimatedOutput: sumOf(r.savedEstimatedOutput),
    savedPriced: sumOf(r.savedPriced),
    savedModelCost: sumOf(r.savedModelCost),
    savedRetrievalCost: sumOf(r.savedRetrievalCost),
    evidenceShareCount: sumOf(r.evidenceShareCount),
    evidenceShareSum: sumOf(r.evidenceShareSum),
  }
}

/** A column added up; 0 over no rows. */
function sumOf(column: SQLiteColumn): SQL<number> {
  return sql<number>`coalesce(sum(${column}), 0)`.mapWith(Number)
}

/**
 * A query that reads no row and fails when a table or column is not there. Names stand bare: SQLite takes a quoted name
 * that it does not know for a string.
 *
 * @see https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted
 */
function selectNothing(table: SQLiteTable): string {
  const { name, columns } = getTableConfig(table)
  return `SELECT ${columns.map((column) => `present.${column.name}`).join(', ')} FROM ${name} AS present LIMIT 0`
}

type Sums = { readonly [Name in keyof ReturnType<typeof sumsOf>]: number }

interface Counted {
  readonly events: number
}

interface BinCount extends Counted {
  readonly bin: number
}

interface Group extends Sums {
  readonly verdict: Verdict
  readonly cache: CacheState
}

function totalsOf(groups: readonly Group[]): Totals {
  return {
    decisions: added(groups, 'events'),
    byVerdict: countBy(groups, ({ verdict }) => verdict, NO_VERDICTS),
    byCache: countBy(groups, ({ cache }) => cache, NO_CACHE_STATES),
    meanConfidence: mean(groups, 'confidence'),
    meanTotalMs: mean(groups, 'totalMs'),
    meanEvidenceShare: mean(groups, 'evidenceShare'),
    modelCalls: added(groups, 'modelCalls'),
    inputTokens: added(groups, 'inputTokens'),
    outputTokens: added(groups, 'outputTokens'),
    savings: savingsOf(groups),
  }
}

function split<Each extends Group>(groups: readonly Each[], nameOf: (group: Each) => string): TotalsOf[] {
  return [...grouped(groups, nameOf)]
    .map(([name, ofName]) => ({ name, ...totalsOf(ofName) }))
    .sort((a, b) => b.decisions - a.decisions || (a.name < b.name ? -1 : 1))
}

/** Groups under their keys, in the order in which the keys first occur. */
function grouped<Each, Key>(groups: readonly Each[], keyOf: (group: Each) => Key): Map<Key, Each[]> {
  const byKey = new Map<Key, Each[]>()
  for (const group of groups) {
    const known = byKey.get(keyOf(group))
    if (known === undefined) byKey.set(keyOf(group), [group])
    else known.push(group)
  }
  return byKey
}

/** Events by name, with those names that `none` lists in any case. */
function countBy<Each extends Counted, Name extends string>(
  groups: readonly Each[],
  nameOf: (group: Each) => Name,
  none: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const counts = new Map(Object.entries<number>(none))
  for (const group of groups) counts.set(nameOf(group), (counts.get(nameOf(group)) ?? 0) + group.events)
  // Made of the names of `none` and those that `nameOf` gives, which are all of type `Name`.
  return Object.fromEntries(counts) as Record<Name, number>
}

function added(groups: readonly Sums[], name: keyof Sums): number {
  return groups.reduce((sum, group) => sum + group[name], 0)
}

function mean(
  groups: readonly Sums[],
  name: 'confidence' | 'evidenceShare' | 'totalMs' | 'retrievalMs' | 'generationMs',
): number | null {
  const count = added(groups, `${name}Count`)
  return count === 0 ? null : added(groups, `${name}Sum`) / count
}

function histogram(counts: readonly (BinCount & { readonly verdict: Verdict })[]): ByVerdict[] {
  return Array.from({ length: BINS }, (_, at) =>
    countBy(
      counts.filter(({ bin }) => bin === at),
      ({ verdict }) => verdict,
      NO_VERDICTS,
    ),
  )
}

function latencyOf(counts: readonly (BinCount & { readonly cached: number })[]): StatisticsSummary['latency'] {
  const percentiles = (some: readonly BinCount[]): Latency => {
    const bins = new Map<number, number>()
    for (const { bin, events } of some) bins.set(bin, (bins.get(bin) ?? 0) + events)
    return {
      counted: some.reduce((sum, { events }) => sum + events, 0),
      ...shares(bins),
    }
  }
  return {
    all: percentiles(counts),
    cached: percentiles(counts.filter(({ cached }) => cached === 1)),
    uncached: percentiles(counts.filter(({ cached }) => cached === 0)),
  }
}

function shares(bins: Bins): Omit<Latency, 'counted'> {
  return {
    p50: percentileMs(bins, 0.5),
    p90: percentileMs(bins, 0.9),
    p95: percentileMs(bins, 0.95),
    p99: percentileMs(bins, 0.99),
  }
}

function savingsOf(groups: readonly Group[]): Savings {
  const [byRefusal, byCache] = [added(groups, 'savedByRefusal'), added(groups, 'savedByCache')]
  const avoided = byRefusal + byCache
  const decisions = added(groups, 'events')
  const [measured, estimated] = [savedTokens(groups, 'savedMeasured'), savedTokens(groups, 'savedEstimated')]
  const generationMs = mean(groups, 'generationMs')
  return {
    callsAvoidedByRefusal: byRefusal,
    callsAvoidedByCache: byCache,
    shareAvoided: decisions === 0 ? null : avoided / decisions,
    measured,
    estimated,
    unknownCalls: avoided - measured.calls - estimated.calls,
    money: savedMoney(groups),
    generationMsSaved: generationMs === null ? null : Math.round(generationMs * avoided),
  }
}

function savedTokens(groups: readonly Sums[], name: 'savedMeasured' | 'savedEstimated'): SavedTokens {
  return {
    calls: added(groups, name),
    inputTokens: added(groups, `${name}Input`),
    outputTokens: added(groups, `${name}Output`),
  }
}

function savedMoney(groups: readonly Sums[]): SavedMoney | null {
  const calls = added(groups, 'savedPriced')
  if (calls === 0) return null
  const [modelCost, retrievalCost] = [added(groups, 'savedModelCost'), added(groups, 'savedRetrievalCost')]
  return { calls, modelCost, retrievalCost, net: modelCost - retrievalCost }
}
