/** Pins of calibrated policies: a calibration is valid for one collection, embedding, reader and lexicon. */

/** State of a collection when a policy was calibrated on it, as it is sent and stored. */
export interface PolicyPin {
  readonly collection: string
  readonly embedding_model: string
  readonly dimension: number
  readonly lexicon_id: string | null
  /** The reader and its bounds; `null` for no reader. @default not checked */
  readonly reader?: string | null
  /** For information only; it is not compared. */
  readonly corpus_version: number
}

/** Possible differences from a pin. Another embedding or reader voids the calibration; another lexicon weakens it. */
export type PinDifference = 'collection' | 'embedding' | 'reader' | 'lexicon'

/** Differences from the pin, the most severe first; empty if the calibration is valid. */
export function pinDifferences(pin: PolicyPin, now: Omit<PolicyPin, 'corpus_version'>): readonly PinDifference[] {
  const embedded = pin.embedding_model === now.embedding_model && pin.dimension === now.dimension
  return [
    ...(pin.collection === now.collection ? [] : (['collection'] as const)),
    ...(embedded ? [] : (['embedding'] as const)),
    ...(pin.reader === undefined || pin.reader === now.reader ? [] : (['reader'] as const)),
    ...(pin.lexicon_id === now.lexicon_id ? [] : (['lexicon'] as const)),
  ]
}
