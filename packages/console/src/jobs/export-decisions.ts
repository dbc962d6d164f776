/** Exports decisions to a bucket: by tenant and UTC day, in parts of a thousand, from the cron trigger. */
import { COLUMNS } from '../api/get-decisions.ts'
import { DAY_MS, HOUR_MS } from '../durations.ts'
import { csvText, onTheWire } from '../api/wire.ts'
import type { HasRoom, JobRun } from '../d1/job-records.ts'
import type { PlacedDecision, Position } from '../d1/recorded-decisions.ts'
import type { ExportOptions } from '../options.ts'
import type { ConsoleParts } from '../parts.ts'

/** Number of past days to export, so that an outage of a week loses nothing. */
const DAYS_BACK = 7
/** Delay after a day's end before it is exported, so that queued decisions have arrived. */
const SETTLED_MS = 2 * HOUR_MS
const ROWS_OF_A_PART = 1_000
/** Statements after which an invocation starts no further part, to leave some for retention and alerts. */
const MOST_STATEMENTS = 500

/** Members that identify a person or question; left out because an export outlives their erasure. */
const PERSONAL: readonly string[] = ['principal_id', 'question_hmac', 'question_text', 'hmac_key_id', 'audit']

/** Where the export continues. Days before `dayMs` are done, and so are tenants before `tenant` on that day. */
export interface ExportCursor {
  readonly dayMs: number
  readonly tenant?: string
  /** Number of parts written for that tenant and day, and the end of the last one. */
  readonly parts?: number
  readonly after?: Position
}

/**
 * Exports the missing decisions of the last seven whole days as `decisions/<tenant>/<day>/<part>.jsonl`. Progress is
 * stored after every part: a run interrupted in between writes that part again, under the same name. Without a bucket
 * it does nothing.
 *
 * @returns the number of parts written, at most about 250, and whether any are left for the next run
 */
export async function exportDecisions(
  { counting, summaries, recorded, exports, jobRecords }: ConsoleParts,
  nowMs: number,
  hasRoom: HasRoom = () => true,
): Promise<JobRun & { readonly parts: number }> {
  if (exports === undefined) return { parts: 0, finished: true }
  const toMs = Math.floor((nowMs - SETTLED_MS) / DAY_MS) * DAY_MS
  const kept = await jobRecords.cursor<ExportCursor>('exports')
  const firstMs = toMs - DAYS_BACK * DAY_MS
  let at: ExportCursor = kept === undefined || kept.dayMs < firstMs ? { dayMs: firstMs } : kept
  const keep = async (next: ExportCursor): Promise<void> => {
    at = next
    await jobRecords.keepCursor('exports', { ...next })
  }
  // Counts tell which tenants have decisions. Later days may remain uncounted, since more may arrive than a run counts.
  if (at.dayMs < toMs && !(await counting.count('sums')) && !(await counting.isSummedUpTo(toMs))) {
    return { parts: 0, finished: false }
  }
  let parts = 0
  while (at.dayMs < toMs) {
    const { dayMs, tenant: from = '' } = at
    // A name's proper prefix sorts before it.
    const known = await summaries.tenantsAfter(from.slice(0, -1), -1, dayMs, dayMs + DAY_MS)
    for (const tenant of known) {
      if (tenant < from) continue
      let written: Pick<ExportCursor, 'parts' | 'after'> = tenant === at.tenant ? at : {}
      for (let more = true; more;) {
        if (!hasRoom(MOST_STATEMENTS)) {
          // This also skips tenants without decisions.
          await keep({ dayMs, tenant, ...written })
          return { parts, finished: false }
        }
        // One more row shows whether another part follows.
        const page = { tenant, fromMs: dayMs, toMs: dayMs + DAY_MS, limit: ROWS_OF_A_PART + 1 }
        const rows = await recorded.stretch({ ...page, after: written.after })
        if (rows.length === 0) break
        more = rows.length > ROWS_OF_A_PART
        written = await writePart(exports, { dayMs, tenant, ...written }, rows)
        await keep({ dayMs, tenant, ...written })
        parts++
      }
    }
    await keep({ dayMs: dayMs + DAY_MS })
  }
  return { parts, finished: true }
}

async function writePart(
  { bucket, format = 'jsonl' }: ExportOptions,
  { dayMs, tenant = '', parts = 0 }: ExportCursor,
  found: readonly PlacedDecision[],
): Promise<Required<Pick<ExportCursor, 'parts' | 'after'>>> {
  const rows = found.slice(0, ROWS_OF_A_PART)
  const folder = `decisions/${encodeURIComponent(tenant)}/${new Date(dayMs).toISOString().slice(0, 10)}/`
  // There is at least one.
  const { atMs, id, place } = rows.at(-1)!
  await bucket.put(
    `${folder}${String(parts).padStart(6, '0')}.${format}`,
    format === 'csv' ? asCsv(rows) : asLines(rows),
    {
      httpMetadata: { contentType: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson' },
      customMetadata: { last_at_ms: String(atMs), last_id: id, end: String(found.length <= ROWS_OF_A_PART) },
    },
  )
  return { parts: parts + 1, after: place }
}

/** Signals, findings and cut fields keep their member names from the decision, which `rag-gate replay` reads. */
function exported({
  signals,
  findings,
  answerSignals,
  escalate,
  place: _place,
  ...row
}: PlacedDecision): Record<string, unknown> {
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

function asLines(rows: readonly PlacedDecision[]): string {
  return rows.map((row) => `${JSON.stringify(exported(row))}\n`).join('')
}

function asCsv(rows: readonly PlacedDecision[]): string {
  return csvText(
    COLUMNS.filter((column) => !PERSONAL.includes(column)),
    rows.map(exported),
  )
}
