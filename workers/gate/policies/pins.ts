/** Pins of calibrated policies: parses them, and compares them with collections. */
import { pinDifferences, type PolicyPin } from 'hono-rag-gate/core/policy'
import { isRecord } from 'hono-rag-gate/core/lib'
import type { Collection } from 'hono-rag-gate/ports'
import { WorkerError } from '../errors.ts'

/** @throws `policy_settings` if it is not a pin */
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
  // All members were checked.
  return pin as PolicyPin
}

/**
 * Compares a pin with a collection and the deployment's reranker.
 *
 * @param strictness `all` when a policy is pushed; `scale` when a pushed policy is chosen or used: changes of documents
 *   gradually weaken the guarantee, but another embedding or reranker makes it void
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

/** The current state of a collection, as in a pin. */
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
