import type { Passage } from '../core/evidence/chunk.ts'

/** Passages to score against a question. */
export interface RerankRequest {
  /** Normalised question. */
  readonly question: string
  /** As retrieved, best first; never empty. */
  readonly passages: readonly Passage[]
  /** Aborts the call; one deadline for headers and body. */
  readonly signal: AbortSignal
}

/**
 * Reads every passage beside the question and says how relevant it is. It throws when it cannot score: a low
 * score says that a passage is irrelevant, never that the reranker failed.
 */
export interface Reranker {
  /** Names the model and the prompt: another one grades otherwise, so it is part of the answer key. */
  readonly model: string
  /** What its scores are: `cross-encoder` 0..1, `grade` 0..3. */
  readonly kind: 'cross-encoder' | 'grade'
  /**
   * @returns one score for each passage, in the order of the passages
   * @throws `reranker_timeout`, `reranker_unavailable`, `reranker_misconfigured`, `reranker_bad_response`
   */
  rerank(request: RerankRequest): Promise<readonly number[]>
}
