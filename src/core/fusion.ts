/** Several rankings into one evidence. */
import type { Ranking, ScoreKind, Scores } from './chunk.ts'
import { collect, type Evidence, rankBy } from './evidence.ts'

/** Saturation of term frequency in BM25: a term counts at most k1 + 1 times its idf. */
export const BM25_K1 = 1.2

/** How much each method weighs in the convex mix. Negative or non-finite weights count as 0. */
export interface ConvexWeights {
  /** @default 0.35 */
  readonly cosine?: number
  /** @default 0.65 */
  readonly bm25?: number
}

/** Measured on five question sets: see docs/evaluation.md. */
const DEFAULT_WEIGHTS: Required<ConvexWeights> = { cosine: 0.35, bm25: 0.65 }

/** What the convex mix needs to know. */
export interface ConvexOptions {
  readonly weights?: ConvexWeights
  /** Idf summed over the question's terms (`idfMass`): bounds what BM25 can reach for this question. */
  readonly idfMass: number
  /** Chunks kept, best first. Whole, 1 and up. */
  readonly topK: number
}

/**
 * The convex mix of scaled scores. Each method is scaled by a bound that does not depend on the other results, so that
 * a fused score means the same in every question: BM25 by the question's idf mass times k1 + 1, cosine clipped to 0..1.
 * A method that did not return a chunk counts 0 for it.
 *
 * With a single ranking there is nothing to mix: the evidence is ranked by that score as it is.
 *
 * @throws `retriever_bad_response` when more than a fifth of the scores are not finite
 * @see Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", ACM TOIS 42(1), 2023
 */
export function fuseConvex(rankings: readonly Ranking[], options: ConvexOptions): Evidence {
  const { collected, dropped } = collect(rankings)
  const kinds = rankings.map((ranking) => ranking.kind)
  const facts = { kinds, dropped, topK: options.topK }
  const only = kinds.length === 1 ? kinds[0] : undefined
  if (only !== undefined) return rankBy(only, collected, facts)

  const weights = { ...DEFAULT_WEIGHTS, ...options.weights }
  const bm25Bound = options.idfMass * (BM25_K1 + 1)
  const mixed = collected.map(({ passage, scores }) => ({
    passage,
    scores: { ...scores, convex: mix(scores, weights, bm25Bound) },
  }))
  return rankBy('convex', mixed, facts)
}

function mix(scores: Scores, weights: Required<ConvexWeights>, bm25Bound: number): number {
  const scaled: Readonly<Partial<Record<ScoreKind, number>>> = {
    cosine: scores.cosine ?? 0,
    bm25: bm25Bound > 0 ? (scores.bm25 ?? 0) / bm25Bound : 0,
  }
  let sum = 0
  let total = 0
  for (const kind of ['cosine', 'bm25'] as const) {
    const weight = weights[kind] > 0 && Number.isFinite(weights[kind]) ? weights[kind] : 0
    sum += weight * clamp01(scaled[kind] ?? 0)
    total += weight
  }
  return total > 0 ? sum / total : 0
}

/** The nearest number within 0..1. */
export function clamp01(x: number): number {
  return x > 1 ? 1 : x > 0 ? x : 0
}
