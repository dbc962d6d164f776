/** Input of the metrics. */

/** A gate's score for a question, and its label. */
export interface LabelledScore {
  /** Higher scores are answered first. A non-finite score counts as the lowest, because the gate refuses it. */
  readonly score: number
  /** Whether the collection answers the question. */
  readonly answerable: boolean
}

/** Questions with equal scores, which no threshold can separate; −Infinity for those without a finite one. */
export interface Tie {
  readonly score: number
  readonly answerable: number
  readonly unanswerable: number
}

/** Counts questions by score, highest first. */
export function tiesOf(scored: readonly LabelledScore[]): readonly Tie[] {
  const counts = new Map<number, { answerable: number; unanswerable: number }>()
  for (const { score, answerable } of scored) {
    const key = Number.isFinite(score) ? score : -Infinity
    const count = counts.get(key) ?? { answerable: 0, unanswerable: 0 }
    count[answerable ? 'answerable' : 'unanswerable']++
    counts.set(key, count)
  }
  return [...counts].map(([score, count]) => ({ score, ...count })).sort((a, b) => b.score - a.score)
}
