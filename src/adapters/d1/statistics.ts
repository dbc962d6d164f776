import type { D1Database } from '@cloudflare/workers-types'
import { and, asc, eq, gte, lt, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { collections, decisionRollups, decisions, documents, lexicons } from '../../../d1/schema.ts'
import type { Band, CacheState } from '../../core/policy/decision.ts'
import type { Verdict } from '../../core/gates/finding.ts'
import type { Tenant } from '../../core/lib/ids.ts'
import { RagGateError } from '../../errors.ts'
import { rethrowStoreFault, schemaOutdated } from './faults.ts'

export interface D1StatisticsOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
}

/** Which decisions are summed up. */
export interface StatisticsPeriod {
  readonly tenant: Tenant
  /** First moment of the period, milliseconds since 1970; the whole UTC hour around it counts. */
  readonly fromMs: number
  /** First moment after the period, milliseconds since 1970; the whole UTC hour that it cuts counts. */
  readonly toMs: number
}

/** Events of one UTC hour. */
export interface HourlyStatistics {
  /** Beginning of the hour, milliseconds since 1970. */
  readonly hourMs: number
  readonly events: number
  readonly byVerdict: Readonly<Record<Verdict, number>>
  readonly byCache: Readonly<Record<CacheState, number>>
}

/** What became of the questions of one tenant in a period. */
export interface StatisticsSummary {
  /** Beginning of the first hour counted, milliseconds since 1970. */
  readonly fromMs: number
  /** End of the last hour counted, milliseconds since 1970. */
  readonly toMs: number
  readonly events: number
  readonly byVerdict: Readonly<Record<Verdict, number>>
  readonly byCache: Readonly<Record<CacheState, number>>
  readonly byBand: Readonly<Record<Band, number>>
  /** Reason codes that occurred. */
  readonly byReason: Readonly<Record<string, number>>
  /** Refusals of mode `observe` were counted but not enforced. */
  readonly byMode: Readonly<Record<'enforce' | 'observe', number>>
  /** Mean confidence, 0..1; `null` when no event has one. */
  readonly meanConfidence: number | null
  /** Mean time of a response, milliseconds; `null` when no event has one. */
  readonly meanTotalMs: number | null
  /** Events that name a model. */
  readonly modelCalls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Hours with events, earliest first. */
  readonly hours: readonly HourlyStatistics[]
}

/** Reads the statistics. */
export interface Statistics {
  /**
   * Sums up a period from the hourly rollups: what it reads grows with the hours, never with the decisions.
   *
   * @returns zeros and no hours for a period without decisions
   * @throws `range` when the period is empty or no number
   * @throws `schema_outdated` when the table is missing, `store_unavailable` when D1 does not answer
   */
  summary(period: StatisticsPeriod): Promise<StatisticsSummary>
  /** @throws `schema_outdated` when a table, column or trigger is missing: the migrations of `d1/` were not applied */
  check(): Promise<void>
}

const MS_PER_HOUR = 3_600_000
const TABLES = [collections, lexicons, documents, decisions, decisionRollups]
const TRIGGERS = ['decisions_are_counted']
const NO_VERDICTS = { pass: 0, advise: 0, refuse: 0 }
const NO_CACHE_STATES = { hit: 0, 'evidence-hit': 0, miss: 0, bypass: 0, stale: 0 }

