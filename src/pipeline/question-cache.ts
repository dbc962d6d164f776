/** What an answer cache does for a question on its way. The pipeline knows it by this alone, and works without one. */
import type { CacheState, Decision } from '../core/policy/decision.ts'
import type { CachedAnswer } from '../ports/answer-cache.ts'
import type { AssessedEvidence } from './assess-evidence.ts'
import type { QuestionPlace } from './find-place.ts'

/** A stored answer that may be sent. */
export interface FoundAnswer {
  readonly answer: CachedAnswer
  /**
   * `hit`: before anything was retrieved; `evidence-hit`: after retrieval and judgement; `collapsed`: made meanwhile for
   * somebody who asked the same; `stale`: past its lifetime, in the place of one that could not be made.
   */
  readonly kind: Extract<CacheState, 'hit' | 'evidence-hit' | 'stale'> | 'collapsed'
  /** What `Age` says. */
  readonly ageSeconds: number
  /** Seconds of its lifetime that are left; negative past it. */
  readonly ttlSeconds: number
}

/** Why no answer could be made. */
export type Failure =
  | { readonly by: 'retriever'; readonly thrown: unknown }
  | {
      readonly by: 'handler'
      readonly status: number
      /** What it threw, where it did. */
      readonly thrown?: unknown
    }

/** The part of an answer cache in one question. A cache that fails or hangs holds nothing. */
export interface QuestionCache {
  /** Looks for an answer before anything is retrieved. */
  find(place: QuestionPlace): Promise<FoundAnswer | undefined>
  /**
   * Waits for the answer of somebody who asks the same, where there is one. What is made of the question from here on is
   * kept under the keys that were looked under.
   *
   * @throws `not_cached` where only a stored answer is wanted, and there was none
   */
  join(): Promise<FoundAnswer | undefined>
  /** Looks for an answer from the same evidence. */
  findByEvidence(assessed: AssessedEvidence, decision: Decision): Promise<FoundAnswer | undefined>
  /** An answer past its lifetime in the place of one that could not be made. */
  standIn(failure: Failure): FoundAnswer | undefined
}
