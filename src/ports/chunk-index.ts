import type { Passage } from '../core/evidence/chunk.ts'

/** How much of its room an index has taken. */
export interface IndexRoom {
  readonly usedBytes: number
  /** From here on writes are refused with `index_full`. */
  readonly limitBytes: number
}

/** The writing side of an index. Every call is safe to repeat. */
export interface ChunkIndex {
  /** Which embeddings the index makes: recorded with a collection, so that a change of model is noticed. */
  describe(): Promise<{ readonly embeddingModel: string; readonly dimension: number }>
  /** Writes passages; one with a known id is replaced. @throws `index_full` when there is no room for them */
  upsert(namespace: string, passages: readonly Passage[]): Promise<void>
  /** Reads passages by id, `null` for an unknown one, in the order asked. */
  fetch(namespace: string, ids: readonly string[]): Promise<readonly (Passage | null)[]>
  /** Removes passages; unknown ids are no error. */
  delete(namespace: string, ids: readonly string[]): Promise<void>
  /**
   * Resolves when every write so far can be found by a search.
   *
   * @returns how full the index is, where that is known
   * @throws `index_not_settled` when that takes longer than the adapter waits
   */
  settle(namespace: string): Promise<IndexRoom | undefined>
}
