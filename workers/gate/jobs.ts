/** What the cron triggers do: each job goes on where it was stopped. And what a queue brings. */
import { consoleJobs, type Jobs, runJobs as runEach, watchTenants } from '@hono-rag-gate/console'
import { sweepIndex } from '@hono-rag-gate/ingest'
import { errorForLog } from 'hono-rag-gate/errors'
import type { AskedTenants, GateBindings } from './bindings.ts'
import { compositionFor } from './compose.ts'
import { learnOne } from './documents/learn-scale.ts'
import { consumeQueuedDecisions } from './statistics/decision-log.ts'

/** Collections whose leftovers one run removes. */
const SWEPT_AT_ONCE = 20

/** Forgets requests that may not be repeated any more, runs the console's jobs, has a collection learn its scale, and removes what ingestion left over. */
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
  // By the minute that a trigger of `wrangler.toml` begins with, each an invocation of its own; another trigger runs them all.
  const turns = [
    'counting alerts',
    // With the queue one turn of the alerts is enough.
    `idempotency erasures exports ${env.DECISIONS_QUEUE ? '' : 'alerts'}`,
  ]
  // The third has every job that the others do not name.
  const others = Object.keys(jobs).filter((name) => !turns.join().includes(name))
  const turn = [...turns, others][Number.parseInt(cron, 10) / 5]
  const due = Object.entries(jobs).filter(([name]) => turn?.includes(name) !== false)
  await runEach(Object.fromEntries(due), options)
}

/** Statements of an invocation after which no message with tenants is taken: one needs up to 400. */
const MOST_STATEMENTS = 500

/** Handler for `queue`: writes what other isolates sent, and looks at tenants for alerts. */
export async function consumeQueue(batch: MessageBatch, env: GateBindings): Promise<void> {
  const decisions: Message[] = []
  const { statistics } = compositionFor(env)
  const before = statistics.statements()
  for (const message of batch.messages) {
    // Either was sent by this Worker; what is neither, the consumer of decisions finds out.
    const { watch } = (message.body ?? {}) as Partial<AskedTenants>
    if (watch === undefined) decisions.push(message)
    else if (statistics.statements() - before > MOST_STATEMENTS) message.retry({ delaySeconds: 30 })
    // One that fails is taken all the same: the cron trigger sends them again.
    else
      await watchTenants(statistics, watch).catch((cause: unknown) =>
        console.error(`[rag-gate] alerts: ${errorForLog(cause)}`),
      )
  }
  await consumeQueuedDecisions({ messages: decisions }, env)
}
