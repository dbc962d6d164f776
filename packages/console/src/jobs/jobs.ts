/** What is to be done from time to time: each job goes on where it was stopped. */
import { errorForLog } from 'hono-rag-gate/errors'
import type { ConsoleOptions } from '../options.ts'
import { openConsole } from '../parts.ts'
import { exportDecisions } from './export-decisions.ts'
import { watchAlerts } from './watch-alerts.ts'

/** Jobs by name, in the order in which they are run. */
export type Jobs = Readonly<Record<string, () => Promise<unknown>>>

/**
 * The jobs of a console: erases what has to go, exports, removes what is too old, and looks for alerts.
 *
 * @throws `config_invalid` naming the option at fault
 */
export function consoleJobs(options: ConsoleOptions): Jobs {
  const parts = openConsole(options)
  return {
    erasures: () => parts.erasures.carryOn(),
    // Before retention removes what they are to hold.
    exports: () => exportDecisions(parts, parts.clock.nowMs()),
    retention: () => parts.retention.run(),
    alerts: () => watchAlerts(parts),
  }
}

/** Runs jobs one after the other. One's failure is logged, and does not keep the others from running. */
export async function runJobs(jobs: Jobs): Promise<void> {
  for (const [name, run] of Object.entries(jobs)) {
    try {
      await run()
    } catch (cause) {
      // It is tried again the next time.
      console.error(`[rag-gate] the job ${name} was not finished: ${errorForLog(cause)}`)
    }
  }
}
