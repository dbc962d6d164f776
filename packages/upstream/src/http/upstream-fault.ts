import { errorKind } from 'hono-rag-gate/errors'

/**
 * Why an exchange with an upstream did not end in a result. `unavailable`: it said so itself, by status 429 or 5xx;
 * `circuit-open`: it was not asked, because it failed too often just before; `late`: this process was too busy to see in time
 * whether it answered.
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

/** An exchange that did not end in a result. What was thrown underneath is not kept, since its text may be an upstream's. */
export class UpstreamFault extends Error {
  override readonly name = 'UpstreamFault'
  readonly kind: UpstreamFaultKind
  /** Status of the response, where one came. */
  readonly status: number | undefined
  /** How long to wait before asking again, in seconds, where the service said so. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    kind: UpstreamFaultKind,
    options: {
      readonly thrown?: unknown
      readonly status?: number
      readonly retryAfterSeconds?: number | undefined
    } = {},
  ) {
    super(`The exchange failed: ${kind}${options.thrown === undefined ? '' : ` (${errorKind(options.thrown)})`}`)
    this.kind = kind
    this.status = options.status
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
