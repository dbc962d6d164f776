/** What the decision logs lose when their Worker is killed on the spot. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anyPort, type LocalGate, startLocalGate } from '../../scripts/local-gate.ts'
import type { QueuedDecision } from '../../packages/cloudflare/src/queue-decision-log.ts'
import { ingest } from '../../packages/cli/src/gate-client.ts'
import { HANDBOOK } from '../fixtures/corpus.ts'

const stateDirectory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-killed-'))
const queued: QueuedDecision[] = []
let queue: Server
let gate: LocalGate

const start = (): Promise<LocalGate> =>
  startLocalGate({
    stateDirectory,
    port: anyPort(),
    entry: 'test/e2e/killed-worker.ts',
    vars: { QUEUE_URL: `http://127.0.0.1:${(queue.address() as AddressInfo).port}` },
  })

beforeAll(async () => {
  queue = createServer((request, response) => {
    let body = ''
    request.on('data', (piece: Buffer) => (body += piece.toString()))
    request.on('end', () => {
      queued.push(JSON.parse(body) as QueuedDecision)
      response.end()
    })
  })
  await new Promise<void>((resolve) => queue.listen(0, '127.0.0.1', resolve))
  gate = await start()
  await ingest(gate.url, gate.adminToken, HANDBOOK)
})
afterAll(async () => {
  await gate.stop()
  queue.close()
  rmSync(stateDirectory, { recursive: true, force: true })
})

/** @returns the id of the decision */
async function ask(path: string, number: number): Promise<string> {
  const response = await fetch(gate.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ question: `How long are nightly backups number ${number} kept?` }),
  })
  const { decision_id: id } = (await response.json()) as { readonly decision_id: string }
  return id
}

async function recordedIds(): Promise<Set<string>> {
  const ids = new Set<string>()
  let cursor = ''
  do {
    const response = await fetch(`${gate.url}/v1/decisions?limit=200${cursor}`, {
      headers: { authorization: `Bearer ${gate.adminToken}` },
    })
    const page = (await response.json()) as {
      readonly decisions: { id: string }[]
      readonly next_cursor: string | null
    }
    for (const { id } of page.decisions) ids.add(id)
    cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`
  } while (cursor !== '')
  return ids
}

/** How long a decision may stand in the memory of each log, milliseconds. */
const HELD_MS = { '/ask': 1000, '/queued': 0, '/direct': 0 } as const
const PATHS = Object.keys(HELD_MS) as (keyof typeof HELD_MS)[]
/** What writing it may take then, on a busy machine. */
const WRITING_MS = 2500
const ASKING_MS = 6000
/** Between the rounds: a buffer that is full is written at once, and this is about one that is not. */
const PAUSE_MS = 100

test("a killed Worker loses only the decisions of its log's last interval", async () => {
  const asked: { readonly path: (typeof PATHS)[number]; readonly id: string; readonly answeredMs: number }[] = []
  const until = performance.now() + ASKING_MS
  while (performance.now() < until) {
    for (const path of PATHS) asked.push({ path, id: await ask(path, asked.length), answeredMs: performance.now() })
    await sleep(PAUSE_MS)
  }
  const killedMs = performance.now()
  await gate.kill()
  gate = await start()
  const recorded = await recordedIds()
  for (const { numbered } of queued) recorded.add(numbered.event.id)
  for (const path of PATHS) {
    const old = asked.filter((one) => one.path === path && killedMs - one.answeredMs > HELD_MS[path] + WRITING_MS)
    expect(old.length).toBeGreaterThan(0)
    expect(old.filter(({ id }) => !recorded.has(id))).toEqual([])
  }
})
