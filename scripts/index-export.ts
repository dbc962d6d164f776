/**
 * `npm run index:export -- --out vectors.jsonl`: exports all vectors of an index, one per line, by the public protocol:
 * from an index of this project or from the service itself.
 *
 * A line is `{"namespace", "id", "vector", "sparseVector", "metadata", "data"}`, without absent members. An interrupted
 * export continues where it stopped, with `<file>.progress` until it is complete. Concurrent writes to the index may be
 * missed. `--format vectorize` writes the format of `wrangler vectorize insert`.
 *
 * Exit codes: 0 complete, 1 failed (run it again to continue), 2 wrong usage.
 */
import {
  appendFileSync,
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { jsonText } from '../packages/vector-index/src/exact-json.ts'
import { addressIn, type IndexInfo, type IndexRow, readOptions, send, wholeIn, wrongUse } from './index-client.ts'
import { vectorizeRow } from './vectorize-row.ts'

const USAGE = `Usage: npm run index:export -- --out FILE [--url URL] [--token TOKEN] [--namespace NAME] [--page 1-1000]
       [--format upstash|vectorize]

URL and token come from UPSTASH_VECTOR_REST_URL and UPSTASH_VECTOR_REST_TOKEN where they are not given.
Without --namespace all namespaces are written.`

/** Progress of an export: the file is complete up to this many bytes. */
interface Progress {
  readonly url: string
  readonly only?: string
  readonly format: string
  readonly done: readonly string[]
  /** Position in the first unfinished namespace. */
  readonly cursor: string
  readonly bytes: number
  readonly vectors: number
}

const options = readOptions(['out', 'url', 'token', 'namespace', 'page', 'format'], [], USAGE)
const address = addressIn(options, USAGE)
const out = options.get('out') ?? wrongUse(USAGE)
const only = options.get('namespace')
const page = wholeIn(options, 'page', 200, USAGE)
const format = options.get('format') ?? 'upstash'
if (format !== 'upstash' && format !== 'vectorize') wrongUse(USAGE)
const progressFile = `${out}.progress`

function readProgress(): Progress {
  const asked = { url: address.url, ...(only !== undefined && { only }), format }
  if (!existsSync(progressFile)) {
    if (existsSync(out) && statSync(out).size > 0) throw new Error(`${out} already exists`)
    return { ...asked, done: [], cursor: '0', bytes: 0, vectors: 0 }
  }
  // Written below by this script.
  const progress = JSON.parse(readFileSync(progressFile, 'utf8')) as Progress
  if (progress.url !== address.url || progress.only !== only || progress.format !== format) {
    throw new Error(`${progressFile} belongs to another export, of ${progress.url}; remove it to begin anew`)
  }
  if (!existsSync(out) || statSync(out).size < progress.bytes) {
    throw new Error(`${out} is shorter than it was; remove ${progressFile} to begin anew`)
  }
  return progress
}

async function exportPages(begin: Progress): Promise<number> {
  const { namespaces } = await send<IndexInfo>(address, 'info', '', [])
  const total = Object.entries(namespaces).reduce(
    (sum, [name, { vectorCount }]) => sum + (only === undefined || only === name ? vectorCount : 0),
    0,
  )
  let progress = begin
  const file = openSync(out, 'a')
  // Whatever an interrupted run wrote after its last complete page is written again.
  ftruncateSync(file, progress.bytes)
  for (const namespace of only === undefined ? Object.keys(namespaces) : [only]) {
    while (!progress.done.includes(namespace)) {
      progress = await writePage(file, namespace, progress)
      writeFileSync(progressFile, JSON.stringify(progress))
      process.stderr.write(`\r${progress.vectors} of ${total} vectors`)
    }
  }
  closeSync(file)
  return progress.vectors
}

async function writePage(file: number, namespace: string, progress: Progress): Promise<Progress> {
  const body = { cursor: progress.cursor, limit: page, includeVectors: true, includeMetadata: true, includeData: true }
  const { vectors, nextCursor } = await send<{ vectors: IndexRow[]; nextCursor: string }>(
    address,
    'range',
    namespace,
    body,
  )
  const lines = vectors.map((row) => `${lineOf(namespace, row)}\n`).join('')
  // Unlike `writeSync`, it never writes only a part, as on a full disk.
  appendFileSync(file, lines)
  const bytes = progress.bytes + Buffer.byteLength(lines)
  const counted = { ...progress, bytes, vectors: progress.vectors + vectors.length }
  if (nextCursor !== '') return { ...counted, cursor: nextCursor }
  return { ...counted, cursor: '0', done: [...progress.done, namespace] }
}

/** Metadata may have integers beyond 2^53, so they are serialised exactly. */
function lineOf(namespace: string, row: IndexRow): string {
  return jsonText(format === 'vectorize' ? vectorizeRow(namespace, row) : { namespace, ...row })
}

try {
  const count = await exportPages(readProgress())
  rmSync(progressFile, { force: true })
  console.error(`\r${count} vectors are in ${out}`)
} catch (thrown) {
  console.error(`\n${thrown instanceof Error ? thrown.message : String(thrown)}`)
  process.exitCode = 1
}
