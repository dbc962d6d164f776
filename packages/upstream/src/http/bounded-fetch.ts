/**
 * One HTTP exchange with an untrusted upstream: one deadline for headers and body, a size limit, no redirects. The
 * adapter maps faults to error codes.
 */
import { type Deadline, type DeadlineOptions, faultOf, startDeadline } from './deadline.ts'
import { discard, readAtMost, utf8TextOf } from 'hono-rag-gate/http'
import { UpstreamFault } from './upstream-fault.ts'

/** Sends a request: `fetch`, or that of a service binding or Durable Object stub. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Request settings that the exchange does not control. */
export type BoundedRequest = Omit<RequestInit, 'signal' | 'redirect'>

/** Limits of an exchange. */
export interface BoundedFetchOptions extends DeadlineOptions {
  readonly fetch: Fetch
  /** Maximum size of the body after decompression, bytes. */
  readonly maxResponseBytes: number
}

/** A complete response. */
export interface BoundedResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/**
 * Sends a request and reads the whole response.
 *
 * @throws `UpstreamFault`; also if `fetch` or the body ignore the signal
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
 * Sends a request under a deadline, and reads the response with `read`.
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
    if (deadline.fault) throw deadline.fault
    // workerd does not support `redirect: 'error'`.
    sent = fetch(url, { ...init, redirect: 'manual', signal: deadline.signal })
    const response = await deadline.race(sent)
    if (response.status >= 300 && response.status < 400) {
      throw new UpstreamFault('redirect', { status: response.status })
    }
    return await read(response)
  } catch (thrown) {
    // Cancels the body of a response that arrives after the deadline.
    sent?.then(discard).catch(() => {})
    throw faultOf(thrown, deadline)
  }
}

/** Longest delay that is passed on. */
const MOST_SECONDS = 1_000_000_000

/** The delay in `Retry-After`, in whole seconds; `undefined` if there is none. */
export function retryAfterSeconds(headers: Headers, nowMs: number): number | undefined {
  // Node keeps white space at the end of a field. A date in the format of asctime ends in the year, without GMT.
  const value = (headers.get('retry-after') ?? '').trim().replace(/:\d\d \d{4}$/, '$& GMT')
  // Some services send fractions.
  const seconds = /^[\d.]+$/.test(value)
    ? Number(value)
    : // Anything else must be a date, which ends in GMT (RFC 9110, section 10.2.3); `Date.parse` alone is too lenient.
      (Date.parse(value.endsWith(' GMT') ? value : '') - nowMs) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, Math.ceil(seconds)), MOST_SECONDS)
}
