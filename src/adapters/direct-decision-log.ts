import { callable, methods, required, requireOptions } from '../core/lib/options.ts'
import type { Clock } from '../ports/clock.ts'
import type { DecisionLog, DecisionStore } from '../ports/decision-log.ts'
import { createDropCount } from './decision-log/drop-count.ts'
import { writeDirectly } from './decision-log/write-directly.ts'

export interface DirectDecisionLogOptions {
  readonly store: DecisionStore
  /** Called with the number of dropped events. It must not throw. The number is also reported to the store when it is back. */
  readonly onDropped?: (count: number) => void
  /** @default the platform's clock */
  readonly clock?: Clock
}

/**
 * Writes every event individually, for tests and small sites: each costs a statement. After three failed attempts, with waits
 * of four seconds in sum, the event is dropped and counted.
 *
 * @returns a log whose `record` always returns a promise, which never rejects; `flush` does nothing
 */
export function createDirectDecisionLog(options: DirectDecisionLogOptions): DecisionLog {
  requireOptions(options, { store: required(methods('write')), onDropped: callable, clock: methods('nowMs') })
  const { store, onDropped, clock = { nowMs: () => Date.now() } } = options
  // Created with the first event, because a Worker has no randomness outside a request.
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
