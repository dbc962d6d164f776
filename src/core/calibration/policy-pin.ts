/** What a calibrated policy was calibrated on: another collection, embedding or lexicon is another scale. */

/** How a collection stood when a policy was calibrated on it, as it is sent and stored. */
export interface PolicyPin {
  readonly collection: string
  readonly embedding_model: string
  readonly dimension: number
  readonly lexicon_id: string | null
  /** For reading: a later version with the same lexicon cannot be. */
  readonly corpus_version: number
}

/** What may differ from a pin. Under another embedding a promise is void; under another lexicon it fades. */
export type PinDifference = 'collection' | 'embedding' | 'lexicon'

/** What is no longer as it was pinned, the worst first; nothing where the promise stands. */
export function pinDifferences(pin: PolicyPin, now: Omit<PolicyPin, 'corpus_version'>): readonly PinDifference[] {
  const embedded = pin.embedding_model === now.embedding_model && pin.dimension === now.dimension
  return [
    ...(pin.collection === now.collection ? [] : (['collection'] as const)),
    ...(embedded ? [] : (['embedding'] as const)),
    ...(pin.lexicon_id === now.lexicon_id ? [] : (['lexicon'] as const)),
  ]
}
