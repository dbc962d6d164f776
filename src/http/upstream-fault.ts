/**
 * Why an exchange with an upstream did not end in a result. `unavailable`: it said so itself, by status 429 or 5xx;
 * `circuit-open`: it was not asked, because it failed too often just before.
 */
export type UpstreamFaultKind =
  | 'timeout'
  | 'aborted'
  | 'network'
  | 'unavailable'
  | 'circuit-open'
  | 'redirect'
  | 'too-large'
  | 'not-utf8'

/** An exchange that did not end in a result. */
export class UpstreamFault extends Error {
  override readonly name = 'UpstreamFault'
  readonly kind: UpstreamFaultKind
  /** How long to wait before asking again, in seconds, as far as anybody said so. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    kind: UpstreamFaultKind,
    options: { readonly cause?: unknown; readonly retryAfterSeconds?: number } = {},
  ) {
    super(`The exchange failed: ${kind}`, { cause: options.cause })
    this.kind = kind
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