/** Statistics over the decisions in D1. Errors of D1 itself become `schema_outdated` or `store_unavailable`. */
export function createD1Statistics({ db }: D1StatisticsOptions): Statistics {
  const queries = drizzle(db)

  return {
    async summary({ tenant, fromMs, toMs }) {
      if (!(fromMs < toMs) || !Number.isFinite(toMs - fromMs)) {
        throw new RagGateError('range', 'The period must end after it begins')
      }
      const from = Math.floor(fromMs / MS_PER_HOUR) * MS_PER_HOUR
      const to = Math.ceil(toMs / MS_PER_HOUR) * MS_PER_HOUR
      const r = decisionRollups
      const period = and(eq(r.tenant, tenant), gte(r.hour, from), lt(r.hour, to))
      const [groups, hourGroups] = await queries
        .batch([
          queries
            .select({
              verdict: r.verdict,
              band: r.band,
              cache: r.cache,
              reason: r.reason,
              mode: r.mode,
              events: sumOf(r.events),
              confidenceCount: sumOf(r.confidenceCount),
              confidenceSum: sumOf(r.confidenceSum),
              totalMsCount: sumOf(r.totalMsCount),
              totalMsSum: sumOf(r.totalMsSum),
              modelCalls: sumOf(r.modelCalls),
              inputTokens: sumOf(r.inputTokens),
              outputTokens: sumOf(r.outputTokens),
            })
            .from(r)
            .where(period)
            .groupBy(r.verdict, r.band, r.cache, r.reason, r.mode),
          queries
            .select({ hour: r.hour, verdict: r.verdict, cache: r.cache, events: sumOf(r.events) })
            .from(r)
            .where(period)
            .groupBy(r.hour, r.verdict, r.cache)
            .orderBy(asc(r.hour)),
        ])
        .catch(rethrowStoreFault)

      const sum = (key: 'events' | 'modelCalls' | 'inputTokens' | 'outputTokens'): number =>
        groups.reduce((soFar, group) => soFar + group[key], 0)
      return {
        fromMs: from,
        toMs: to,
        events: sum('events'),
        byVerdict: countBy(groups, ({ verdict }) => verdict, NO_VERDICTS),
        byCache: countBy(groups, ({ cache }) => cache, NO_CACHE_STATES),
        byBand: countBy(groups, ({ band }) => band, { high: 0, medium: 0, low: 0, 'very-low': 0 }),
        byReason: countBy<Counted & { readonly reason: string }, string>(groups, ({ reason }) => reason, {}),
        byMode: countBy(groups, ({ mode }) => mode, { enforce: 0, observe: 0 }),
        meanConfidence: mean(groups.map((group) => [group.confidenceSum, group.confidenceCount])),
        meanTotalMs: mean(groups.map((group) => [group.totalMsSum, group.totalMsCount])),
        modelCalls: sum('modelCalls'),
        inputTokens: sum('inputTokens'),
        outputTokens: sum('outputTokens'),
        hours: byHour(hourGroups),
      }
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

/** A column added up over a group; groups have rows, so it is never `null`. */
function sumOf(column: SQLiteColumn): SQL<number> {
  return sql<number>`sum(${column})`.mapWith(Number)
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

interface Counted {
  readonly events: number
}

/** Events by name, with those names that `none` lists in any case. */
function countBy<Group extends Counted, Name extends string>(
  groups: readonly Group[],
  nameOf: (group: Group) => Name,
  none: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const counts = new Map(Object.entries<number>(none))
  for (const group of groups) counts.set(nameOf(group), (counts.get(nameOf(group)) ?? 0) + group.events)
  // Made of the names of `none` and those that `nameOf` gives, which are all of type `Name`.
  return Object.fromEntries(counts) as Record<Name, number>
}

/** @param groups by hour, earliest first */
function byHour(
  groups: readonly (Counted & { readonly hour: number; readonly verdict: Verdict; readonly cache: CacheState })[],
): HourlyStatistics[] {
  const hours = new Map<number, (typeof groups)[number][]>()
  for (const group of groups) {
    const ofHour = hours.get(group.hour)
    if (ofHour === undefined) hours.set(group.hour, [group])
    else ofHour.push(group)
  }
  return [...hours].map(([hourMs, ofHour]) => ({
    hourMs,
    events: ofHour.reduce((soFar, { events }) => soFar + events, 0),
    byVerdict: countBy(ofHour, ({ verdict }) => verdict, NO_VERDICTS),
    byCache: countBy(ofHour, ({ cache }) => cache, NO_CACHE_STATES),
  }))
}

function mean(sums: readonly (readonly [sum: number, count: number])[]): number | null {
  const count = sums.reduce((soFar, [, some]) => soFar + some, 0)
  return count === 0 ? null : sums.reduce((soFar, [sum]) => soFar + sum, 0) / count
}
