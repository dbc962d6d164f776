import type { Decision } from '../core/policy/decision.ts'
import type { TokenUsage } from '../core/reports/savings.ts'

/** A whole answer, as it was sent, with everything needed to decide whether it may be sent again. */
export interface StoredAnswer {
  /** Form of this record; another one is a miss. */
  readonly schema: 2
  /** The key it was stored under; another one is a miss. */
  readonly key: string
  /** Milliseconds since 1970 when the question came that it answers: an answer ages from then on. */
  readonly requestedAtMs: number
  /** How long it stays fresh from then on. */
  readonly lifetimeSeconds: number
  /** How old the handler said that it was when it came, seconds; `Age` counts from there. */
  readonly ageSeconds: number
  /**
   * How long after that it may still stand in for a retriever or a handler that failed, seconds; a store keeps it as long.
   *
   * @default 0
   */
  readonly staleIfErrorSeconds?: number
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  /** Of an entry under a second key, whose body is empty: the key under which the answer is, or what the store takes for it. */
  readonly sameAs?: string
  /** The decision that the answer rests on: tenant, collection, policy, verdict, evidence and document ids. */
  readonly decision: Decision
  /** Model that made the answer, if one did. */
  readonly model?: string
  /** Tokens of that model, if they were reported: what sending the answer again saves. */
  readonly usage?: TokenUsage
  /** Who asked the question that it answers: other callers do not learn when that was. */
  readonly principalId: string
  /** Number of the latest purge that was known when the question came; a later one of its scopes makes it a miss. */
  readonly purgeEpoch: number
}

/**
 * Keeps answers. It may forget any of them at any time; it never returns one that is damaged, or that was stored under
 * another key. Freshness is the caller's to judge: an expired answer may still be returned.
 */
export interface AnswerCache {
  /**
   * @param key canonical text of an answer key; a shared store hashes it
   * @param isUsable whether the caller could send an answer: where there may be several, as in tiers, a usable one is
   *   looked for before another is returned
   * @returns no promise where nothing is waited for
   */
  get(key: string, isUsable?: (answer: StoredAnswer) => boolean): Promise<StoredAnswer | null> | StoredAnswer | null
  put(key: string, answer: StoredAnswer): Promise<void>
  delete(key: string): Promise<void>
}
