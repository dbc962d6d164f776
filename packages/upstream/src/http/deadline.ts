/** One deadline for all waits of an exchange, including operations that ignore their signal. */
import { UpstreamFault, type UpstreamFaultKind } from './upstream-fault.ts'

/** Time limit of an exchange. */
export interface DeadlineOptions {
  /** Milliseconds, 1 and up. */
  readonly timeoutMs: number
  /** Ends it earlier. A reason with the name `TimeoutError` means that an outer deadline has passed. */
  readonly signal?: AbortSignal | undefined
}

/** A running deadline. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Why the exchange ended; `undefined` while it is running. */
  readonly fault: UpstreamFault | undefined
  /** The promise's result, unless the exchange ends first. */
  race<Value>(promise: Promise<Value>): Promise<Value>
  /** Removes the time limit; the signal still applies. */
  lift(): void
  stop(): void
}

/** A timer that fires this late shows that the process was overloaded; an answer may be waiting unread. */
const LATE_MS = 100

/** Starts a deadline; stop it in a `finally`. */
export function startDeadline({ timeoutMs, signal }: DeadlineOptions): Deadline {
  const controller = new AbortController()
  let fault: UpstreamFault | undefined
  /** Rejects the waits in progress. `Promise.race` would keep every piece of a stream until the deadline is over. */
  const waits = new Set<(reason: unknown) => void>()
  const end = (kind: UpstreamFaultKind): void => {
    fault ??= new UpstreamFault(kind)
    // First, so that the fault precedes errors of listeners to the signal.
    for (const reject of waits) reject(fault)
    controller.abort(fault)
  }
  const onAbort = (): void =>
    // A reason may be anything: without a name, it is no time limit.
    end((signal?.reason as Error | null)?.name === 'TimeoutError' ? 'timeout' : 'aborted')
  const lateAfterMs = Date.now() + timeoutMs + LATE_MS
  const timer = setTimeout(() => end(Date.now() > lateAfterMs ? 'late' : 'timeout'), timeoutMs)
  if (signal?.aborted) onAbort()
  else signal?.addEventListener('abort', onAbort)
  return {
    signal: controller.signal,
    get fault() {
      return fault
    },
    race: (promise) =>
      new Promise((resolve, reject) => {
        if (fault) reject(fault)
        waits.add(reject)
        void promise.then(resolve, reject).then(() => waits.delete(reject))
      }),
    lift: () => clearTimeout(timer),
    stop() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    },
  }
}

/** Converts anything thrown during an exchange to a fault. */
export function faultOf(thrown: unknown, deadline: Deadline): UpstreamFault {
  if (thrown instanceof UpstreamFault) return thrown
  return deadline.fault ?? new UpstreamFault('network', { thrown })
}

/**
 * Bounds a call that takes no signal, such as one through a binding.
 *
 * @throws `UpstreamFault`: `network` for every error of the call
 */
export async function boundedCall<Result>(work: () => Promise<Result>, options: DeadlineOptions): Promise<Result> {
  const deadline = startDeadline(options)
  try {
    if (deadline.fault) throw deadline.fault
    return await deadline.race(work())
  } catch (thrown) {
    throw faultOf(thrown, deadline)
  } finally {
    deadline.stop()
  }
}
