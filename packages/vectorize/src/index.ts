/**
 * Cloudflare Vectorize through its binding: dense search over the vectors of an embedder.
 *
 * @see https://developers.cloudflare.com/vectorize/reference/client-api/
 */
export type { IndexRow, PassageField, PassageFields } from '@hono-rag-gate/upstream/rows'
export type { RetrieverWarning } from '@hono-rag-gate/upstream/rows'
export type { VectorizeBinding } from './binding.ts'
export type { VectorizeOptions } from './caller.ts'
export { createVectorizeChunkIndex, type VectorizeChunkIndexOptions } from './chunk-index.ts'
export type { VectorizeMetric } from './cosine.ts'
export type { FilterCondition, FilterValue, VectorizeFilter } from './filter.ts'
export { createVectorizeRetriever, type VectorizeRetrieverOptions } from './retriever.ts'
