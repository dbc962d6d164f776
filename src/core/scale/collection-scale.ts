/** A scale as it stands with its collection: what was learned, under what, and when. */
import { isRecord } from '../lib/guards.ts'

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
}

/** What a collection learned from its documents, or that they are too few. JSON. */
export type CollectionScale = LearnedFrom &
  (
    | {
        readonly kind: 'scale'
        /** Median of the log-odds of confidences without an answer. */
        readonly middle: number
        /** Their standard deviation, above 0. */
        readonly deviation: number
      }
    | { readonly kind: 'none'; readonly reason: 'too-few-windows' }
  )

/** Whether a value has every member of a scale. */
export function isCollectionScale(value: unknown): value is CollectionScale {
  if (!isRecord(value) || value['origin'] !== 'documents') return false
  const counts = ['corpusVersion', 'chunkCount', 'windows', 'learnedAtMs'].every((name) => Number(value[name]) >= 0)
  const names = ['policyId', 'embeddingModel'].every((name) => typeof value[name] === 'string')
  const { kind, middle, deviation } = value
  return (
    counts &&
    names &&
    (kind === 'none' ||
      (kind === 'scale' && Number.isFinite(middle) && Number.isFinite(deviation) && Number(deviation) > 0))
  )
}

/** The scale by which a policy reads a collection; `undefined` where it has none for this policy and embedding. */
export function appliedScale(
  { scale, embeddingModel }: { readonly scale?: CollectionScale | null; readonly embeddingModel: string },
  policyId: string,
): (Pick<LearnedFrom, 'learnedAtMs' | 'corpusVersion'> & Record<'middle' | 'deviation', number>) | undefined {
  if (scale?.kind !== 'scale' || scale.policyId !== policyId || scale.embeddingModel !== embeddingModel)
    return undefined
  const { middle, deviation, learnedAtMs, corpusVersion } = scale
  return { middle, deviation, learnedAtMs, corpusVersion }
}
