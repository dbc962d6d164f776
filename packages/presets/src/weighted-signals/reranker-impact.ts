import { type Pair, spearman } from '@hono-rag-gate/calibration/correlation'
import { finite } from 'hono-rag-gate/core/lib'
import { FUSED_KINDS, type Chunk, rerankerScore } from 'hono-rag-gate/core/evidence'

/**
 * 1 − Spearman's ρ between reranker scores and fused scores: how much the reranker changed the order. Reported, but not
 * weighted.
 *
 * @returns 0 (same order) to 2 (reversed); 0 if fewer than two chunks have both scores, or either score is constant
 * @see the specification of weighted-signals, "Reranker Impact"
 */
export function rerankerImpact(chunks: readonly Chunk[]): number {
  // Scores of different kinds are not comparable, so one kind is used for all chunks.
  const fused = FUSED_KINDS.find((kind) => chunks.some(({ scores }) => finite(scores[kind]) !== undefined))
  if (fused === undefined) return 0
  const pairs = chunks.flatMap(({ scores }): Pair[] => {
    const before = finite(scores[fused])
    const after = rerankerScore(scores)
    return before === undefined || after === undefined ? [] : [[after, before]]
  })
  return 1 - (spearman(pairs) ?? 1)
}
