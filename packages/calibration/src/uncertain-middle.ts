/** Computes from labels the range of confidences in which a reranker is worth its cost. */
import { lowestSafeThreshold, type Promised } from './safe-threshold.ts'

/** A labelled question with its lexical confidence, before reranking. */
export interface LabelledConfidence {
  readonly answerable: boolean
  /** 0..1; counts as 0 if not finite. */
  readonly confidence: number
}

const STEP = 0.0001

/**
 * The bounds of a cascade (docs/cascades.md): at the given confidence level, at most the given share of the answerable
 * questions is below `from`, and at most that share of the unanswerable ones is at or above `below`, so that decisions
 * without the reranker are wrong no more often. With too few labels of a kind, its side is open: 0 or 1.
 *
 * @returns `undefined` if lexical confidence alone meets the guarantee on both sides, so that nothing lies between
 * @see `lowestSafeThreshold`
 */
export function uncertainMiddle(
  labels: readonly LabelledConfidence[],
  promised: Promised,
): readonly [from: number, below: number] | undefined {
  const of = (kind: boolean) =>
    // The gate counts a confidence that could not be computed as 0.
    labels.flatMap(({ answerable, confidence }) =>
      answerable === kind ? [Number.isFinite(confidence) ? confidence : 0] : [],
    )
  const least = lowestSafeThreshold(
    of(true).map((confidence) => 1 - confidence),
    { ...promised, step: STEP },
  )
  const from = Number((1 - (least ?? 1)).toFixed(4))
  const below = lowestSafeThreshold(of(false), { ...promised, step: STEP }) ?? 1
  return from < below ? [from, below] : undefined
}
