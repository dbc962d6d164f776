/**
 * Upstash Vector, and every index with its protocol, through the unmodified `@upstash/vector` client: a retriever over
 * any kind of index, and a chunk index over a hybrid one with hosted embeddings.
 *
 * @see https://upstash.com/docs/vector
 */
export { createUpstashChunkIndex, type UpstashChunkIndexOptions } from './chunk-index.ts'
export type { IndexKind, Similarity } from './index-kind.ts'
export type { SparseVector } from './queries.ts'
export { createUpstashRetriever, type UpstashRetrieverOptions } from './retriever.ts'
export { createUpstashTransport, type UpstashOptions, type UpstashTransport } from './transport.ts'
export type { PassageField, PassageFields, IndexRow } from '@hono-rag-gate/upstream/rows'
export type { RetrieverWarning } from '@hono-rag-gate/upstream/rows'
