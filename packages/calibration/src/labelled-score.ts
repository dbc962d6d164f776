/** What the metrics are computed from. */

/** What a gate said of a question, and what it should have. */
export interface LabelledScore {
  /** The higher, the sooner the question is answered. What is not a number counts as the lowest: the gate refuses it. */
  readonly score: number
  /** Whether the collection answers the question. */
  readonly answerable: boolean
}

/** Questions that have one score: no threshold can tell them apart. */
export interface Tie {
  readonly score: number
  readonly answerable: number
  readonly unanswerable: number
}

/** Questions counted by score, highest first. */
export function tiesOf(scored: readonly LabelledScore[]): readonly Tie[] {
  const counts = new Map<number, { answerable: number; unanswerable: number }>()
  for (const { score, answerable } of scored) {
    const key = Number.isNaN(score) ? -Infinity : score
    const count = counts.get(key) ?? { answerable: 0, unanswerable: 0 }
    count[answerable ? 'answerable' : 'unanswerable']++
    counts.set(key, count)
  }
  return [...counts].map(([score, count]) => ({ score, ...count })).sort((a, b) => b.score - a.score)
}
