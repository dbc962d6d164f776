/** Writing to a collection under a lease: what came before is tidied up, every step is safe to repeat, one writer at a time. */
import type { Passage } from 'hono-rag-gate/core/evidence'
import { type CollectionId, namespaceOf, type Tenant } from 'hono-rag-gate/core/lib'
import { buildLexicon, EMPTY_LEXICON, type Language, updateLexicon } from 'hono-rag-gate/core/text'
import { isRagGateError } from 'hono-rag-gate/errors'
import type { CollectionWriter, DocumentRecord, Writer } from './collection-writer.ts'
import type { ChunkIndex, Clock, Collection, IndexRoom } from 'hono-rag-gate/ports'
import { newId } from 'hono-rag-gate/pipeline'

/** How long others wait for a writer that was cut off. Prolonged with each step. */
const LEASE_MS = 60_000

/** A write that failed for its caller may still reach the index within this time: until then what was broken off stays hidden. */
const LATE_MS = LEASE_MS

/** What writing needs. */
export interface CorpusPorts {
  readonly index: ChunkIndex
  readonly collections: CollectionWriter
  readonly clock: Clock
  /** That of the policies that judge by the collection's lexicon. @default none */
  readonly language?: Language
}

/** What changes in one step: written, published and removed together. */
export interface CorpusStep {
  /** Chunks to write; one that is there already is replaced. */
  readonly passages: readonly Passage[]
  /** Which of them are new: counted into the lexicon. */
  readonly addedChunkIds: readonly string[]
  /** Chunks that go. */
  readonly removedChunkIds: readonly string[]
  readonly documents: readonly DocumentRecord[]
  readonly removedDocumentIds: readonly string[]
  /** What the index makes of the texts; as it was when nothing is written. */
  readonly embedding: Pick<Collection, 'embeddingModel' | 'dimension'>
}

/** The lease of a writer, while it runs. */
export interface CorpusLease {
  /** The collection after the last step; at version 0 before the very first. */
  readonly collection: Collection
  /** Chunks that were published out and could not be removed from the index yet: hidden, and removed under the next lease. */
  readonly chunksToRemove: number
  /** How full the index is, where it is known and something was written. */
  readonly room: IndexRoom | undefined
  /**
   * Writes, waits until a search sees it, publishes, then removes. Until it is published nothing of it is evidence, and
   * nothing that is published out is evidence afterwards, whether or not the index still holds it.
   */
  apply(step: CorpusStep): Promise<void>
}

/**
 * Does some work under a lease of its own. It begins with removing from the index what writers left there that were broken off.
 *
 * @throws `collection_conflict` when another writer is at it, or took the lease over because this one took too long
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
    // Clocks differ; what seems to be of a later time still was written before one was set back.
    const late = { fromMs: nowMs - LATE_MS + 1, toMs: nowMs + LATE_MS }
    await removeFromIndex(ports, opened, writerId, opened.unpublishedChunkIds, late)
    return await work(leaseOf(ports, opened, writerId))
  } finally {
    // A lease that cannot be given back runs out by itself; what happened to the work matters more.
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
      // Their words are needed for the lexicon, and they are only there until they are removed.
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
        // The next holder of the lease may have tidied up before the index had them: they would stay unknown.
        if (isConflict(thrown)) await collections.abandon(tenant, id, atMs, addedChunkIds)
        throw thrown
      }
      try {
        // The next holder of the lease may have published some of them again.
        if (removedChunkIds.length > 0)
          await collections.draft(tenant, id, writerAt(clock, writerId), fromVersion + 1, [])
        await removeFromIndex(ports, current, writerId, removedChunkIds)
      } catch (thrown) {
        // The change is published. They stay on record and hidden, and the next writer removes them.
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
