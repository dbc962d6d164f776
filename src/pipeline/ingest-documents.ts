/** Documents in: cut, written to the index as far as they changed, counted into the lexicon, published. */
import { canonicalJson, lengthPrefixed } from '../core/canonical.ts'
import type { Json, Passage } from '../core/chunk.ts'
import { chunkId, namespaceOf } from '../core/ids.ts'
import { buildLexicon, EMPTY_LEXICON, updateLexicon } from '../core/lexicon.ts'
import { hex, sha256 } from '../core/sha256.ts'
import { RagGateError } from '../errors.ts'
import type { ChunkIndex } from '../ports/chunk-index.ts'
import type { Clock } from '../ports/clock.ts'
import type { CollectionWriter, DocumentRecord } from '../ports/collections.ts'
import type { Splitter } from '../ports/splitter.ts'

/** Chunks of one call: keeps the requests to the index within what one Worker invocation may send. */
const MAX_CHUNKS = 5000

/** A document as it comes in, checked. */
export interface IncomingDocument {
  readonly id: string
  readonly text: string
  readonly format: 'markdown' | 'text'
  readonly title?: string
  readonly source?: string
  readonly version?: string
  readonly metadata?: Readonly<Record<string, Json>>
}

/** What ingestion needs. */
export interface IngestPorts {
  readonly index: ChunkIndex
  readonly collections: CollectionWriter
  readonly splitter: Splitter
  readonly clock: Clock
}

/** What became of one document. */
export interface IngestedDocument {
  readonly id: string
  readonly status: 'added' | 'changed' | 'unchanged'
  readonly chunks: number
  readonly chunksWritten: number
  readonly chunksRemoved: number
}

/** What became of an ingestion. */
export interface Ingestion {
  readonly corpusVersion: number
  readonly documents: readonly IngestedDocument[]
}

interface PreparedDocument {
  readonly record: DocumentRecord
  readonly passages: readonly Passage[]
}

/**
 * Takes documents into a collection. A document that is there already, with the same content, is left alone; of a
 * changed one every chunk is written and those that fell out are removed. When nothing changed, the corpus version stays.
 * Order: write, remove, wait until a search sees both, publish. So an answer made from a published version never rests on
 * what that version no longer holds, and a repeat after any failure leaves the same chunks of these documents. Chunks of
 * a draft that failed and was never repeated stay in the index.
 *
 * @param documents ids must differ
 * @throws `collection_conflict` when somebody else changed the collection meanwhile: repeat the call
 */
export async function ingestDocuments(
  { index, collections, splitter, clock }: IngestPorts,
  tenant: string,
  collectionId: string,
  documents: readonly IncomingDocument[],
): Promise<Ingestion> {
  const namespace = namespaceOf(tenant, collectionId)
  const current = await collections.findFresh(tenant, collectionId)
  const stored = await collections.documents(
    tenant,
    collectionId,
    documents.map(({ id }) => id),
  )
  const storedById = new Map(stored.map((record) => [record.id, record]))

  // Part of every hash: documents that went into another index, or were embedded by another model, must go in again.
  const described = await index.describe()
  const origin = lengthPrefixed([splitter.version, described.embeddingModel, String(described.dimension)])
  const prepared = documents.map((document) => prepare(collectionId, document, splitter, origin))
  const changed = prepared.filter(({ record }) => storedById.get(record.id)?.contentHash !== record.contentHash)
  const before = new Set(changed.flatMap(({ record }) => storedById.get(record.id)?.chunkIds ?? []))
  const after = new Map(changed.flatMap(({ passages }) => passages.map((passage) => [passage.id, passage])))
  const added = [...after.values()].filter(({ id }) => !before.has(id))
  const removedIds = [...before].filter((id) => !after.has(id))

  if (after.size > MAX_CHUNKS) {
    throw new RagGateError('too_many_chunks', `One call may write at most ${MAX_CHUNKS} chunks: send fewer documents`)
  }

  let corpusVersion = current?.corpusVersion ?? 0
  if (changed.length > 0) {
    const removed = (await index.fetch(namespace, removedIds)).flatMap((passage) => passage ?? [])
    // Title or source may have changed where the text did not, so every chunk of a changed document is written.
    await index.upsert(namespace, [...after.values()])
    await index.delete(namespace, removedIds)
    await index.settle(namespace)
    const base = current?.lexiconId ? await collections.lexicon(current.lexiconId) : EMPTY_LEXICON
    const published = await collections.publish({
      tenant,
      id: collectionId,
      fromVersion: corpusVersion,
      lexicon: updateLexicon(base, {
        added: buildLexicon(added.map(({ text }) => text)),
        removed: buildLexicon(removed.map(({ text }) => text)),
      }),
      ...described,
      documents: changed.map(({ record }) => record),
      atMs: clock.nowMs(),
    })
    corpusVersion = published.corpusVersion
  }
  return {
    corpusVersion,
    documents: prepared.map(({ record }) => describe(record, storedById.get(record.id))),
  }
}

function prepare(collection: string, document: IncomingDocument, splitter: Splitter, origin: string): PreparedDocument {
  const { id, text, format, title, source, version, metadata } = document
  const facts = {
    ...(title === undefined ? {} : { title }),
    ...(source === undefined ? {} : { source }),
    ...(version === undefined ? {} : { version }),
    ...(metadata === undefined ? {} : { metadata }),
  }
  const occurrences = new Map<string, number>()
  const passages = splitter.split(text, format).map((part): Passage => {
    const occurrence = occurrences.get(part.text) ?? 0
    occurrences.set(part.text, occurrence + 1)
    return {
      id: chunkId(collection, id, part.text, occurrence),
      documentId: id,
      ...part,
      ...facts,
    }
  })
  const contentHash = hex(sha256(lengthPrefixed([origin, format, text, canonicalJson(facts)])))
  return { record: { id, contentHash, chunkIds: passages.map((passage) => passage.id) }, passages }
}

function describe(record: DocumentRecord, known: DocumentRecord | undefined): IngestedDocument {
  const before = new Set(known?.chunkIds)
  const after = new Set(record.chunkIds)
  return {
    id: record.id,
    status: known === undefined ? 'added' : known.contentHash === record.contentHash ? 'unchanged' : 'changed',
    chunks: after.size,
    chunksWritten: [...after].filter((id) => !before.has(id)).length,
    chunksRemoved: [...before].filter((id) => !after.has(id)).length,
  }
}
