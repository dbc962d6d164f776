/**
 * The Worker in a real workerd, asked from several connections: for an hour in `npm run test:deep`.
 *
 *   node scripts/run.mjs test/deep/soak.ts [minutes]
 *
 * Fails on a status that was not expected of the request, on two verdicts for one question, on statistics in D1 that are
 * not what was received, and on memory and open files that grow from the second quarter to the last by more than is allowed
 * below, by their medians: requests in flight hold some.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../../bench/medians.ts'
import { seededRandom } from '../../bench/seeded-random.ts'
import { ask, type AskReply, ingest, statistics } from '../../packages/cli/src/gate-client.ts'
import { startLocalGate } from '../../scripts/local-gate.ts'
import { readSoakCorpus } from './soak-corpus.ts'
import { type Memory, openMemoryMeter } from './workerd-memory.ts'

const MINUTES = 3
const CONNECTIONS = 6
/** Time between two requests of a connection, which leaves room for other work on the machine. */
const PAUSE_MS = 10
const SEED = 20_261_122
/** Share of questions that repeat a few popular ones, as with caches in use. */
const POPULAR_SHARE = 0.5
const POPULAR = 50
/** Share of requests that are faulty, or not questions. */
const OTHER_SHARE = 0.1
/** Memory of the Worker in the last quarter, relative to the second: its caches grow until they are full. */
const LIVE_GROWTH_ALLOWED = 1.25
/** The same of all workerd processes: the simulators of D1 and the Cache API are in it, and collect late. */
const RESIDENT_GROWTH_ALLOWED = 2
/** Connections open and close. */
const HANDLES_GROWTH_ALLOWED = 1.3
const SAMPLE_MS = 30_000

interface OtherRequest {
  readonly path: string
  readonly status: number
  readonly method?: string
  readonly body?: string
}

const OTHERS: readonly OtherRequest[] = [
  { path: '/health', status: 200 },
  { path: '/ask', method: 'POST', body: '{"question":', status: 400 },
  { path: '/ask', method: 'POST', body: '{"question":"\\ud800"}', status: 400 },
  { path: '/ask', method: 'POST', body: '{}', status: 422 },
  { path: '/ask', method: 'POST', body: '{"question":"why","threshold":0}', status: 422 },
  { path: '/ask', method: 'POST', body: '{"question":"why","collection":"nowhere"}', status: 404 },
  { path: '/ask', status: 405 },
  { path: '/nowhere', status: 404 },
  { path: '/v1/stats', status: 401 },
]

/** Received decisions, to be compared with the counts in D1. */
const received = { decisions: 0, pass: 0, advise: 0, refuse: 0, hit: 0, others: 0 }
const verdicts = new Map<string, string>()
const faults: string[] = []

/** Asks, and counts the decision. @returns the answer, if there was one */
async function asked(url: string, question: string): Promise<AskReply | undefined> {
  const reply = await ask(url, question)
  const { status, headers, body } = reply
  if (status !== 200) {
    faults.push(`${question}: ${status}`)
    return undefined
  }
  received.decisions++
  received[body.verdict]++
  if (headers.get('cache-status')?.includes('; hit') === true) received.hit++
  return reply
}

/** The collection learns its scale after the ingestion; earlier verdicts may differ. */
async function untilScaled(url: string, question: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const reply = await asked(url, question)
    if (reply?.headers.get('rag-gate')?.includes('calibration=scaled') === true) return
    await sleep(200)
  }
  throw new Error('The collection has learned no scale')
}

async function askOne(url: string, question: string): Promise<void> {
  const reply = await asked(url, question)
  if (reply === undefined) return
  const { body } = reply
  const before = verdicts.get(question) ?? body.verdict
  if (before !== body.verdict) faults.push(`${question}: ${before}, then ${body.verdict}`)
  verdicts.set(question, before)
}

async function sendOther(url: string, { path, status, method = 'GET', body }: OtherRequest): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })
  await response.arrayBuffer()
  received.others++
  if (response.status !== status) faults.push(`${method} ${path} ${body ?? ''}: ${response.status}, not ${status}`)
}

const drawFrom = <Item>(list: readonly Item[], random: () => number): Item => {
  const item = list[Math.floor(random() * list.length)]
  if (item === undefined) throw new Error('There is nothing to draw from')
  return item
}

