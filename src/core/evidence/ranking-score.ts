/** The one score by which a chunk is weighed, when several methods scored it. */
import type { Chunk, ScoreKind, Scores } from './chunk.ts'
import { BM25_K1 } from '../text/bm25.ts'
import { clamp01, finite } from '../lib/numbers.ts'
import type { TextFeatures } from '../signals/text-features.ts'

/** Highest grade that a reranker gives. */
const TOP_GRADE = 3

/**
 * What the knowledge graph raised first, then the fused score. The convex mix means the same in every question; ranks and
 * distributions only order the chunks of one, so they are read where nothing else is there.
 */
const AFTER_RERANKER: readonly ScoreKind[] = ['boosted', 'convex', 'rrf', 'dbsf']

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
 * @returns fewer chunks than the evidence holds when some carry no usable score: a missing score is not 0
 */
export function scoredChunks({ evidence, idfMass }: TextFeatures): readonly ScoredChunk[] {
  const { chunks, rankedBy } = evidence
  return chunks
    .flatMap((chunk) => {
      const score = rankingScore(chunk.scores) ?? scaledArm(rankedBy, chunk.scores, idfMass)
      return score === undefined ? [] : [{ chunk, score }]
    })
    .sort((a, b) => b.score - a.score)
}

/** The reranker's score as a share of 1 at best; `undefined` when no reranker scored the chunk. */
export function rerankerScore(scores: Scores): number | undefined {
  const crossEncoder = finite(scores['cross-encoder'])
  if (crossEncoder !== undefined) return crossEncoder
  const grade = finite(scores.grade)
  return grade === undefined ? undefined : grade / TOP_GRADE
}

function rankingScore(scores: Scores): number | undefined {
  const [score] = AFTER_RERANKER.flatMap((kind) => finite(scores[kind]) ?? [])
  return rerankerScore(scores) ?? score
}

/** The score of one method, BM25 or cosine, scaled as fusion scales it, 0..1; `undefined` for other kinds and without one. */
export function scaledArm(arm: ScoreKind, scores: Scores, idfMass: number): number | undefined {
  const score = arm === 'bm25' || arm === 'cosine' ? finite(scores[arm]) : undefined
  if (score === undefined) return undefined
  if (arm === 'cosine') return clamp01(score)
  return idfMass > 0 ? clamp01(score / (idfMass * (BM25_K1 + 1))) : 0
}
