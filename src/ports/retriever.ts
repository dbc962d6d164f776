import type { Ranking } from '../core/evidence/chunk.ts'
import type { CollectionId, Tenant } from '../core/lib/ids.ts'
import type { ScoreMeaning } from '../core/evidence/score-kinds.ts'
import type { PassageFilter } from '../core/evidence/passage-filter.ts'

/** One search. */
export interface RetrievalRequest {
  /** Only this tenant's passages may be returned; the retriever knows how the index separates tenants. */
  readonly tenant: Tenant
  readonly collection: CollectionId
  /**
   * A name made from both (`namespaceOf`), safe in a path and at most 64 bytes: the namespace that the gate's own ingestion
   * writes to. An index that others filled has its own names.
   */
  readonly namespace: string
  /** Normalised question. */
  readonly question: string
  /** Passages wanted per method, a whole number of at least 1. */
  readonly topK: number
  /**
   * Only matching passages may be returned; it applies before ranking. A filter that the index cannot apply must be
   * `retriever_misconfigured`, never ignored. Absent for all passages.
   */
  readonly filter?: PassageFilter
  /** Aborts the search; one deadline for headers and body. */
  readonly signal: AbortSignal
}

/** An embedding model. */
export interface Embedding {
  readonly model: string
  /** Length of the vectors. */
  readonly dimension: number
}

/**
 * Finds passages. It must throw if it cannot search: an empty ranking means that nothing was found, never that the search
 * failed.
 */
export interface Retriever {
  /**
   * The embedding it searches with, if known: a collection with another embedding is then `embedding_mismatch` instead of
   * being searched.
   */
  readonly embedding?: Embedding
  /**
   * What its scores measure; a function if only a search reveals it (`undefined` before). A policy that needs others is
   * `config_invalid`.
   *
   * @default unknown, and not checked
   */
  readonly scores?: readonly ScoreMeaning[] | (() => readonly ScoreMeaning[] | undefined)
  /**
   * Asks an index that embeds for its current embedding; the result may be cached for a minute. It is called in parallel
   * with a search, and a collection with another embedding is `embedding_mismatch`, whatever the search found.
   *
   * @throws as `retrieve`
   */
  embeddingNow?(signal: AbortSignal): Promise<Embedding>
  /**
   * @returns a ranking per method, best first, with at most `topK` entries each
   * @throws `retriever_timeout`, `retriever_unavailable`, `retriever_misconfigured`, `retriever_bad_response`,
   *   `embedding_mismatch`
   */
  retrieve(request: RetrievalRequest): Promise<readonly Ranking[]>
}
