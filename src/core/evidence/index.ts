/** Passages, scores by kind, fusion, reranking, the context that a model reads. */
export type { Chunk, Passage, Ranking, ScoreKind } from './chunk.ts'
export type { Context, ContextBudget } from './context.ts'
export { questionVector, readEmbeddings, requireDimension } from './embeddings.ts'
export { collect, type Evidence, rankBy } from './evidence.ts'
export { fuseReciprocalRank } from './fusion.ts'
export { readGrades } from './grade.ts'
export { leaveOut } from './leave-out.ts'
export { filteredMember, type IndexRow, type PassageField, type PassageFields, passageOfRow } from './passage-fields.ts'
export { checkPassageFilter, type PassageFilter, valuesOf } from './passage-filter.ts'
export type { RerankerKind, RerankerOutcome } from './rerank.ts'
export { namespaceShared, placesOf, type RetrieverWarning, rowsWithoutText, shown } from './retriever-warnings.ts'
export { rankRows, readPassage, type RetrievedRow } from './rows.ts'
export {
  FUSED_KINDS,
  METHOD_KINDS,
  rankingScore,
  RELEVANCE_KINDS,
  relevanceShare,
  rerankerScore,
  scaledMethodScore,
  scoreShare,
} from './score-kinds.ts'
export { NAMESPACE_OPTIONS, namespaceChoice, type NamespaceOptions } from './searched-namespace.ts'
