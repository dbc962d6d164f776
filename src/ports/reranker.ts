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
 * Scores the relevance of each passage to the question. It must throw if it cannot score: a low score means an irrelevant
 * passage, never a failure.
 */
export interface Reranker {
  /** Name of the model and prompt; part of the answer key, because others would score differently. */
  readonly model: string
  /** Kind of its scores: `cross-encoder` 0..1, `grade` 0..3. */
  readonly kind: 'cross-encoder' | 'grade'
  /**
   * @returns one score per passage, in order
   * @throws `reranker_timeout`, `reranker_unavailable`, `reranker_misconfigured`, `reranker_bad_response`
   */
  rerank(request: RerankRequest): Promise<readonly number[]>
}
