import { type Pair, spearman } from '@hono-rag-gate/calibration/correlation'
import { finite } from 'hono-rag-gate/core/lib'
import { FUSED_KINDS, type Chunk, rerankerScore } from 'hono-rag-gate/core/evidence'

/**
 * 1 − Spearman's ρ of the reranker's scores and the fused ones: how much did the reranker change the order? Told,
 * but not weighed.
 *
 * @returns 0 (same order) to 2 (turned round); 0 when fewer than two chunks carry both scores, or either is constant
 * @see the specification of weighted-signals, "Reranker Impact"
 */
export function rerankerImpact(chunks: readonly Chunk[]): number {
  // Scores of different kinds have no common order, so one kind is read for all chunks.
  const fused = FUSED_KINDS.find((kind) => chunks.some(({ scores }) => finite(scores[kind]) !== undefined))
  if (fused === undefined) return 0
  const pairs = chunks.flatMap(({ scores }): Pair[] => {
    const before = finite(scores[fused])
    const after = rerankerScore(scores)
    return before === undefined || after === undefined ? [] : [[after, before]]
  })
  return 1 - (spearman(pairs) ?? 1)
}
