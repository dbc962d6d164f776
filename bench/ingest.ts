/**
 * Ingestion through the running Worker: duration, memory, and whether questions are answered meanwhile.
 *
 *   npm run bench -- ingest [-- chunks]
 *
 * Sends the `squad-ooc` corpus (646 passages) twice, then a number of passages (20,000 by default) into a separate
 * collection: each has a unique number, and four sentences drawn with a fixed seed from the passages of all sets. Then
 * asks 200 of them for the sentence with their number.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ask,
  callGate,
  type GateAddress,
  type GateDocument,
  type IngestReply,
} from '../packages/cli/src/gate-client.ts'
import { binomialInterval } from '../packages/calibration/src/binomial-interval.ts'
import { sentences } from '../src/core/text/sentences.ts'
import { ROOT, startLocalGate } from '../scripts/local-gate.ts'
import { measureMemory } from '../test/deep/workerd-memory.ts'
import { seededRandom } from './seeded-random.ts'

const DATA = join(ROOT, '..', 'shared', 'data')
const SEED = 20_261_122
const BATCH = 200
const ASKED = 200

const passagesOf = (set: string): string[] =>
  readFileSync(join(DATA, set, 'corpus.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { text: string }).text)

function madeDocuments(count: number): GateDocument[] {
  const pool = ['squad-ooc', 'clapnq', 'azure-faq'].flatMap(passagesOf).flatMap(sentences)
  const random = seededRandom(SEED)
  const drawn = (): string => pool[Math.floor(random() * pool.length)]!
  return Array.from({ length: count }, (_, at) => ({
    id: `made-${at}`,
    format: 'text' as const,
    // A longer document would be split into several chunks.
    text: `${markOf(at)} ${drawn()} ${drawn()} ${drawn()}`.slice(0, 1000),
  }))
}

const markOf = (at: number): string => `The inventory number of item q${at.toString(36)}x is ${at * 7919}.`

async function send(gate: GateAddress, collection: string, documents: readonly GateDocument[]): Promise<string> {
  const startedMs = performance.now()
  let chunks = 0
  for (let at = 0; at < documents.length; at += BATCH) {
    const body = { collection, documents: documents.slice(at, at + BATCH) }
    const reply = await callGate<IngestReply>(gate, 'POST', '/v1/documents', body)
    for (const document of reply.documents) {
      if (document.status === 'failed') throw new Error(`${document.id} failed: ${document.code}`)
      chunks += document.chunks
    }
  }
  const seconds = (performance.now() - startedMs) / 1000
  return `${chunks} chunks in ${seconds.toFixed(1)} s (${Math.round(chunks / seconds)} a second)`
}

async function askFor(gate: GateAddress, collection: string, count: number): Promise<string> {
  const random = seededRandom(SEED + 1)
  const times: number[] = []
  let found = 0
  for (let asked = 0; asked < ASKED; asked++) {
    const at = Math.floor(random() * count)
    const startedMs = performance.now()
    const { body, status } = await ask(gate, `What is the inventory number of item q${at.toString(36)}x?`, {
      collection,
    })
    if (status !== 200) throw new Error(`A question was answered with ${status}: ${JSON.stringify(body)}`)
    times.push(performance.now() - startedMs)
    if (body.detail?.chunks[0]?.document_id === `made-${at}`) found++
  }
  const { low, high } = binomialInterval(found, ASKED)
  const sorted = times.sort((a, b) => a - b)
  const interval = `95 % interval ${low.toFixed(3)}–${high.toFixed(3)}`
  return (
    `the passage asked for comes first: ${(found / ASKED).toFixed(3)} (n = ${ASKED}, ${interval}); ` +
    `median ${sorted[ASKED / 2]!.toFixed(0)} ms, slowest ${sorted.at(-1)!.toFixed(0)} ms`
  )
}

const mebibytes = (bytes: number | undefined): string =>
  bytes === undefined ? 'unknown' : `${Math.round(bytes / 1024 / 1024)} MiB`

const count = Number(process.argv[2] ?? 20_000)
const stateDirectory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-ingest-'))
const local = await startLocalGate({ stateDirectory, port: 8990 })
const gate = { url: local.url, key: local.adminToken }
const memory = async (): Promise<string> => {
  const { live, resident } = await measureMemory(local.inspectorUrl)
  return `the isolate reaches ${mebibytes(live)}, all of workerd takes ${mebibytes(resident)}`
}
try {
  const squad = passagesOf('squad-ooc').map((text, at): GateDocument => ({ id: `p${at}`, text, format: 'text' }))
  console.log(`squad-ooc, ${squad.length} passages: ${await send(gate, 'squad', squad)}`)
  console.log(`the same again: ${await send(gate, 'squad', squad)}`)
  console.log(await memory())
  const documents = madeDocuments(count)
  console.log(`made passages: ${await send(gate, 'made', documents)}`)
  console.log(await askFor(gate, 'made', count))
  console.log(await memory())
} finally {
  await local.stop()
  rmSync(stateDirectory, { recursive: true })
}
