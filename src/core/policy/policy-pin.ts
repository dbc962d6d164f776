/** What a calibrated policy was calibrated on: another collection, embedding, reader or lexicon is another scale. */

/** How a collection stood when a policy was calibrated on it, as it is sent and stored. */
export interface PolicyPin {
  readonly collection: string
  readonly embedding_model: string
  readonly dimension: number
  readonly lexicon_id: string | null
  /** What read the passages beside the question, and for which questions; `null` for nothing. @default it is not held */
  readonly reader?: string | null
  /** For reading: a later version with the same lexicon cannot be. */
  readonly corpus_version: number
}

/** What may differ from a pin. Under another embedding or reader a promise is void; under another lexicon it fades. */
export type PinDifference = 'collection' | 'embedding' | 'reader' | 'lexicon'

/** What is no longer as it was pinned, the worst first; nothing where the promise stands. */
export function pinDifferences(pin: PolicyPin, now: Omit<PolicyPin, 'corpus_version'>): readonly PinDifference[] {
  const embedded = pin.embedding_model === now.embedding_model && pin.dimension === now.dimension
  return [
    ...(pin.collection === now.collection ? [] : (['collection'] as const)),
    ...(embedded ? [] : (['embedding'] as const)),
    ...(pin.reader === undefined || pin.reader === now.reader ? [] : (['reader'] as const)),
    ...(pin.lexicon_id === now.lexicon_id ? [] : (['lexicon'] as const)),
  ]
}
