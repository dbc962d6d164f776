/** Handlers of cron triggers, whose jobs continue where they were interrupted, and of queues. */
import { consoleJobs, type Jobs, runJobs as runEach, watchTenants } from '@hono-rag-gate/console'
import { sweepIndex } from '@hono-rag-gate/ingest'
import { errorForLog } from 'hono-rag-gate/errors'
import type { AskedTenants, GateBindings } from './bindings.ts'
import { compositionFor } from './compose.ts'
import { learnOne } from './documents/learn-scale.ts'
import { consumeQueuedDecisions } from './statistics/decision-log.ts'

/** Number of collections to clean up per run. */
const SWEPT_AT_ONCE = 20

/** Deletes expired idempotency keys, runs the console's jobs, learns a scale, and cleans up collections. */
export async function runJobs(env: GateBindings, cron: string): Promise<void> {
  const { console: options, idempotency, ingest } = compositionFor(env)
  const jobs: Jobs = {
    idempotency: () => idempotency.prune(),
    ...consoleJobs(options),
    scales: () => learnOne(compositionFor(env)),
    sweep: async () => {
      const { failed } = await sweepIndex(ingest, SWEPT_AT_ONCE)
      if (failed.length > 0) console.error(`[rag-gate] ${failed.length} collections not swept`)
    },
  }
  // Jobs by the minute of the trigger in `wrangler.toml`, each an invocation; any other trigger runs all.
  const turns = [
    'counting alerts',
    // With the queue, the alerts need only one turn.
    `idempotency erasures exports ${env.DECISIONS_QUEUE ? '' : 'alerts'}`,
  ]
  // The third turn has all jobs that the others do not name.
  const others = Object.keys(jobs).filter((name) => !turns.join().includes(name))
  const turn = [...turns, others][Number.parseInt(cron, 10) / 5]
  const due = Object.entries(jobs).filter(([name]) => turn?.includes(name) !== false)
  await runEach(Object.fromEntries(due), options)
}

/** Statements after which an invocation accepts no further message with tenants; one needs up to 400. */
const MOST_STATEMENTS = 500

/** Handler for `queue`: writes decisions of other isolates, and checks tenants for alerts. */
export async function consumeQueue(batch: MessageBatch, env: GateBindings): Promise<void> {
  const decisions: Message[] = []
  const { statistics } = compositionFor(env)
  const before = statistics.statements()
  for (const message of batch.messages) {
    // This Worker sent either kind; the decision consumer rejects anything else.
    const { watch } = (message.body ?? {}) as Partial<AskedTenants>
    if (watch === undefined) decisions.push(message)
    else if (statistics.statements() - before > MOST_STATEMENTS) message.retry({ delaySeconds: 30 })
    // A failed message is acknowledged, because the cron trigger sends its tenants again.
    else
      await watchTenants(statistics, watch).catch((cause: unknown) =>
        console.error(`[rag-gate] alerts: ${errorForLog(cause)}`),
      )
  }
  await consumeQueuedDecisions({ messages: decisions }, env)
}
