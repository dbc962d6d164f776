/** Ingestion: documents are split, changed ones are written to the index, counted into the lexicon, and published. */
import { chunkId } from 'hono-rag-gate/core/lib'
import type { Passage } from 'hono-rag-gate/core/evidence'
import { isRagGateError, RagGateError, type RagGateErrorCode } from 'hono-rag-gate/errors'
import type { IndexRoom } from 'hono-rag-gate/ports'
import type { DocumentRecord } from './collection-writer.ts'
import { documentHash, documentOrigin, factsOf, hidesText, withoutInvisible } from './document-hash.ts'
import type { IncomingDocument } from './incoming-document.ts'
import type { DocumentPart, SplitDocument, Splitter } from './splitter.ts'
import { type CorpusPorts, type CorpusStep, MAX_CHUNKS, writeCorpus } from './write-corpus.ts'

/** Maximum work of the documents of one call, in steps; takes some seconds. */
const MAX_WORK = 1_000_000
/** Number of steps after which the event loop gets a turn. */
const WORK_AT_ONCE = 5000

/** Dependencies of ingestion. */
export interface IngestPorts extends CorpusPorts {
  readonly splitter: Splitter
}

/** Result for one document. */
export type IngestedDocument =
  | {
      readonly id: string
      /** `empty`: accepted, but without readable text, so it has no chunks. */
      readonly status: 'added' | 'changed' | 'unchanged' | 'empty'
      readonly chunks: number
      readonly chunksWritten: number
      readonly chunksRemoved: number
      /** Findings about its text: `hidden_text` if invisible text was removed. */
      readonly flags: readonly 'hidden_text'[]
    }
  | { readonly id: string; readonly status: 'failed'; readonly code: RagGateErrorCode }

/** Result of an ingestion. */
export interface Ingestion {
  readonly corpusVersion: number
  /** In the order given. */
  readonly documents: readonly IngestedDocument[]
  /** Unpublished, hidden chunks that are still in the index: the next ingestion removes them. */
  readonly chunksToRemove: number
  /** Capacity of the index, if at least 80 % is used. */
  readonly nearlyFull?: IndexRoom
}

/** Share of an index's capacity from which it is reported. */
const NEARLY_FULL = 0.8

/** Options of one ingestion. */
export interface IngestOptions {
  /**
   * Minimum number of chunks to write and publish together; a document is never divided.
   *
   * @default 1000
   */
  readonly chunksPerStep?: number
  /**
   * Called with the work that reading took (`SplitDocument.work`), before anything is written; if it throws, ingestion
   * ends. Documents that cannot be read, or not in one call, count as the 1,000,000 steps that a call may take.
   *
   * @default none
   */
  readonly onRead?: (steps: number) => Promise<void>
}

interface PreparedDocument {
  readonly record: DocumentRecord
  readonly passages: readonly Passage[]
  readonly flags: readonly 'hidden_text'[]
}

/**
 * Ingests documents into a collection. An existing document with the same content is skipped; of a changed one every
 * chunk is written, and chunks that it no longer has are removed. If nothing changed, the corpus version stays.
 *
 * It proceeds in steps, each published as a whole. If a step fails, earlier steps stay published, and its documents and
 * all later ones are `failed`; a repeat continues there. However a call ended, a repeat leads to the same chunks and
 * lexicon.
 *
 * @param documents with distinct ids
 * @throws `too_many_chunks`, `too_much_work` before anything is written; the error of the first step;
 *   `collection_conflict` while another writer changes the collection
 */
export async function ingestDocuments(
  ports: IngestPorts,
  tenant: string,
  collectionId: string,
  documents: readonly IncomingDocument[],
  { chunksPerStep = 1000, onRead }: IngestOptions = {},
): Promise<Ingestion> {
  const embedding = await ports.index.describe()
  const { embeddingModel: model, dimension } = embedding
  const origin = documentOrigin(ports.splitter, { model, dimension })
  const prepared: PreparedDocument[] = []
  let work = MAX_WORK
  try {
    work = await prepareAll(prepared, collectionId, documents, ports.splitter, origin)
  } finally {
    await onRead?.(work)
  }
  return writeCorpus(ports, tenant, collectionId, async (lease) => {
    const ids = documents.map(({ id }) => id)
    const stored = await ports.collections.documents(tenant, collectionId, ids)
    const storedById = new Map(stored.map((record) => [record.id, record]))
    const changed = prepared.filter(({ record }) => storedById.get(record.id)?.contentHash !== record.contentHash)
    const before = changed.flatMap(({ record }) => storedById.get(record.id) ?? [])
    if (Math.max(countOf(changed.map(({ record }) => record)), countOf(before)) > MAX_CHUNKS) {
      throw new RagGateError(
        'too_many_chunks',
        `One call may write or replace at most ${MAX_CHUNKS} chunks: send fewer documents`,
      )
    }
    const failed = new Map<string, RagGateErrorCode>()
    const steps = stepsOf(changed, chunksPerStep)
    for (const [at, step] of steps.entries()) {
      try {
        await lease.apply(changeOf(step, storedById, embedding))
      } catch (thrown) {
        if (at === 0 || !isRagGateError(thrown)) throw thrown
        for (const { record } of steps.slice(at).flat()) failed.set(record.id, thrown.code)
        break
      }
    }
    const { room } = lease
    return {
      ...(room !== undefined && room.usedBytes >= NEARLY_FULL * room.limitBytes && { nearlyFull: room }),
      corpusVersion: lease.collection.corpusVersion,
      documents: prepared.map((document): IngestedDocument => {
        const { id } = document.record
        const code = failed.get(id)
        return code === undefined ? describe(document, storedById.get(id)) : { id, status: 'failed', code }
      }),
      chunksToRemove: lease.chunksToRemove,
    }
  })
}

