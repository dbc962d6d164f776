/** Between which confidences a reader of passages is worth its call, from labels. */
import { lowestSafeThreshold, type Promised } from './safe-threshold.ts'

/** A labelled question with its confidence by words, before any reader. */
export interface LabelledConfidence {
  readonly answerable: boolean
  /** 0..1. */
  readonly confidence: number
}

const STEP = 0.0001

/**
 * The bounds of a cascade (docs/cascades.md). So surely, no more than the stated share of the answerable questions lies below
 * `from`, and no more than that of those to be refused at `below` or above it: what is judged without the reader goes
 * wrong no more often. With too few labels of a kind its side is open: 0 or 1.
 *
 * @returns `undefined` where words alone keep the promise on both sides, so that nothing lies between
 * @see `lowestSafeThreshold`
 */
export function uncertainMiddle(
  labels: readonly LabelledConfidence[],
  promised: Promised,
): readonly [from: number, below: number] | undefined {
  const of = (kind: boolean) =>
    labels.filter(({ answerable }) => answerable === kind).map(({ confidence }) => confidence)
  const least = lowestSafeThreshold(
    of(true).map((confidence) => 1 - confidence),
    { ...promised, step: STEP },
  )
  const from = Number((1 - (least ?? 1)).toFixed(4))
  const below = lowestSafeThreshold(of(false), { ...promised, step: STEP }) ?? 1
  return from < below ? [from, below] : undefined
}
