/** Models that an index can be said to have, by name. */

/** The index's own embedding; another way of hashing or weighting is another name. */
export const EMBEDDING_MODEL = 'hashed-words-trigrams-1024'

/** The index's own sparse model: BM25 over terms and pairs of neighbouring terms. */
export const TERM_PAIRS_MODEL = 'bm25-term-pairs'

/** Dimensions of the dense models. All but the first are the service's; the embedding itself is ours. */
export const DENSE_MODELS: ReadonlyMap<string, number> = new Map([
  [EMBEDDING_MODEL, 1024],
  ['BGE_SMALL_EN_V1_5', 384],
  ['BGE_BASE_EN_V1_5', 768],
  ['BGE_LARGE_EN_V1_5', 1024],
  ['BGE_M3', 1024],
])

/** The sparse models. The service's two both make BM25; the last is ours. */
export const SPARSE_MODELS: readonly string[] = ['BM25', 'BGE_M3', TERM_PAIRS_MODEL]
