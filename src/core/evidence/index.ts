/** Passages, scores by kind, fusion, reranking, the context that a model reads. */
export type { Chunk, Passage, Ranking, ScoreKind } from './chunk.ts'
export type { Context, ContextBudget } from './context.ts'
export { collect, type Evidence, rankBy } from './evidence.ts'
export { fuseReciprocalRank } from './fusion.ts'
export { checkPassageFilter, type PassageFilter, valuesOf } from './passage-filter.ts'
export type { RerankerKind, RerankerOutcome } from './rerank.ts'
export { rankRows, readPassage, type RetrievedRow } from './rows.ts'
export {
  embedsWords,
  FUSED_KINDS,
  METHOD_KINDS,
  rankingScore,
  RELEVANCE_KINDS,
  relevanceShare,
  rerankerScore,
  SCORE_KIND_NAMES,
  scaledMethodScore,
  scoreShare,
  type ScoreMeaning,
} from './score-kinds.ts'
