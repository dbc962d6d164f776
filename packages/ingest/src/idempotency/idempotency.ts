import type { Tenant } from 'hono-rag-gate/core/lib'

/** A request that its sender named, so that it can be sent twice and be carried out once. */
export interface NamedRequest {
  readonly tenant: Tenant
  /** The sender's name for it. */
  readonly key: string
  /** Tells whether a second request under the name asks for the same. */
  readonly requestHash: string
}

/** What is known of a named request. */
export type NamedRequestState =
  /** It is claimed now, by a token of its own, and to be renewed that often. */
  | { readonly kind: 'new'; readonly claim: string; readonly renewEveryMs: number }
  | { readonly kind: 'running'; readonly retryAfterSeconds: number }
  /** The name stands for something else. */
  | { readonly kind: 'reused' }
  | { readonly kind: 'done'; readonly status: number; readonly body: string }

/** Remembers named requests for a day. */
export interface IdempotencyStore {
  /**
   * Claims the name when it is `new`; the request is then to be carried out, and finished or abandoned. A claim that was
   * not renewed for three times that long was cut off, and may be taken over by another request for the same.
   */
  begin(request: NamedRequest): Promise<NamedRequestState>
  /** Holds the claim for as long again. @returns whether it still is one's own */
  renew(request: NamedRequest, claim: string): Promise<boolean>
  /** Keeps the answer for those who ask again, unless the claim was taken over. */
  finish(request: NamedRequest, claim: string, status: number, body: string): Promise<void>
  /** Forgets the request: nothing came of it, and it may be tried again. A claim that was taken over stays. */
  abandon(request: NamedRequest, claim: string): Promise<void>
  /** Forgets what is older than a day. */
  prune(): Promise<void>
}
