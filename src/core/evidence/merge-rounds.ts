/** A question's own retrieval and further ones in other words, merged into one evidence. */
import { scaledMethodScore } from './score-kinds.ts'
import type { Chunk, Scores } from './chunk.ts'
import { type Evidence, rankBy } from './evidence.ts'
import { clamp01 } from '../lib/numbers.ts'
import { finite } from '../lib/numbers.ts'

/** What merging needs to know. */
export interface MergeOptions {
  /** Chunks kept, best first, unless more must stay. Whole, 1 and up. */
  readonly topK: number
  /** Idf summed over the terms of the question itself. */
  readonly idfMass: number
  /**
   * So many of the best of each method of the first round stay whatever the mix says of them: for methods that disagree,
   * where a mean of both would favour what neither finds best. Whole, 0 and up; two always stay.
   */
  readonly keepOfEach: number
}

/** How much a further round weighs beside the first: as much. Others made no difference that could be told. */
const FURTHER_WEIGHT = 0.5

/** Gates hold the best score against the second: without its runner-up a winner would look clearer than it is. */
const ALWAYS_KEPT = 2

/**
 * Merges rounds. A chunk is ranked by a mix of what it has of the best score of each round; of several further rounds
 * the one that likes it best counts. It has no other score but those of the first round: a score for other words says
 * nothing about the question that is judged. So what gates read of scores, the best and the second of each method and of
 * their fusion, is what it was; only the texts are more.
 *
 * @param first as fused, not yet cut to `topK`
 * @param further each as fused for its own words; one and up
 */
export function mergeRounds(
  first: Evidence,
  further: readonly Evidence[],
  { topK, idfMass, keepOfEach }: MergeOptions,
): Evidence {
  const inFirst = sharesOfBest(first)
  const inFurther = further.map(sharesOfBest)
  const all = new Map<string, Chunk>(first.chunks.map((chunk) => [chunk.id, withFusedScore(chunk, first, idfMass)]))
  for (const chunk of further.flatMap(({ chunks }) => chunks)) {
    if (!all.has(chunk.id)) all.set(chunk.id, { ...chunk, scores: {} })
  }
  const collected = [...all.values()].map(({ scores, ...passage }) => {
    const elsewhere = Math.max(...inFurther.map((shares) => shares.get(passage.id) ?? 0))
    const rounds = (1 - FURTHER_WEIGHT) * (inFirst.get(passage.id) ?? 0) + FURTHER_WEIGHT * elsewhere
    return { passage, scores: { ...scores, rounds } satisfies Scores }
  })
  const dropped = [first, ...further].reduce((sum, each) => sum + each.dropped, 0)
  const ranked = rankBy('rounds', collected, { kinds: first.kinds, dropped, topK: collected.length })
  const kept = bestOfEach(first, Math.max(ALWAYS_KEPT, keepOfEach))
  for (const { id } of ranked.chunks) if (kept.size < topK) kept.add(id)
  return { ...ranked, chunks: ranked.chunks.filter(({ id }) => kept.has(id)) }
}

/** What each chunk has of the best score, 0..1, by its id. */
function sharesOfBest({ rankedBy, chunks }: Evidence): ReadonlyMap<string, number> {
  const scored = chunks.map(({ id, scores }) => [id, finite(scores[rankedBy]) ?? 0] as const)
  const best = Math.max(0, ...scored.map(([, score]) => score))
  return new Map(scored.map(([id, score]) => [id, best > 0 ? clamp01(score / best) : 0]))
}

/** Evidence of one method is weighed by that method's score while it is ranked by it; now it must say so itself. */
function withFusedScore(chunk: Chunk, { rankedBy }: Evidence, idfMass: number): Chunk {
  const convex = scaledMethodScore(rankedBy, chunk.scores, idfMass)
  return convex === undefined ? chunk : { ...chunk, scores: { ...chunk.scores, convex } }
}

/** The best of the first round by its order, by each method, and by their mix, which an order by ranks does not show. */
function bestOfEach({ rankedBy, chunks }: Evidence, count: number): Set<string> {
  const best = (['cosine', 'bm25', 'convex', rankedBy] as const).flatMap((kind) =>
    chunks
      .filter(({ scores }) => scores[kind] !== undefined)
      .sort((a, b) => b.scores[kind]! - a.scores[kind]!)
      .slice(0, kind === rankedBy || kind === 'convex' ? ALWAYS_KEPT : count),
  )
  return new Set(best.map(({ id }) => id))
}
