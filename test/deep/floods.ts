/**
 * Floods of a real workerd while others ask. By hand, and on a quiet machine: a percentile of waiting is that of the machine.
 *
 *   node scripts/run.mjs --with=test test/deep/floods.ts [a part of its name]
 *
 * A thousand clients that send a byte a second (they come within ten seconds: a thousand requests at one moment keep any
 * single thread busy), headers beyond every measure (a megabyte is answered by the runtime, with 431), model streams that
 * fall silent or never end, clients that leave, and connections that end at once, within a request, behind it and within
 * its answer. Who ends its side behind a whole request reads the whole answer.
 * Before each of them the others ask alone, or beside as many clients that do no harm. The same is done to a bare route of
 * Hono in the same runtime: fails where the 95th percentile of the others grows more than twice as much as there, where one of
 * their answers is not what it was, and on memory and connections that do not come back. The runtime completes the questions of
 * clients that leave: those floods fail only where they also get past a limit of requests per address.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ingest } from '../../packages/cli/src/gate-client.ts'
import { bundle } from '../../scripts/bundle.ts'
import { type ServedGate, serveBundle } from '../served-bundle.ts'
import { readSoakCorpus } from './soak-corpus.ts'
import { type Memory, measureMemory } from './workerd-memory.ts'

const FLOOD_MS = 20_000
const QUIET_MS = 10_000
/** Time until all clients of the first flood are connected. */
const COMING_MS = 10_000
const OTHERS = 3
const DOUBLED = 2
/** Memory of the Worker at the end, relative to the start: the caches of the first questions are in both. */
const LIVE_GROWTH_ALLOWED = 1.5
/** Allowed growth of open files: the other clients' connections to both runtimes are kept alive. */
const HANDLES_ALLOWED = 4 * OTHERS
/** Time until the remains of the last flood are cleared. */
const BETWEEN_MS = 5000
/** Time until abandoned streams reach their limits. */
const SETTLED_MS = 15_000

/** Questions for which the model stalls, or never ends; it answers any other at once. */
const behaves = new Map<string, 'quietly' | 'forever'>()
/** Streams of those: started, and open now for the gate; a bare route has no limit for a silent one. */
const streaming = { begun: 0, open: 0 }

