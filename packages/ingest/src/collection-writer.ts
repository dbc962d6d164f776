/** Writing collections: one writer at a time, and nothing that a writer which broke off leaves behind. */
import type { CollectionId, CorpusVersion, Tenant } from 'hono-rag-gate/core/lib'
import type { CollectionScale } from 'hono-rag-gate/core/scale'
import type { Lexicon } from 'hono-rag-gate/core/text'
import type { Collection, Collections } from 'hono-rag-gate/ports'

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

/** Published chunks of a collection. */
export interface ChunkCounts {
  readonly chunks: number
  readonly changed: number
}

/** A page of what a collection holds. */
export interface DocumentPage {
  /** By id. */
  readonly documents: readonly DocumentRecord[]
  /** Where the next page begins; `null` after the last. */
  readonly nextCursor: string | null
}

/**
 * Writes collections. A session is `open`, then any number of `draft`, `publish` and `forget`, then `close`. What
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
   * Puts chunks that are about to be written on record as unpublished, and prolongs the session. A repeat after they were
   * published changes nothing: the collection is no longer at `fromVersion`.
   *
   * @throws `collection_conflict` when the session is over because another began
   */
  draft(
    tenant: Tenant,
    id: CollectionId,
    writer: Writer,
    fromVersion: CorpusVersion,
    chunkIds: readonly string[],
  ): Promise<void>
  /**
   * Stores lexicon and documents and raises the corpus version by one, all or nothing; the chunks of the documents are
   * published with it. Call it only after the index shows the write.
   *
   * @throws `collection_conflict` when the collection is no longer at `fromVersion`, or in the hands of another writer
   */
  publish(change: CorpusChange): Promise<Collection>
  /**
   * Takes chunks off the record, now that the index does not hold them any more.
   *
   * @param except those that came on record between these times stay. Default: none does
   */
  forget(
    tenant: Tenant,
    id: CollectionId,
    writerId: string,
    chunkIds: readonly string[],
    except?: { readonly fromMs: number; readonly toMs: number },
  ): Promise<void>
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
  /** Keeps what a published collection learned. Of two that learn at a time, the later one counts. */
  noteScale(tenant: Tenant, id: CollectionId, scale: CollectionScale): Promise<void>
  /** Ids of published chunks: the same for the same documents, spread over all of them; at most `limit`. */
  sampleChunks(tenant: Tenant, id: CollectionId, limit: number): Promise<readonly string[]>
  /** How many published chunks there are, and how many of them belong to documents that came or changed since. */
  countChunks(tenant: Tenant, id: CollectionId, sinceMs: number): Promise<ChunkCounts>
  /** Published collections of all tenants that follow one, in the order of tenant and id, at most `limit`. */
  collectionsAfter(after: CollectionName, limit: number): Promise<readonly CollectionName[]>
  /** Collections with unpublished chunks that no writer is at, at most `limit`. */
  abandoned(atMs: number, limit: number): Promise<readonly CollectionName[]>
}
