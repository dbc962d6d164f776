/**
 * Number of ranking scores that reach a threshold. Equality counts. Counted from the recorded scores when judging, so
 * that recorded decisions can be replayed with another threshold.
 *
 * @param scores ranking scores, in any order
 * @see the specification of weighted-signals, "Consensus"
 */
export function consensusCount(scores: readonly number[], consensusFrom: number): number {
  return scores.filter((score) => score >= consensusFrom).length
}
