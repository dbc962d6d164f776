/** Checks that question and collection have the same embedding: scores between vectors of two models are meaningless. */
import { RagGateError } from '../errors.ts'
import type { Policy } from '../core/policy/policy.ts'
import type { Collection } from '../ports/collections.ts'
import type { Embedding, Retriever } from '../ports/retriever.ts'

/** Embedding at the last ingestion; an empty model or a dimension of 0 means unknown. */
type Embedded = Pick<Collection, 'embeddingModel' | 'dimension'>

/**
 * Compares the embedding that a retriever declares with that of the collection, without a call.
 *
 * @throws `embedding_mismatch`
 */
export function requireSameEmbedding({ embedding }: Retriever, collection: Embedded): void {
  if (embedding !== undefined) compare(embedding, collection)
}

/**
 * Asks an index that computes embeddings itself for its current one, if the collection's is known or the policy needs its scores.
 *
 * @throws `embedding_mismatch`; errors of the retriever
 */
export async function confirmSameEmbedding(
  retriever: Retriever,
  { collection, policy }: { readonly collection: Embedded; readonly policy: Policy },
  signal: AbortSignal,
): Promise<void> {
  if (policy.preset?.needsOneOf || collection.embeddingModel !== '' || collection.dimension !== 0) {
    const now = await retriever.embeddingNow?.(signal)
    if (now) compare(now, collection)
  }
}

function compare({ model, dimension }: Embedding, collection: Embedded): void {
  const otherModel = collection.embeddingModel !== '' && collection.embeddingModel !== model
  const otherDimension = collection.dimension !== 0 && collection.dimension !== dimension
  if (otherModel || otherDimension) {
    throw new RagGateError('embedding_mismatch', 'Another model embedded the collection: ingest it again')
  }
}
