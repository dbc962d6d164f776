import type { Tenant } from '../core/ids.ts'

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
  | { readonly kind: 'new' }
  | { readonly kind: 'running'; readonly retryAfterSeconds: number }
  /** The name stands for something else. */
  | { readonly kind: 'reused' }
  | { readonly kind: 'done'; readonly status: number; readonly body: string }

/** Remembers named requests for a day. */
export interface IdempotencyStore {
  /** Claims the name when it is `new`; the request is then to be carried out, and finished or abandoned. */
  begin(request: NamedRequest): Promise<NamedRequestState>
  /** Keeps the answer for those who ask again. */
  finish(request: NamedRequest, status: number, body: string): Promise<void>
  /** Forgets the request: nothing came of it, and it may be tried again. */
  abandon(request: NamedRequest): Promise<void>
  /** Forgets what is older than a day. */
  prune(): Promise<void>
}
