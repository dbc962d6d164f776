/** One line of JSON a request, without anything of who asked or what was asked. */
import type { Trace } from './trace.ts'

/** What is told of a request. */
export interface LoggedRequest {
  readonly method: string
  /** A route of the API, without ids, or `other`. */
  readonly route: string
  readonly status: number
  /** Until the headers were sent, milliseconds. */
  readonly ms: number
  /** That of the answer: of its error, or in `X-Request-Id`. */
  readonly requestId: string
  /** Code of the error; empty where there is none. */
  readonly code: string
  /** The header `RAG-Gate`: what the gate decided; `null` where it did not. */
  readonly decided: string | null
  readonly trace: Trace
}

/** Writes the line, as Workers Logs and Logpush index it. */
export function logRequest({ requestId, code, decided, trace, ...request }: LoggedRequest): void {
  console.log(
    JSON.stringify({
      message: 'request',
      ...request,
      request_id: requestId,
      trace_id: trace.traceId,
      span_id: trace.spanId,
      // What is not there is left out.
      code: code || undefined,
      rag_gate: decided ?? undefined,
    }),
  )
}
