/** A turn of writing to a collection: what came before is tidied up, every step is safe to repeat, one writer at a time. */
import type { Passage } from '../core/evidence/chunk.ts'
import { type CollectionId, namespaceOf, type Tenant } from '../core/lib/ids.ts'
import { buildLexicon, EMPTY_LEXICON, updateLexicon } from '../core/text/lexicon.ts'
import { isRagGateError } from '../errors.ts'
import type { ChunkIndex } from '../ports/chunk-index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Collection, CollectionWriter, DocumentRecord, Writer } from '../ports/collections.ts'
import { newId } from './new-id.ts'

/** How long others wait for a writer that was cut off. Prolonged with each step. */
const TURN_MS = 60_000

/** What writing needs. */
export interface CorpusPorts {
  readonly index: ChunkIndex
  readonly collections: CollectionWriter
  readonly clock: Clock
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

/** A turn that is running. */
export interface CorpusTurn {
  /** The collection after the last step; at version 0 before the very first. */
  readonly collection: Collection
  /** Chunks that were published out and could not be removed from the index yet: hidden, and removed by the next turn. */
  readonly chunksToRemove: number
  /**
   * Writes, waits until a search sees it, publishes, then removes. Until it is published nothing of it is evidence, and
   * nothing that is published out is evidence afterwards, whether or not the index still holds it.
   */
  apply(step: CorpusStep): Promise<void>
}

/**
 * Does some work in a turn of its own. It begins with removing from the index what broken-off turns left there.
 *
 * @throws `collection_conflict` when another writer is at it, or took the turn over because this one took too long
 */
export async function writeCorpus<Result>(
  ports: CorpusPorts,
  tenant: Tenant,
  id: CollectionId,
  work: (turn: CorpusTurn) => Promise<Result>,
): Promise<Result> {
  const writerId = newId(ports.clock)
  const opened = await ports.collections.open(tenant, id, writerAt(ports.clock, writerId))
  try {
    await removeFromIndex(ports, opened, writerId, opened.unpublishedChunkIds)
    return await work(turnOf(ports, opened, writerId))
  } finally {
    // A turn that cannot be ended runs out by itself; what happened to the work matters more.
    await ports.collections.close(tenant, id, writerId).catch(() => undefined)
  }
}

function turnOf(ports: CorpusPorts, opened: Collection, writerId: string): CorpusTurn {
  const { index, collections, clock } = ports
  const { tenant, id } = opened
  const namespace = namespaceOf(tenant, id)
  let current = opened
  let chunksToRemove = 0
  return {
    get collection() {
      return current
    },
    get chunksToRemove() {
      return chunksToRemove
    },
    async apply({ passages, addedChunkIds, removedChunkIds, documents, removedDocumentIds, embedding }) {
      // Their words are needed for the lexicon, and they are only there until they are removed.
      const removed = (await index.fetch(namespace, removedChunkIds)).flatMap((passage) => passage ?? [])
      await collections.draft(tenant, id, writerAt(clock, writerId), addedChunkIds)
      if (passages.length > 0) {
        await index.upsert(namespace, passages)
        await index.settle(namespace)
      }
      const added = new Set(addedChunkIds)
      const base = current.lexiconId === null ? EMPTY_LEXICON : await collections.lexicon(current.lexiconId)
      const lexicon = updateLexicon(base, {
        added: buildLexicon(passages.filter((passage) => added.has(passage.id)).map(({ text }) => text)),
        removed: buildLexicon(removed.map(({ text }) => text)),
      })
      const atMs = clock.nowMs()
      const { corpusVersion: fromVersion } = current
      const published = { ...embedding, documents, removedDocumentIds, removedChunkIds }
      try {
        current = await collections.publish({ tenant, id, writerId, fromVersion, lexicon, ...published, atMs })
      } catch (thrown) {
        // Whoever took the turn over may have tidied up before the index had them: nobody would know of them.
        if (isConflict(thrown)) await collections.abandon(tenant, id, atMs, addedChunkIds)
        throw thrown
      }
      try {
        // Whoever has the turn by then may have published some of them again.
        if (removedChunkIds.length > 0) await collections.draft(tenant, id, writerAt(clock, writerId), [])
        await removeFromIndex(ports, current, writerId, removedChunkIds)
      } catch (thrown) {
        // The change is published. They stay on record and hidden, and the next turn removes them.
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
): Promise<void> {
  if (chunkIds.length === 0) return
  const namespace = namespaceOf(tenant, id)
  await index.delete(namespace, chunkIds)
  await index.settle(namespace)
  await collections.forget(tenant, id, writerId, chunkIds)
}

function isConflict(thrown: unknown): boolean {
  return isRagGateError(thrown) && thrown.code === 'collection_conflict'
}

function writerAt(clock: Clock, id: string): Writer {
  const atMs = clock.nowMs()
  return { id, atMs, untilMs: atMs + TURN_MS }
}
