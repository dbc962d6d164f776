/** How decisions reach the database: buffered in the isolate, or through a queue. */
import { errorForLog } from 'hono-rag-gate/errors'
import { createBufferedDecisionLog } from 'hono-rag-gate/adapters/buffered-decision-log'
import { createD1DecisionStore } from 'hono-rag-gate/adapters/d1'
import { createDecisionConsumer } from '@hono-rag-gate/cloudflare'
import { createQueueDecisionLog } from '@hono-rag-gate/cloudflare'
import type { DecisionLog, DecisionStore } from 'hono-rag-gate/ports'
import type { GateBindings } from '../bindings.ts'
import { numberIn } from '../settings.ts'
import { namedPolicyOfId, recordedPolicy } from '../policies/policy-named.ts'

/**
 * The queue if bound, otherwise a buffer in the isolate.
 *
 * @throws `config_invalid` if the number of days for questions is out of range
 */
export function decisionLogFor(env: GateBindings): DecisionLog {
  const store = decisionStore(env)
  const onDropped = (count: number): void =>
    console.error(`[rag-gate] ${count} decisions were not recorded: D1 did not answer`)
  return env.DECISIONS_QUEUE === undefined
    ? createBufferedDecisionLog({ store, onDropped })
    : createQueueDecisionLog({ queue: env.DECISIONS_QUEUE, fallback: store, onDropped })
}

/** Handler for `queue`: writes decisions of other isolates. */
export async function consumeQueuedDecisions(batch: Pick<MessageBatch, 'messages'>, env: GateBindings): Promise<void> {
  const consume = createDecisionConsumer({
    store: (onRejected) => decisionStore(env, onRejected),
    onPoison: (count) => console.error(`[rag-gate] ${count} messages of the queue were not recorded`),
  })
  await consume(batch)
}

function decisionStore(
  env: GateBindings,
  onRejected: NonNullable<Parameters<typeof createD1DecisionStore>[0]['onRejected']> = (cause) =>
    console.error(`[rag-gate] a decision was not recorded: ${errorForLog(cause)}`),
): DecisionStore {
  const textDays = numberIn(env, 'STORE_QUESTIONS_DAYS')
  // A text must not outlive its decisions, because only these tell its principal, for erasure.
  const retentionDays = textDays && Math.min(textDays, numberIn(env, 'DECISION_RETENTION_DAYS') ?? 90)
  return createD1DecisionStore({
    db: env.DB,
    policyOf: (id) => {
      const policy = namedPolicyOfId(id)
      return policy && recordedPolicy(policy)
    },
    onRejected,
    ...(retentionDays === undefined ? {} : { storeQuestions: { retentionDays } }),
  })
}
