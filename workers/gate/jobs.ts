/** What the cron trigger does: each job goes on where it was stopped. */
import { errorForLog } from 'hono-rag-gate/errors'
import { sweepIndex } from '@hono-rag-gate/ingest'
import type { GateBindings } from './bindings.ts'
import { compositionFor } from './compose.ts'
import { watch } from './statistics/alerts.ts'
import { exportDecisions } from './statistics/export-decisions.ts'

/** Collections whose leftovers one run removes. */
const SWEPT_AT_ONCE = 20

/** Erases what has to go, exports, removes what is too old or was left over, and looks for alerts. One job's failure does not keep the others from running. */
export async function runJobs(env: GateBindings): Promise<void> {
  const { idempotency, ingest, statistics } = compositionFor(env)
  const jobs = {
    idempotency: () => idempotency.prune(),
    erasures: () => statistics.erasures.carryOn(),
    // Before retention removes what they are to hold.
    exports: () => exportDecisions(env, Date.now()),
    retention: () => statistics.retention.run(),
    alerts: () => watch(env),
    sweep: async () => {
      const { failed } = await sweepIndex(ingest, SWEPT_AT_ONCE)
      if (failed.length > 0) console.error(`[rag-gate] ${failed.length} collections could not be swept`)
    },
  }
  for (const [name, run] of Object.entries(jobs)) {
    try {
      await run()
    } catch (cause) {
      // It is tried again by the next trigger.
      console.error(`[rag-gate] the job ${name} was not finished: ${errorForLog(cause)}`)
    }
  }
}
