import type { StoredAnswer } from './answer-cache.ts'

/** How a leader's answer ended. */
export type CoalescedOutcome =
  | {
      readonly kind: 'answer'
      readonly answer: StoredAnswer
      /** Whether it is in the store; then it is also given to callers who looked there just before. */
      readonly isStored: boolean
    }
  /** The answer is for its own caller only. */
  | { readonly kind: 'separate' }
  /** There is none to give: followers have read it along, and it is not stored; or the leader's client has disconnected. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed' }

/** The caller that makes an answer for which others may wait. */
export interface Leader {
  /**
   * Shares the answer's stream with followers, from its first piece on.
   *
   * @param answer the answer with an empty body
   */
  begin(answer: StoredAnswer, body: ReadableStream<Uint8Array>): void
  /** Reports the outcome, once; after `begin`, when the body has been read. It never rejects. */
  complete(outcome: CoalescedOutcome): Promise<void>
}

/** A caller's role among simultaneous callers with the same key. */
export type Role =
  | { readonly kind: 'leader'; readonly leader: Leader }
  | {
      readonly kind: 'follower'
      /** The leader's answer. The caller must check whether it may be sent. */
      readonly answer: StoredAnswer
      /** The body as a stream, from its beginning, while the leader is still producing it; `answer` then has an empty body. */
      readonly body?: ReadableStream<Uint8Array>
    }
  /** There is no answer to share: the caller makes its own. */
  | { readonly kind: 'separate' }

/**
 * Coalesces simultaneous callers with the same key: one of them makes the answer, and the others wait for it or follow its
 * stream. Callers with different keys never wait for each other.
 */
export interface Coalescer {
  /**
   * Assigns a role, waiting for the answer if another caller already leads. If a leader fails, disconnects or takes too long,
   * one of the waiting callers leads; if that one fails too, all of them do.
   *
   * @param key canonical text of an answer key
   * @param purgeEpoch number of the latest purge known to the caller, which never follows a leader that knew of fewer
   */
  join(key: string, purgeEpoch: number): Promise<Role>
  /** How long a leader may take before a second one leads, milliseconds. A caller waits at most twice as long. */
  readonly leaderTimeoutMs: number
}
