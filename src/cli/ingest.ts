/** `rag-gate ingest <path>`: documents in, as many as there are; run again, it sends only what changed. */
import { callGate, type DocumentReply, type GateAddress, type GateDocument, type IngestReply } from './gate-client.ts'
import { readDocuments } from './read-documents.ts'
import { progressOn, type Terminal } from './terminal.ts'

/** One call's worth: well below what the gate takes, so that progress is seen and little is sent again. */
const BATCH_DOCUMENTS = 200
const BATCH_CHARACTERS = 1_000_000

/** Options of `ingest`. */
export interface IngestCommand {
  readonly path: string
  readonly collection: string
  /** Removes documents of the collection that the path does not have. */
  readonly prune: boolean
  readonly json: boolean
}

/** What was done, as `--json` prints it. */
interface IngestSummary {
  readonly collection: string
  readonly corpus_version: number
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly removed: number
  readonly chunks: number
  readonly failed: readonly { readonly id: string; readonly code: string }[]
  readonly hidden_text: readonly string[]
}

/** @returns the exit code: 1 when a document failed */
export async function ingestCommand(
  gate: GateAddress,
  { path, collection, prune, json }: IngestCommand,
  { out, notes }: Terminal,
): Promise<number> {
  const documents = await readDocuments(path)
  const progress = progressOn(notes)
  const replies: DocumentReply[] = []
  let version = 0
  for (const batch of batchesOf(documents)) {
    progress.show(replies.length, documents.length, `${replies.length} of ${documents.length} documents`)
    const body = { collection, documents: batch }
    const reply = await callGate<IngestReply>(gate, 'POST', '/v1/documents', body).finally(() => progress.end())
    version = reply.corpus_version
    replies.push(...reply.documents)
  }
  const removed: string[] = []
  if (prune) {
    for (const id of await othersIn(gate, collection, new Set(documents.map(({ id }) => id)))) {
      version = await remove(gate, collection, id)
      removed.push(id)
    }
  }
  const summary = summarise(collection, version, replies, removed)
  out(json ? JSON.stringify(summary, undefined, 2) : textOf(summary))
  return summary.failed.length > 0 ? 1 : 0
}

function* batchesOf(documents: readonly GateDocument[]): Generator<GateDocument[]> {
  let batch: GateDocument[] = []
  let characters = 0
  for (const document of documents) {
    const { length } = JSON.stringify(document)
    if (batch.length > 0 && (batch.length === BATCH_DOCUMENTS || characters + length > BATCH_CHARACTERS)) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(document)
    characters += length
  }
  if (batch.length > 0) yield batch
}

/** Ids of the collection's documents that are not among those kept. */
async function othersIn(gate: GateAddress, collection: string, kept: ReadonlySet<string>): Promise<string[]> {
  const others: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = new URLSearchParams({ collection, limit: '1000', cursor })
    const page: { documents: readonly { id: string }[]; next_cursor: string | null } = await callGate(
      gate,
      'GET',
      `/v1/documents?${query}`,
    )
    others.push(...page.documents.map(({ id }) => id).filter((id) => !kept.has(id)))
    cursor = page.next_cursor
  }
  return others
}

/** Removes a document. @returns the corpus version without it */
async function remove(gate: GateAddress, collection: string, id: string): Promise<number> {
  const path = `/v1/documents/${encodeURIComponent(id)}?${new URLSearchParams({ collection })}`
  const { corpus_version: version } = await callGate<{ corpus_version: number }>(gate, 'DELETE', path)
  return version
}

function summarise(
  collection: string,
  version: number,
  replies: readonly DocumentReply[],
  removed: readonly string[],
): IngestSummary {
  const count = (status: DocumentReply['status']): number => replies.filter((reply) => reply.status === status).length
  return {
    collection,
    corpus_version: version,
    added: count('added'),
    changed: count('changed'),
    unchanged: count('unchanged'),
    removed: removed.length,
    chunks: replies.reduce((sum, reply) => sum + (reply.status === 'failed' ? 0 : reply.chunks), 0),
    failed: replies.flatMap((reply) => (reply.status === 'failed' ? [{ id: reply.id, code: reply.code }] : [])),
    hidden_text: replies.flatMap((reply) =>
      reply.status !== 'failed' && reply.flags.includes('hidden_text') ? [reply.id] : [],
    ),
  }
}

function textOf(summary: IngestSummary): string {
  const { collection, corpus_version: version, added, changed, unchanged, removed, chunks, failed } = summary
  return [
    `${collection}: ${added} added, ${changed} changed, ${unchanged} unchanged, ${removed} removed; ` +
      `${chunks} chunks, version ${version}`,
    ...summary.hidden_text.map((id) => `  hidden text taken out of ${id}`),
    ...failed.map(({ id, code }) => `  ${id} failed: ${code}`),
    ...(failed.length === 0 ? [] : ['Run the same command again: it goes on from there.']),
  ].join('\n')
}
