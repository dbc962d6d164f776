import type { CollectionId, CorpusVersion, Tenant } from '../core/lib/ids.ts'
import type { CollectionScale } from '../core/scale/collection-scale.ts'
import type { Lexicon } from '../core/text/lexicon.ts'

/** The record of a collection. */
export interface Collection {
  readonly tenant: Tenant
  readonly id: CollectionId
  /** Rises with every change that is visible to searches; 0 before the first. */
  readonly corpusVersion: CorpusVersion
  /** Id of its lexicon; `null` for none. */
  readonly lexiconId: string | null
  /** Its embedding model; empty when unknown. While documents are moved to another model, the previous one. */
  readonly embeddingModel: string
  /** Length of its vectors; 0 when unknown. */
  readonly dimension: number
  /** Id of the policy chosen for it, else for its tenant; `null` for neither. */
  readonly policyId: string | null
  /** JSON of that policy and its pin, if it was pushed; `null` or absent for a named policy. */
  readonly pushedPolicy?: string | null
  /** The scale learned from its documents; `null` or absent for none. */
  readonly scale?: CollectionScale | null
  /** Present if its documents can change without notice, so that refusals may become outdated at any time. */
  readonly documents?: 'elsewhere'
  /**
   * Chunks that may be in the index but belong to no published document, and are never evidence. Usually none; during an
   * ingestion, the chunks that it writes and removes.
   */
  readonly unpublishedChunkIds: readonly string[]
}

/** A collection record with defaults: without a version, its documents are kept elsewhere. */
export function plainCollection({
  corpusVersion,
  ...known
}: Pick<Collection, 'tenant' | 'id'> &
  Partial<Pick<Collection, 'lexiconId' | 'scale'>> & { readonly corpusVersion?: number | undefined }): Collection {
  return {
    ...(corpusVersion === undefined && { documents: 'elsewhere' }),
    corpusVersion: corpusVersion ?? 1,
    lexiconId: null,
    embeddingModel: '',
    dimension: 0,
    policyId: null,
    unpublishedChunkIds: [],
    ...known,
  }
}

/** Reads collections. Copies may be cached for at most a minute. */
export interface Collections {
  /** @returns `null` when this tenant has no such collection, even if another tenant has; synchronously if possible */
  find(tenant: Tenant, id: CollectionId): Promise<Collection | null> | Collection | null
  /**
   * Reads a lexicon by id. Lexicons are immutable, so copies never become stale.
   *
   * @throws `lexicon_unreadable` when it is missing or damaged
   */
  lexicon(lexiconId: string): Promise<Lexicon>
}
