/** `rag-gate ingest <path>`: sends any number of documents; run again, it sends only changed ones. */
import { documentHash, type IncomingDocument } from '@hono-rag-gate/ingest'
import { CommandError, GateFailure, misused } from './command-error.ts'
import { command, only } from './command.ts'
import {
  callGate,
  type DocumentReply,
  type GateAddress,
  type GateDocument,
  type IngestReply,
  requireForm,
} from './gate-client.ts'
import { type Listing, listFiles, type PassedOver } from './list-files.ts'
import { readDocuments } from './read-documents.ts'
import { jsonText, oneLine, type Terminal } from './terminal.ts'

/** Limits of one request: well below the gate's, so that progress is visible and a retry sends little again. */
const BATCH_DOCUMENTS = 200
const BATCH_CHARACTERS = 1_000_000
/** Limits of a request to remove: a gate takes addresses of 8,192 characters, and removes 5,000 chunks. */
const REMOVED_CHARACTERS = 6000
const REMOVED_CHUNKS = 5000

export const ingestCommand = command({
  name: 'ingest',
  about: 'Sends documents to a gate; run again, it sends only what changed.',
  usage: ['ingest <file or folder> [--collection <id>] [--prune [--yes]] [--dry-run]'],
  notes: [
    'Takes Markdown, MDX, text and HTML, a document each, and JSONL, a document in each line.',
    'Front matter becomes title and metadata. What cannot be read is named, and the others are sent.',
  ],
  options: {
    collection: { type: 'string', value: 'id', about: 'the collection to fill; "default" otherwise' },
    prune: { type: 'boolean', about: 'remove documents of the collection that are not here; shows them and asks' },
    yes: { type: 'boolean', about: 'remove them without asking' },
    'dry-run': { type: 'boolean', about: 'say what would be sent and removed, and change nothing' },
  },
  async run({ terminal, words, given, json, gate }) {
    const path = only(words, 'a file or folder')
    const { collection = 'default', prune, yes, 'dry-run': dryRun } = given
    if (yes && !prune) throw misused('--yes answers what --prune asks, and is nothing without it')
    if (prune && !yes && !dryRun && terminal.confirm === undefined) {
      throw misused(
        '--prune asks before it removes, and no terminal is there to answer: add --yes, or look with --dry-run',
      )
    }
    const listing = await listFiles(path)
    const target: Target = { gate: gate(), collection, dryRun }
    const sent = await send(target, listing, terminal)
    const pruned = prune ? await pruneFrom(target, sent, listing, yes, terminal) : NOTHING_PRUNED
    const summary = summarise(target, sent, pruned, listing)
    if (json) terminal.out(jsonText(summary))
    else show(summary, sent, pruned, dryRun, terminal)
    return summary.failed.length > 0 || summary.unreadable.length > 0 || pruned.withheld !== undefined ? 1 : 0
  },
})

/** Error code that is not retried. */
const FULL = 'index_full'

/** Destination of documents. */
interface Target extends Place {
  readonly dryRun: boolean
}

/** A collection of a gate. */
interface Place {
  readonly gate: GateAddress
  readonly collection: string
}

/** Results of sending. */
interface Sent {
  readonly replies: readonly DocumentReply[]
  readonly version: number
  /** Ids of all documents found, normalised as the gate does (NFC), including those that could not be sent. */
  readonly ids: ReadonlySet<string>
  readonly unreadable: readonly PassedOver[]
  readonly empty: readonly string[]
  readonly remarks: readonly PassedOver[]
  /** Number of documents sent, or in a dry run to be sent. */
  readonly toSend: number
  /** Files that may contain documents with unknown ids. */
  readonly unknown: readonly string[]
  readonly nearlyFull?: IngestReply['nearly_full']
}

