import type { CacheState, Decision, Timings } from '../core/policy/decision.ts'
import type { AuditEvent } from '../core/policy/preset.ts'
import type { Saving, TokenUsage } from '../core/reports/savings.ts'

/** Whether refusals are enforced, or only recorded. */
export type Mode = 'enforce' | 'observe'

/** A decision and its outcome: one event for every question that was judged or served from the cache. */
export interface DecisionEvent {
  /** UUIDv7 of this event. On a cache hit it is not the decision's own id. */
  readonly id: string
  /** The decision; for a cache hit, the one recorded when the answer was made. */
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
    /** The question itself; present only if the deployment keeps texts. */
    readonly text?: string
  }
  /** Model that answered, if one was called. */
  readonly model?: string
  readonly usage?: TokenUsage
  /** The model call that was saved, if any. */
  readonly saved?: Saving
  /** Events for the audit trail, such as an advisory of low confidence. */
  readonly audit?: readonly AuditEvent[]
  /** Names of fields that were dropped because the event was too large for a queue. */
  readonly cut?: readonly string[]
}

/**
 * Accepts events. Delivery is at least once; the store deduplicates.
 *
 * @returns a promise for `waitUntil` if there is work left; the response never waits for it
 */
export interface DecisionLog {
  record(event: DecisionEvent): Promise<void> | undefined
  /** Writes the buffer, and waits for what others are writing of it; without a buffer it does nothing. */
  flush(): Promise<void>
}

/** An event with a sequence number of its isolate, so that lost events leave a gap. */
export interface NumberedEvent {
  readonly event: DecisionEvent
  /** Random id of the isolate, short because each row has it. */
  readonly isolate: string
  /** 1, 2, 3 … within that isolate. */
  readonly sequence: number
}

/** Number of events that an isolate dropped since its start. */
export interface DroppedEvents {
  readonly isolate: string
  readonly dropped: number
  /** When the last of them was dropped, milliseconds since 1970. */
  readonly atMs: number
}

/** Stores events. An event stored twice counts once. */
export interface DecisionStore {
  write(events: readonly NumberedEvent[]): Promise<void>
  /** Stores an isolate's count of dropped events. Idempotent. */
  noteDropped?(dropped: DroppedEvents): Promise<void>
}
