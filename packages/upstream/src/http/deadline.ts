/** One deadline over everything that an exchange waits for, also where a wait ignores its signal. */
import { UpstreamFault, type UpstreamFaultKind } from './upstream-fault.ts'

/** How long an exchange may take. */
export interface DeadlineOptions {
  /** Milliseconds, 1 and up. */
  readonly timeoutMs: number
  /** Ends it earlier. A reason named `TimeoutError` tells that the time of a caller further up has run out. */
  readonly signal?: AbortSignal | undefined
}

/** A deadline that runs. */
export interface Deadline {
  readonly signal: AbortSignal
  /** What ended the exchange; `undefined` while it may go on. */
  readonly fault: UpstreamFault | undefined
  /** The promise's result, unless the exchange is ended first. */
  race<Value>(promise: Promise<Value>): Promise<Value>
  /** Lifts the limit of time; its signal still ends the exchange. */
  lift(): void
  stop(): void
}

/** A timer so much too late tells of a process that had more to do than it could: an answer may lie there unread. */
const LATE_MS = 100

/** Starts a deadline; stop it in a `finally`. */
export function startDeadline({ timeoutMs, signal }: DeadlineOptions): Deadline {
  const controller = new AbortController()
  let fault: UpstreamFault | undefined
  // Listens before what is given the signal: the fault comes before whatever that throws.
  const ended = new Promise<never>((_resolve, reject) =>
    controller.signal.addEventListener('abort', () => reject(fault)),
  )
  // It may end when no call is racing.
  ended.catch(() => {})
  const end = (kind: UpstreamFaultKind): void => {
    fault ??= new UpstreamFault(kind)
    controller.abort(fault)
  }
  const onAbort = (): void =>
    end(signal?.reason instanceof Error && signal.reason.name === 'TimeoutError' ? 'timeout' : 'aborted')
  const beganMs = Date.now()
  const timer = setTimeout(() => end(Date.now() - beganMs > timeoutMs + LATE_MS ? 'late' : 'timeout'), timeoutMs)
  if (signal?.aborted === true) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })
  return {
    signal: controller.signal,
    get fault() {
      return fault
    },
    race: (promise) => Promise.race([ended, promise]),
    lift: () => clearTimeout(timer),
    stop() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    },
  }
}

/** Why an exchange failed in which something was thrown. */
export function faultOf(thrown: unknown, deadline: Deadline): UpstreamFault {
  if (thrown instanceof UpstreamFault) return thrown
  return deadline.fault ?? new UpstreamFault('network', { thrown })
}

/**
 * Waits for a call that takes no signal, such as one through a binding, no longer than the deadline.
 *
 * @throws `UpstreamFault`: `network` for every error of the call
 */
export async function boundedCall<Result>(work: () => Promise<Result>, options: DeadlineOptions): Promise<Result> {
  const deadline = startDeadline(options)
  try {
    if (deadline.fault !== undefined) throw deadline.fault
    return await deadline.race(work())
  } catch (thrown) {
    throw faultOf(thrown, deadline)
  } finally {
    deadline.stop()
  }
}
