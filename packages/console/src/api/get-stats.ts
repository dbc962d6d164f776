/** `GET /v1/stats`, `/v1/stats/content-gaps`, `/v1/stats/documents`: totals, trends and weak spots. */
import { defined } from 'hono-rag-gate/core/lib'
import type { ConsoleContext } from './context.ts'
import type { StatisticsSummary } from '../d1/statistics.ts'
import type { Savings } from '../d1/statistics/savings.ts'
import { FIGURES, type Figures, shownAs } from 'hono-rag-gate/d1/figures'
import { requireAdmin } from './require-admin.ts'
import { readLimit, WHOLE } from './read-limit.ts'
import { DAY_MS } from '../durations.ts'
import {
  FILTER_NAMES,
  readFilter,
  readFormat,
  readInterval,
  readNumber,
  readPeriod,
  readSort,
  readTenant,
  readTenants,
} from './parameters.ts'
import { csv, json, onTheWire, snakeCase } from './wire.ts'

const LONGEST_MS = 366 * DAY_MS
const LONGEST_FOR_GAPS_MS = 31 * DAY_MS
const WEEK_MS = 7 * DAY_MS
/** Confidence below which `weighted-signals` at most advises. */
const WEAK_BELOW = 0.7

/** Totals of a period: verdicts, reasons, bands, cache, latency, savings, and a series by hour or day. */
export async function getStatistics(c: ConsoleContext): Promise<Response> {
  const { parts, principal } = await requireAdmin(c, ['from', 'to', 'interval', 'format', ...FILTER_NAMES])
  const period = readPeriod(c, LONGEST_MS)
  const asked = { ...period, interval: readInterval(c, period), filter: readFilter(c) }
  const format = readFormat(c)
  const tenant = readTenants(c, principal)
  // So that decisions still buffered in this isolate are counted too.
  await parts.flush()
  const { summaries } = parts
  const isOperator = parts.isOperator(principal)
  // This counts new decisions first, so it must not run in parallel with the other queries.
  const summary = await summaries.summary({ tenant, ...asked })
  // Rounded to whole hours or days.
  const { fromMs, toMs } = summary
  const [recording, faults] = await Promise.all([
    // Lost events and rejected requests belong to no tenant, so only operators see them.
    isOperator ? summaries.recording(fromMs, toMs) : undefined,
    isOperator ? parts.requestFaults.list(fromMs, toMs) : undefined,
  ])
  if (format === 'csv') return seriesAsCsv(c, summary)
  // The wire form of an object is an object.
  const { currency = null, ...prices } = parts.prices ?? {}
  const all = { ...summary, recording, faults, prices: currency === null ? null : prices }
  return json(c, { ...(onTheWire(all) as object), currency })
}

/** Columns of the series: figures, verdicts, cache states, savings. */
export function seriesColumns(figures: Figures): readonly string[] {
  const shown = Object.entries(figures).flatMap(([name, figure]) => shownAs(name, figure) ?? [])
  return ['start', ...shown.map(snakeCase), ...OTHER_COLUMNS]
}

const OTHER_COLUMNS = [
  'pass',
  'advise',
  'refuse',
  'hit',
  'evidence-hit',
  'miss',
  'bypass',
  'stale',
  'calls_avoided_by_refusal',
  'calls_avoided_by_cache',
  'unknown_calls',
  'measured_calls',
  'measured_input_tokens',
  'measured_output_tokens',
  'estimated_calls',
  'estimated_input_tokens',
  'estimated_output_tokens',
  'money_calls',
  'money_model_cost',
  'money_retrieval_cost',
  'money_net',
]

function seriesAsCsv(c: ConsoleContext, { series }: StatisticsSummary): Response {
  const rows = series.map(({ byVerdict, byCache, savings, ...point }) => ({
    // The wire form of an object is an object.
    ...(onTheWire(point) as Record<string, unknown>),
    ...byVerdict,
    ...byCache,
    ...savingsInColumns(savings),
  }))
  return csv(c, 'decisions-over-time', seriesColumns(FIGURES), rows)
}

function savingsInColumns({ measured, estimated, money, ...savings }: Savings): Record<string, unknown> {
  const groups = Object.entries({ measured, estimated, money: money ?? {} }).flatMap(([group, figures]) =>
    Object.entries(figures).map(([name, figure]) => [`${group}_${name}`, figure]),
  )
  // The wire form of an object is an object.
  return onTheWire({ ...savings, ...Object.fromEntries(groups) }) as Record<string, unknown>
}

/** The questions refused most often, which the documents do not answer. */
export async function getContentGaps(c: ConsoleContext): Promise<Response> {
  const { parts, principal } = await requireAdmin(c, ['from', 'to', 'collection', 'limit', 'format'])
  const { collection } = readFilter(c)
  const format = readFormat(c)
  const query = {
    tenant: readTenant(c, principal),
    ...readPeriod(c, LONGEST_FOR_GAPS_MS, WEEK_MS),
    limit: readLimit(c, format === 'csv' ? WHOLE : 20),
    ...defined({ collection }),
  }
  await parts.flush()
  const gaps = await parts.weakSpots.contentGaps(query)
  const rows = onTheWire(gaps) as readonly Record<string, unknown>[]
  if (format === 'json') return json(c, { content_gaps: rows })
  return csv(
    c,
    'content-gaps',
    ['question_hmac', 'hmac_key_id', 'text', 'collection', 'refused', 'advised', 'last', 'last_reason'],
    rows,
  )
}

/** Documents by the confidence of decisions with them as best evidence, by week. */
export async function getDocumentTrends(c: ConsoleContext): Promise<Response> {
  const { parts, principal } = await requireAdmin(c, [
    'from',
    'to',
    'collection',
    'limit',
    'format',
    'sort',
    'weak_below',
    'min_decisions',
  ])
  const { collection } = readFilter(c)
  const format = readFormat(c)
  const query = {
    tenant: readTenant(c, principal),
    ...readPeriod(c, LONGEST_MS, 4 * WEEK_MS),
    limit: readLimit(c, format === 'csv' ? WHOLE : 20),
    sort: readSort(c, ['confidence', 'decisions', 'change']),
    weakBelow: readNumber(c, 'weak_below', WEAK_BELOW, 1),
    minDecisions: readNumber(c, 'min_decisions', 1, 1e9),
    ...defined({ collection }),
  }
  await parts.flush()
  const documents = await parts.weakSpots.documents(query)
  const rows = onTheWire(documents) as readonly Record<string, unknown>[]
  if (format === 'json') return json(c, { documents: rows })
  return csv(
    c,
    'documents',
    [
      'document_id',
      'collection',
      'decisions',
      'refused',
      'advised',
      'mean_confidence',
      'change',
      'consistently_weak',
      'weeks',
    ],
    rows,
  )
}