async function send(target: Target, listing: Listing, terminal: Terminal): Promise<Sent> {
  const { progress } = terminal
  const replies: DocumentReply[] = []
  const ids = new Map<string, string>()
  const unreadable: PassedOver[] = [...listing.closed]
  const unknown = listing.closed.map(({ path }) => path)
  const empty: string[] = []
  const remarks: PassedOver[] = []
  const totalBytes = listing.files.reduce((sum, { bytes }) => sum + bytes, 0)
  const there = await documentsOf(target)
  let { version } = there
  let nearlyFull: IngestReply['nearly_full']
  let found = 0
  let toSend = 0
  let readBytes = 0
  let batch: GateDocument[] = []
  let characters = 0
  const flush = async (): Promise<void> => {
    if (batch.length > 0 && !target.dryRun) {
      const taken = await sendBatch(target, batch)
      version = Math.max(version, taken.version)
      replies.push(...taken.replies)
      nearlyFull = taken.nearlyFull ?? nearlyFull
    }
    batch = []
    characters = 0
  }
  try {
    for (const file of listing.files) {
      progress.show(readBytes, totalBytes, `${found} documents`)
      for await (const read of readDocuments(file)) {
        if (read.kind === 'empty') empty.push(read.from)
        else if (read.kind === 'unreadable') {
          unreadable.push({ path: read.from, why: read.why })
          if (read.id === undefined) unknown.push(read.from)
          else ids.set(read.id, read.from)
        } else {
          const { document, from, remark } = read
          const id = document.id.normalize('NFC')
          const other = ids.get(id)
          if (other !== undefined) {
            unreadable.push({ path: from, why: `its id "${id}" is that of ${other} already` })
            continue
          }
          ids.set(id, from)
          if (remark !== undefined) remarks.push({ path: from, why: remark })
          const same = unchanged(document, there)
          if (same !== undefined) {
            replies.push(same)
            found++
            continue
          }
          const { length } = JSON.stringify(document)
          if (batch.length === BATCH_DOCUMENTS || (batch.length > 0 && characters + length > BATCH_CHARACTERS)) {
            await flush()
            progress.show(readBytes, totalBytes, `${found} documents`)
          }
          batch.push(document)
          characters += length
          found++
          toSend++
        }
      }
      readBytes += file.bytes
    }
    await flush()
  } catch (thrown) {
    progress.end()
    if (replies.length > 0) {
      const taken = `${counted(replies.length, 'document')} were taken before this.`
      const isFull = thrown instanceof GateFailure && thrown.code === FULL
      terminal.note(isFull ? taken : `${taken} Run the same command again: it goes on from there.`)
    }
    throw thrown
  }
  progress.end()
  // Otherwise a wrong path with `--prune` would empty the collection.
  if (found === 0 && unreadable.length === 0) throw misused('The files contain no text')
  return {
    replies,
    version,
    ids: new Set(ids.keys()),
    unreadable,
    empty,
    remarks,
    toSend,
    unknown,
    ...(nearlyFull && { nearlyFull }),
  }
}

/** The current content of a collection. */
interface There {
  readonly version: number
  /** Prefix of the content hashes; `undefined` if unchanged documents cannot be recognised. */
  readonly origin?: string
  readonly documents: ReadonlyMap<string, { readonly hash: string; readonly chunks: number }>
}

const NOTHING_THERE: There = { version: 0, documents: new Map() }

interface ListedDocument {
  readonly id: string
  readonly content_hash?: string
  readonly chunks?: number
}

/** A page of `GET /v1/documents`; older gates give no origin. */
interface DocumentPage {
  readonly corpus_version?: number
  readonly origin?: string | null
  readonly documents: readonly ListedDocument[]
  readonly next_cursor: string | null
}

/** The gate's documents, page by page; at least one page. */
async function* documentPages({ gate, collection }: Place): AsyncGenerator<DocumentPage> {
  const query = new URLSearchParams({ collection, limit: '1000' })
  for (;;) {
    const reply = await callGate<DocumentPage>(gate, 'GET', `/v1/documents?${query}`)
    const page = requireForm(reply, {
      documents: [{ id: 'string' }],
      next_cursor: 'string|null',
      'corpus_version?': 'number',
    })
    yield page
    if (page.next_cursor === null) return
    query.set('cursor', page.next_cursor)
  }
}

async function documentsOf(target: Target): Promise<There> {
  const documents = new Map<string, { hash: string; chunks: number }>()
  for await (const { origin, corpus_version: version = 0, documents: shown, next_cursor: next } of documentPages(
    target,
  )) {
    if (typeof origin !== 'string') return NOTHING_THERE
    for (const { id, content_hash: hash = '', chunks = 0 } of shown) documents.set(id, { hash, chunks })
    if (next === null) return { version, origin, documents }
  }
  return NOTHING_THERE
}

