/** Models that an index can be said to have, by name. */

/** The index's own embedding; another way of hashing or weighting is another name. */
export const EMBEDDING_MODEL = 'hashed-words-trigrams-1024'

/** Dimensions of the dense models. All but the first are the service's; the embedding itself is ours. */
export const DENSE_MODELS: ReadonlyMap<string, number> = new Map([
  [EMBEDDING_MODEL, 1024],
  ['BGE_SMALL_EN_V1_5', 384],
  ['BGE_BASE_EN_V1_5', 768],
  ['BGE_LARGE_EN_V1_5', 1024],
  ['BGE_M3', 1024],
])

/** The sparse models of the service. Both make BM25. */
export const SPARSE_MODELS: readonly string[] = ['BM25', 'BGE_M3']
