/** What the cron trigger does for the statistics: each job goes on where it was stopped. */
import type { GateBindings } from '../bindings.ts'
import { compositionFor } from '../compose.ts'
import { watch } from './alerts.ts'

/** Erases and removes what has to go. One job's failure does not keep the others from running. */
export async function runStatisticsJobs(env: GateBindings): Promise<void> {
  const { erasures, retention } = compositionFor(env).statistics
  const jobs = { erasures: () => erasures.carryOn(), retention: () => retention.run(), alerts: () => watch(env) }
  for (const [name, run] of Object.entries(jobs)) {
    try {
      await run()
    } catch (cause) {
      // It is tried again by the next trigger.
      console.error(`[rag-gate] the job ${name} was not finished`, cause)
    }
  }
}
