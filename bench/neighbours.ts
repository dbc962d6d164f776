/**
 * How namespaces of one index affect each other: the time of a query to a small one alone, beside a large one that is
 * also queried, and beside a full one that rejects writes; the time of queries to several in turn; and the maximum
 * number of rows of one namespace, with the isolate's memory. In workerd, over local HTTP.
 *
 *   npm run bench -- neighbours [-- another checkout]
 *
 * The inspector reports the heap and its buffers after a forced garbage collection; resident memory includes what the
 * process has not released.
 *
 * With another checkout, such as an older one with its dependencies, both are measured in one run and take turns. Times
 * are medians in milliseconds with the 10th and 95th percentiles of a hundred; ratios are of the medians of one run.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { anyPort } from '../scripts/local-gate.ts'
import type { LocalIndex, LocalIndexOptions } from '../scripts/local-index.ts'
import { measureMemory, type Memory } from '../test/deep/workerd-memory.ts'
import { markdownTable } from './markdown-table.ts'
import { seededRandom } from './seeded-random.ts'

const DIMENSION = 384
const NEIGHBOUR_ROWS = 5_000
const LARGE_ROWS = 35_000
const IN_TURN = ['first', 'second', 'third']
const IN_TURN_ROWS = 10_000
const PER_COMMAND = 500
const TIMES = 100
const PASSAGE_CHARACTERS = 800
/** Maximum number of rows to try. */
const MOST_ROWS = 300_000

const random = seededRandom(20_261_122)
const vector = () => Array.from({ length: DIMENSION }, () => Math.round((random() - 0.5) * 1000) / 1000)

/** One index for client vectors, one that embeds texts itself. */
const INDEXES = { vectors: { indexType: 'DENSE', dimension: DIMENSION }, texts: {} }
const VOCABULARY = 40_000

/** A passage of words with a skewed frequency distribution. */
function passage(): string {
  let text = ''
  while (text.length < PASSAGE_CHARACTERS) {
    text += `${Math.floor(Math.exp(random() * Math.log(VOCABULARY))).toString(36)}word `.slice(-7)
  }
  return text
}

interface Measured {
  readonly name: string
  readonly index: LocalIndex
}

