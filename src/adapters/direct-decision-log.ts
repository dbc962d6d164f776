import { callable, methods, required, requireOptions } from '../core/lib/options.ts'
import type { Clock } from '../ports/clock.ts'
import type { DecisionLog, DecisionStore } from '../ports/decision-log.ts'
import { createDropCount } from './decision-log/drop-count.ts'
import { writeDirectly } from './decision-log/write-directly.ts'

export interface DirectDecisionLogOptions {
  readonly store: DecisionStore
  /** Called with the number of events given up. It must not throw. The store is told as well, once it answers again. */
  readonly onDropped?: (count: number) => void
  /** @default the platform's clock */
  readonly clock?: Clock
}

/**
 * Writes every event by itself, for tests and small sites: each costs a statement. A failed write is tried three times
 * within four seconds and its own time, then the event is dropped and counted.
 *
 * @returns a log whose `record` always returns a promise, which never rejects; `flush` has nothing to do
 */
export function createDirectDecisionLog(options: DirectDecisionLogOptions): DecisionLog {
  requireOptions(options, { store: required(methods('write')), onDropped: callable, clock: methods('nowMs') })
  const { store, onDropped, clock = { nowMs: () => Date.now() } } = options
  // Made with the first event: a Worker has no randomness outside a request.
  let isolate: string | undefined
  let sequence = 0
  const drops = createDropCount({ store, onDropped, clock })

  return {
    record(event) {
      isolate ??= crypto.randomUUID().slice(19)
      return writeDirectly(store, { event, isolate, sequence: ++sequence }, drops)
    },
    async flush() {},
  }
}
