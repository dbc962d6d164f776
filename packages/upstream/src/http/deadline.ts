/** One deadline over everything that an exchange waits for, also where a wait ignores its signal. */
import { UpstreamFault } from './upstream-fault.ts'

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

/** Starts a deadline; stop it in a `finally`. */
export function startDeadline({ timeoutMs, signal }: DeadlineOptions): Deadline {
  const controller = new AbortController()
  let fault: UpstreamFault | undefined
  let reject: ((why: UpstreamFault) => void) | undefined
  const ended = new Promise<never>((_resolve, rejectEnded) => {
    reject = rejectEnded
  })
  // It may end when no call is racing.
  ended.catch(() => {})
  const end = (why: UpstreamFault): void => {
    fault ??= why
    reject?.(fault)
    controller.abort(fault)
  }
  const onAbort = (): void => {
    const reason: unknown = signal?.reason
    end(new UpstreamFault(reason instanceof Error && reason.name === 'TimeoutError' ? 'timeout' : 'aborted'))
  }
  const timer = setTimeout(() => end(new UpstreamFault('timeout')), timeoutMs)
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
    throw thrown instanceof UpstreamFault ? thrown : (deadline.fault ?? new UpstreamFault('network', { thrown }))
  } finally {
    deadline.stop()
  }
}
