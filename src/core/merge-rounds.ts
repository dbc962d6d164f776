/** A question's own retrieval and further ones in other words, merged into one evidence. */
import type { Chunk, ScoreKind, Scores } from './chunk.ts'
import { type Evidence, rankBy } from './evidence.ts'
import { clamp01 } from './fusion.ts'
import { finite, rerankerScore, scaledArm } from './ranking-score.ts'

/** What merging needs to know. */
export interface MergeOptions {
  /** Chunks kept, best first. Whole, 1 and up. */
  readonly topK: number
  /** Idf summed over the terms of the question itself. */
  readonly idfMass: number
  /**
   * So many of the best of each method of the first round stay whatever the mix says of them: for methods that disagree,
   * where a mean of both would favour what neither finds best. Whole, 0 and up.
   */
  readonly keepOfEach: number
}

/** How much a further round weighs beside the first: as much. Others made no difference that could be told. */
const FURTHER_WEIGHT = 0.5

const FUSED: readonly ScoreKind[] = ['convex', 'rrf', 'dbsf']

/**
 * Merges rounds. A chunk is ranked by a mix of what it has of the best score of each round; of several further rounds
 * the one that likes it best counts. Nothing in it raises a score: the best chunk carries what the best of the first
 * round had, and the scores of single methods stay those of the first round. A score for other words says nothing about
 * the question that is judged, so a chunk that only a further round found has none.
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
  const found = new Map<string, Chunk>()
  for (const { chunks } of further) for (const chunk of chunks) found.set(chunk.id, { ...chunk, scores: {} })
  // Set last: what the first round found keeps its scores, and ties keep its order.
  const all = new Map(first.chunks.map((chunk) => [chunk.id, chunk]))
  for (const [id, chunk] of found) if (!all.has(id)) all.set(id, chunk)

  const mixed = [...all.values()].map((chunk) => {
    const elsewhere = Math.max(...inFurther.map((shares) => shares.get(chunk.id) ?? 0))
    return { chunk, mix: (1 - FURTHER_WEIGHT) * (inFirst.get(chunk.id) ?? 0) + FURTHER_WEIGHT * elsewhere }
  })
  const most = Math.max(0, ...mixed.map(({ mix }) => mix))
  const kind = FUSED.includes(first.rankedBy) ? first.rankedBy : 'convex'
  const scale = most > 0 ? bestScore(first, kind, idfMass) / most : 0
  const collected = mixed.map(({ chunk: { scores, ...passage }, mix }) => ({
    passage,
    scores: { ...scores, [kind]: mix * scale } satisfies Scores,
  }))
  const facts = {
    kinds: first.kinds,
    dropped: [first, ...further].reduce((sum, { dropped }) => sum + dropped, 0),
    topK: collected.length,
  }
  const ranked = rankBy(kind, collected, facts)
  return { ...ranked, chunks: withBestOfEach(ranked.chunks, first, { topK, keepOfEach }) }
}

/** What each chunk has of the best score, 0..1, by its id. */
function sharesOfBest({ rankedBy, chunks }: Evidence): ReadonlyMap<string, number> {
  const best = Math.max(0, ...chunks.map(({ scores }) => finite(scores[rankedBy]) ?? 0))
  return new Map(
    chunks.map(({ id, scores }) => [id, best > 0 ? clamp01((finite(scores[rankedBy]) ?? 0) / best) : 0] as const),
  )
}

/** The best score of the evidence as a score of `kind`: scaled to 0..1 where it was not fused. */
function bestScore({ rankedBy, chunks }: Evidence, kind: ScoreKind, idfMass: number): number {
  const scores = chunks[0]?.scores ?? {}
  const score = finite(scores[rankedBy])
  if (rankedBy === kind) return score ?? 0
  return scaledArm(rankedBy, scores, idfMass) ?? rerankerScore(scores) ?? clamp01(score ?? 0)
}

/** The first `topK` in order, with the best of each method among them. */
function withBestOfEach(
  ranked: readonly Chunk[],
  first: Evidence,
  { topK, keepOfEach }: Pick<MergeOptions, 'topK' | 'keepOfEach'>,
): readonly Chunk[] {
  const kept = new Set<string>()
  for (const kind of ['cosine', 'bm25'] as const) {
    const byMethod = first.chunks
      .filter(({ scores }) => scores[kind] !== undefined)
      .sort((a, b) => b.scores[kind]! - a.scores[kind]!)
    for (const { id } of byMethod.slice(0, keepOfEach)) kept.add(id)
  }
  for (const { id } of ranked) {
    if (kept.size >= topK) break
    kept.add(id)
  }
  return ranked.filter(({ id }) => kept.has(id)).slice(0, topK)
}
