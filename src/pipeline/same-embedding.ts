/** Vectors of two models have no common meaning: every score between them would be noise. */
import { RagGateError } from '../errors.ts'
import type { Policy } from '../core/policy/policy.ts'
import type { Collection } from '../ports/collections.ts'
import type { Embedding, Retriever } from '../ports/retriever.ts'

/** What was noted at the last ingestion; an empty model and a dimension of 0 are not known. */
type Embedded = Pick<Collection, 'embeddingModel' | 'dimension'>

/**
 * Checks what a retriever says of itself against what a collection was ingested with, without a call.
 *
 * @throws `embedding_mismatch`
 */
export function requireSameEmbedding({ embedding }: Retriever, collection: Embedded): void {
  if (embedding !== undefined) compare(embedding, collection)
}

/**
 * Asks the index itself, where it embeds by itself, and there is something to compare or the policy needs its scores.
 *
 * @throws `embedding_mismatch`; what the retriever throws
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
    throw new RagGateError('embedding_mismatch', 'The collection was embedded by another model: ingest it again')
  }
}
