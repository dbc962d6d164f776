import type { Passage } from '../core/evidence/chunk.ts'

/** Keeps passages beside an index that has no room for their texts. Every call is safe to repeat. */
export interface ChunkTexts {
  put(namespace: string, passages: readonly Passage[]): Promise<void>
  /** Reads passages by id, `null` for an unknown one, in the order asked. */
  get(namespace: string, ids: readonly string[]): Promise<readonly (Passage | null)[]>
  delete(namespace: string, ids: readonly string[]): Promise<void>
}
