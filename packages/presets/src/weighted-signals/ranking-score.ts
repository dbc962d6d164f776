/** The one score by which a chunk is weighed, when several methods scored it. */
import { type Chunk, type Evidence, rankingScore, scaledMethodScore } from 'hono-rag-gate/core/evidence'

/** A chunk that carries a ranking score. */
export interface ScoredChunk {
  readonly chunk: Chunk
  readonly score: number
}

/**
 * The chunks that carry a ranking score, highest first; ties keep the order of the evidence. A reranker's score counts
 * before a fused one, for each chunk by itself. Scores are as their method gave them, but for a grade, which is a share
 * of 3. Where the evidence is ranked by BM25 or cosine, nothing was fused and that score is read, scaled as fusion scales
 * it: BM25 by what it can reach for the question, cosine clipped to 0..1.
 *
 * @param idfMass idf summed over the question's terms, 0 and up
 * @returns fewer chunks than the evidence holds when some carry no usable score: a missing score is not 0
 */
export function scoredChunks({ chunks, rankedBy }: Evidence, idfMass: number): readonly ScoredChunk[] {
  return chunks
    .flatMap((chunk) => {
      const score = rankingScore(chunk.scores) ?? scaledMethodScore(rankedBy, chunk.scores, idfMass)
      return score === undefined ? [] : [{ chunk, score }]
    })
    .sort((a, b) => b.score - a.score)
}
