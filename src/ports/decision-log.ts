import type { CacheState, Decision, Timings } from '../core/policy/decision.ts'
import type { AuditEvent } from '../core/policy/preset.ts'
import type { Saving, TokenUsage } from '../core/reports/savings.ts'

/** Whether refusals are carried out, or only recorded. */
export type Mode = 'enforce' | 'observe'

/** A decision and what became of it: one event for every question that was judged or served from the cache. */
export interface DecisionEvent {
  /** UUIDv7 of this event. On a cache hit it is not the decision's own id. */
  readonly id: string
  /** The decision that the answer rests on; for a hit, the one recorded when the answer was made. */
  readonly decision: Decision
  /** Milliseconds since 1970. */
  readonly atMs: number
  readonly mode: Mode
  readonly route: string
  readonly cache: CacheState
  /** Status of the response. */
  readonly status: number
  readonly timings: Timings
  readonly principalId: string
  /** HMAC-SHA-256 of the normalised question under the named key; absent when no key is configured. */
  readonly question?: {
    readonly hmac: string
    readonly keyId: string
    /** The question itself; present only where the deployment chose to keep texts. */
    readonly text?: string
  }
  /** Model that answered, when one was called. */
  readonly model?: string
  readonly usage?: TokenUsage
  /** The model call that was not made, where one was saved. */
  readonly saved?: Saving
  /** What the audit trail keeps of this decision, such as an advisory of low confidence. */
  readonly audit?: readonly AuditEvent[]
  /** Names of the fields that were left out, because the event was too large for a queue. */
  readonly cut?: readonly string[]
}

/**
 * Takes events. Delivery is at least once; counting exactly once is the store's business.
 *
 * @returns a promise to hand to `waitUntil` when there is work left; the response never waits for it
 */
export interface DecisionLog {
  record(event: DecisionEvent): Promise<void> | undefined
  /** Writes the events that are still held. */
  flush(): Promise<void>
}

/** An event as it is stored: with the number its isolate gave it, so that what is lost before its last one leaves a gap. */
export interface NumberedEvent {
  readonly event: DecisionEvent
  /** Random id of the isolate that recorded it, short: each row has it. */
  readonly isolate: string
  /** 1, 2, 3 … within that isolate. */
  readonly sequence: number
}

/** How many events an isolate gave up, from its start on. */
export interface DroppedEvents {
  readonly isolate: string
  readonly dropped: number
  /** When the last of them was dropped, milliseconds since 1970. */
  readonly atMs: number
}

/** Where events end up. Storing an event twice counts it once. */
export interface DecisionStore {
  write(events: readonly NumberedEvent[]): Promise<void>
  /** Keeps the count of what an isolate gave up. Saying the same count twice changes nothing. */
  noteDropped?(dropped: DroppedEvents): Promise<void>
}
