/**
 * Upstash Vector, and every index that speaks its protocol, through the unmodified `@upstash/vector` client: a retriever
 * over any index of any kind, and a chunk index over a hybrid one with hosted embeddings.
 *
 * @see https://upstash.com/docs/vector
 */
export { createUpstashChunkIndex, type UpstashChunkIndexOptions } from './upstash-vector/chunk-index.ts'
export type { IndexKind, Similarity } from './upstash-vector/index-kind.ts'
export type { SparseVector } from './upstash-vector/queries.ts'
export { createUpstashRetriever, type UpstashRetrieverOptions } from './upstash-vector/retriever.ts'
export { createUpstashTransport, type UpstashOptions, type UpstashTransport } from './upstash-vector/transport.ts'
export type { PassageField, PassageFields, IndexRow } from '../core/evidence/passage-fields.ts'
export type { RetrieverWarning } from '../core/evidence/retriever-warnings.ts'
