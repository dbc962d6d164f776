import type { Tenant } from 'hono-rag-gate/core/lib'

/** A request with an idempotency key, which is carried out once even if sent twice. */
export interface NamedRequest {
  readonly tenant: Tenant
  /** The sender's idempotency key. */
  readonly key: string
  /** Detects another request under the same key. */
  readonly requestHash: string
}

/** State of an idempotency key. */
export type NamedRequestState =
  /** Claimed now, with a token; the claim must be renewed at this interval. */
  | { readonly kind: 'new'; readonly claim: string; readonly renewEveryMs: number }
  | { readonly kind: 'running'; readonly retryAfterSeconds: number }
  /** The key belongs to another request. */
  | { readonly kind: 'reused' }
  | { readonly kind: 'done'; readonly status: number; readonly body: string }

/** Stores idempotency keys for a day. */
export interface IdempotencyStore {
  /**
   * Claims the key if it is `new`; the request must then be carried out, and finished or abandoned. A claim without
   * renewal for three intervals counts as interrupted, and may be taken over by a repeat of the same request.
   */
  begin(request: NamedRequest): Promise<NamedRequestState>
  /** Renews the claim. @returns whether the caller still holds it */
  renew(request: NamedRequest, claim: string): Promise<boolean>
  /** Stores the response for repeats, unless the claim was taken over. */
  finish(request: NamedRequest, claim: string, status: number, body: string): Promise<void>
  /** Deletes the claim of a failed request, which may then be tried again. A claim that was taken over is kept. */
  abandon(request: NamedRequest, claim: string): Promise<void>
  /** Deletes keys older than a day. */
  prune(): Promise<void>
}
