/**
 * Cloudflare Vectorize through its binding: dense search alone, over vectors of an embedder.
 *
 * @see https://developers.cloudflare.com/vectorize/reference/client-api/
 */
export type { IndexRow, PassageField, PassageFields } from '../core/evidence/passage-fields.ts'
export type { RetrieverWarning } from '../core/evidence/retriever-warnings.ts'
export type { VectorizeBinding } from './vectorize/binding.ts'
export type { VectorizeOptions } from './vectorize/caller.ts'
export { createVectorizeChunkIndex, type VectorizeChunkIndexOptions } from './vectorize/chunk-index.ts'
export type { VectorizeMetric } from './vectorize/cosine.ts'
export type { FilterCondition, FilterValue, VectorizeFilter } from './vectorize/filter.ts'
export { createVectorizeRetriever, type VectorizeRetrieverOptions } from './vectorize/retriever.ts'
