/** The ranking score: one score per chunk, even if several methods scored it. */
import { type Chunk, type Evidence, rankingScore, scaledMethodScore } from 'hono-rag-gate/core/evidence'

/** A chunk that carries a ranking score. */
export interface ScoredChunk {
  readonly chunk: Chunk
  readonly score: number
}

/**
 * The chunks that carry a ranking score, highest first; ties keep the order of the evidence. For each chunk a
 * reranker's score takes precedence over a fused one. Scores are raw, except that a grade is divided by 3. If the
 * evidence is ranked by BM25 or cosine alone, that score is used, scaled as in fusion: BM25 by its maximum for the
 * question, cosine clipped to 0..1.
 *
 * @param idfMass sum of idf over the question's terms, 0 and up
 * @returns only chunks with a usable score; a missing score is not 0
 */
export function scoredChunks({ chunks, rankedBy }: Evidence, idfMass: number): readonly ScoredChunk[] {
  return chunks
    .flatMap((chunk) => {
      const score = rankingScore(chunk.scores) ?? scaledMethodScore(rankedBy, chunk.scores, idfMass)
      return score === undefined ? [] : [{ chunk, score }]
    })
    .sort((a, b) => b.score - a.score)
}