const model = createServer((request, response) => {
  const read: Buffer[] = []
  request.on('data', (piece: Buffer) => read.push(piece))
  request.on('end', () => {
    const body = Buffer.concat(read).toString()
    const piece = (content: string, finish: string | null): string =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`
    if (!body.includes('"stream":true')) {
      const message = { role: 'assistant', content: 'It does.' }
      response.end(JSON.stringify({ model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }] }))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const how = [...behaves].find(([question]) => body.includes(question))?.[1]
    if (how === undefined) return void response.end(`${piece('It does.', 'stop')}data: [DONE]\n\n`)
    streaming.begun++
    const isOfGate = request.headers.authorization !== undefined
    if (isOfGate) streaming.open++
    response.write(piece('It ', null))
    const going = setInterval(() => how === 'forever' && response.write(piece('and so on ', null)), 20)
    response.on('close', () => {
      if (isOfGate) streaming.open--
      clearInterval(going)
    })
  })
})
await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))

const stateDirectory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-floods-'))
/** One in its own runtime, with these variables. */
function serve(entry: string, vars: Readonly<Record<string, string>> = {}): Promise<ServedGate> {
  const directory = join(stateDirectory, basename(entry, '.ts') + Object.keys(vars).join(''))
  return serveBundle({
    modules: bundle(entry, join(directory, 'bundle')),
    stateDirectory: directory,
    isInspected: true,
    vars: {
      // A server that listens on a port has an address of this form.
      LLM_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
      LLM_API_KEY: 'key',
      LLM_MODEL: 'm',
      LLM_TIMEOUT_SECONDS: '5',
      STREAM_IDLE_SECONDS: '5',
      STREAM_SECONDS: '10',
      ...vars,
    },
  })
}
const gate = await serve('workers/gate/index.ts')
const limited = await serve('workers/gate/index.ts', { REQUESTS_PER_MINUTE: '60' })
const bare = await serve('test/deep/bare-worker.ts')
/** The runtime under flood. */
let flooded = gate
const { documents, questions } = readSoakCorpus()
const faults: string[] = []

/** Whole answers to clients that had half-closed the connection after the request. */
let wholeAnswers = 0

/** A question as sent over a raw connection. */
const head = (question: string, more = ''): [string, string] => {
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: question }] })
  const lines = `POST /v1/chat/completions HTTP/1.1\r\nhost: gate\r\ncf-connecting-ip: 203.0.113.1\r\ncontent-type: application/json\r\n`
  return [`${lines}cache-control: no-store\r\n${more}content-length: ${body.length}\r\n\r\n`, body]
}

/** A connection that is open during a flood; its outcome does not matter. */
function opened(open: Set<Socket>): Socket {
  const { hostname, port } = new URL(flooded.url)
  const socket = connect(Number(port), hostname)
  open.add(socket)
  socket.on('error', () => undefined).on('close', () => open.delete(socket))
  return socket.on('data', () => undefined)
}

/** The model stalls or never ends for two of them, which are answered like the other clients' question. */
interface Questions {
  readonly strong: string
  readonly quietly: string
  readonly forever: string
}

type Flood = (open: Set<Socket>, untilMs: number, questions: Questions) => Promise<unknown>

/** Runs this many at a time, starting each again when it ends. */
const streams =
  (atATime: number, begin: (open: Set<Socket>, questions: Questions, at: number) => Promise<Socket>): Flood =>
  (open, untilMs, questions) =>
    Promise.all(
      Array.from({ length: atATime }, async (_, at) => {
        while (Date.now() < untilMs) {
          const socket = await begin(open, questions, at)
          while (!socket.destroyed && Date.now() < untilMs) await sleep(50)
        }
      }),
    )

const sent = async (open: Set<Socket>, question: string, more = ''): Promise<Socket> => {
  const socket = opened(open)
  socket.write(head(question, more).join(''))
  return socket
}

/** At most 10,000 in all: the local runtime keeps the file of each open for a while, and stops at 20,000. */
const leaving = (leave: (socket: Socket) => void): Flood =>
  streams(50, async (open, { forever }) => {
    const socket = await sent(open, forever)
    const staysMs = Math.random() * 50
    await sleep(staysMs)
    leave(socket)
    await sleep(100 - staysMs)
    return socket
  })

/** Half-closes the connection after sending, and continues reading. */
const ending = (open: Set<Socket>, sent: string): Socket => opened(open).end(sent)

/** Harmless clients, for the cost of a flood beyond its questions. */
const asking = (atATime: number, pauseMs: () => number): Flood =>
  streams(atATime, async (open, { strong }) => {
    await sleep(pauseMs())
    return sent(open, strong, 'connection: close\r\n')
  })
const withinASecond = (): number => Math.random() * 1000

/** Harmless load that a flood is compared with: none by default. */
const AGAINST: Readonly<Record<string, Flood>> = {
  'against as many that do not': asking(5, withinASecond),
  'against as many without': asking(20, () => 0),
}

const FLOODS: Readonly<Record<string, Flood>> = {
  '1,000 clients that send a byte a second': streams(1000, async (open, { strong }) => {
    await sleep(Math.random() * COMING_MS)
    const socket = opened(open)
    const [start, body] = head(strong)
    socket.write(start)
    let at = 0
    const dripping = setInterval(() => socket.write(body.slice(at, ++at)), 1000)
    return socket.on('close', () => clearInterval(dripping))
  }),
  '20 clients with headers of 8 kB, by the hundred, and of a megabyte, against as many without': streams(
    20,
    (open, { strong }, at) => {
      const line = (name: number): string => `x-${name}: ${'a'.repeat(70)}\r\n`
      const more =
        at % 4 === 0
          ? `x-long: ${'a'.repeat(1_000_000)}\r\n`
          : Array.from({ length: 100 }, (_, name) => line(name)).join('')
      return sent(open, strong, `connection: close\r\n${more}`)
    },
  ),
  '100 streams of a model that falls silent': streams(100, (open, { quietly }) => sent(open, quietly)),
  '100 streams of a model that does not end': streams(100, (open, { forever }) => sent(open, forever)),
  // workerd does not treat a half-closed connection as a disconnect, and completes the request.
  '50 clients at a time that reset their connection within 50 ms, ten times a second': leaving((socket) =>
    socket.resetAndDestroy(),
  ),
  '50 clients at a time that end it within 50 ms, ten times a second': leaving((socket) => socket.destroy()),
  '25 clients at a time that open a connection and end it, ten times a second': streams(25, async (open) => {
    const socket = ending(open, '')
    await sleep(100)
    return socket
  }),
  '25 clients at a time that end it within a request, ten times a second': streams(25, async (open, { strong }, at) => {
    const [start, body] = head(strong)
    const halves = ['POST /v1/ch', start.slice(0, -20), start + body.slice(0, -20)] as const
    const socket = ending(open, halves[at % halves.length]!)
    await sleep(100)
    return socket
  }),
  '5 clients at a time that end their side behind a request, twice a second, against as many that do not': streams(
    5,
    async (open, { strong }) => {
      await sleep(withinASecond())
      const socket = ending(open, head(strong).join(''))
      let answer = ''
      socket.on('data', (piece: Buffer) => (answer += piece.toString()))
      socket.on('end', () => {
        if (answer.startsWith('HTTP/1.1 200 ') && answer.includes('[DONE]')) wholeAnswers++
        else faults.push(`one that had ended its side was told: ${answer.slice(0, 200)}`)
      })
      return socket
    },
  ),
  '5 clients at a time that reset their connection within the answer, twice a second, against as many that do not':
    streams(5, async (open, { forever }) => {
      await sleep(withinASecond())
      const socket = await sent(open, forever)
      socket.once('data', () => socket.resetAndDestroy())
      return socket
    }),
}

let asked = 0
/** Asks from one of 250 other addresses, so that limits per address hold back the flood alone. */
async function ask(url: string, question: string): Promise<{ readonly status: number; readonly verdict: string }> {
  const headers = { 'content-type': 'application/json', 'cf-connecting-ip': `198.51.100.${asked++ % 250}` }
  const response = await fetch(`${url}/ask`, { method: 'POST', headers, body: JSON.stringify({ question }) })
  const { verdict } = (await response.json()) as { readonly verdict: string }
  return { status: response.status, verdict }
}

/** 95th percentile of the other clients' latency, milliseconds. */
async function othersAsk(strong: string, forMs: number): Promise<number> {
  const waited: number[] = []
  const untilMs = Date.now() + forMs
  await Promise.all(
    Array.from({ length: OTHERS }, async () => {
      while (Date.now() < untilMs) {
        const beganMs = performance.now()
        const answer = await ask(flooded.url, strong).catch(String)
        waited.push(performance.now() - beganMs)
        if (typeof answer === 'string') faults.push(`another's answer: ${answer}`)
        else if (answer.status !== 200 || answer.verdict !== 'pass') faults.push(`another's answer: ${answer.status}`)
        await sleep(20)
      }
    }),
  )
  return percentile95(waited)
}

