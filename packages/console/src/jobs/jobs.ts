/** What is to be done from time to time: each job goes on where it was stopped. */
import { errorForLog } from 'hono-rag-gate/errors'
import { isRecord } from 'hono-rag-gate/core/lib'
import { DAY_MS } from '../durations.ts'
import type { HasRoom, JobRun } from '../d1/job-records.ts'
import type { RetentionCursor } from '../d1/retention.ts'
import type { ConsoleOptions } from '../options.ts'
import { type ConsoleParts, openConsole } from '../parts.ts'
import { type ExportCursor, exportDecisions } from './export-decisions.ts'
import { watchAlerts } from './watch-alerts.ts'

/** Jobs by name, in the order in which they are run. One that gives `{ finished: false }` has work left for its next run. */
export type Jobs = Readonly<Record<string, (hasRoom: HasRoom) => Promise<unknown>>>

/** 100,000 decisions, with 40 statements of the 1,000 that D1 allows an invocation. */
const MOST_SLICES = 20

/** Between two rounds of retention that found all that was too old. */
const RETENTION_EVERY_MS = DAY_MS / 4

/**
 * The jobs of a console: counts what was decided, erases what has to go, exports, removes what is too old, and looks for alerts.
 *
 * @throws `config_invalid` naming the option at fault
 */
export function consoleJobs(options: ConsoleOptions): Jobs {
  const parts = openConsole(options)
  return {
    // The others go by the counts.
    counting: async () => ({ finished: await parts.counting.countMany(parts.clock.nowMs(), MOST_SLICES) }),
    erasures: async () => ({ finished: (await parts.erasures.carryOn()) === 0 }),
    // Before retention removes what they are to hold.
    exports: (hasRoom) => exportDecisions(parts, parts.clock.nowMs(), hasRoom),
    retention: () => removeOld(parts),
    alerts: (hasRoom) => watchAlerts(parts, hasRoom),
  }
}

/**
 * Runs jobs one after the other and notes how each ended. One's failure is logged, and does not keep the others from
 * running.
 *
 * @param options of the console in whose database it is noted
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
      // It is tried again the next time.
      console.error(`[rag-gate] the job ${name} was not finished: ${errorForLog(cause)}`)
    }
    await jobRecords.note(name, ranMs, ended).catch((cause: unknown) => {
      console.error(`[rag-gate] the run of the job ${name} was not noted: ${errorForLog(cause)}`)
    })
  }
}

interface RetentionState {
  /** When the last round ended that left nothing; 0 while one is under way. */
  readonly finishedMs?: number
  readonly from?: RetentionCursor
}

async function removeOld({ retention, jobRecords, clock, exports }: ConsoleParts): Promise<JobRun> {
  const { finishedMs = 0, from } = (await jobRecords.cursor<RetentionState>('retention')) ?? {}
  const nowMs = clock.nowMs()
  if (nowMs >= finishedMs && nowMs - finishedMs < RETENTION_EVERY_MS) return { finished: true }
  // What has to go for its number goes once it is exported; what has to go for its age does not wait.
  const exported = exports && ((await jobRecords.cursor<ExportCursor>('exports'))?.dayMs ?? 0)
  const { finished, next } = await retention.run(undefined, from, exported)
  await jobRecords.keepCursor('retention', { finishedMs: finished ? nowMs : 0, from: { ...next } })
  return { finished }
}
