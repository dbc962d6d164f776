/**
 * One HTTP exchange with an upstream that is not trusted to end: one deadline over headers and body, a cap on the
 * bytes, no redirects. Which error code a fault becomes is the adapter's to say.
 */
import { readAtMost } from './read-at-most.ts'

/** What sends a request: `fetch`, or that of a service binding or Durable Object stub. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Bounds of an exchange. */
export interface BoundedFetchOptions {
  readonly fetch: Fetch
  /** Milliseconds for headers and body together. */
  readonly timeoutMs: number
  /** Bytes of the body that are read at most. */
  readonly maxResponseBytes: number
  /** Aborts the exchange earlier. */
  readonly signal?: AbortSignal | undefined
}

/** A response that came whole. */
export interface BoundedResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Why an exchange did not end in a response. */
export type FetchFaultKind = 'timeout' | 'aborted' | 'network' | 'redirect' | 'too-large' | 'not-utf8'

/** An exchange that did not end in a response. */
export class FetchFault extends Error {
  override readonly name = 'FetchFault'
  readonly kind: FetchFaultKind

  constructor(kind: FetchFaultKind, cause?: unknown) {
    super(`The exchange failed: ${kind}`, { cause })
    this.kind = kind
  }
}

/**
 * Sends a request and reads the whole response.
 *
 * @throws `FetchFault`; also when `fetch` or the body ignore the signal
 */
export async function boundedFetch(
  url: string,
  init: Omit<RequestInit, 'signal' | 'redirect'>,
  options: BoundedFetchOptions,
): Promise<BoundedResponse> {
  const deadline = startDeadline(options)
  let sent: Promise<Response> | undefined
  try {
    if (deadline.fault !== undefined) throw deadline.fault
    // workerd has no `redirect: 'error'`.
    sent = options.fetch(url, { ...init, redirect: 'manual', signal: deadline.signal })
    const response = await deadline.race(sent)
    if (response.status >= 300 && response.status < 400) throw new FetchFault('redirect')
    const bytes = await readAtMost(response.body, options.maxResponseBytes, (promise) => deadline.race(promise))
    if (bytes === undefined) throw new FetchFault('too-large')
    return { status: response.status, headers: response.headers, text: decode(bytes) }
  } catch (thrown) {
    // Whenever a response still comes, nobody will read it.
    sent?.then(({ body }) => (body?.locked === false ? body.cancel() : undefined)).catch(() => {})
    if (thrown instanceof FetchFault) throw thrown
    throw deadline.fault ?? new FetchFault('network', thrown)
  } finally {
    deadline.stop()
  }
}

/** The wait that an upstream asked for in `Retry-After`, in whole seconds; `undefined` when it asked for none. */
export function retryAfterSeconds(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}$/.test(value)) return Number(value)
  // RFC 9110, section 10.2.3: anything else is a date, and those end in GMT. `Date.parse` alone takes nearly everything.
  const atMs = value.endsWith(' GMT') ? Date.parse(value) : Number.NaN
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1000))
}

interface Deadline {
  readonly signal: AbortSignal
  /** What ended the exchange; `undefined` while it may go on. */
  readonly fault: FetchFault | undefined
  /** The promise's result, unless the exchange is ended first. */
  race<T>(promise: Promise<T>): Promise<T>
  stop(): void
}

function startDeadline({ timeoutMs, signal }: BoundedFetchOptions): Deadline {
  const controller = new AbortController()
  let fault: FetchFault | undefined
  let reject: ((why: FetchFault) => void) | undefined
  const ended = new Promise<never>((_resolve, rejectEnded) => {
    reject = rejectEnded
  })
  // Nobody may be racing when it ends.
  ended.catch(() => {})
  const end = (why: FetchFault): void => {
    fault ??= why
    reject?.(fault)
    controller.abort(fault)
  }
  const onAbort = (): void => end(new FetchFault('aborted', signal?.reason))
  const timer = setTimeout(() => end(new FetchFault('timeout')), timeoutMs)
  if (signal?.aborted === true) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })
  return {
    signal: controller.signal,
    get fault() {
      return fault
    },
    race: (promise) => Promise.race([ended, promise]),
    stop() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    },
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch (thrown) {
    throw new FetchFault('not-utf8', thrown)
  }
}
