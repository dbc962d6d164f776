/**
 * `npm run index:import -- --in vectors.jsonl`: imports a file of `index:export` into an index by the public protocol:
 * an index of this project or the service itself.
 *
 * `--as data` only sends ids, texts and metadata, and the index embeds the texts with its own model: use it to change
 * the model. An interrupted import continues where it stopped, with `<file>.progress` until it is complete. It is
 * idempotent.
 *
 * Exit codes: 0 complete, 1 failed (run it again to continue), 2 wrong usage.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseJson } from '../packages/vector-index/src/exact-json.ts'
import { addressIn, type IndexInfo, type IndexRow, readOptions, send, wholeIn, wrongUse } from './index-client.ts'
import { linesOf } from './text-lines.ts'

const USAGE = `Usage: npm run index:import -- --in FILE [--url URL] [--token TOKEN] [--as vectors|data] [--batch 1-1000] [--no-wait]

URL and token come from UPSTASH_VECTOR_REST_URL and UPSTASH_VECTOR_REST_TOKEN where they are not given.
It waits until the index shows what was written, unless told --no-wait.`

/** Maximum size of a request, well below an index's limit. */
const REQUEST_BYTES = 4 * 1024 * 1024
const WAIT_MS = 10 * 60 * 1000

interface Line extends IndexRow {
  readonly namespace: string
}

/** Progress of an import: number of written lines. */
interface Progress {
  readonly url: string
  readonly as: string
  readonly lines: number
}

const options = readOptions(['in', 'url', 'token', 'as', 'batch'], ['no-wait'], USAGE)
const address = addressIn(options, USAGE)
const file = options.get('in') ?? wrongUse(USAGE)
const batchSize = wholeIn(options, 'batch', 100, USAGE)
const as = options.get('as') ?? 'vectors'
if (as !== 'vectors' && as !== 'data') wrongUse(USAGE)
const progressFile = `${file}.progress`

function readProgress(): Progress {
  if (!existsSync(progressFile)) return { url: address.url, as, lines: 0 }
  // Written below by this script.
  const progress = JSON.parse(readFileSync(progressFile, 'utf8')) as Progress
  if (progress.url !== address.url || progress.as !== as) {
    throw new Error(`${progressFile} belongs to another import or export, of ${progress.url}; remove it to begin anew`)
  }
  return progress
}

function parseLine(text: string, number: number): Line {
  let line: Partial<Line>
  try {
    // Checked below as far as needed; the index validates the rest.
    line = parseJson(text) as Partial<Line>
  } catch {
    throw new Error(`Line ${number} is not JSON`)
  }
  const { namespace, id, ...rest } = line
  if (typeof namespace !== 'string' || typeof id !== 'string') throw new Error(`Line ${number} lacks namespace or id`)
  if (as === 'data' && typeof line.data !== 'string') throw new Error(`Line ${number} has no data to embed`)
  return { namespace, id, ...rest }
}

/** Absent members are `undefined`, and are not sent. */
function itemOf({ id, vector, sparseVector, metadata, data }: Line): Readonly<Record<string, unknown>> {
  return as === 'vectors' ? { id, vector, sparseVector, metadata, data } : { id, metadata, data }
}

async function importLines(begin: Progress): Promise<number> {
  let batch: Line[] = []
  let bytes = 0
  /** Number of lines that are written or in the current batch. */
  let taken = 0
  const flush = async (): Promise<void> => {
    const [first] = batch
    if (first === undefined) return
    await send(address, as === 'data' ? 'upsert-data' : 'upsert', first.namespace, batch.map(itemOf))
    writeFileSync(progressFile, JSON.stringify({ url: address.url, as, lines: taken }))
    process.stderr.write(`\r${taken} vectors`)
    batch = []
    bytes = 0
  }
  for await (const text of linesOf(file)) {
    if (taken >= begin.lines && text.trim() !== '') {
      const line = parseLine(text, taken + 1)
      const full = batch.length === batchSize || bytes + text.length > REQUEST_BYTES
      if (full || batch[0]?.namespace !== line.namespace) await flush()
      batch.push(line)
      bytes += text.length
    }
    taken += 1
  }
  await flush()
  return taken
}

async function untilVisible(): Promise<void> {
  const deadline = Date.now() + WAIT_MS
  for (;;) {
    const { pendingVectorCount } = await send<IndexInfo>(address, 'info', '', [])
    if (pendingVectorCount === 0) return
    if (Date.now() > deadline) throw new Error(`${pendingVectorCount} vectors are still pending`)
    process.stderr.write(`\r${pendingVectorCount} vectors are pending `)
    await sleep(500)
  }
}

/** Share of a namespace's memory from which a warning is printed. */
const NEARLY_FULL = 0.8

async function warnOfFull(): Promise<void> {
  const { capacity } = await send<IndexInfo>(address, 'info', '', [])
  for (const [name, { memoryBytes }] of Object.entries(capacity?.namespaces ?? {})) {
    const share = memoryBytes / (capacity?.memoryBytesPerNamespace ?? Infinity)
    if (share >= NEARLY_FULL) console.error(`Namespace "${name}" is ${Math.floor(100 * share)} % full`)
  }
}

try {
  const count = await importLines(readProgress())
  if (!options.has('no-wait')) await untilVisible()
  rmSync(progressFile, { force: true })
  console.error(`\r${count} lines of ${file} are in the index`)
  await warnOfFull()
} catch (thrown) {
  console.error(`\n${thrown instanceof Error ? thrown.message : String(thrown)}`)
  process.exitCode = 1
}
