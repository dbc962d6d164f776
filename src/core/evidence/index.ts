/** Passages, scores by kind, fusion, reranking, the context that a model reads. */
export type { Chunk, Passage, ScoreKind } from './chunk.ts'
export { collect, rankBy } from './evidence.ts'
export { leaveOut } from './leave-out.ts'
export { type IndexRow, type PassageFields, passageOfRow } from './passage-fields.ts'
export type { RerankerKind, RerankerOutcome } from './rerank.ts'
export { readPassage } from './rows.ts'
export {
  FUSED_KINDS,
  RELEVANCE_KINDS,
  rankingScore,
  rerankerScore,
  scaledMethodScore,
  scoreShare,
} from './score-kinds.ts'
export type { Context, ContextBudget } from './context.ts'
export { readEmbeddings } from './embeddings.ts'
export type { Evidence } from './evidence.ts'
export { readGrades } from './grade.ts'
export { type PassageField, filteredMember } from './passage-fields.ts'
export { type PassageFilter, checkPassageFilter, valuesOf } from './passage-filter.ts'
export { type RetrieverWarning, namespaceShared, placesOf, rowsWithoutText, shown } from './retriever-warnings.ts'
export { type RetrievedRow, rankRows } from './rows.ts'
export { NAMESPACE_OPTIONS, type NamespaceOptions, namespaceChoice } from './searched-namespace.ts'
export { fuseReciprocalRank } from './fusion.ts'
export type { Ranking } from './chunk.ts'
export { METHOD_KINDS } from './score-kinds.ts'
export { relevanceShare } from './score-kinds.ts'