async function post(
  index: LocalIndex,
  path: string,
  body: unknown,
  name: keyof typeof INDEXES = 'vectors',
): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${index.tokens.get(name)}` }
  const url = `${index.url}/indexes/${name}/${path}`
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, text: await response.text() }
}

/** @returns the number of accepted rows */
async function fill(
  index: LocalIndex,
  namespace: string,
  from: number,
  to: number,
  name: keyof typeof INDEXES = 'vectors',
): Promise<number> {
  const command = name === 'vectors' ? 'upsert' : 'upsert-data'
  for (let first = from; first < to; first += PER_COMMAND) {
    const items = Array.from({ length: PER_COMMAND }, (_, at) => ({
      id: `row-${first + at}`,
      ...(name === 'vectors' ? { vector: vector() } : { data: passage() }),
    }))
    const { status, text } = await post(index, `${command}/${namespace}`, items, name)
    if (status === 507) return first
    if (status !== 200) throw new Error(text)
  }
  return to
}

async function timed(index: LocalIndex, namespace: string): Promise<number> {
  const body = { vector: vector(), topK: 10 }
  const began = performance.now()
  const { status, text } = await post(index, `query/${namespace}`, body)
  if (status !== 200) throw new Error(text)
  return performance.now() - began
}

async function repeated(work: (at: number) => Promise<number>): Promise<number[]> {
  const times: number[] = []
  for (let at = 0; at < TIMES; at++) times.push(await work(at))
  return times.sort((a, b) => a - b)
}

const at = (times: readonly number[], share: number) => times[Math.floor(share * (times.length - 1))]!
const shown = (times: readonly number[]) =>
  `${at(times, 0.5).toFixed(1)} (${at(times, 0.1).toFixed(1)}–${at(times, 0.95).toFixed(1)})`

async function measure({ name, index }: Measured): Promise<readonly (readonly string[])[]> {
  await fill(index, 'neighbour', 0, NEIGHBOUR_ROWS)
  await timed(index, 'neighbour')
  const alone = await repeated(() => timed(index, 'neighbour'))
  const large = await fill(index, 'large', 0, LARGE_ROWS)
  const beside = await repeated(async () => {
    await post(index, 'query/large', { vector: vector(), topK: 10 })
    return timed(index, 'neighbour')
  })
  const refused = await besideRefusedWrites(index)
  for (const namespace of IN_TURN) await fill(index, namespace, 0, IN_TURN_ROWS)
  await timed(index, 'first')
  const one = await repeated(() => timed(index, 'first'))
  const turn = await repeated((time) => timed(index, IN_TURN[time % IN_TURN.length]!))
  const ratio = (a: readonly number[], b: readonly number[]) => (at(a, 0.5) / at(b, 0.5)).toFixed(1)
  return [
    [name, `${NEIGHBOUR_ROWS} rows beside ${large}`, shown(alone), shown(beside), ratio(beside, alone)],
    [name, `${NEIGHBOUR_ROWS} rows beside refused writes`, shown(alone), shown(refused), ratio(refused, alone)],
    [name, `three of ${IN_TURN_ROWS} rows in turn`, shown(one), shown(turn), ratio(turn, one)],
  ]
}

/** Times beside a writer that sends to a full namespace without pause, in batches of the usual size. */
async function besideRefusedWrites(index: LocalIndex): Promise<readonly number[]> {
  await fill(index, 'full', 0, MOST_ROWS, 'texts')
  const write = (ids: readonly string[]) =>
    post(
      index,
      'upsert-data/full',
      ids.map((id) => ({ id, data: passage() })),
      'texts',
    )
  for (let last = 0; (await write([`last-${last}`])).status !== 507; last++);
  const stopping = new AbortController()
  const writer = (async () => {
    while (!stopping.signal.aborted) {
      const { status, text } = await write(Array.from({ length: PER_COMMAND }, (_, at) => `more-${at}`))
      if (status !== 507) throw new Error(text)
    }
  })()
  const times = await repeated(() => timed(index, 'neighbour'))
  stopping.abort()
  await writer
  return times
}

/** Fills one namespace of a new process until it rejects rows, and queries it. */
async function capacity({ name, index }: Measured, kind: keyof typeof INDEXES): Promise<readonly string[]> {
  await post(index, 'info', [], kind)
  const before = await measureMemory(inspectorOf(index))
  const taken = await fill(index, 'full', 0, MOST_ROWS, kind)
  const question = kind === 'vectors' ? { vector: vector(), topK: 10 } : { data: passage(), topK: 10 }
  const { status } = await post(index, kind === 'vectors' ? 'query/full' : 'query-data/full', question, kind)
  const full = await measureMemory(inspectorOf(index))
  const what =
    kind === 'vectors' ? `vectors of ${DIMENSION} dimensions` : `passages of ${PASSAGE_CHARACTERS} characters`
  const resident = `${mebibytes(before.resident)} → ${mebibytes(full.resident)}`
  return [name, what, String(taken), String(status), reached(full), resident]
}

const mebibytes = (bytes: number | undefined) => (bytes === undefined ? '—' : (bytes / 1024 / 1024).toFixed(0))
const reached = ({ live = NaN, buffers = NaN }: Memory) => `${mebibytes(live)} + ${mebibytes(buffers)}`

/** The inspector's URL: `startLocalIndex` has its port ten thousand higher, and wrangler gives the path. */
function inspectorOf({ url }: LocalIndex): string {
  return `ws://127.0.0.1:${Number(new URL(url).port) + 10_000}/ws`
}

async function start(checkout: string, stateDirectory: string, port: number): Promise<LocalIndex> {
  // The same script in either checkout.
  const { startLocalIndex } = (await import(pathToFileURL(join(checkout, 'scripts/local-index.ts')).href)) as {
    startLocalIndex: (options: LocalIndexOptions) => Promise<LocalIndex>
  }
  return startLocalIndex({ stateDirectory, port, indexes: INDEXES })
}

const [other] = process.argv.slice(2)
const home = mkdtempSync(join(tmpdir(), 'hono-rag-gate-neighbours-'))
const rows: (readonly string[])[] = []
const capacities: (readonly string[])[] = []
try {
  const checkouts = [...(other === undefined ? [] : [['before', resolve(other)]]), ['now', resolve('.')]] as const
  for (const [name = '', checkout = ''] of checkouts) {
    const port = anyPort()
    const timing = await start(checkout, join(home, name), port)
    try {
      rows.push(...(await measure({ name, index: timing })))
    } finally {
      await timing.stop()
    }
    for (const kind of ['vectors', 'texts'] as const) {
      const index = await start(checkout, join(home, `${name}-${kind}`), port)
      try {
        capacities.push(await capacity({ name, index }, kind))
      } finally {
        await index.stop()
      }
    }
  }
} finally {
  rmSync(home, { recursive: true, force: true })
}
console.log(markdownTable(['', 'namespaces', 'alone, ms', 'beside the others, ms', 'times'], rows))
console.log()
console.log(
  markdownTable(
    ['', 'one namespace', 'rows taken', 'then a query answers', 'heap + buffers, MiB', 'resident, MiB'],
    capacities,
  ),
)
