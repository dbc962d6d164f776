/** What the cron trigger does for the statistics: each job goes on where it was stopped. */
import type { GateBindings } from '../bindings.ts'
import { compositionFor } from '../compose.ts'
import { watch } from './alerts.ts'
import { exportDecisions } from './export-decisions.ts'

/** Erases what has to go, exports, removes what is too old, and looks for alerts. One job's failure does not keep the others from running. */
export async function runStatisticsJobs(env: GateBindings): Promise<void> {
  const { erasures, retention } = compositionFor(env).statistics
  const jobs = {
    erasures: () => erasures.carryOn(),
    // Before retention removes what they are to hold.
    exports: () => exportDecisions(env, Date.now()),
    retention: () => retention.run(),
    alerts: () => watch(env),
  }
  for (const [name, run] of Object.entries(jobs)) {
    try {
      await run()
    } catch (cause) {
      // It is tried again by the next trigger.
      console.error(`[rag-gate] the job ${name} was not finished`, cause)
    }
  }
}
