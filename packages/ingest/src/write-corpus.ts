/** Writes to a collection under a lease: one writer at a time, cleanup of interrupted writes, and repeatable steps. */
import type { Passage } from 'hono-rag-gate/core/evidence'
import { type CollectionId, namespaceOf, type Tenant } from 'hono-rag-gate/core/lib'
import { buildLexicon, EMPTY_LEXICON, type Language, updateLexicon } from 'hono-rag-gate/core/text'
import { isRagGateError } from 'hono-rag-gate/errors'
import type { CollectionWriter, DocumentRecord, Writer } from './collection-writer.ts'
import type { ChunkIndex, Clock, Collection, IndexRoom } from 'hono-rag-gate/ports'
import { newId } from 'hono-rag-gate/pipeline'

/** Lifetime of a lease, after which an interrupted writer is replaced. Renewed with each step. */
const LEASE_MS = 60_000

/** A failed write may still reach the index within this time; until then its chunks stay on record. */
const LATE_MS = LEASE_MS

/**
 * Maximum number of chunks that a call may write or remove. It bounds the requests to the index in one Worker
 * invocation, and the texts in its memory.
 */
export const MAX_CHUNKS = 5000

/** Dependencies of writing. */
export interface CorpusPorts {
  readonly index: ChunkIndex
  readonly collections: CollectionWriter
  readonly clock: Clock
  /** The language of the policies that use the collection's lexicon. @default none */
  readonly language?: Language
}

/** A change that is written, published and removed as one step. */
export interface CorpusStep {
  /** Chunks to write; existing ones are replaced. */
  readonly passages: readonly Passage[]
  /** Ids of the new ones, which are counted into the lexicon. */
  readonly addedChunkIds: readonly string[]
  /** Ids of chunks to remove. */
  readonly removedChunkIds: readonly string[]
  readonly documents: readonly DocumentRecord[]
  readonly removedDocumentIds: readonly string[]
  /** The index's embedding of texts. */
  readonly embedding: Pick<Collection, 'embeddingModel' | 'dimension'>
}

/** The lease of a running writer. */
export interface CorpusLease {
  /** The collection after the last step; at version 0 before the first one. */
  readonly collection: Collection
  /** Unpublished chunks that could not be removed from the index yet: hidden, removed under the next lease. */
  readonly chunksToRemove: number
  /** Capacity of the index, if known and something was written. */
  readonly room: IndexRoom | undefined
  /**
   * Writes, waits until the write is visible to searches, publishes, then removes. New chunks are evidence only after
   * publication, and removed chunks no longer are, even if the index still has them.
   */
  apply(step: CorpusStep): Promise<void>
}

/**
 * Runs work under a lease. First removes chunks from the index that interrupted writers left behind.
 *
 * @throws `collection_conflict` if another writer holds the lease, or took it over because this one took too long
 */
export async function writeCorpus<Result>(
  ports: CorpusPorts,
  tenant: Tenant,
  id: CollectionId,
  work: (lease: CorpusLease) => Promise<Result>,
): Promise<Result> {
  const writerId = newId(ports.clock)
  const opened = await ports.collections.open(tenant, id, writerAt(ports.clock, writerId))
  try {
    const nowMs = ports.clock.nowMs()
    // Clocks differ, and one that was set back makes a write appear to be in the future.
    const late = { fromMs: nowMs - LATE_MS + 1, toMs: nowMs + LATE_MS }
    await removeFromIndex(ports, opened, writerId, opened.unpublishedChunkIds, late)
    return await work(leaseOf(ports, opened, writerId))
  } finally {
    // A lease that cannot be released expires; the work's own result matters more.
    await ports.collections.close(tenant, id, writerId).catch(() => undefined)
  }
}

function leaseOf(ports: CorpusPorts, opened: Collection, writerId: string): CorpusLease {
  const { index, collections, clock, language } = ports
  const { tenant, id } = opened
  const namespace = namespaceOf(tenant, id)
  let current = opened
  let chunksToRemove = 0
  let room: IndexRoom | undefined
  return {
    get room() {
      return room
    },
    get collection() {
      return current
    },
    get chunksToRemove() {
      return chunksToRemove
    },
    async apply({ passages, addedChunkIds, removedChunkIds, documents, removedDocumentIds, embedding }) {
      // The lexicon needs their words, which are only available until they are removed.
      const removed = (await index.fetch(namespace, removedChunkIds)).flatMap((passage) => passage ?? [])
      const { corpusVersion: fromVersion } = current
      await collections.draft(tenant, id, writerAt(clock, writerId), fromVersion, addedChunkIds)
      if (passages.length > 0) {
        await index.upsert(namespace, passages)
        room = await index.settle(namespace)
      }
      const added = new Set(addedChunkIds)
      const base = current.lexiconId === null ? EMPTY_LEXICON : await collections.lexicon(current.lexiconId)
      const lexicon = updateLexicon(base, {
        added: buildLexicon(
          passages.filter((passage) => added.has(passage.id)).map(({ text }) => text),
          language,
        ),
        removed: buildLexicon(
          removed.map(({ text }) => text),
          language,
        ),
      })
      const atMs = clock.nowMs()
      const published = { ...embedding, documents, removedDocumentIds, removedChunkIds }
      try {
        current = await collections.publish({ tenant, id, writerId, fromVersion, lexicon, ...published, atMs })
      } catch (thrown) {
        // The next holder may have cleaned up before these chunks reached the index, so they are recorded again.
        if (isConflict(thrown)) await collections.abandon(tenant, id, atMs, addedChunkIds)
        throw thrown
      }
      try {
        // The next holder may have published some of them again.
        if (removedChunkIds.length > 0)
          await collections.draft(tenant, id, writerAt(clock, writerId), fromVersion + 1, [])
        await removeFromIndex(ports, current, writerId, removedChunkIds)
      } catch (thrown) {
        // The change is published. These chunks stay recorded and hidden, and the next writer removes them.
        if (!isRagGateError(thrown)) throw thrown
        chunksToRemove += removedChunkIds.length
      }
    },
  }
}

async function removeFromIndex(
  { index, collections }: CorpusPorts,
  { tenant, id }: Collection,
  writerId: string,
  chunkIds: readonly string[],
  except?: { readonly fromMs: number; readonly toMs: number },
): Promise<void> {
  if (chunkIds.length === 0) return
  const namespace = namespaceOf(tenant, id)
  await index.delete(namespace, chunkIds)
  await index.settle(namespace)
  await collections.forget(tenant, id, writerId, chunkIds, except)
}

function isConflict(thrown: unknown): boolean {
  return isRagGateError(thrown) && thrown.code === 'collection_conflict'
}

function writerAt(clock: Clock, id: string): Writer {
  const atMs = clock.nowMs()
  return { id, atMs, untilMs: atMs + LEASE_MS }
}