const MEMBERS: ReadonlySet<string> = new Set(['id', 'text', 'format', 'title', 'source', 'version', 'metadata'])

/** The result for a document that is unchanged; `undefined` for one to be sent. */
function unchanged(document: GateDocument, { origin, documents }: There): DocumentReply | undefined {
  const known = documents.get(document.id.normalize('NFC'))
  if (known === undefined || origin === undefined || typeof document.text !== 'string') return undefined
  if (Object.keys(document).some((name) => !MEMBERS.has(name))) return undefined
  const { format = 'markdown' } = document
  if (typeof format !== 'string') return undefined
  // The document is unvalidated, but with the hash of an accepted document it is valid.
  if (documentHash(origin, { ...document, format } as IncomingDocument) !== known.hash) return undefined
  const { chunks } = known
  return { id: document.id, status: 'unchanged', chunks, chunks_written: 0, chunks_removed: 0, flags: [] }
}

/** Statuses with which a gate rejects documents; other statuses have other causes. */
const TURNED_AWAY = new Set([400, 413, 422])

/** Sends documents; rejected ones are reported, and the others are ingested. */
async function sendBatch(
  target: Target,
  documents: readonly GateDocument[],
): Promise<Pick<Sent, 'version' | 'replies' | 'nearlyFull'>> {
  const { gate, collection } = target
  try {
    const answered = await callGate<IngestReply>(gate, 'POST', '/v1/documents', { collection, documents })
    const reply = requireForm(answered, { corpus_version: 'number', documents: [{ id: 'string', status: 'string' }] })
    const taken = reply.documents.filter(({ status }) => status !== 'failed')
    requireForm(taken, [{ chunks: 'number', flags: ['string'] }])
    const { nearly_full: nearlyFull } = reply
    return { version: reply.corpus_version, replies: reply.documents, ...(nearlyFull && { nearlyFull }) }
  } catch (thrown) {
    if (!(thrown instanceof GateFailure) || !TURNED_AWAY.has(thrown.status) || concernsWholeCall(thrown)) throw thrown
    const [only] = documents
    if (documents.length === 1 && only !== undefined) {
      const { code, said: message } = thrown
      return { version: 0, replies: [{ id: only.id, status: 'failed', code, message }] }
    }
    const named = Number(/^documents\[(\d+)\]/.exec(thrown.param ?? '')?.[1])
    const parts = Number.isInteger(named)
      ? [documents.slice(0, named), documents.slice(named, named + 1), documents.slice(named + 1)]
      : [documents.slice(0, documents.length / 2), documents.slice(documents.length / 2)]
    let version = 0
    let nearlyFull: IngestReply['nearly_full']
    const replies: DocumentReply[] = []
    for (const part of parts) {
      if (part.length === 0) continue
      const taken = await sendBatch(target, part)
      nearlyFull = taken.nearlyFull ?? nearlyFull
      version = Math.max(version, taken.version)
      replies.push(...taken.replies)
    }
    return { version, replies, ...(nearlyFull && { nearlyFull }) }
  }
}

/** Whether an error concerns the whole request rather than one document. */
function concernsWholeCall({ code }: GateFailure): boolean {
  return code === 'collection_id'
}

/** Results of `--prune`. */
interface Pruned {
  /** Documents of the collection that are not in the folder. */
  readonly others: readonly string[]
  readonly removed: readonly string[]
  readonly version: number
  /** Why not everything was removed despite `--prune`. */
  readonly withheld?: string
}

const NOTHING_PRUNED: Pruned = { others: [], removed: [], version: 0 }
const SHOWN_AT_ONCE = 20

