/** A batch of texts to embed. */
export interface EmbeddingRequest {
  readonly texts: readonly string[]
  /** Some models embed questions and passages differently. */
  readonly purpose: 'passage' | 'question'
  /** Aborts the call; one deadline for headers and body. */
  readonly signal?: AbortSignal
}

/** Embeds texts as vectors. */
export interface Embedder {
  /** Name of the model, including everything that makes its vectors incompatible with others, such as its pooling. */
  readonly model: string
  /** Length of every vector. */
  readonly dimension: number
  /**
   * @returns one vector per text, in order, each with `dimension` finite numbers
   * @throws `retriever_timeout`, `retriever_unavailable`, `retriever_misconfigured`, `retriever_bad_response`;
   *   `embedding_mismatch` when the model's vectors have another dimension
   */
  embed(request: EmbeddingRequest): Promise<readonly (readonly number[])[]>
}
