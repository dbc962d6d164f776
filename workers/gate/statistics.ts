/** `GET /v1/stats`: what became of the questions, by verdict, cache state and hour. */
import type { Context } from 'hono'
import type { StatisticsSummary } from '../../src/adapters/d1/statistics.ts'
import { RagGateError } from '../../src/errors.ts'
import { requireScope } from './access.ts'
import type { GateBindings } from './bindings.ts'
import { compositionFor } from './compose.ts'
import { readInstant } from './read-instant.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const LONGEST_MS = 366 * DAY_MS

/** Sums up the hours from `from` up to `to` (ISO 8601 or milliseconds since 1970); the last 24 hours by default. */
export async function getStatistics(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const composition = compositionFor(c.env)
  const { tenant } = await requireScope(composition, c.req.raw, 'admin')
  const toMs = readTime(c.req.query('to'), 'to') ?? Date.now() + HOUR_MS
  const fromMs = readTime(c.req.query('from'), 'from') ?? toMs - DAY_MS
  if (fromMs >= toMs) throw new RagGateError('range', 'from must be before to', { param: 'from' })
  if (toMs - fromMs > LONGEST_MS) throw new RagGateError('range', 'At most a year can be summed up', { param: 'from' })
  // What this isolate still holds is counted too.
  await composition.log.flush()
  const summary = await composition.statistics.summary({ tenant, fromMs, toMs })
  return c.json(onTheWire(summary), 200, { 'cache-control': 'no-store' })
}

function onTheWire(summary: StatisticsSummary) {
  return {
    from: new Date(summary.fromMs).toISOString(),
    to: new Date(summary.toMs).toISOString(),
    decisions: summary.events,
    by_verdict: summary.byVerdict,
    by_cache: summary.byCache,
    by_band: summary.byBand,
    by_reason: summary.byReason,
    by_mode: summary.byMode,
    mean_confidence: summary.meanConfidence,
    mean_total_ms: summary.meanTotalMs,
    model_calls: summary.modelCalls,
    input_tokens: summary.inputTokens,
    output_tokens: summary.outputTokens,
    hours: summary.hours.map(({ hourMs, events, byVerdict, byCache }) => ({
      hour: new Date(hourMs).toISOString(),
      decisions: events,
      by_verdict: byVerdict,
      by_cache: byCache,
    })),
  }
}

function readTime(value: string | undefined, param: string): number | undefined {
  if (value === undefined) return undefined
  const time = /^\d{1,15}$/.test(value) ? Number(value) : readInstant(value)
  if (time === undefined || time < 0) {
    throw new RagGateError('range', `${param} must be ISO 8601 or milliseconds since 1970`, { param })
  }
  return time
}
