/** A collection's stored scale, with the conditions and time of learning. */
import { isRecord } from '../lib/guards.ts'
import { recordedNumber } from '../lib/numbers.ts'
import type { ConfidenceScale } from './scale.ts'

/** Conditions under which a scale was learned. */
export interface LearnedFrom {
  readonly origin: 'documents'
  /** It is valid for policies of this confidence and language only (`scaledFor`). */
  readonly confidence: string
  /** It is valid for this embedding only; empty when unknown. */
  readonly embeddingModel: string
  /** The collection's version when it was learned. It stays in use for later versions until it is learned again. */
  readonly corpusVersion: number
  /** Number of passages at that time. */
  readonly chunkCount: number
  /** Number of windows asked. */
  readonly windows: number
  /** Milliseconds since 1970. */
  readonly learnedAtMs: number
  /** The collection's version when its changes were last counted and too few to learn again. */
  readonly countedVersion?: number
}

/** A scale learned from a collection's documents, or the fact that there are too few. JSON. */
export type CollectionScale = LearnedFrom &
  (({ readonly kind: 'scale' } & ConfidenceScale) | { readonly kind: 'none'; readonly reason: 'too-few-windows' })

/** What a scale depends on of a policy; not its thresholds. */
export interface ScaledPolicy {
  readonly confidence: { readonly settings: object }
  readonly language?: { readonly name: string }
}

/** Identifies what a scale is learned for: a policy's unscaled confidence and its language. */
export function scaledFor(policy: ScaledPolicy): string {
  return JSON.stringify([(policy.confidence.settings as { of?: unknown }).of, policy.language?.name])
}

/** A scale as recorded in a decision. */
export type AppliedScale = ConfidenceScale & Pick<LearnedFrom, 'learnedAtMs' | 'corpusVersion'>

/** Whether a value is a valid scale. */
export function isCollectionScale(value: unknown): value is CollectionScale {
  if (!isRecord(value) || value['origin'] !== 'documents') return false
  const counts = ['corpusVersion', 'chunkCount', 'windows', 'learnedAtMs'].every(
    (name) => recordedNumber(value[name]) >= 0,
  )
  const names = ['confidence', 'embeddingModel'].every((name) => typeof value[name] === 'string')
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
 * The scale to apply for a policy; `undefined` if the collection has none for its confidence and embedding.
 *
 * @param embeddingModel the current one. @default unknown
 */
export function appliedScale(
  scale: CollectionScale | null | undefined,
  policy: ScaledPolicy,
  embeddingModel = '',
): AppliedScale | undefined {
  if (scale?.kind !== 'scale' || scale.confidence !== scaledFor(policy) || scale.embeddingModel !== embeddingModel)
    return undefined
  const { middle, deviation, meaning, learnedAtMs, corpusVersion } = scale
  return { middle, deviation, ...(meaning && { meaning }), learnedAtMs, corpusVersion }
}