async function keepAsking(url: string, questions: readonly string[], untilMs: number, seed: number): Promise<void> {
  const random = seededRandom(seed)
  const popular = questions.slice(0, POPULAR)
  while (Date.now() < untilMs) {
    if (random() < OTHER_SHARE) await sendOther(url, drawFrom(OTHERS, random))
    else await askOne(url, drawFrom(random() < POPULAR_SHARE ? popular : questions, random))
    await sleep(PAUSE_MS)
  }
}

async function compareWithD1(url: string, token: string): Promise<void> {
  const countedSoFar = () =>
    statistics<{
      complete: boolean
      decisions: number
      by_verdict: Record<string, number>
      by_cache: Record<string, number>
    }>(url, token)
  let counted = await countedSoFar()
  while (!counted.complete) counted = await countedSoFar()
  const pairs = [
    ['decisions', counted.decisions, received.decisions],
    ['pass', counted.by_verdict['pass'] ?? 0, received.pass],
    ['advise', counted.by_verdict['advise'] ?? 0, received.advise],
    ['refuse', counted.by_verdict['refuse'] ?? 0, received.refuse],
    ['cache hits', counted.by_cache['hit'] ?? 0, received.hit],
  ] as const
  for (const [name, inD1, ours] of pairs) {
    console.log(`${name.padEnd(12)} ${ours} received, ${inD1} in D1`)
    if (inD1 !== ours) faults.push(`D1 counted ${inD1} ${name}, received were ${ours}`)
  }
}

async function sampleMemory(inspectorUrl: string, untilMs: number): Promise<Memory[]> {
  const samples: Memory[] = []
  const meter = await openMemoryMeter(inspectorUrl)
  while (Date.now() + SAMPLE_MS <= untilMs) {
    await sleep(SAMPLE_MS)
    samples.push(await meter.measure())
  }
  meter.close()
  return samples
}

function compareMemory(samples: readonly Memory[], part: keyof Memory, allowed: number): void {
  const quarter = (at: number): number =>
    median(
      samples.slice((samples.length * at) / 4, (samples.length * (at + 1)) / 4).flatMap((sample) => sample[part] ?? []),
    )
  const growth = quarter(3) / quarter(1)
  if (Number.isNaN(growth)) {
    console.log(`${part.padEnd(12)} not measured here`)
    return
  }
  const [unit, words] = part === 'handles' ? [1, ''] : [2 ** 20, ' MiB']
  const shown = samples.map((sample) => ((sample[part] ?? NaN) / unit).toFixed(0)).join(', ')
  console.log(`${part.padEnd(12)} ${shown}${words}, every ${SAMPLE_MS / 1000} s`)
  if (growth > allowed) faults.push(`${part} grew to ${growth.toFixed(2)} of what it was in the second quarter`)
}

const minutes = Number(process.argv[2] ?? MINUTES)
const { name, documents, questions } = readSoakCorpus()
const stateDirectory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-soak-'))
const gate = await startLocalGate({ stateDirectory, port: 9100 })
try {
  await ingest(gate.url, gate.adminToken, documents)
  await untilScaled(gate.url, questions[0]!)
  const start = Date.now()
  const untilMs = start + minutes * 60_000
  const asking = Array.from({ length: CONNECTIONS }, (_, at) => keepAsking(gate.url, questions, untilMs, SEED + at))
  const [memory] = await Promise.all([sampleMemory(gate.inspectorUrl, untilMs), ...asking])
  const seconds = (Date.now() - start) / 1000
  const sent = received.decisions + received.others
  console.log(
    `${name}: ${documents.length} documents, ${verdicts.size} different questions, ${CONNECTIONS} connections`,
  )
  console.log(`${sent} requests in ${seconds.toFixed(0)} s, ${(sent / seconds).toFixed(0)} a second`)
  await compareWithD1(gate.url, gate.adminToken)
  compareMemory(memory, 'live', LIVE_GROWTH_ALLOWED)
  compareMemory(memory, 'resident', RESIDENT_GROWTH_ALLOWED)
  compareMemory(memory, 'handles', HANDLES_GROWTH_ALLOWED)
} finally {
  await gate.stop()
  rmSync(stateDirectory, { recursive: true, force: true })
}
for (const fault of faults.slice(0, 20)) console.log(`✗ ${fault}`)
if (faults.length > 0) process.exitCode = 1
