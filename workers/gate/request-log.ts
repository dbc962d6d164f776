/** Logs one JSON line per request, without the caller or the question. */
import type { Trace } from './trace.ts'

/** Logged facts of a request. */
export interface LoggedRequest {
  readonly method: string
  /** A route of the API, without ids, or `other`. */
  readonly route: string
  readonly status: number
  /** Time until the headers were sent, milliseconds. */
  readonly ms: number
  /** Request id of the response: from its error, or from `X-Request-Id`. */
  readonly requestId: string
  /** Error code; empty if there is none. */
  readonly code: string
  /** The header `RAG-Gate` with the decision; `null` without one. */
  readonly decided: string | null
  readonly trace: Trace
}

/** Writes the line in the form that Workers Logs and Logpush index. */
export function logRequest({ requestId, code, decided, trace, ...request }: LoggedRequest): void {
  console.log(
    JSON.stringify({
      message: 'request',
      ...request,
      request_id: requestId,
      trace_id: trace.traceId,
      span_id: trace.spanId,
      // Absent values are left out.
      code: code || undefined,
      rag_gate: decided ?? undefined,
    }),
  )
}
