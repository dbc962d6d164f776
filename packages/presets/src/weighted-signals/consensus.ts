/**
 * How many ranking scores reach a threshold: how many chunks agree? Equality counts. Not measured beforehand but counted
 * from the recorded scores, so that another threshold can be judged later.
 *
 * @param scores ranking scores, in any order
 * @see the specification of weighted-signals, "Consensus"
 */
export function consensusCount(scores: readonly number[], consensusFrom: number): number {
  return scores.filter((score) => score >= consensusFrom).length
}
