/**
 * One HTTP exchange with an upstream that is not trusted to end: one deadline over headers and body, a cap on the
 * bytes, no redirects. Which error code a fault becomes is the adapter's to say.
 */
import { type Deadline, type DeadlineOptions, faultOf, startDeadline } from './deadline.ts'
import { readAtMost, utf8TextOf } from 'hono-rag-gate/http'
import { UpstreamFault } from './upstream-fault.ts'

/** What sends a request: `fetch`, or that of a service binding or Durable Object stub. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** A request without what the exchange sees to. */
export type BoundedRequest = Omit<RequestInit, 'signal' | 'redirect'>

/** Bounds of an exchange. */
export interface BoundedFetchOptions extends DeadlineOptions {
  readonly fetch: Fetch
  /** Bytes of the body that are read at most, after decompression. */
  readonly maxResponseBytes: number
}

/** A response that came whole. */
export interface BoundedResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/**
 * Sends a request and reads the whole response.
 *
 * @throws `UpstreamFault`; also when `fetch` or the body ignore the signal
 */
export async function boundedFetch(
  url: string,
  init: BoundedRequest,
  options: BoundedFetchOptions,
): Promise<BoundedResponse> {
  const deadline = startDeadline(options)
  try {
    return await readUnder(deadline, options.fetch, url, init, async ({ status, headers, body }) => {
      const bytes = await readAtMost(body, options.maxResponseBytes, (promise) => deadline.race(promise))
      if (bytes === undefined) throw new UpstreamFault('too-large')
      const text = utf8TextOf(bytes)
      if (text === undefined) throw new UpstreamFault('not-utf8')
      return { status, headers, text }
    })
  } finally {
    deadline.stop()
  }
}

/**
 * Sends a request under a deadline, and reads of the response what `read` does.
 *
 * @throws `UpstreamFault`
 */
export async function readUnder<Result>(
  deadline: Deadline,
  fetch: Fetch,
  url: string,
  init: BoundedRequest,
  read: (response: Response) => Promise<Result>,
): Promise<Result> {
  let sent: Promise<Response> | undefined
  try {
    if (deadline.fault !== undefined) throw deadline.fault
    // workerd has no `redirect: 'error'`.
    sent = fetch(url, { ...init, redirect: 'manual', signal: deadline.signal })
    const response = await deadline.race(sent)
    if (response.status >= 300 && response.status < 400) {
      throw new UpstreamFault('redirect', { status: response.status })
    }
    return await read(response)
  } catch (thrown) {
    // A response that comes later is not read.
    sent?.then(({ body }) => (body?.locked === false ? body.cancel() : undefined)).catch(() => {})
    throw faultOf(thrown, deadline)
  }
}

/** The wait that an upstream asked for in `Retry-After`, in whole seconds; `undefined` when it asked for none. */
export function retryAfterSeconds(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get('retry-after') ?? ''
  if (/^\d{1,9}$/.test(value)) return Number(value)
  // RFC 9110, section 10.2.3: anything else is a date, and those end in GMT. `Date.parse` alone takes nearly everything.
  const atMs = value.endsWith(' GMT') ? Date.parse(value) : Number.NaN
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1000))
}
