import { type Pair, pearson } from '@hono-rag-gate/calibration/correlation'
import { finite } from 'hono-rag-gate/core/lib'
import type { Chunk } from 'hono-rag-gate/core/evidence'

/** What stands for a correlation that is not defined: neither agreement nor disagreement. */
const NEUTRAL_AGREEMENT = 0.5

/** Agreement of the two ways of searching below which they disagree. */
export const DISAGREE_BELOW = 0.5

/** Whether keyword and semantic search agree. */
export interface Bm25DenseAgreement {
  /** (Pearson's r + 1) / 2 over the chunks that both methods scored, 0..1; .5 when it is not defined. */
  readonly agreement: number
  /** Whether it is defined: two such chunks or more, and both scores vary. */
  readonly comparable: boolean
}

/**
 * Correlation of BM25 and cosine, mapped to 0..1: do the two ways of searching agree?
 *
 * @returns .5 and not comparable when either method scored fewer than two of the same chunks, or scored them all alike;
 *   0 without chunks
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
