import type { Decision } from '../core/policy/decision.ts'
import type { TokenUsage } from '../core/reports/savings.ts'

/** A complete answer as it was sent, with everything needed to decide whether it may be sent again. */
export interface StoredAnswer {
  /** Version of this record's format; another one is a miss. */
  readonly schema: 2
  /** The key it was stored under; another one is a miss. */
  readonly key: string
  /** When its question arrived, milliseconds since 1970; its age counts from then. */
  readonly requestedAtMs: number
  /** How long it stays fresh from then on, seconds. */
  readonly lifetimeSeconds: number
  /** Its initial age according to the handler, seconds; included in `Age`. */
  readonly ageSeconds: number
  /**
   * How long after expiry it may be sent if the retriever or handler fails, seconds; a store keeps it as long.
   *
   * @default 0
   */
  readonly staleIfErrorSeconds?: number
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  /** For an alias entry with an empty body: the key of the actual answer, or the store's form of it. */
  readonly sameAs?: string
  /** The decision behind the answer: tenant, collection, policy, verdict, evidence and document ids. */
  readonly decision: Decision
  /** Model that generated the answer, if any. */
  readonly model?: string
  /** That model's tokens, if reported: the saving of sending the answer again. */
  readonly usage?: TokenUsage
  /** Id of the first caller; others do not learn when the question was asked. */
  readonly principalId: string
  /** Number of the latest purge known when the question arrived; a later purge of one of its scopes makes it a miss. */
  readonly purgeEpoch: number
}

/**
 * Stores answers. It may evict any of them at any time; it never returns one that is damaged, or that was stored under
 * another key. It may return expired answers; the caller checks freshness.
 */
export interface AnswerCache {
  /**
   * @param key canonical text of an answer key; a shared store hashes it
   * @param isUsable whether the caller could send an answer; stores with several candidates, such as tiers, prefer a usable
   *   one
   * @returns the answer, synchronously if possible
   */
  get(key: string, isUsable?: (answer: StoredAnswer) => boolean): Promise<StoredAnswer | null> | StoredAnswer | null
  put(key: string, answer: StoredAnswer): Promise<void>
  delete(key: string): Promise<void>
}
