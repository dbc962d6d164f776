/** Several rankings into one evidence. */
import { isScore } from './score-kinds.ts'
import { clamp01 } from '../lib/numbers.ts'
import { BM25_K1 } from '../text/bm25.ts'
import { RagGateError } from '../../errors.ts'
import type { Ranking, ScoreKind, Scores } from './chunk.ts'
import { collect, type Collected, type Evidence, rankBy } from './evidence.ts'
import { distributionScores, reciprocalRanks, RRF_K } from '../lib/rank-scores.ts'

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

/** What reciprocal rank fusion needs to know. */
export interface ReciprocalRankOptions extends ConvexOptions {
  /**
   * Constant that is added to every rank, 0 and up: the larger, the less a first place counts before a tenth.
   *
   * @default 60
   */
  readonly k?: number
  /**
   * Rank of the best. Upstash Vector counts from 0, most others from 1.
   *
   * @default 1
   */
  readonly firstRank?: 0 | 1
}

/** How rankings become one: by the convex mix, by reciprocal ranks, or by their distributions. */
export type FusionMethod = 'convex' | 'rrf' | 'dbsf'

/** Every method, for checking. */
export const FUSION_METHODS: readonly FusionMethod[] = ['convex', 'rrf', 'dbsf']

/** What fusion by any method needs to know. */
export interface FusionOptions extends ConvexOptions {
  /** @default 'convex' */
  readonly method?: FusionMethod
  /** Constant of `rrf`. @default 60 */
  readonly k?: number
}

/** Fuses by the method that the options name. @throws as that method does */
export function fuse(rankings: readonly Ranking[], { method = 'convex', k, ...options }: FusionOptions): Evidence {
  switch (method) {
    case 'convex':
      return fuseConvex(rankings, options)
    case 'rrf':
      return fuseReciprocalRank(rankings, k === undefined ? options : { ...options, k })
    case 'dbsf':
      return fuseDistributionBased(rankings, options)
  }
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
  return fuseBy('convex', rankings, options, (collected) => collected)
}

/**
 * Reciprocal rank fusion: a chunk has the sum over the rankings of 1 / (k + its rank). Ranks follow the usable scores
 * of a ranking, ties in the order they came; a chunk that stands twice in one counts by its first place. A ranking that
 * does not hold a chunk adds nothing.
 *
 * Ranks say how chunks stand to each other and nothing about the question. So every chunk keeps its methods' scores and
 * has its convex mix as well: policies read those, and the order alone is that of the ranks.
 *
 * With a single ranking there is nothing to fuse: the evidence is ranked by that score as it is.
 *
 * @throws `config_invalid` when `k` is not a finite number of 0 and up, or both it and `firstRank` are 0;
 *   `retriever_bad_response` when more than a fifth of the scores are not finite
 * @see Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank Learning
 *   Methods", SIGIR 2009
 */
export function fuseReciprocalRank(
  rankings: readonly Ranking[],
  { k = RRF_K, firstRank = 1, ...options }: ReciprocalRankOptions,
): Evidence {
  if (!(Number.isFinite(k) && k >= 0 && k + firstRank > 0)) {
    throw new RagGateError('config_invalid', 'k must be a number from 0, above 0 for ranks from 0', { param: 'k' })
  }
  return fuseBy('rrf', rankings, options, (collected) =>
    withSums('rrf', collected, rankings, (scores) => reciprocalRanks(scores.length, k, firstRank)),
  )
}

/**
 * Distribution-based score fusion: a chunk has the sum over the rankings of where its score lies between three sample
 * deviations below and above their mean; .5 where scores do not spread. A ranking that does not hold a chunk adds
 * nothing.
 *
 * Such a sum is high for the best of any question, so every chunk keeps its methods' scores and has its convex mix as
 * well: policies read those, and the order alone is that of the sums. A single ranking stays as it is.
 *
 * @throws `retriever_bad_response` when more than a fifth of the scores are not finite
 * @see Mazzeschi, "Distribution-Based Score Fusion (DBSF), a new approach to Vector Search Ranking", 2023
 */
export function fuseDistributionBased(rankings: readonly Ranking[], options: ConvexOptions): Evidence {
  return fuseBy('dbsf', rankings, options, (collected) => withSums('dbsf', collected, rankings, distributionScores))
}

/** @param score what gives the collected chunks, which have their convex mix, the score that ranks them */
function fuseBy(
  kind: FusionMethod,
  rankings: readonly Ranking[],
  { weights: given, idfMass, topK }: ConvexOptions,
  score: (collected: readonly Collected[]) => readonly Collected[],
): Evidence {
  const { collected, dropped } = collect(rankings)
  const kinds = rankings.map((ranking) => ranking.kind)
  const facts = { kinds, dropped, topK }
  const only = kinds.length === 1 ? kinds[0] : undefined
  if (only !== undefined) return rankBy(only, collected, facts)

  const weights = { ...DEFAULT_WEIGHTS, ...given }
  const bm25Bound = idfMass * (BM25_K1 + 1)
  const mixed = collected.map(({ passage, scores }) => ({
    passage,
    scores: { ...scores, convex: mix(scores, weights, bm25Bound) },
  }))
  return rankBy(kind, score(mixed), facts)
}

/** @param worth what the scores of a ranking, best first, are worth */
function withSums(
  kind: 'rrf' | 'dbsf',
  collected: readonly Collected[],
  rankings: readonly Ranking[],
  worth: (scores: readonly number[]) => readonly number[],
): readonly Collected[] {
  const sums = new Map<string, number>()
  for (const ranking of rankings) {
    const entries = bestFirst(ranking)
    const worths = worth(entries.map(({ score }) => score))
    entries.forEach(({ passage: { id } }, at) => sums.set(id, (sums.get(id) ?? 0) + worths[at]!))
  }
  // Whatever was collected has a usable score in some ranking.
  return collected.map(({ passage, scores }) => ({ passage, scores: { ...scores, [kind]: sums.get(passage.id)! } }))
}

/** The usable entries of a ranking by their scores, ties as they came; each chunk once, by its first place. */
function bestFirst({ kind, entries }: Ranking): Ranking['entries'] {
  const known = new Set<string>()
  return entries
    .filter(({ passage: { id }, score }) => isScore(kind, score) && !known.has(id) && known.add(id))
    .sort((a, b) => b.score - a.score)
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
