import { callable, required, requireOptions, whole, isRecord } from 'hono-rag-gate/core/lib'
import type { DecisionStore, NumberedEvent } from 'hono-rag-gate/ports'

/** The part of a queue's message that is used. */
export interface DecisionMessage {
  readonly body: unknown
  ack(): void
  retry(options: { delaySeconds: number }): void
}

export interface DecisionConsumerOptions {
  /** Makes the store for events. It must call `onRejected` for each event that it will never accept. */
  readonly store: (onRejected: (cause: unknown, rejected: NumberedEvent) => void) => DecisionStore
  /** Called with the number of messages that are not events, or that no table accepts. It must not throw. */
  readonly onPoison?: (count: number) => void
  /**
   * Delay before messages that the database failed to store are redelivered, whole seconds. 1..43,200.
   *
   * @default 10
   */
  readonly retryAfterSeconds?: number
}

/**
 * Consumes a queue of decisions: a batch is written with few statements, and each message is acknowledged separately. A
 * message that is not an event, or that no table accepts, is retried alone, and goes to the dead-letter queue after the
 * queue's retries, without delaying others. An unacknowledged event is redelivered, and counted once.
 *
 * @returns the handler for `queue` of a Worker. It never rejects
 * @throws `config_invalid` when an option is missing or out of range
 * @example export default { queue: createDecisionConsumer({ store: (onRejected) => createD1DecisionStore({ db,
 *   onRejected }) }) }
 */
export function createDecisionConsumer(
  options: DecisionConsumerOptions,
): (batch: { readonly messages: readonly DecisionMessage[] }) => Promise<void> {
  requireOptions(options, { store: required(callable), onPoison: callable, retryAfterSeconds: whole(1, 43_200) })
  const { store: makeStore, onPoison, retryAfterSeconds = 10 } = options
  return async function consumeDecisions(batch) {
    const [events, poison] = splitReadable(batch.messages)
    const rejected = new Set<string>()
    const store = makeStore((_cause, { event }) => rejected.add(event.id))
    try {
      await store.write([...events.values()])
    } catch {
      // The database failed: everything it did not confirm is redelivered.
      for (const message of events.keys()) message.retry({ delaySeconds: retryAfterSeconds })
      retry(poison)
      return
    }
    for (const [message, { event }] of events) {
      if (rejected.has(event.id)) poison.push(message)
      else message.ack()
    }
    retry(poison)
  }

  function retry(poison: readonly DecisionMessage[]): void {
    for (const message of poison) message.retry({ delaySeconds: retryAfterSeconds })
    if (poison.length > 0) onPoison?.(poison.length)
  }
}

function splitReadable(messages: readonly DecisionMessage[]): [Map<DecisionMessage, NumberedEvent>, DecisionMessage[]] {
  const events = new Map<DecisionMessage, NumberedEvent>()
  const poison: DecisionMessage[] = []
  for (const message of messages) {
    const numbered = numberedEvent(message.body)
    if (numbered === undefined) poison.push(message)
    else events.set(message, numbered)
  }
  return [events, poison]
}

/** The event of a message; `undefined` for anything else. Its fields are validated by the tables' constraints. */
function numberedEvent(body: unknown): NumberedEvent | undefined {
  if (!isRecord(body) || body['schema'] !== 1 || !isRecord(body['numbered'])) return undefined
  const { event, isolate, sequence } = body['numbered']
  if (!isRecord(event) || typeof event['id'] !== 'string' || typeof event['atMs'] !== 'number') return undefined
  if (!isRecord(event['decision']) || !isRecord(event['timings'])) return undefined
  if (typeof isolate !== 'string' || typeof sequence !== 'number') return undefined
  // Written by `createQueueDecisionLog`; the tables reject missing fields.
  return body['numbered'] as unknown as NumberedEvent
}