async function pruneFrom(
  target: Target,
  { ids, unknown }: Sent,
  { files }: Listing,
  yes: boolean,
  { note, progress, confirm }: Terminal,
): Promise<Pruned> {
  const { gate, collection, dryRun } = target
  if (unknown.length > 0) {
    return {
      ...NOTHING_PRUNED,
      withheld: `it is not known which documents ${unknown.map(oneLine).join(', ')} would have had`,
    }
  }
  if (files.length === 0 || ids.size === 0) return { ...NOTHING_PRUNED, withheld: 'no document was found here' }
  let others: readonly string[] = []
  const removed: string[] = []
  let version = 0
  try {
    const found = await othersIn({ gate, collection }, ids)
    others = found.map(({ id }) => id)
    if (dryRun || others.length === 0) return { ...NOTHING_PRUNED, others }
    if (!yes) {
      note(`Documents of ${collection} that are not here:`)
      for (const id of others.slice(0, SHOWN_AT_ONCE)) note(`  ${oneLine(id)}`)
      if (others.length > SHOWN_AT_ONCE) note(`  and ${others.length - SHOWN_AT_ONCE} more`)
      if ((await confirm?.(`Remove ${counted(others.length, 'document')} from ${collection}?`)) !== true) {
        return { ...NOTHING_PRUNED, others }
      }
    }
    for (const batch of batchesOf(found)) {
      progress.show(removed.length, others.length, `${removed.length} of ${others.length} removed`)
      version = Math.max(version, await remove({ gate, collection }, batch).finally(() => progress.end()))
      removed.push(...batch)
    }
    return { others, removed, version }
  } catch (thrown) {
    // What was sent and removed before is reported too.
    if (!(thrown instanceof CommandError)) throw thrown
    return { others, removed, version, withheld: thrown.message }
  }
}

/** The collection's documents that are not to be kept; none if the collection does not exist. */
async function othersIn(target: Place, kept: ReadonlySet<string>): Promise<ListedDocument[]> {
  const others: ListedDocument[] = []
  for await (const { documents } of documentPages(target)) others.push(...documents.filter(({ id }) => !kept.has(id)))
  return others
}

/** Groups of ids, each for one request to remove. */
function batchesOf(documents: readonly ListedDocument[]): string[][] {
  const batches: string[][] = []
  let characters = Infinity
  let chunks = 0
  for (const { id, chunks: more = 0 } of documents) {
    const { length } = removal([id])
    characters += length
    chunks += more
    if (characters > REMOVED_CHARACTERS || chunks > REMOVED_CHUNKS) {
      batches.push([])
      characters = length
      chunks = more
    }
    batches.at(-1)?.push(id)
  }
  return batches
}

/** Query parameters that name documents to remove. */
function removal(ids: readonly string[]): string {
  return ids.map((id) => `&id=${encodeURIComponent(id)}`).join('')
}

/** Removes documents. @returns the new corpus version; 0 if all of them are gone already */
async function remove({ gate, collection }: Place, ids: readonly string[]): Promise<number> {
  const path = `/v1/documents?${new URLSearchParams({ collection })}${removal(ids)}`
  try {
    const reply = await callGate<{ corpus_version: number }>(gate, 'DELETE', path)
    return requireForm(reply, { corpus_version: 'number' }).corpus_version
  } catch (thrown) {
    if (!(thrown instanceof GateFailure) || thrown.code !== 'document_not_found') throw thrown
    // By another program, or by a removal whose response was lost.
    const gone = Number(/^id\[(\d+)\]$/.exec(thrown.param ?? '')?.[1])
    const left = ids.filter((_, at) => at !== gone)
    if (left.length === ids.length) throw thrown
    return left.length === 0 ? 0 : remove({ gate, collection }, left)
  }
}

/** The results, as printed by `--json`. */
interface IngestSummary {
  readonly collection: string
  readonly corpus_version: number
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly removed: number
  readonly chunks: number
  /** Documents that the gate rejected. */
  readonly failed: readonly { readonly id: string; readonly code: string; readonly message?: string }[]
  /** Files and lines that could not be read. */
  readonly unreadable: readonly PassedOver[]
  /** Deliberately skipped files, by path. */
  readonly skipped: readonly PassedOver[]
  /** Numbers of files of other types, by extension. */
  readonly other_files: Readonly<Record<string, number>>
  /** Documents without any passage. */
  readonly without_text: readonly string[]
  readonly hidden_text: readonly string[]
  readonly remarks: readonly PassedOver[]
  /** For a dry run: what would be sent and removed. */
  readonly dry_run?: { readonly documents: number; readonly to_remove: readonly string[] }
  /** Documents of the collection that are not in the folder and were kept. */
  readonly kept?: readonly string[]
  readonly not_pruned?: string
  /** Capacity of the index, if at least 80 % is used. */
  readonly nearly_full?: IngestReply['nearly_full']
}

