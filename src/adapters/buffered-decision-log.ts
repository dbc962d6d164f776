import { callable, methods, number, required, requireOptions } from '../core/lib/options.ts'
import { RagGateError } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { DecisionLog, DecisionStore, NumberedEvent } from '../ports/decision-log.ts'
import { createDropCount } from './decision-log/drop-count.ts'

export interface BufferedDecisionLogOptions {
  readonly store: DecisionStore
  /**
   * Events held when they are written at once. 1 and up.
   *
   * @default 100
   */
  readonly flushAt?: number
  /**
   * How long the first event held waits for others, in milliseconds. 0..20,000: `waitUntil` ends after 30 s.
   *
   * @default 1_000
   */
  readonly flushAfterMs?: number
  /**
   * Most events held, those being written included. Beyond it the oldest waiting ones are dropped. `flushAt` and up.
   *
   * @default 10_000
   */
  readonly maxHeld?: number
  /**
   * Called with the number of events just dropped. It must not throw. The store is told as well, once it answers again.
   */
  readonly onDropped?: (count: number) => void
  /** @default the platform's clock */
  readonly clock?: Clock
}

/** Most events of one write, so that what a long failure piled up does not go out in one piece. */
const MAX_WRITE = 1_000
/** First wait after a failed write; it doubles with each further one. An overloaded D1 must not be asked again at once. */
const BACK_OFF_MS = 1_000
const LONGEST_BACK_OFF_MS = 8_000
/**
 * A promise given to `waitUntil` is cancelled without a word 30 s after its response. What it has not done by then
 * is given up, and another write begins.
 *
 * @see https://developers.cloudflare.com/workers/runtime-apis/context/#waituntil
 */
const ABANDONED_AFTER_MS = 40_000

/** Time that something takes, from when to how long. */
interface Span {
  readonly sinceMs: number
  readonly forMs: number
}

/** Milliseconds that are left of it, 0 once it is over; one that begins in the future is: the clock was set back. */
function leftOf({ sinceMs, forMs }: Span, nowMs: number): number {
  return nowMs < sinceMs ? 0 : Math.max(0, sinceMs + forMs - nowMs)
}

/**
 * Holds events in the isolate and writes them together. The first event held and the one that fills the buffer return a
 * promise for `waitUntil`, every other one `undefined`. Each promise belongs to the request that recorded its event:
 * no request ever waits for another, which workerd forbids, and work that a cancelled request left behind is taken
 * over by a later one.
 *
 * A failed write puts its events back for a later one, after a pause. Events that were stored all the same are then
 * written twice, which the store counts once.
 *
 * An isolate that ends at once, killed or out of memory, takes with it what it recorded in the last `flushAfterMs`, fewer
 * than `flushAt`, and what was being written; while writes fail, all that it holds. No later number shows a gap then.
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

  // Made with the first event: a Worker has no randomness outside a request.
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
    const excess = Math.min(held - maxHeld, waiting.length)
    if (excess <= 0) return
    waiting.splice(0, excess)
    drops.add(excess)
  }

  function putBack(events: readonly NumberedEvent[]): void {
    waiting = [...events, ...waiting]
    dropExcess()
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
    // Only what waits now: under steady traffic one request would otherwise write for all others, past its own end.
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
        // The events are not lost: they wait for the next write. Were this one taken over, they wait already.
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
    flush: writeOut,
  }
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
