/** Trace context of a request, from `traceparent`, passed on to models. @see https://www.w3.org/TR/trace-context/ */
import type { MiddlewareHandler } from 'hono'
import { oncePer } from 'hono-rag-gate/core/lib'
import { tryGetContext } from 'hono/context-storage'

/** Trace context. */
export interface Trace {
  /** 32 hexadecimal characters, from the caller or new. */
  readonly traceId: string
  /** 16 hexadecimal characters that identify this request. */
  readonly spanId: string
  /** Two hexadecimal characters; `01` if the trace is sampled. */
  readonly flags: string
  /** The unchanged `tracestate` of other systems. */
  readonly state: string | null
}

const PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(?:$|-)/
const LONGEST_STATE = 512

/** The caller's trace; a new one if the header is missing or malformed. Every call gives the same for a request. */
export const traceOf: (request: Request) => Trace = oncePer(({ headers }) => {
  const [, traceId, flags = '00'] = PARENT.exec(headers.get('traceparent') ?? '') ?? []
  const given = headers.get('tracestate')
  const state = traceId === undefined || given === null || given.length > LONGEST_STATE ? null : given
  return { traceId: traceId ?? randomHex(32), spanId: randomHex(16), flags, state }
})

/** Keeps the trace for `tracedFetch`, because later handlers may replace the request object. */
export const keepTrace: MiddlewareHandler = (c, next) => {
  const { raw } = c.req
  c.set('trace', () => traceOf(raw))
  return next()
}

/** `fetch` with the headers of the request's trace, for handlers behind `contextStorage` and `keepTrace`. */
export const tracedFetch: typeof fetch = (input: RequestInfo | URL, init?: RequestInit) => {
  const trace = tryGetContext<{ Variables: { trace?: () => Trace } }>()?.var.trace?.()
  if (trace === undefined) return fetch(input, init)
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
  headers.set('traceparent', `00-${trace.traceId}-${trace.spanId}-${trace.flags}`)
  if (trace.state !== null) headers.set('tracestate', trace.state)
  return fetch(input, { ...init, headers })
}

function randomHex(characters: 16 | 32): string {
  return crypto.randomUUID().replaceAll('-', '').slice(-characters)
}
