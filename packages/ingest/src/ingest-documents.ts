/** Documents in: cut, written to the index as far as they changed, counted into the lexicon, published. */
import { chunkId } from 'hono-rag-gate/core/lib'
import type { Passage } from 'hono-rag-gate/core/evidence'
import { isRagGateError, RagGateError, type RagGateErrorCode } from 'hono-rag-gate/errors'
import type { IndexRoom } from 'hono-rag-gate/ports'
import type { DocumentRecord } from './collection-writer.ts'
import { documentHash, documentOrigin, factsOf, INVISIBLE, withoutInvisible } from './document-hash.ts'
import type { IncomingDocument } from './incoming-document.ts'
import type { DocumentPart, SplitDocument, Splitter } from './splitter.ts'
import { type CorpusPorts, type CorpusStep, writeCorpus } from './write-corpus.ts'

/** Chunks of one call: keeps the requests to the index within what one Worker invocation may send. */
const MAX_CHUNKS = 5000

/** Steps of work that the documents of one call may take: some seconds. */
const MAX_WORK = 1_000_000
/** Steps after which others get their lease. */
const WORK_AT_ONCE = 5000

/** What ingestion needs. */
export interface IngestPorts extends CorpusPorts {
  readonly splitter: Splitter
}

/** What became of one document. */
export type IngestedDocument =
  | {
      readonly id: string
      /** `empty`: taken as it is, but there is nothing in it that can be read, so it has no chunk. */
      readonly status: 'added' | 'changed' | 'unchanged' | 'empty'
      readonly chunks: number
      readonly chunksWritten: number
      readonly chunksRemoved: number
      /** What was noticed of its text: `hidden_text` where something invisible was taken out. */
      readonly flags: readonly 'hidden_text'[]
    }
  | { readonly id: string; readonly status: 'failed'; readonly code: RagGateErrorCode }

/** What became of an ingestion. */
export interface Ingestion {
  readonly corpusVersion: number
  /** In the order given. */
  readonly documents: readonly IngestedDocument[]
  /** Chunks that are published out and hidden, but still stand in the index: the next ingestion removes them. */
  readonly chunksToRemove: number
  /** How full the index is, from 80 % on. */
  readonly nearlyFull?: IndexRoom
}

/** Share of an index's room from which on it is reported. */
const NEARLY_FULL = 0.8

/** Settings of one ingestion. */
export interface IngestOptions {
  /**
   * Chunks written and published together, at least; a document is never torn apart.
   *
   * @default 1000
   */
  readonly chunksPerStep?: number
  /**
   * Told of the work that reading the documents took (`SplitDocument.work`), before anything is written; what it throws ends the
   * ingestion. Documents that cannot be read, or not in one call, count as the 1,000,000 steps that a call may take.
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
 * Takes documents into a collection. A document that is there already, with the same content, is left alone; of a
 * changed one every chunk is written and those that fell out are removed. When nothing changed, the corpus version stays.
 *
 * It goes in steps, each published whole. When a step fails, what was published before stays, and its documents and all
 * that would have followed are `failed`; a repeat goes on from there. However a call ended, a repeat leaves the same
 * chunks and the same lexicon.
 *
 * @param documents ids must differ
 * @throws `too_many_chunks`, `too_much_work` before anything is written; what made the first step fail; `collection_conflict` while
 *   another writer changes the collection
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
    if (changed.reduce((sum, { record }) => sum + record.chunkIds.length, 0) > MAX_CHUNKS) {
      throw new RagGateError('too_many_chunks', `One call may write at most ${MAX_CHUNKS} chunks: send fewer documents`)
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

/** Documents in groups, each of the given number of chunks or a little more. */
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
    // Title or source may have changed where the text did not, so every chunk of a changed document is written.
    passages: step.flatMap(({ passages }) => passages),
    addedChunkIds: [...after].filter((id) => !before.has(id)),
    removedChunkIds: [...before].filter((id) => !after.has(id)),
    documents: step.map(({ record }) => record),
    removedDocumentIds: [],
    embedding,
  }
}

/** @returns the work that it took */
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
  { parts, title: ownTitle, hiddenText }: SplitDocument,
  origin: string,
): PreparedDocument {
  const { id, text } = document
  const given = factsOf(document)
  const seenTitle = titleOf(ownTitle ?? '')
  const facts = seenTitle === '' ? given : { title: seenTitle, ...given }
  const occurrences = new Map<string, number>()
  // A splitter resolves references to characters, and with them invisible ones.
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
  const written = text.replace(BYTE_ORDER_MARK, '')
  const lost = hasInvisible(written) || parts.some(({ text, section = '' }) => hasInvisible(text + section))
  return {
    record: { id, contentHash: documentHash(origin, document), chunkIds: passages.map((passage) => passage.id) },
    passages,
    flags: lost || hiddenText ? ['hidden_text'] : [],
  }
}

/** It is no text. */
const BYTE_ORDER_MARK = /^\ufeff/
const MAX_TITLE_CHARACTERS = 1000

/** A title that a document brings along itself, as one that is given may be. */
function titleOf(text: string): string {
  const seen = withoutInvisible(text).replace(/\p{Cc}/gu, '')
  // Not between the halves of a character.
  return seen
    .slice(0, MAX_TITLE_CHARACTERS)
    .replace(/[\ud800-\udbff]$/, '')
    .trim()
}

function hasInvisible(text: string): boolean {
  return text.search(INVISIBLE) >= 0
}

function withoutInvisibleParts({ text, section }: DocumentPart): DocumentPart {
  const path = section === undefined ? '' : withoutInvisible(section)
  return { text: withoutInvisible(text), ...(path === '' ? {} : { section: path }) }
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
