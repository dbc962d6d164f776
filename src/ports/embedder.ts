/** One batch of texts to embed. */
export interface EmbeddingRequest {
  readonly texts: readonly string[]
  /** Some models embed questions otherwise than passages. */
  readonly purpose: 'passage' | 'question'
  /** Aborts the call; one deadline for headers and body. */
  readonly signal?: AbortSignal
}

/** Turns texts into vectors. */
export interface Embedder {
  /** Names the model and everything else that makes its vectors incompatible with others, such as its pooling. */
  readonly model: string
  /** Length of every vector. */
  readonly dimension: number
  /**
   * @returns one vector for each text, in their order, all of them finite numbers and of `dimension`
   * @throws `retriever_timeout`, `retriever_unavailable`, `retriever_misconfigured`, `retriever_bad_response`;
   *   `embedding_mismatch` when the model makes vectors of another dimension
   */
  embed(request: EmbeddingRequest): Promise<readonly (readonly number[])[]>
}
