/** Several rankings into one evidence. */
import { isScore, scaledMethodScore } from './score-kinds.ts'
import { RagGateError } from '../../errors.ts'
import type { Ranking, ScoreKind, Scores } from './chunk.ts'
import { collect, type Collected, type Evidence, rankBy } from './evidence.ts'
import { reciprocalRanks, RRF_K } from '../lib/rank-scores.ts'

/** How much each method weighs in the convex mix; measured on five question sets: see docs/internal/evaluation.md. */
const WEIGHTS = { cosine: 0.35, bm25: 0.65 } as const

/** What every fusion needs to know. */
export interface FusionOptions {
  /** Idf summed over the question's terms (`idfMass`): bounds what BM25 can reach for this question. */
  readonly idfMass: number
  /** Chunks kept, best first. Whole, 1 and up. */
  readonly topK: number
}

/** What reciprocal rank fusion needs to know. */
export interface ReciprocalRankOptions extends FusionOptions {
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

/**
 * Fuses by the convex mix of scaled scores; where one of several rankings is of ranks alone, which have no scale to mix by,
 * by reciprocal ranks.
 *
 * Each method is scaled by a bound that does not depend on the other results, so that a fused score means the same in every
 * question: BM25 by the question's idf mass times k1 + 1, cosine clipped to 0..1. A method that did not return a chunk
 * counts 0 for it. What policies read of scores is the methods' own and their convex mix in either case.
 *
 * With a single ranking there is nothing to mix: the evidence is ranked by that score as it is.
 *
 * @throws `retriever_bad_response` when more than a fifth of the scores are not finite
 * @see Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", ACM TOIS 42(1), 2023
 */
export function fuse(rankings: readonly Ranking[], options: FusionOptions): Evidence {
  if (rankings.some(({ kind }) => kind === 'rrf')) return fuseByRanks(rankings, options, RRF_K, 1)
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
    // Every collected passage has a usable score in some ranking.
    return collected.map(({ passage, scores }) => ({ passage, scores: { ...scores, rrf: sums.get(passage.id)! } }))
  })
}

/** @param score what gives the collected chunks, which have their convex mix, the score that ranks them */
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

/** The usable entries of a ranking by their scores, ties as they came; each chunk once, by its first place. */
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
    // A method that was not asked weighs nothing.
    if (!kinds.includes(kind)) continue
    sum += WEIGHTS[kind] * (scaledMethodScore(kind, scores, idfMass) ?? 0)
    total += WEIGHTS[kind]
  }
  return total > 0 ? sum / total : 0
}