const percentile95 = (waited: number[]): number => waited.sort((a, b) => a - b)[Math.floor(waited.length * 0.95)]!

const memory = async (): Promise<Memory> => measureMemory(await gate.inspectorUrl())
const inMiB = (bytes: number | undefined): string => (bytes === undefined ? '?' : (bytes / 2 ** 20).toFixed(1))

try {
  await Promise.all([gate, limited].map(({ url, adminToken }) => ingest(url, adminToken, documents)))
  const answered: string[] = []
  for (const question of questions) {
    const { verdict } = await ask(gate.url, question)
    if (verdict === 'pass') answered.push(question)
    if (answered.length === 3) break
  }
  const [strong, quietly, forever] = answered
  if (strong === undefined || quietly === undefined || forever === undefined)
    throw new Error('No three questions of the corpus are answered')
  behaves.set(quietly, 'quietly').set(forever, 'forever')
  await othersAsk(strong, QUIET_MS)
  const before = await memory()
  /** Increase of the other clients' latency during a flood of `to`. */
  const growth = async (name: string, flood: Flood, to: ServedGate): Promise<{ told: string; ratio: number }> => {
    flooded = to
    const open = new Set<Socket>()
    const against = Object.entries(AGAINST).find(([end]) => name.endsWith(end))?.[1]
    const [quietMs] = await Promise.all([
      othersAsk(strong, QUIET_MS),
      against?.(open, Date.now() + QUIET_MS, { strong, quietly, forever }),
    ])
    const [begunBefore, wholeBefore] = [streaming.begun, wholeAnswers]
    const untilMs = Date.now() + FLOOD_MS
    const asking = othersAsk(strong, FLOOD_MS)
    const [during] = await Promise.all([asking, flood(open, untilMs, { strong, quietly, forever })])
    const begun = streaming.begun - begunBefore
    for (const socket of open) socket.destroy()
    if (name.includes('end their side') && wholeAnswers === wholeBefore) faults.push(`${name}: none was answered`)
    if (/of a model|within the answer/.test(name) && begun === 0) faults.push(`${name}: none came to the model`)
    await sleep(BETWEEN_MS)
    const ratio = during / quietMs
    return { told: `${quietMs.toFixed(0)} → ${during.toFixed(0)} ms, ${ratio.toFixed(2)} times`, ratio }
  }
  const wanted = Object.entries(FLOODS).filter(([name]) => name.includes(process.argv[2] ?? ''))
  for (const [name, flood] of wanted) {
    const floor = await growth(name, flood, bare)
    const own = await growth(name, flood, gate)
    console.log(`${name}: p95 ${own.told}; of a bare route ${floor.told}`)
    const shed = name.includes('within 50 ms') ? await growth(name, flood, limited) : own
    if (shed !== own) console.log(`  with a limit per address: p95 ${shed.told}`)
    if (name.includes('end their side')) console.log(`  answered, by both: ${wholeAnswers}`)
    if (shed.ratio > DOUBLED * Math.max(1, floor.ratio)) faults.push(`${name}: p95 is ${shed.ratio.toFixed(2)} times`)
  }
  await sleep(SETTLED_MS)
  if (streaming.open > 0) faults.push(`${streaming.open} streams of the model are still read`)
  // The runtime releases abandoned requests at the isolate's next request.
  await ask(gate.url, strong)
  const after = await memory()
  if (before.live === undefined || after.live === undefined) console.log('memory not measured here')
  else {
    console.log(`live memory ${inMiB(before.live)} → ${inMiB(after.live)} MiB`)
    // Of both runtimes, including what V8 and the allocator keep for the next flood.
    console.log(`resident ${inMiB(before.resident)} → ${inMiB(after.resident)} MiB`)
    if (after.live > before.live * LIVE_GROWTH_ALLOWED) faults.push('the memory of the floods is not given back')
  }
  if (before.handles !== undefined && after.handles !== undefined) {
    console.log(`files and connections ${before.handles} → ${after.handles}`)
    if (after.handles > before.handles + HANDLES_ALLOWED) faults.push('connections of the floods are still open')
  }
} finally {
  await Promise.all([gate, limited, bare].map((served) => served.stop()))
  model.closeAllConnections()
  model.close()
  rmSync(stateDirectory, { recursive: true, force: true })
}
for (const fault of faults.slice(0, 20)) console.log(`✗ ${fault}`)
if (faults.length > 0) process.exitCode = 1