function summarise({ collection, dryRun }: Target, sent: Sent, pruned: Pruned, listing: Listing): IngestSummary {
  const { replies, empty, unreadable, remarks, toSend } = sent
  const count = (status: DocumentReply['status']): number => replies.filter((reply) => reply.status === status).length
  const taken = replies.filter((reply) => reply.status !== 'failed')
  const kept = pruned.others.filter((id) => !pruned.removed.includes(id))
  return {
    collection,
    corpus_version: Math.max(sent.version, pruned.version),
    added: count('added'),
    changed: count('changed'),
    unchanged: count('unchanged'),
    removed: pruned.removed.length,
    chunks: taken.reduce((sum, { chunks }) => sum + chunks, 0),
    failed: replies.flatMap((reply) => {
      if (reply.status !== 'failed') return []
      const { id, code, message } = reply
      return [{ id, code, ...(message === undefined ? {} : { message }) }]
    }),
    unreadable,
    skipped: [...listing.passedOver, ...empty.map((path) => ({ path, why: 'no text in it' }))],
    other_files: Object.fromEntries(listing.otherKinds),
    without_text: taken.filter(({ chunks }) => chunks === 0).map(({ id }) => id),
    hidden_text: taken.filter(({ flags }) => flags.includes('hidden_text')).map(({ id }) => id),
    remarks,
    ...(dryRun ? { dry_run: { documents: toSend, to_remove: pruned.others } } : {}),
    ...(!dryRun && kept.length > 0 ? { kept } : {}),
    ...(pruned.withheld === undefined ? {} : { not_pruned: pruned.withheld }),
    ...(sent.nearlyFull && { nearly_full: sent.nearlyFull }),
  }
}

function show(summary: IngestSummary, { toSend }: Sent, { others }: Pruned, dryRun: boolean, { out }: Terminal): void {
  const { collection, corpus_version: version, added, changed, unchanged, removed, chunks } = summary
  const counts = `${added} added, ${changed} changed, ${unchanged} unchanged, ${removed} removed; ${counted(chunks, 'chunk')}, version ${version}`
  const rehearsed = `${counted(toSend, 'document')} would be sent, ${unchanged} unchanged, ${others.length} removed`
  out(`${collection}: ${dryRun ? rehearsed : counts}`)
  const list = (title: string, lines: readonly string[], colour: 'yellow' | 'dim' | 'red'): void => {
    if (lines.length === 0) return
    out({ text: title, colour })
    for (const line of lines) out(`  ${oneLine(line)}`)
  }
  const named = ({ path, why }: PassedOver): string => `${path || '.'}: ${why}`
  if (dryRun) list('Would be removed', others, 'yellow')
  list(
    'Not taken by the gate',
    summary.failed.map(({ id, code, message }) => `${id}: ${code}${message === undefined ? '' : `, ${message}`}`),
    'red',
  )
  list('Could not be read', summary.unreadable.map(named), 'red')
  list('Read, and no text found', summary.without_text, 'yellow')
  list('Hidden text taken out', summary.hidden_text, 'yellow')
  list('Remarks', summary.remarks.map(named), 'yellow')
  list('Skipped', summary.skipped.map(named), 'dim')
  const kinds = Object.entries(summary.other_files).map(([ending, count]) => `${count} ${ending}`)
  list('Other kinds of files, not read', kinds.length === 0 ? [] : [kinds.join(', ')], 'dim')
  if (summary.kept !== undefined) out(`Kept, though not here: ${counted(summary.kept.length, 'document')}`)
  if (summary.not_pruned !== undefined)
    out({
      text: `${removed === 0 ? 'Nothing' : 'Not everything'} was removed: ${oneLine(summary.not_pruned)}`,
      colour: 'yellow',
    })
  if (summary.nearly_full !== undefined) {
    const { used_bytes: used, limit_bytes: limit } = summary.nearly_full
    const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
    const text = `The index is nearly full: ${megabytes(used)} of ${megabytes(limit)}. Remove documents, or take a larger index.`
    out({ text, colour: 'yellow' })
  }
  if (summary.failed.some(({ code }) => code === FULL)) {
    out('The index is full: remove documents that are not needed, with --prune for one, or take a larger index.')
  } else if (summary.failed.some(({ message }) => message === undefined)) {
    out('Run the same command again: it goes on from there.')
  }
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
