import type { Ranking } from '../core/evidence/chunk.ts'
import type { CollectionId, Tenant } from '../core/lib/ids.ts'
import type { ScoreMeaning } from '../core/evidence/score-kinds.ts'
import type { PassageFilter } from '../core/evidence/passage-filter.ts'

/** One search. */
export interface RetrievalRequest {
  /** Whose passages may be found, and no others: how an index keeps them apart is the retriever's to know. */
  readonly tenant: Tenant
  readonly collection: CollectionId
  /**
   * A name for both (`namespaceOf`), safe in a path and within 64 bytes: the namespace that the gate's own ingestion
   * writes to. An index that others filled has names of its own.
   */
  readonly namespace: string
  /** Normalised question. */
  readonly question: string
  /** Passages wanted of each method. Whole, 1 and up. */
  readonly topK: number
  /**
   * Only passages that pass it may be found; it applies before the best are taken. One that the index cannot apply is
   * `retriever_misconfigured`, never left out. Absent for all.
   */
  readonly filter?: PassageFilter
  /** Aborts the search; one deadline for headers and body. */
  readonly signal: AbortSignal
}

/** What makes vectors of texts. */
export interface Embedding {
  readonly model: string
  /** Length of the vectors. */
  readonly dimension: number
}

/**
 * Finds passages. It throws when it cannot search: an empty ranking says that the index answered and holds
 * nothing, never that it failed.
 */
export interface Retriever {
  /**
   * Which embeddings it searches with, where it knows: a collection that was embedded otherwise is then refused, not
   * searched.
   */
  readonly embedding?: Embedding
  /**
   * What its scores tell; a function where only a search shows it, `undefined` before. A policy that needs other ones is
   * refused with `config_invalid`.
   *
   * @default not known, and not checked
   */
  readonly scores?: readonly ScoreMeaning[] | (() => readonly ScoreMeaning[] | undefined)
  /**
   * Asks an index that embeds by itself which embeddings it makes; an answer of the last minute may be given again. Asked
   * while the first search runs, and a collection that was embedded otherwise is refused, with passages found or without.
   *
   * @throws as `retrieve`
   */
  embeddingNow?(signal: AbortSignal): Promise<Embedding>
  /**
   * @returns a ranking for each method asked, best first, at most `topK` entries each
   * @throws `retriever_timeout`, `retriever_unavailable`, `retriever_misconfigured`, `retriever_bad_response`,
   *   `embedding_mismatch`
   */
  retrieve(request: RetrievalRequest): Promise<readonly Ranking[]>
}
