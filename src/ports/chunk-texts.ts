import type { Passage } from '../core/evidence/chunk.ts'

/** Stores passages beside an index that has no room for their texts. All calls are idempotent. */
export interface ChunkTexts {
  put(namespace: string, passages: readonly Passage[]): Promise<void>
  /** Reads passages by id, in the order of `ids`; `null` for an unknown one. */
  get(namespace: string, ids: readonly string[]): Promise<readonly (Passage | null)[]>
  delete(namespace: string, ids: readonly string[]): Promise<void>
}
