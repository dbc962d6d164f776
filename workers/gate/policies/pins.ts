/** What a calibrated policy was calibrated on: another collection, embedding or lexicon is another scale. */
import { isRecord } from '../../../src/core/lib/guards.ts'
import { RagGateError } from '../../../src/errors.ts'
import type { Collection } from '../../../src/ports/collections.ts'

/** How a collection stood when it was calibrated on, as it is sent and stored. */
export interface PolicyPin {
  readonly collection: string
  readonly embedding_model: string
  readonly dimension: number
  readonly lexicon_id: string | null
  /** For reading: a later version with the same lexicon cannot be. */
  readonly corpus_version: number
}

/** @throws `policy_settings` for what is no pin */
export function checkPin(value: unknown): PolicyPin | null {
  if (value === undefined || value === null) return null
  const pin: Partial<Record<keyof PolicyPin, unknown>> = isRecord(value) ? value : {}
  const { collection, embedding_model: model, dimension, lexicon_id: lexicon, corpus_version: version, ...others } = pin
  if (
    typeof collection !== 'string' ||
    typeof model !== 'string' ||
    typeof dimension !== 'number' ||
    typeof version !== 'number' ||
    !(lexicon === null || typeof lexicon === 'string') ||
    Object.keys(others).length > 0
  ) {
    throw new RagGateError(
      'policy_settings',
      'pin must name collection, embedding_model, dimension, lexicon_id, corpus_version',
      {
        param: 'pin',
      },
    )
  }
  return { collection, embedding_model: model, dimension, lexicon_id: lexicon, corpus_version: version }
}

/**
 * Holds a pin against a collection.
 *
 * @param strictness `all` when a policy is pushed; `embedding` where a policy that was pushed is chosen or used again:
 *   documents come and go, and the promise fades; under another embedding it is void
 * @throws `policy_pin_mismatch`
 */
export function requirePin(pin: PolicyPin, collection: Collection, strictness: 'all' | 'embedding'): void {
  const differing = [
    ...(pin.collection === collection.id ? [] : ['collection']),
    ...(pin.embedding_model === collection.embeddingModel && pin.dimension === collection.dimension
      ? []
      : ['embedding']),
    ...(strictness === 'embedding' || pin.lexicon_id === collection.lexiconId ? [] : ['lexicon']),
  ]
  if (differing.length === 0) return
  throw new RagGateError(
    'policy_pin_mismatch',
    `The policy was calibrated on another ${differing.join(' and ')}: calibrate again`,
    { param: 'pin' },
  )
}

const LONGEST_WHY = 500

/** Why something is done, in words. @throws `policy_settings` */
export function checkWhy(value: unknown): string {
  if (typeof value === 'string' && value.length <= LONGEST_WHY && !/\p{Cc}/u.test(value)) return value
  throw new RagGateError('policy_settings', `why must be one line of at most ${LONGEST_WHY} characters`, {
    param: 'why',
  })
}
