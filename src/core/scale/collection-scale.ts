/** A scale as it stands with its collection: what was learned, under what, and when. */
import { isRecord } from '../lib/guards.ts'
import { recordedNumber } from '../lib/numbers.ts'
import type { ConfidenceScale } from './scale.ts'

/** Under what a scale was learned. */
export interface LearnedFrom {
  readonly origin: 'documents'
  /** It counts under this policy alone. */
  readonly policyId: string
  /** It counts while the collection is embedded so; empty when unknown. */
  readonly embeddingModel: string
  /** Of the collection, when it was learned. Later ones keep it until it is learned again. */
  readonly corpusVersion: number
  /** Passages of the collection at that time. */
  readonly chunkCount: number
  /** Windows that were asked. */
  readonly windows: number
  /** Milliseconds since 1970. */
  readonly learnedAtMs: number
  /** Of the collection, when its changes were last counted and were too few to learn again. */
  readonly countedVersion?: number
}

/** What a collection learned from its documents, or that they are too few. JSON. */
export type CollectionScale = LearnedFrom &
  (({ readonly kind: 'scale' } & ConfidenceScale) | { readonly kind: 'none'; readonly reason: 'too-few-windows' })

/** A scale as a decision records it, and when it was learned. */
export type AppliedScale = ConfidenceScale & Pick<LearnedFrom, 'learnedAtMs' | 'corpusVersion'>

/** Whether a value has every member of a scale. */
export function isCollectionScale(value: unknown): value is CollectionScale {
  if (!isRecord(value) || value['origin'] !== 'documents') return false
  const counts = ['corpusVersion', 'chunkCount', 'windows', 'learnedAtMs'].every(
    (name) => recordedNumber(value[name]) >= 0,
  )
  const names = ['policyId', 'embeddingModel'].every((name) => typeof value[name] === 'string')
  const { kind, meaning } = value
  return (
    counts &&
    names &&
    (kind === 'none' ||
      (kind === 'scale' &&
        isScoreScale(value) &&
        (meaning === undefined ||
          (isScoreScale(meaning) && typeof meaning['kind'] === 'string' && recordedNumber(meaning['charge']) >= 0))))
  )
}

function isScoreScale(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false
  return Number.isFinite(value['middle']) && recordedNumber(value['deviation']) > 0
}

/**
 * The scale by which a policy reads a collection; `undefined` where it has none for this policy and embedding.
 *
 * @param embeddingModel now. @default unknown
 */
export function appliedScale(
  scale: CollectionScale | null | undefined,
  policyId: string,
  embeddingModel = '',
): AppliedScale | undefined {
  if (scale?.kind !== 'scale' || scale.policyId !== policyId || scale.embeddingModel !== embeddingModel)
    return undefined
  const { middle, deviation, meaning, learnedAtMs, corpusVersion } = scale
  return { middle, deviation, ...(meaning && { meaning }), learnedAtMs, corpusVersion }
}
