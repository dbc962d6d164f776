/** Decisions into a bucket: for each tenant and UTC day, parts of a thousand, written by the cron trigger. */
import type { R2Bucket, R2Object } from '@cloudflare/workers-types'
import { COLUMNS } from '../api/get-decisions.ts'
import { DAY_MS, HOUR_MS } from '../api/parameters.ts'
import { csvText, onTheWire } from '../api/wire.ts'
import type { DecisionRow, Position } from '../d1/recorded-decisions.ts'
import { EVERY_TENANT } from '../d1/statistics/wanted.ts'
import type { ConsoleParts } from '../parts.ts'

/** Days that are looked at: a Worker that was away for a week misses nothing. */
const DAYS_BACK = 7
/** How long after its end a day is exported: what a queue held up has arrived by then. */
const SETTLED_MS = 2 * HOUR_MS
const ROWS_OF_A_PART = 1_000
const PARTS_AT_ONCE = 20

/** Members that name a person, or what was asked: an export outlives their erasure. */
const PERSONAL: readonly string[] = ['principal_id', 'question_hmac', 'question_text', 'hmac_key_id', 'audit']

/** What has been written of a day. The object itself says it, so that a job may be stopped after any of them. */
interface Written {
  readonly parts: number
  readonly after?: Position
  readonly finished: boolean
}

/**
 * Writes what is missing of the last seven whole days, under `decisions/<tenant>/<day>/<part>.jsonl`. Without a bucket it
 * does nothing.
 *
 * @returns parts that were written; at most 20, and the next run goes on
 */
export async function exportDecisions({ summaries, recorded, exports }: ConsoleParts, nowMs: number): Promise<number> {
  if (exports === undefined) return 0
  const { bucket, format = 'jsonl' } = exports
  const toMs = Math.floor((nowMs - SETTLED_MS) / DAY_MS) * DAY_MS
  const fromMs = toMs - DAYS_BACK * DAY_MS
  const { byTenant } = await summaries.summary({ tenant: EVERY_TENANT, fromMs, toMs, interval: 'day' })
  let parts = 0
  for (const { name: tenant } of byTenant) {
    for (let dayMs = fromMs; dayMs < toMs; dayMs += DAY_MS) {
      const folder = `decisions/${encodeURIComponent(tenant)}/${new Date(dayMs).toISOString().slice(0, 10)}/`
      let written = await writtenOf(bucket, folder)
      while (!written.finished) {
        if (parts === PARTS_AT_ONCE) return parts
        // One more row tells whether another part follows.
        const page = { tenant, fromMs: dayMs, toMs: dayMs + DAY_MS, limit: ROWS_OF_A_PART + 1 }
        const rows = await recorded.stretch({
          ...page,
          ...(written.after === undefined ? {} : { after: written.after }),
        })
        if (rows.length === 0) break
        written = await writePart(bucket, folder, format, written.parts, rows)
        parts++
      }
    }
  }
  return parts
}

async function writtenOf(bucket: R2Bucket, prefix: string): Promise<Written> {
  let [parts, last]: [number, R2Object | undefined] = [0, undefined]
  for (let cursor: string | undefined, more = true; more;) {
    const found = await bucket.list({
      prefix,
      include: ['customMetadata'],
      ...(cursor === undefined ? {} : { cursor }),
    })
    parts += found.objects.length
    last = found.objects.at(-1) ?? last
    more = found.truncated
    cursor = found.truncated ? found.cursor : undefined
  }
  const { last_at_ms: atMs, last_id: id, end } = last?.customMetadata ?? {}
  if (atMs === undefined || id === undefined) return { parts, finished: false }
  return { parts, after: { atMs: Number(atMs), id }, finished: end === 'true' }
}

async function writePart(
  bucket: R2Bucket,
  folder: string,
  format: 'jsonl' | 'csv',
  part: number,
  found: readonly DecisionRow[],
): Promise<Written> {
  const rows = found.slice(0, ROWS_OF_A_PART)
  const finished = found.length <= ROWS_OF_A_PART
  // There is at least one.
  const { atMs, id } = rows.at(-1)!
  await bucket.put(
    `${folder}${String(part).padStart(6, '0')}.${format}`,
    format === 'csv' ? asCsv(rows) : asLines(rows),
    {
      httpMetadata: { contentType: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson' },
      customMetadata: { last_at_ms: String(atMs), last_id: id, end: String(finished) },
    },
  )
  return { parts: part + 1, after: { atMs, id }, finished }
}

/** Signals, findings and what was cut have names of their own, as in the decision: `rag-gate replay` reads them. */
function exported({ signals, findings, answerSignals, escalate, ...row }: DecisionRow): Record<string, unknown> {
  const wire = Object.entries(onTheWire(row) as object).filter(([name]) => !PERSONAL.includes(name))
  return {
    ...(Object.fromEntries(wire) as object),
    escalate: escalate === 1,
    findings,
    signals,
    answer_signals: answerSignals,
    ...(row.principalId === '' ? { erased: true } : {}),
  }
}

function asLines(rows: readonly DecisionRow[]): string {
  return rows.map((row) => `${JSON.stringify(exported(row))}\n`).join('')
}

function asCsv(rows: readonly DecisionRow[]): string {
  return csvText(
    COLUMNS.filter((column) => !PERSONAL.includes(column)),
    rows.map(exported),
  )
}
