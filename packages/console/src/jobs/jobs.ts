/** Periodic jobs; each continues where it was interrupted. */
import { errorForLog } from 'hono-rag-gate/errors'
import { isRecord } from 'hono-rag-gate/core/lib'
import { DAY_MS } from '../durations.ts'
import type { HasRoom, JobRun } from '../d1/job-records.ts'
import type { RetentionCursor } from '../d1/retention.ts'
import type { ConsoleOptions } from '../options.ts'
import { type ConsoleParts, openConsole } from '../parts.ts'
import { type ExportCursor, exportDecisions } from './export-decisions.ts'
import { watchAlerts } from './watch-alerts.ts'

/** Jobs by name, in execution order. A job that returns `{ finished: false }` has work left for its next run. */
export type Jobs = Readonly<Record<string, (hasRoom: HasRoom) => Promise<unknown>>>

/** 100,000 decisions, with 40 of the 1,000 statements that D1 allows per invocation. */
const MOST_SLICES = 20

/** Interval between rounds of retention that removed everything expired. */
const RETENTION_EVERY_MS = DAY_MS / 4

/**
 * The jobs of a console: counting, erasure, export, retention and alerts.
 *
 * @throws `config_invalid` naming the invalid option
 */
export function consoleJobs(options: ConsoleOptions): Jobs {
  const parts = openConsole(options)
  return {
    // First, because the other jobs use the counts.
    counting: async () => ({ finished: await parts.counting.countMany(parts.clock.nowMs(), MOST_SLICES) }),
    erasures: async () => ({ finished: (await parts.erasures.carryOn()) === 0 }),
    // Before retention removes decisions to be exported.
    exports: (hasRoom) => exportDecisions(parts, parts.clock.nowMs(), hasRoom),
    retention: () => removeOld(parts),
    alerts: (hasRoom) => watchAlerts(parts, hasRoom),
  }
}

/**
 * Runs jobs one after the other and records their results. A failed job is logged, and does not prevent the others.
 *
 * @param options of the console in whose database results are recorded
 */
export async function runJobs(jobs: Jobs, options: ConsoleOptions): Promise<void> {
  const { jobRecords, clock, statements } = openConsole(options)
  const before = statements()
  for (const [name, run] of Object.entries(jobs)) {
    const ranMs = clock.nowMs()
    let ended: JobRun | 'failed' = 'failed'
    try {
      const given = await run((most) => statements() - before < most)
      ended = { finished: !isRecord(given) || given['finished'] !== false }
    } catch (cause) {
      // The next run tries again.
      console.error(`[rag-gate] the job ${name} was not finished: ${errorForLog(cause)}`)
    }
    await jobRecords.note(name, ranMs, ended).catch((cause: unknown) => {
      console.error(`[rag-gate] the run of the job ${name} was not noted: ${errorForLog(cause)}`)
    })
  }
}

interface RetentionState {
  /** End of the last complete round; 0 while one is in progress. */
  readonly finishedMs?: number
  readonly from?: RetentionCursor
}

async function removeOld({ retention, jobRecords, clock, exports }: ConsoleParts): Promise<JobRun> {
  const { finishedMs = 0, from } = (await jobRecords.cursor<RetentionState>('retention')) ?? {}
  const nowMs = clock.nowMs()
  if (nowMs >= finishedMs && nowMs - finishedMs < RETENTION_EVERY_MS) return { finished: true }
  // Removal for exceeding the maximum number waits for the export; removal by age does not.
  const exported = exports && ((await jobRecords.cursor<ExportCursor>('exports'))?.dayMs ?? 0)
  const { finished, next } = await retention.run(undefined, from, exported)
  await jobRecords.keepCursor('retention', { finishedMs: finished ? nowMs : 0, from: { ...next } })
  return { finished }
}
