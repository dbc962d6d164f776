import { callable, methods, required, requireOptions } from 'hono-rag-gate/core/lib'
import type { Queue } from '@cloudflare/workers-types'
import type { Clock, DecisionEvent, DecisionLog, DecisionStore, NumberedEvent } from 'hono-rag-gate/ports'
import { createDropCount, writeDirectly } from 'hono-rag-gate/adapters/decision-log'
import { fitEvent } from './fit-event.ts'

export interface QueueDecisionLogOptions {
  /** Producer binding of Cloudflare Queues. Its consumer is `createDecisionConsumer`. */
  readonly queue: Pick<Queue<QueuedDecision>, 'send'>
  /**
   * Takes an event that the queue does not: it is written by itself, in three tries within four seconds. Without one such
   * an event is dropped.
   */
  readonly fallback?: DecisionStore
  /** Called with the number of events given up. It must not throw. The fallback is told as well, once it answers. */
  readonly onDropped?: (count: number) => void
  /** @default the platform's clock */
  readonly clock?: Clock
}

/** What stands in a message. */
export interface QueuedDecision {
  /** Rises when the shape changes: a consumer leaves alone what it does not know. */
  readonly schema: 1
  readonly numbered: NumberedEvent
}

/**
 * Sends every event to a queue, from where a consumer writes them to the database in batches: an isolate that ends at once
 * takes with it only what it was just sending. An event that is too large for a message is cut, flagged and sent, never thrown away.
 *
 * @returns a log whose `record` always returns a promise, which never rejects; `flush` has nothing to do
 * @see https://developers.cloudflare.com/queues/platform/limits/
 * @example
 * const log = createQueueDecisionLog({ queue: env.DECISIONS, fallback: createD1DecisionStore({ db: env.DB }) })
 */
export function createQueueDecisionLog(options: QueueDecisionLogOptions): DecisionLog {
  requireOptions(options, {
    queue: required(methods('send')),
    fallback: methods('write'),
    onDropped: callable,
    clock: methods('nowMs'),
  })
  const { queue, fallback, onDropped, clock = { nowMs: () => Date.now() } } = options
  // Made with the first event: a Worker has no randomness outside a request.
  let isolate: string | undefined
  let sequence = 0
  const drops = createDropCount({ store: fallback, onDropped, clock })

  async function send(numbered: NumberedEvent): Promise<void> {
    try {
      await queue.send({ schema: 1, numbered }, { contentType: 'json' })
    } catch {
      // Too many messages, or no queue: why does not matter, the event must not be lost for it.
      if (fallback !== undefined) return writeDirectly(fallback, numbered, drops)
      return drops.add(1)
    }
    // Where the queue works again, no event is written directly any more.
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
