/** Port for writing collections: one writer at a time, and recovery from interrupted writers. */
import type { CollectionId, CorpusVersion, Tenant } from 'hono-rag-gate/core/lib'
import type { CollectionScale } from 'hono-rag-gate/core/scale'
import type { Lexicon } from 'hono-rag-gate/core/text'
import type { Collection, Collections } from 'hono-rag-gate/ports'

/** A stored document. */
export interface DocumentRecord {
  readonly id: string
  /** SHA-256 over everything that its chunks depend on, so that an unchanged document is skipped. */
  readonly contentHash: string
  /** Ids of its chunks, in order. */
  readonly chunkIds: readonly string[]
}

/** The holder of a collection's write lease. */
export interface Writer {
  /** Unique per session. */
  readonly id: string
  /** Current Unix time in milliseconds. */
  readonly atMs: number
  /** Expiry of the lease, Unix time in milliseconds; the session may end earlier. */
  readonly untilMs: number
}

/** Everything that one publication changes. */
export interface CorpusChange {
  readonly tenant: Tenant
  readonly id: CollectionId
  /** Id of the writer that holds the lease. */
  readonly writerId: string
  /** The version that the change is based on; if another writer has published since, it fails. */
  readonly fromVersion: CorpusVersion
  readonly lexicon: Lexicon
  /** Model that embedded `documents`. It becomes the collection's model once all its documents are embedded with it. */
  readonly embeddingModel: string
  readonly dimension: number
  /** New and changed documents. */
  readonly documents: readonly DocumentRecord[]
  /** Ids of the documents to remove. */
  readonly removedDocumentIds: readonly string[]
  /** Ids of chunks that no document has after the change; they become unpublished. */
  readonly removedChunkIds: readonly string[]
  /** Unix time in milliseconds. */
  readonly atMs: number
}

/** Identifies a collection. */
export interface CollectionName {
  readonly tenant: Tenant
  readonly id: CollectionId
}

/** Numbers of published chunks. */
export interface ChunkCounts {
  readonly chunks: number
  readonly changed: number
}

/** A page of a collection's documents. */
export interface DocumentPage {
  /** Ordered by id. */
  readonly documents: readonly DocumentRecord[]
  /** Cursor of the next page; `null` on the last. */
  readonly nextCursor: string | null
}

/**
 * Writes collections. A session is `open`, then any number of `draft`, `publish` and `forget`, then `close`. Every
 * chunk in the index is always either published or recorded as unpublished, so that the next session finds everything
 * that an interrupted one left behind.
 */
export interface CollectionWriter extends Collections {
  /**
   * Begins a session, and returns the stored collection with its unpublished chunks.
   *
   * @returns a collection at version 0 if nothing was published yet
   * @throws `collection_conflict`, with the seconds to wait, while another writer holds the lease
   */
  open(tenant: Tenant, id: CollectionId, writer: Writer): Promise<Collection>
  /** The stored records of the given documents, in any order, without unknown ones; never from a cached copy. */
  documents(tenant: Tenant, id: CollectionId, documentIds: readonly string[]): Promise<readonly DocumentRecord[]>
  /**
   * Records chunks that are about to be written as unpublished, and renews the lease. A repeated call after their
   * publication does nothing, because the collection is no longer at `fromVersion`.
   *
   * @throws `collection_conflict` if the lease was lost to another session
   */
  draft(
    tenant: Tenant,
    id: CollectionId,
    writer: Writer,
    fromVersion: CorpusVersion,
    chunkIds: readonly string[],
  ): Promise<void>
  /**
   * Stores lexicon and documents, publishes the documents' chunks, and increments the corpus version, all in one
   * transaction. Call it only after the write is visible in the index.
   *
   * @throws `collection_conflict` if the collection is no longer at `fromVersion`, or another writer holds the lease
   */
  publish(change: CorpusChange): Promise<Collection>
  /**
   * Deletes records of unpublished chunks after their removal from the index.
   *
   * @param except records made in this period are kept. Default: none
   */
  forget(
    tenant: Tenant,
    id: CollectionId,
    writerId: string,
    chunkIds: readonly string[],
    except?: { readonly fromMs: number; readonly toMs: number },
  ): Promise<void>
  /**
   * Records chunks as unpublished that a session wrote after it lost its lease, unless a document has them: the next
   * session may have cleaned up before they arrived in the index.
   */
  abandon(tenant: Tenant, id: CollectionId, atMs: number, chunkIds: readonly string[]): Promise<void>
  /** Ends the session if it still holds the lease. */
  close(tenant: Tenant, id: CollectionId, writerId: string): Promise<void>
  /** Documents of a published collection by id, at most `limit`; read from the database. */
  page(tenant: Tenant, id: CollectionId, after: string, limit: number): Promise<DocumentPage>
  /** The tenant's published collections, by id. */
  list(tenant: Tenant): Promise<readonly Collection[]>
  /**
   * Sets the policy of a published collection; `null` means the tenant's.
   *
   * @param replaced the policy set until now, `null` for none: a late write then does not undo a newer one. @default any
   * @returns `false` if there is no such collection
   * @throws `collection_conflict` if another policy was set meanwhile
   */
  choosePolicy(tenant: Tenant, id: CollectionId, policyId: string | null, replaced?: string | null): Promise<boolean>
  /**
   * Sets the policy of all collections of a tenant without their own; `null` means the deployment's.
   *
   * @param replaced as of `choosePolicy`
   * @throws `collection_conflict` if another policy was set meanwhile
   */
  chooseTenantPolicy(tenant: Tenant, policyId: string | null, replaced?: string | null): Promise<void>
  /** Stores the learned scale of a published collection; the last write wins. */
  noteScale(tenant: Tenant, id: CollectionId, scale: CollectionScale): Promise<void>
  /** Ids of published chunks, at most `limit`: a deterministic sample spread over all documents. */
  sampleChunks(tenant: Tenant, id: CollectionId, limit: number): Promise<readonly string[]>
  /** Number of published chunks, and of those in documents added or changed since a time. */
  countChunks(tenant: Tenant, id: CollectionId, sinceMs: number): Promise<ChunkCounts>
  /** Published collections of all tenants after the given one, ordered by tenant and id, at most `limit`. */
  collectionsAfter(after: CollectionName, limit: number): Promise<readonly CollectionName[]>
  /** Collections with unpublished chunks and without an active writer, least recently opened first, at most `limit`. */
  abandoned(atMs: number, limit: number): Promise<readonly CollectionName[]>
}
