/** Pins of calibrated policies: read, and held against collections. */
import { pinDifferences, type PolicyPin } from 'hono-rag-gate/core/policy'
import { isRecord } from 'hono-rag-gate/core/lib'
import type { Collection } from 'hono-rag-gate/ports'
import { WorkerError } from '../errors.ts'

/** @throws `policy_settings` for what is no pin */
export function checkPin(value: unknown): PolicyPin | null {
  if (value === undefined || value === null) return null
  const pin: Partial<Record<keyof PolicyPin, unknown>> = isRecord(value) ? value : {}
  const {
    collection,
    embedding_model: model,
    dimension,
    lexicon_id: lexicon,
    reader,
    corpus_version: version,
    ...others
  } = pin
  if (
    typeof collection !== 'string' ||
    typeof model !== 'string' ||
    typeof dimension !== 'number' ||
    typeof version !== 'number' ||
    !(lexicon === null || typeof lexicon === 'string') ||
    !(reader === undefined || reader === null || typeof reader === 'string') ||
    Object.keys(others).length > 0
  ) {
    throw new WorkerError(
      'policy_settings',
      'pin must name collection, embedding_model, dimension, lexicon_id, corpus_version; may name reader',
      {
        param: 'pin',
      },
    )
  }
  return {
    collection,
    embedding_model: model,
    dimension,
    lexicon_id: lexicon,
    ...(reader === undefined ? {} : { reader }),
    corpus_version: version,
  }
}

/**
 * Holds a pin against a collection, and the reader of the deployment.
 *
 * @param strictness `all` when a policy is pushed; `scale` where a policy that was pushed is chosen or used again:
 *   documents come and go, and the promise fades; under another embedding or reader it is void
 * @throws `policy_pin_mismatch`
 */
export function requirePin(
  pin: PolicyPin,
  collection: Collection,
  reader: string | null,
  strictness: 'all' | 'scale',
): void {
  const differing = pinDifferences(pin, standing(collection, reader)).filter(
    (difference) => strictness === 'all' || difference !== 'lexicon',
  )
  if (differing.length === 0) return
  throw new WorkerError(
    'policy_pin_mismatch',
    `The policy was calibrated on another ${differing.join(' and ')}: calibrate again`,
    { param: 'pin' },
  )
}

/** A collection as a pin would name it. */
export function standing(
  { id, embeddingModel, dimension, lexiconId, corpusVersion }: Collection,
  reader: string | null,
): PolicyPin {
  return {
    collection: id,
    embedding_model: embeddingModel,
    dimension,
    lexicon_id: lexiconId,
    reader,
    corpus_version: corpusVersion,
  }
}
