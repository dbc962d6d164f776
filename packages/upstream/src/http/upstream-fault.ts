import { errorKind } from 'hono-rag-gate/errors'

/**
 * Why an exchange with an upstream gave no result. `unavailable`: status 408, 429 or 5xx; `circuit-open`: not called,
 * because of recent failures; `late`: this process was too busy to see an answer in time.
 */
export type UpstreamFaultKind =
  | 'timeout'
  | 'late'
  | 'aborted'
  | 'network'
  | 'unavailable'
  | 'circuit-open'
  | 'redirect'
  | 'too-large'
  | 'not-utf8'

/** An exchange without a result. The underlying error is not kept, since its text may come from the upstream. */
export class UpstreamFault extends Error {
  override readonly name = 'UpstreamFault'
  readonly kind: UpstreamFaultKind
  /** The system's code for a failed connection, such as `ECONNREFUSED`, which a log line names. */
  readonly code: string | undefined
  /** Status of the response, if there was one. */
  readonly status: number | undefined
  /** Seconds to wait before the next attempt, if the service gave them. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    kind: UpstreamFaultKind,
    {
      thrown,
      status,
      retryAfterSeconds,
    }: {
      readonly thrown?: unknown
      readonly status?: number
      readonly retryAfterSeconds?: number | undefined
    } = {},
  ) {
    super(kind)
    this.kind = kind
    this.code = errorKind(thrown).split(' ')[1]
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}
