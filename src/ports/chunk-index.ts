import type { Passage } from '../core/evidence/chunk.ts'

/** How full an index is. */
export interface IndexRoom {
  readonly usedBytes: number
  /** Beyond this, writes are refused with `index_full`. */
  readonly limitBytes: number
}

/** The writing side of an index. All calls are idempotent. */
export interface ChunkIndex {
  /** The index's embedding, which is recorded with a collection so that a change of model is noticed. */
  describe(): Promise<{ readonly embeddingModel: string; readonly dimension: number }>
  /** Writes passages, replacing those with the same id. @throws `index_full` when there is no room for them */
  upsert(namespace: string, passages: readonly Passage[]): Promise<void>
  /** Reads passages by id, in the order of `ids`; `null` for an unknown one. */
  fetch(namespace: string, ids: readonly string[]): Promise<readonly (Passage | null)[]>
  /** Removes passages; unknown ids are ignored. */
  delete(namespace: string, ids: readonly string[]): Promise<void>
  /**
   * Resolves when searches reflect all writes so far.
   *
   * @returns how full the index is, if known
   * @throws `index_not_settled` after the adapter's deadline
   */
  settle(namespace: string): Promise<IndexRoom | undefined>
}