function countOf(records: readonly DocumentRecord[]): number {
  return records.reduce((sum, { chunkIds }) => sum + chunkIds.length, 0)
}

/** Groups documents by number of chunks; a group may exceed it slightly. */
function stepsOf(documents: readonly PreparedDocument[], chunksPerStep: number): PreparedDocument[][] {
  const steps: PreparedDocument[][] = []
  let chunks = Infinity
  for (const document of documents) {
    if (chunks >= chunksPerStep) {
      steps.push([])
      chunks = 0
    }
    steps.at(-1)!.push(document)
    chunks += document.record.chunkIds.length
  }
  return steps
}

function changeOf(
  step: readonly PreparedDocument[],
  storedById: ReadonlyMap<string, DocumentRecord>,
  embedding: CorpusStep['embedding'],
): CorpusStep {
  const before = new Set(step.flatMap(({ record }) => storedById.get(record.id)?.chunkIds ?? []))
  const after = new Set(step.flatMap(({ record }) => record.chunkIds))
  return {
    // Title or source may have changed even if the text did not, so all chunks of a changed document are written.
    passages: step.flatMap(({ passages }) => passages),
    addedChunkIds: [...after].filter((id) => !before.has(id)),
    removedChunkIds: [...before].filter((id) => !after.has(id)),
    documents: step.map(({ record }) => record),
    removedDocumentIds: [],
    embedding,
  }
}

/** @returns the work that it took, in steps */
async function prepareAll(
  prepared: PreparedDocument[],
  collection: string,
  documents: readonly IncomingDocument[],
  splitter: Splitter,
  origin: string,
): Promise<number> {
  let work = 0
  let pausedAt = 0
  for (const document of documents) {
    const { work: more = 0, ...split } = await splitter.split(withoutInvisible(document.text), document.format)
    work += more
    if (work > MAX_WORK) {
      throw new RagGateError('too_much_work', 'Too much to read in one call: send fewer documents')
    }
    prepared.push(prepare(collection, document, split, origin))
    if (work - pausedAt < WORK_AT_ONCE) continue
    await new Promise((resolve) => setTimeout(resolve, 0))
    pausedAt = work
  }
  return work
}

function prepare(
  collection: string,
  document: IncomingDocument,
  { parts, title: ownTitle = '', hiddenText }: SplitDocument,
  origin: string,
): PreparedDocument {
  const { id, text } = document
  const seenTitle = titleOf(ownTitle)
  const facts = { ...(seenTitle && { title: seenTitle }), ...factsOf(document) }
  const occurrences = new Map<string, number>()
  // A splitter resolves character references, which may produce invisible characters.
  const seen = parts.map(withoutInvisibleParts).filter((part) => part.text.trim() !== '')
  const passages = seen.map((part): Passage => {
    const occurrence = occurrences.get(part.text) ?? 0
    occurrences.set(part.text, occurrence + 1)
    return {
      id: chunkId(collection, id, part.text, occurrence),
      documentId: id,
      ...part,
      ...facts,
    }
  })
  const lost = [text, ...parts.map(({ text, section = '' }) => text + section)].some(hidesText)
  return {
    record: { id, contentHash: documentHash(origin, document), chunkIds: passages.map((passage) => passage.id) },
    passages,
    flags: lost || hiddenText ? ['hidden_text'] : [],
  }
}

const MAX_TITLE_CHARACTERS = 1000

/** Cleans a title found in a document, within the limits of a given title. */
function titleOf(text: string): string {
  const seen = withoutInvisible(text).replace(/\p{Cc}/gu, '')
  // Not within a surrogate pair.
  return seen
    .slice(0, MAX_TITLE_CHARACTERS)
    .replace(/[\ud800-\udbff]$/, '')
    .trim()
}

function withoutInvisibleParts({ text, section = '' }: DocumentPart): DocumentPart {
  const path = withoutInvisible(section)
  return { text: withoutInvisible(text), ...(path && { section: path }) }
}

function describe({ record, flags }: PreparedDocument, known: DocumentRecord | undefined): IngestedDocument {
  const before = new Set(known?.chunkIds)
  const after = new Set(record.chunkIds)
  return {
    id: record.id,
    status: statusOf(record, known),
    chunks: after.size,
    chunksWritten: [...after].filter((id) => !before.has(id)).length,
    chunksRemoved: [...before].filter((id) => !after.has(id)).length,
    flags,
  }
}

function statusOf(
  record: DocumentRecord,
  known: DocumentRecord | undefined,
): Exclude<IngestedDocument['status'], 'failed'> {
  if (record.chunkIds.length === 0) return 'empty'
  if (known === undefined) return 'added'
  return known.contentHash === record.contentHash ? 'unchanged' : 'changed'
}
