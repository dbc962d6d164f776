import { callable, methods, number, required, requireOptions } from '../core/lib/options.ts'
import { RagGateError } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { DecisionLog, DecisionStore, NumberedEvent } from '../ports/decision-log.ts'
import { createDropCount } from './decision-log/drop-count.ts'

export interface BufferedDecisionLogOptions {
  readonly store: DecisionStore
  /**
   * Number of buffered events at which they are written immediately. 1 and up.
   *
   * @default 100
   */
  readonly flushAt?: number
  /**
   * How long the first buffered event waits for others, in milliseconds. 0..20,000, because `waitUntil` ends after 30 s.
   *
   * @default 1_000
   */
  readonly flushAfterMs?: number
  /**
   * Most events held, including those being written. Beyond it the oldest waiting ones are dropped. `flushAt` and up.
   *
   * @default 10_000
   */
  readonly maxHeld?: number
  /**
   * Called with the number of events just dropped. It must not throw. The number is also reported to the store when it is back.
   */
  readonly onDropped?: (count: number) => void
  /** @default the platform's clock */
  readonly clock?: Clock
}

/** Most events of one write, so that the backlog of a long failure is not written at once. */
const MAX_WRITE = 1_000
/** Wait after the first failed write; it doubles with each further one. An overloaded D1 must not be retried immediately. */
const BACK_OFF_MS = 1_000
const LONGEST_BACK_OFF_MS = 8_000
/**
 * A promise given to `waitUntil` is cancelled silently 30 s after its response. A write that is unfinished by then is
 * abandoned, and its events are written again.
 *
 * @see https://developers.cloudflare.com/workers/runtime-apis/context/#waituntil
 */
const ABANDONED_AFTER_MS = 40_000

/** A period: its beginning and length. */
interface Span {
  readonly sinceMs: number
  readonly forMs: number
}

/** Milliseconds left of a period; 0 if it is over or begins in the future, which means that the clock was set back. */
function leftOf({ sinceMs, forMs }: Span, nowMs: number): number {
  return nowMs < sinceMs ? 0 : Math.max(0, sinceMs + forMs - nowMs)
}

/**
 * Buffers events in the isolate and writes them in batches. For the first buffered event and the one that fills the buffer,
 * `record` returns a promise for `waitUntil`, otherwise `undefined`. Each promise belongs to the request that recorded its
 * event: no request waits for another, which workerd forbids. A later request takes over the work of a cancelled one.
 *
 * Events of a failed write are written again after a pause. If they were stored nevertheless, they are written twice, but
 * the store counts them once.
 *
 * If an isolate is killed or runs out of memory, the events of the last `flushAfterMs` (fewer than `flushAt`) and those being
 * written are lost; while writes fail, all events that it holds. No later sequence number reveals this gap.
 *
 * @returns a log whose promises never reject
 * @throws `config_invalid` when an option is out of range
 */
export function createBufferedDecisionLog(options: BufferedDecisionLogOptions): DecisionLog {
  requireOptions(options, {
    store: required(methods('write')),
    flushAt: number(1),
    flushAfterMs: number(0, 20_000),
    maxHeld: number(1),
    onDropped: callable,
    clock: methods('nowMs'),
  })
  const {
    store,
    flushAt = 100,
    flushAfterMs = 1_000,
    maxHeld = 10_000,
    onDropped,
    clock = { nowMs: () => Date.now() },
  } = options
  if (maxHeld < flushAt)
    throw new RagGateError('config_invalid', 'maxHeld must not be under flushAt', { param: 'maxHeld' })

  // Created with the first event, because a Worker has no randomness outside a request.
  let isolate: string | undefined
  let sequence = 0
  let waiting: NumberedEvent[] = []
  const writes = new Set<Span & { readonly events: readonly NumberedEvent[] }>()
  let timer: Span | undefined
  let failures = 0
  let pause: Span | undefined
  const drops = createDropCount({ store, onDropped, clock })

  function dropExcess(): void {
    let held = waiting.length
    for (const write of writes) held += write.events.length
    if (held <= maxHeld) return
    waiting.shift()
    drops.add(1)
  }

  function putBack(events: readonly NumberedEvent[]): void {
    waiting = [...events, ...waiting]
  }

  function takeOverAbandonedWrites(nowMs: number): void {
    for (const write of writes) {
      if (leftOf(write, nowMs) > 0) continue
      writes.delete(write)
      putBack(write.events)
    }
  }

  async function writeOut(): Promise<void> {
    timer = undefined
    takeOverAbandonedWrites(clock.nowMs())
    // Only events that wait now: under steady traffic, one request would otherwise keep writing those of others after its end.
    for (let left = waiting.length; left > 0 && waiting.length > 0; left -= MAX_WRITE) {
      const events = waiting.splice(0, Math.min(left, MAX_WRITE))
      const write = { events, sinceMs: clock.nowMs(), forMs: ABANDONED_AFTER_MS }
      writes.add(write)
      try {
        await store.write(events)
        writes.delete(write)
        failures = 0
        pause = undefined
      } catch {
        // The events are not lost: they wait for the next write. If this one was taken over, they wait already.
        if (writes.delete(write)) putBack(events)
        pause = { sinceMs: clock.nowMs(), forMs: Math.min(BACK_OFF_MS * 2 ** failures++, LONGEST_BACK_OFF_MS) }
        return
      }
    }
    if (isolate !== undefined) await drops.tell(isolate)
  }

  const pauseLeftMs = (): number => (pause === undefined ? 0 : leftOf(pause, clock.nowMs()))

  async function writeOutAfter(waitMs: number, mine: Span): Promise<void> {
    await passed(waitMs)
    // A write may have failed meanwhile.
    if (pauseLeftMs() > 0) await passed(pauseLeftMs())
    if (timer === mine) await writeOut()
  }

  return {
    record(event) {
      isolate ??= crypto.randomUUID().slice(19)
      waiting.push({ event, isolate, sequence: ++sequence })
      dropExcess()
      const nowMs = clock.nowMs()
      if (waiting.length >= flushAt && pauseLeftMs() === 0) return writeOut()
      if (timer !== undefined && leftOf(timer, nowMs) > 0) return undefined
      const waitMs = Math.max(flushAfterMs, pauseLeftMs())
      timer = { sinceMs: nowMs, forMs: waitMs + ABANDONED_AFTER_MS }
      return writeOutAfter(waitMs, timer)
    },
    async flush() {
      const others = [...writes]
      await writeOut()
      // A Worker's request must not await the promise of another. That one may be gone: two seconds are enough.
      for (let looks = 0; looks < 100 && others.some((write) => writes.has(write)); looks++) await passed(20)
    },
  }
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
