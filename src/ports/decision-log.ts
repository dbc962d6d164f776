import type { CacheState, Decision, Timings } from '../core/policy/decision.ts'

/** Tokens that a model counted for one answer. */
export interface TokenUsage {
  readonly inputTokens: number
  readonly outputTokens: number
}

/** A decision and what became of it: one event for every question that was judged or served from the cache. */
export interface DecisionEvent {
  /** UUIDv7 of this event. On a cache hit it is not the decision's own id. */
  readonly id: string
  /** The decision that the answer rests on; for a hit, the one recorded when the answer was made. */
  readonly decision: Decision
  /** Milliseconds since 1970. */
  readonly atMs: number
  readonly mode: 'enforce' | 'observe'
  readonly route: string
  readonly cache: CacheState
  /** Status of the response. */
  readonly status: number
  readonly timings: Timings
  readonly principalId: string
  /** HMAC-SHA-256 of the normalised question under the named key; absent when no key is configured. */
  readonly question?: { readonly hmac: string; readonly keyId: string }
  /** Model that answered, when one was called. */
  readonly model?: string
  readonly usage?: TokenUsage
}

/**
 * Takes events. Delivery is at least once; counting exactly once is the store's business.
 *
 * @returns a promise to hand to `waitUntil` when there is work left; the response never waits for it
 */
export interface DecisionLog {
  record(event: DecisionEvent): Promise<void> | undefined
  /** Writes out whatever is still held. */
  flush(): Promise<void>
}

/** An event as it is stored: with the number its isolate gave it, so that what is lost leaves a gap. */
export interface NumberedEvent {
  readonly event: DecisionEvent
  /** Random id of the isolate that recorded it. */
  readonly isolate: string
  /** 1, 2, 3 … within that isolate. */
  readonly sequence: number
}

/** Where events end up. Storing an event twice counts it once. */
export interface DecisionStore {
  write(events: readonly NumberedEvent[]): Promise<void>
}
