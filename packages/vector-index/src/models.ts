/** Names of embedding models. */

/** The index's own embedding; a change of hashing or weighting needs a new name. */
export const EMBEDDING_MODEL = 'hashed-words-trigrams-1024'

/** Dimensions of the dense models. Names and dimensions are the service's, except for the first. */
export const DENSE_MODELS: ReadonlyMap<string, number> = new Map([
  [EMBEDDING_MODEL, 1024],
  ['BGE_SMALL_EN_V1_5', 384],
  ['BGE_BASE_EN_V1_5', 768],
  ['BGE_LARGE_EN_V1_5', 1024],
  ['BGE_M3', 1024],
])

/** The service's sparse models. Both are served by BM25. */
export const SPARSE_MODELS: readonly string[] = ['BM25', 'BGE_M3']
