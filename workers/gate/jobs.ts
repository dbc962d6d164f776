/** What the cron trigger does: each job goes on where it was stopped. */
import { consoleJobs, runJobs as runEach } from '@hono-rag-gate/console'
import { sweepIndex } from '@hono-rag-gate/ingest'
import type { GateBindings } from './bindings.ts'
import { compositionFor } from './compose.ts'
import { learnOne } from './documents/learn-scale.ts'

/** Collections whose leftovers one run removes. */
const SWEPT_AT_ONCE = 20

/** Forgets requests that may not be repeated any more, runs the console's jobs, has a collection learn its scale, and removes what ingestion left over. */
export async function runJobs(env: GateBindings): Promise<void> {
  const { console: options, idempotency, ingest } = compositionFor(env)
  const jobs = {
    idempotency: () => idempotency.prune(),
    ...consoleJobs(options),
    scales: () => learnOne(compositionFor(env)),
    sweep: async () => {
      const { failed } = await sweepIndex(ingest, SWEPT_AT_ONCE)
      if (failed.length > 0) console.error(`[rag-gate] ${failed.length} collections could not be swept`)
    },
  }
  await runEach(jobs, options)
}
