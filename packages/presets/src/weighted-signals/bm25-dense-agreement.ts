import { type Pair, pearson } from '@hono-rag-gate/calibration/correlation'
import { finite } from 'hono-rag-gate/core/lib'
import type { Chunk } from 'hono-rag-gate/core/evidence'

/** Value for an undefined correlation: neither agreement nor disagreement. */
const NEUTRAL_AGREEMENT = 0.5

/** Agreement below which keyword and semantic search count as disagreeing. */
export const DISAGREE_BELOW = 0.5

/** Whether keyword and semantic search agree. */
export interface Bm25DenseAgreement {
  /** (Pearson's r + 1) / 2 over the chunks that both methods scored, 0..1; .5 if undefined. */
  readonly agreement: number
  /** Whether it is defined: at least two such chunks, and both scores vary. */
  readonly comparable: boolean
}

/**
 * Pearson correlation of BM25 and cosine scores, mapped to 0..1.
 *
 * @returns .5 and not comparable if fewer than two chunks have both scores, or either score is constant; 0 without
 *   chunks
 * @see the specification of weighted-signals, "BM25-Dense Correlation"
 */
export function bm25DenseAgreement(chunks: readonly Chunk[]): Bm25DenseAgreement {
  if (chunks.length === 0) return { agreement: 0, comparable: false }
  const pairs = chunks.flatMap(({ scores }): Pair[] => {
    const bm25 = finite(scores.bm25)
    const cosine = finite(scores.cosine)
    return bm25 === undefined || cosine === undefined ? [] : [[bm25, cosine]]
  })
  const r = pearson(pairs)
  return r === undefined
    ? { agreement: NEUTRAL_AGREEMENT, comparable: false }
    : { agreement: (r + 1) / 2, comparable: true }
}
