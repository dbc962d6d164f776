import type { CollectionId, CorpusVersion, Tenant } from '../core/lib/ids.ts'
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
  /**
   * Chunks that may stand in the index though no published document has them: never evidence. Nearly always none; while
   * an ingestion runs, those it writes and removes.
   */
  readonly unpublishedChunkIds: readonly string[]
}

/** A collection of which no more is known, such as one whose documents are kept elsewhere. */
export function plainCollection(
  known: Pick<Collection, 'tenant' | 'id'> & Partial<Pick<Collection, 'corpusVersion' | 'lexiconId'>>,
): Collection {
  return {
    corpusVersion: 1,
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

/** Who writes to a collection, so that only one does at a time. */
export interface Writer {
  /** Differs for each session of writing. */
  readonly id: string
  /** Now, milliseconds since 1970. */
  readonly atMs: number
  /** Until when others are kept out, unless the session ends before; milliseconds since 1970. */
  readonly untilMs: number
}

/** What an ingestion changes in one step. */
export interface CorpusChange {
  readonly tenant: Tenant
  readonly id: CollectionId
  /** Id of the writer whose session it is. */
  readonly writerId: string
  /** The version the change was made from; another writer in between makes it fail. */
  readonly fromVersion: CorpusVersion
  readonly lexicon: Lexicon
  /** What embeds `documents`. The collection is embedded so once every document of it is. */
  readonly embeddingModel: string
  readonly dimension: number
  /** Records that are new or changed. */
  readonly documents: readonly DocumentRecord[]
  /** Ids of documents that go. */
  readonly removedDocumentIds: readonly string[]
  /** Chunks that no document has after the change: unpublished from then on. */
  readonly removedChunkIds: readonly string[]
  /** Milliseconds since 1970. */
  readonly atMs: number
}

/** Which collection. */
export interface CollectionName {
  readonly tenant: Tenant
  readonly id: CollectionId
}

/** A page of what a collection holds. */
export interface DocumentPage {
  /** By id. */
  readonly documents: readonly DocumentRecord[]
  /** Where the next page begins; `null` after the last. */
  readonly nextCursor: string | null
}

/**
 * Writes collections. A session is `open`, then any number of `draft`, `publish` and `forget`, then `close`. Whatever
 * stands in the index is published or on record as unpublished at every moment, so that a session which broke off leaves
 * nothing that the next one does not find.
 */
export interface CollectionWriter extends Collections {
  /**
   * Begins a session, and gives the collection as the truth has it, with every unpublished chunk.
   *
   * @returns a collection at version 0 when nothing was published yet
   * @throws `collection_conflict`, with the seconds to wait, while another writer is at it
   */
  open(tenant: Tenant, id: CollectionId, writer: Writer): Promise<Collection>
  /** The stored records of the given documents, unknown ones left out. Always from the truth, never from a copy. */
  documents(tenant: Tenant, id: CollectionId, documentIds: readonly string[]): Promise<readonly DocumentRecord[]>
  /**
   * Puts chunks that are about to be written on record as unpublished, and prolongs the session.
   *
   * @throws `collection_conflict` when the session is over because another began
   */
  draft(tenant: Tenant, id: CollectionId, writer: Writer, chunkIds: readonly string[]): Promise<void>
  /**
   * Stores lexicon and documents and raises the corpus version by one, all or nothing; the chunks of the documents are
   * published with it. Call it only after the index shows the write.
   *
   * @throws `collection_conflict` when the collection is no longer at `fromVersion`, or in the hands of another writer
   */
  publish(change: CorpusChange): Promise<Collection>
  /** Takes chunks off the record, now that the index does not hold them any more. */
  forget(tenant: Tenant, id: CollectionId, writerId: string, chunkIds: readonly string[]): Promise<void>
  /**
   * Puts chunks that a session wrote after it was over on record as unpublished, as far as no document has them: another
   * session may have tidied up before they came into the index.
   */
  abandon(tenant: Tenant, id: CollectionId, atMs: number, chunkIds: readonly string[]): Promise<void>
  /** Ends the session, if it is not over already. */
  close(tenant: Tenant, id: CollectionId, writerId: string): Promise<void>
  /** Documents of a published collection by id, at most `limit`; from the truth. */
  page(tenant: Tenant, id: CollectionId, after: string, limit: number): Promise<DocumentPage>
  /** Collections of a tenant that were published, by id. */
  list(tenant: Tenant): Promise<readonly Collection[]>
  /**
   * Notes a policy for a published collection; `null` leaves it to the tenant.
   *
   * @returns `false` when there is no such collection
   */
  choosePolicy(tenant: Tenant, id: CollectionId, policyId: string | null): Promise<boolean>
  /** Notes a policy for all collections of a tenant that have none of their own; `null` leaves it to the deployment. */
  chooseTenantPolicy(tenant: Tenant, policyId: string | null): Promise<void>
  /** Collections with unpublished chunks that no writer is at, at most `limit`. */
  abandoned(atMs: number, limit: number): Promise<readonly CollectionName[]>
}
