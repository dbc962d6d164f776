import { callable, methods, required, requireOptions } from 'hono-rag-gate/core/lib'
import type { Clock, DecisionEvent, DecisionLog, DecisionStore, NumberedEvent } from 'hono-rag-gate/ports'
import { createDropCount, writeDirectly } from 'hono-rag-gate/adapters/decision-log'
import { fitEvent } from './fit-event.ts'

/** The part of a producer binding of Cloudflare Queues that is used. */
export interface DecisionQueue {
  send(message: QueuedDecision, options: { contentType: 'json' }): Promise<unknown>
}

export interface QueueDecisionLogOptions {
  /** The binding. Its consumer is `createDecisionConsumer`. */
  readonly queue: DecisionQueue
  /**
   * Store for events that the queue rejects: each is written directly, in up to three attempts within four seconds.
   * Without it such an event is dropped.
   */
  readonly fallback?: DecisionStore
  /** Called with the number of dropped events; must not throw. The fallback is told too, once available again. */
  readonly onDropped?: (count: number) => void
  /** @default the platform's clock */
  readonly clock?: Clock
}

/** Content of a message. */
export interface QueuedDecision {
  /** Version of the format; messages of others end in the consumer's dead-letter queue. */
  readonly schema: 1
  readonly numbered: NumberedEvent
}

/**
 * Sends every event to a queue, from which a consumer writes batches to the database: an isolate that is evicted loses
 * only the event being sent. An event that is too large for a message is truncated and flagged, never dropped.
 *
 * @returns a log whose `record` always returns a promise, which never rejects; `flush` does nothing
 * @see https://developers.cloudflare.com/queues/platform/limits/
 * @example const log = createQueueDecisionLog({ queue: env.DECISIONS, fallback: createD1DecisionStore({ db: env.DB })
 *   })
 */
export function createQueueDecisionLog(options: QueueDecisionLogOptions): DecisionLog {
  requireOptions(options, {
    queue: required(methods('send')),
    fallback: methods('write'),
    onDropped: callable,
    clock: methods('nowMs'),
  })
  const { queue, fallback, onDropped, clock = { nowMs: () => Date.now() } } = options
  // Made with the first event, because Workers have no randomness outside of a request.
  let isolate: string | undefined
  let sequence = 0
  const drops = createDropCount({ store: fallback, onDropped, clock })

  async function send(numbered: NumberedEvent): Promise<void> {
    try {
      await queue.send({ schema: 1, numbered }, { contentType: 'json' })
    } catch {
      // For any failure of the queue, so that the event is not lost.
      if (fallback !== undefined) return writeDirectly(fallback, numbered, drops)
      return drops.add(1)
    }
    // The queue works again, so the fallback is told the number of dropped events here, not with a direct write.
    await drops.tell(numbered.isolate)
  }

  return {
    record(event: DecisionEvent) {
      isolate ??= crypto.randomUUID().slice(19)
      return send({ event: fitEvent(event), isolate, sequence: ++sequence })
    },
    async flush() {},
  }
}
