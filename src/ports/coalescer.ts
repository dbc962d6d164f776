import type { StoredAnswer } from './answer-cache.ts'

/**
 * How the making of an answer ended that others wait for: the answer as it was stored; `not-stored`, as it is for its own
 * asker alone; or `failed`.
 */
export type CoalescedOutcome = StoredAnswer | 'not-stored' | 'failed'

/** One who makes an answer that others may wait for. */
export interface Leader {
  /** Says how it ended; only the first time counts. It never rejects. */
  complete(outcome: CoalescedOutcome): Promise<void>
}

/** The role of one asker among those who ask the same at the same time. */
export type Role =
  | { readonly kind: 'leader'; readonly leader: Leader }
  | {
      readonly kind: 'follower'
      /** The leader's. It is the caller's to check whether it may be sent. */
      readonly answer: StoredAnswer
    }
  /** There is no answer to wait for: the caller makes its own, for itself alone. */
  | { readonly kind: 'separate' }

/**
 * Lets one of those who ask the same at the same time make the answer, while the others wait for it. Callers with
 * different keys never wait for each other.
 */
export interface Coalescer {
  /**
   * Takes a role, and waits where another caller makes the answer already. When a leader failed, one of those who wait takes
   * its role; when that one fails as well, or when what was made is its asker's alone, each makes its own. A leader
   * whose connection closed has failed.
   *
   * @param key canonical text of an answer key
   * @param timeoutMs how long to wait for a leader at most, milliseconds, 1 and up; then the caller makes its own
   */
  join(key: string, timeoutMs: number): Promise<Role>
}
