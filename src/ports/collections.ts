import type { CollectionId, CorpusVersion, Tenant } from '../core/lib/ids.ts'
import type { CollectionScale } from '../core/scale/collection-scale.ts'
import type { Lexicon } from '../core/text/lexicon.ts'

/** What is known of a collection. */
export interface Collection {
  readonly tenant: Tenant
  readonly id: CollectionId
  /** Rises with every change that a search can see; 0 before the first. */
  readonly corpusVersion: CorpusVersion
  /** Which lexicon describes it; `null` when there is none. */
  readonly lexiconId: string | null
  /** Model that embedded it; empty when unknown. While documents move to another model, the one before. */
  readonly embeddingModel: string
  /** Length of its vectors; 0 when unknown. */
  readonly dimension: number
  /** Policy noted for it, or else for its tenant; `null` for neither. */
  readonly policyId: string | null
  /** JSON of that policy and its pin, where it is one that was pushed; `null` or absent for one that has a name only. */
  readonly pushedPolicy?: string | null
  /** What it learned from its own documents; `null` or absent where nothing was. */
  readonly scale?: CollectionScale | null
  /** Present where its documents change without a word: what was not found may be there a moment later. */
  readonly documents?: 'elsewhere'
  /**
   * Chunks that may stand in the index though no published document has them: never evidence. Nearly always none; while
   * an ingestion runs, those it writes and removes.
   */
  readonly unpublishedChunkIds: readonly string[]
}

/** A collection of which no more is known: without a version, one whose documents are kept elsewhere. */
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

/** Reads collections. Copies may be kept for at most a minute. */
export interface Collections {
  /** @returns `null` when this tenant has no such collection, also when another tenant has; no promise where nothing is waited for */
  find(tenant: Tenant, id: CollectionId): Promise<Collection | null> | Collection | null
  /**
   * The lexicon with this id. Lexicons are immutable, so a copy never goes stale.
   *
   * @throws `lexicon_unreadable` when it is missing or damaged
   */
  lexicon(lexiconId: string): Promise<Lexicon>
}
