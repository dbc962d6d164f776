import type { CollectionId, CorpusVersion, Tenant } from '../core/ids.ts'
import type { Lexicon } from '../core/lexicon.ts'

/** What is known of a collection. */
export interface Collection {
  readonly tenant: Tenant
  readonly id: CollectionId
  /** Rises with every change that a search can see; 0 before the first. */
  readonly corpusVersion: CorpusVersion
  /** Which lexicon describes it; `null` when there is none. */
  readonly lexiconId: string | null
  /** Model that embedded it; empty when unknown. */
  readonly embeddingModel: string
  /** Length of its vectors; 0 when unknown. */
  readonly dimension: number
  /** Policy noted for it; recorded, and not chosen by yet. */
  readonly policyId: string | null
}

/** Reads collections. Copies may be kept for at most a minute. */
export interface Collections {
  /** @returns `null` when this tenant has no such collection, also when another tenant has */
  find(tenant: Tenant, id: CollectionId): Promise<Collection | null>
  /**
   * The lexicon with this id. Lexicons are immutable, so a copy never goes stale.
   *
   * @throws `lexicon_unreadable` when it is missing or damaged
   */
  lexicon(lexiconId: string): Promise<Lexicon>
}

/** A document as it stands in a collection. */
export interface DocumentRecord {
  readonly id: string
  /** SHA-256 over everything that its chunks depend on, so that an unchanged document is left alone. */
  readonly contentHash: string
  /** Its chunks in order. */
  readonly chunkIds: readonly string[]
}

/** What an ingestion changes in one step. */
export interface CorpusChange {
  readonly tenant: Tenant
  readonly id: CollectionId
  /** The version the change was made from; another writer in between makes it fail. */
  readonly fromVersion: CorpusVersion
  readonly lexicon: Lexicon
  readonly embeddingModel: string
  readonly dimension: number
  readonly documents: readonly DocumentRecord[]
  /** Milliseconds since 1970. */
  readonly atMs: number
}

/** Writes collections. */
export interface CollectionWriter extends Collections {
  /** The stored records of the given documents, unknown ones left out. Always from the truth, never from a copy. */
  documents(tenant: Tenant, id: CollectionId, documentIds: readonly string[]): Promise<readonly DocumentRecord[]>
  /** The collection as the truth has it, without a copy in between. */
  findFresh(tenant: Tenant, id: CollectionId): Promise<Collection | null>
  /**
   * Stores lexicon and documents and raises the corpus version by one, all or nothing. Call it only after the index
   * shows the write.
   *
   * @throws `collection_conflict` when the collection is no longer at `fromVersion`
   */
  publish(change: CorpusChange): Promise<Collection>
}
