/** Fuses several rankings into one list of evidence. */
import { isScore, scaledMethodScore } from './score-kinds.ts'
import { RagGateError } from '../../errors.ts'
import type { Ranking, ScoreKind, Scores } from './chunk.ts'
import { collect, type Collected, type Evidence, rankBy } from './evidence.ts'
import { reciprocalRanks, RRF_K } from '../lib/rank-scores.ts'

/** Weights of the convex combination, measured on five question sets: see docs/internal/evaluation.md. */
const WEIGHTS = { cosine: 0.35, bm25: 0.65 } as const

/** Options of all fusions. */
export interface FusionOptions {
  /** Idf summed over the question's terms (`idfMass`); determines the maximum of BM25 for this question. */
  readonly idfMass: number
  /** Number of chunks kept, best first, 1 and up. */
  readonly topK: number
}

/** Options of reciprocal rank fusion. */
export interface ReciprocalRankOptions extends FusionOptions {
  /**
   * Constant added to every rank, 0 and up; the larger, the smaller the advantage of top ranks.
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

/**
 * Fuses by a convex combination of scaled scores; by reciprocal ranks if one of several rankings has ranks only, which cannot
 * be scaled.
 *
 * Each method is scaled by a bound that does not depend on the other results, so that fused scores are comparable between
 * questions: BM25 by the question's idf mass times k1 + 1, cosine clipped to 0..1. A method that did not return a chunk
 * counts as 0 for it. In both cases chunks carry the methods' scores and their convex combination, which policies read.
 *
 * A single ranking is not fused; the evidence is ordered by its score.
 *
 * @throws `retriever_bad_response` when more than a fifth of the scores are not finite
 * @see Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", ACM TOIS 42(1), 2023
 */
export function fuse(rankings: readonly Ranking[], options: FusionOptions): Evidence {
  if (rankings.some(({ kind }) => kind === 'rrf')) return fuseByRanks(rankings, options, RRF_K, 1)
  return fuseBy('convex', rankings, options, (collected) => collected)
}

/**
 * Reciprocal rank fusion: the score of a chunk is the sum over the rankings of 1 / (k + rank). Ranks follow the valid scores
 * of a ranking, with ties in their original order; a duplicate chunk counts by its first place. A ranking without the chunk
 * adds nothing.
 *
 * Ranks order chunks but say nothing about their relevance to the question. Every chunk therefore also carries its methods'
 * scores and their convex combination, which policies read; ranks determine the order only.
 *
 * A single ranking is not fused; the evidence is ordered by its score.
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
    throw new RagGateError('config_invalid', 'k must be 0 or more, above 0 for ranks from 0', { param: 'k' })
  }
  return fuseByRanks(rankings, options, k, firstRank)
}

function fuseByRanks(rankings: readonly Ranking[], options: FusionOptions, k: number, firstRank: 0 | 1): Evidence {
  return fuseBy('rrf', rankings, options, (collected) => {
    const sums = new Map<string, number>()
    for (const ranking of rankings) {
      const entries = bestFirst(ranking)
      const worth = reciprocalRanks(entries.length, k, firstRank)
      entries.forEach(({ passage: { id } }, at) => sums.set(id, (sums.get(id) ?? 0) + worth[at]!))
    }
    // Non-null: every collected passage has a valid score in some ranking.
    return collected.map(({ passage, scores }) => ({ passage, scores: { ...scores, rrf: sums.get(passage.id)! } }))
  })
}

/** @param score adds the score that determines the order; the chunks already have their convex combination */
function fuseBy(
  kind: 'convex' | 'rrf',
  rankings: readonly Ranking[],
  { idfMass, topK }: FusionOptions,
  score: (collected: readonly Collected[]) => readonly Collected[],
): Evidence {
  const { collected, dropped } = collect(rankings)
  const kinds = rankings.map((ranking) => ranking.kind)
  const facts = { kinds, dropped, topK }
  const only = kinds.length === 1 ? kinds[0] : undefined
  if (only !== undefined) return rankBy(only, collected, facts)
  const mixed = collected.map(({ passage, scores }) => ({
    passage,
    scores: { ...scores, convex: mix(scores, kinds, idfMass) },
  }))
  return rankBy(kind, score(mixed), facts)
}

/** The valid entries of a ranking by score, with ties in their original order and duplicates removed. */
function bestFirst({ kind, entries }: Ranking): Ranking['entries'] {
  const known = new Set<string>()
  return entries
    .filter(({ passage: { id }, score }) => isScore(kind, score) && !known.has(id) && known.add(id))
    .sort((a, b) => b.score - a.score)
}

function mix(scores: Scores, kinds: readonly ScoreKind[], idfMass: number): number {
  let sum = 0
  let total = 0
  for (const kind of ['cosine', 'bm25'] as const) {
    // A method that was not used has no weight.
    if (!kinds.includes(kind)) continue
    sum += WEIGHTS[kind] * (scaledMethodScore(kind, scores, idfMass) ?? 0)
    total += WEIGHTS[kind]
  }
  return total > 0 ? sum / total : 0
}
