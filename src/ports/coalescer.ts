import type { StoredAnswer } from './answer-cache.ts'

/** How the making of an answer ended that others may wait for. */
export type CoalescedOutcome =
  | {
      readonly kind: 'answer'
      readonly answer: StoredAnswer
      /** Whether it is in the store: then callers who looked there just before are given it as well. */
      readonly isStored: boolean
    }
  /** It is its own asker's alone. */
  | { readonly kind: 'separate' }
  /** Those who read along have it, and it is not stored. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed' }

/** One who makes an answer that others may wait for. */
export interface Leader {
  /**
   * Lets others read along, from the first piece of the body on.
   *
   * @param answer all but the body, which is empty
   */
  begin(answer: StoredAnswer, body: ReadableStream<Uint8Array>): void
  /** Tells how it ended, once; after `begin`, once the body was read. It never rejects. */
  complete(outcome: CoalescedOutcome): Promise<void>
}

/** The role of one asker among those who ask the same at the same time. */
export type Role =
  | { readonly kind: 'leader'; readonly leader: Leader }
  | {
      readonly kind: 'follower'
      /** The leader's. It is the caller's to check whether it may be sent. */
      readonly answer: StoredAnswer
      /** Present while the leader's answer is being made: what there is of its body, and what comes. `answer` has none then. */
      readonly body?: ReadableStream<Uint8Array>
    }
  /** There is no answer to wait for: the caller makes its own, for itself alone. */
  | { readonly kind: 'separate' }

/**
 * Lets one of those who ask the same at the same time make the answer, while the others wait for it or read along. Callers
 * with different keys never wait for each other.
 */
export interface Coalescer {
  /**
   * Takes a role, and waits where another caller makes the answer already. When a leader fails, is lost with its connection, or takes
   * too long, one of those who wait leads; when that one fails as well, four of them at once.
   *
   * @param key canonical text of an answer key
   * @param purgeEpoch number of the latest purge that the caller knows of: it follows no leader who knew of fewer
   */
  join(key: string, purgeEpoch: number): Promise<Role>
  /** How long a leader may take before one more leads, milliseconds. A caller waits at most twice as long. */
  readonly leaderTimeoutMs: number
}
