/** Decisions into a bucket: for each tenant and UTC day, parts of a thousand, written by the cron trigger. */
import { COLUMNS } from '../api/get-decisions.ts'
import { DAY_MS, HOUR_MS } from '../durations.ts'
import { csvText, onTheWire } from '../api/wire.ts'
import type { HasRoom, JobRun } from '../d1/job-records.ts'
import type { PlacedDecision, Position } from '../d1/recorded-decisions.ts'
import type { ExportOptions } from '../options.ts'
import type { ConsoleParts } from '../parts.ts'

/** Days that are looked at: a Worker that was away for a week misses nothing. */
const DAYS_BACK = 7
/** How long after its end a day is exported: what a queue held up has arrived by then. */
const SETTLED_MS = 2 * HOUR_MS
const ROWS_OF_A_PART = 1_000
/** Statements of an invocation after which no part is begun: those of retention and alerts follow. */
const MOST_STATEMENTS = 500

/** Members that name a person, or what was asked: an export outlives their erasure. */
const PERSONAL: readonly string[] = ['principal_id', 'question_hmac', 'question_text', 'hmac_key_id', 'audit']

/** Where the export goes on. Days before `dayMs` are written, and of that day the tenants before `tenant`. */
export interface ExportCursor {
  readonly dayMs: number
  readonly tenant?: string
  /** Parts of that tenant's day that are written, and where the last of them ended. */
  readonly parts?: number
  readonly after?: Position
}

/**
 * Writes what is missing of the last seven whole days, under `decisions/<tenant>/<day>/<part>.jsonl`. Where it goes on is kept
 * after every part: a run that is stopped between the two writes that part again, under the same name. Without a bucket it
 * does nothing.
 *
 * @returns parts that were written, some 250 at most, and whether any are left for the next run
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
  // The counts tell which tenants have decisions. Those of later days may wait: more may come than a run counts.
  if (at.dayMs < toMs && !(await counting.count('sums')) && !(await counting.isSummedUpTo(toMs))) {
    return { parts: 0, finished: false }
  }
  let parts = 0
  while (at.dayMs < toMs) {
    const { dayMs, tenant: from = '' } = at
    // What a name begins with comes before it.
    const known = await summaries.tenantsAfter(from.slice(0, -1), -1, dayMs, dayMs + DAY_MS)
    for (const tenant of known) {
      if (tenant < from) continue
      let written: Pick<ExportCursor, 'parts' | 'after'> = tenant === at.tenant ? at : {}
      for (let more = true; more;) {
        if (!hasRoom(MOST_STATEMENTS)) {
          // Tenants without decisions are behind it, too.
          await keep({ dayMs, tenant, ...written })
          return { parts, finished: false }
        }
        // One more row tells whether another part follows.
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

/** Signals, findings and what was cut have names of their own, as in the decision: `rag-gate replay` reads them. */
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
