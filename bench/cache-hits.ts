/**
 * What a hit costs: requests per second and CPU of a stored answer, from the isolate's memory and from the Cache API,
 * beside a bare Hono route that answers the same, in workerd, as ratios of one run.
 *
 *   npm run bench -- cache-hits [-- rounds]
 *
 * All routes take turns in every round; the bare route stands there twice, and the ratio of the twins says how far the
 * others can be trusted. CPU is that of the workerd process, from /proc, so on Linux only.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { ROOT } from '../scripts/local-gate.ts'
import { bundleScript, inWorkerd } from './in-workerd.ts'
import { markdownTable } from './markdown-table.ts'

/** Requests of one turn of a route: short turns, so that what else the machine does meets all routes alike. */
const REQUESTS = 2000
const CONNECTIONS = 16
const QUESTION = JSON.stringify({ question: 'How does the engine start with the red key?' })
const HEADERS = { 'content-type': 'application/json' }
/** The length of a tick of the clock of processes, microseconds: 100 a second on every Linux. */
const TICK_US = 10_000

const ROUTES = [
  { name: 'bare Hono route', path: '/bare' },
  { name: 'its twin', path: '/bare-twin' },
  { name: 'hit, memory', path: '/hit-memory', status: 'rag-gate; hit' },
  { name: 'hit, Cache API', path: '/hit-cache-api', status: 'rag-gate; hit' },
] as const

interface Measured {
  readonly perSecond: number
  readonly cpuUs: number
}

/** CPU that a process and its children used so far, microseconds. */
function cpuOf(pid: number): number {
  // The name of the process, in brackets, may hold anything; user and system time are the 14th and 15th field.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  return (
    (Number(fields[11]) + Number(fields[12])) * TICK_US + childrenOf(pid).reduce((sum, child) => sum + cpuOf(child), 0)
  )
}

function childrenOf(pid: number): number[] {
  const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return listed === '' ? [] : listed.split(' ').map(Number)
}

/** The workerd process that Miniflare started. */
function workerdPid(): number {
  const found = childrenOf(process.pid).find((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('workerd'))
  if (found === undefined) throw new Error('workerd was not found among the children of this process')
  return found
}

async function load(url: string, route: (typeof ROUTES)[number], pid: number): Promise<Measured> {
  const check = await fetch(url + route.path, { method: 'POST', headers: HEADERS, body: QUESTION })
  const said = check.headers.get('cache-status') ?? undefined
  if (!check.ok || ('status' in route && said !== route.status))
    throw new Error(`${route.name}: ${check.status}, ${said}`)
  await check.arrayBuffer()
  const before = cpuOf(pid)
  const answeredMs: number[] = []
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options = { method: 'POST', headers: HEADERS, body: QUESTION, connections: CONNECTIONS } as const
    const running = autocannon({ ...options, url: url + route.path, amount: REQUESTS }, (thrown: unknown, ended) =>
      thrown === null || thrown === undefined ? resolve(ended) : reject(thrown as Error),
    )
    running.on('response', () => answeredMs.push(performance.now()))
  })
  const failed = result.non2xx + result.errors
  if (failed > 0) throw new Error(`${route.name}: ${failed} failures`)
  return {
    // A turn is shorter than the second in which requests are counted, and latencies are whole milliseconds.
    perSecond: (1000 * (answeredMs.length - 1)) / (answeredMs.at(-1)! - answeredMs[0]!),
    cpuUs: (cpuOf(pid) - before) / result.requests.total,
  }
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

const rounds = Number(process.argv[2] ?? 15)
const directory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-bench-'))
const worker = join(directory, 'worker.mjs')
await bundleScript(join(ROOT, 'bench', 'cache-hits', 'worker.ts'), worker)
const miniflare = inWorkerd(worker)
try {
  const url = (await miniflare.ready).origin
  const pid = workerdPid()
  for (const { path } of ROUTES)
    await (await fetch(url + path, { method: 'POST', headers: HEADERS, body: QUESTION })).text()
  const measured = ROUTES.map((): Measured[] => [])
  for (let round = 0; round <= rounds; round++) {
    for (const [at, route] of ROUTES.entries()) {
      const result = await load(url, route, pid)
      // The first round warms up.
      if (round > 0) measured[at]?.push(result)
    }
  }
  const [floor = []] = measured
  const rows = ROUTES.map(({ name }, at) => {
    const own = measured[at] ?? []
    const ratios = own.map(({ perSecond }, round) => perSecond / (floor[round]?.perSecond ?? NaN))
    const over = own.map(({ cpuUs }, round) => cpuUs - (floor[round]?.cpuUs ?? NaN))
    const range = (values: readonly number[], digits: number): string =>
      `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`
    return [
      name,
      median(own.map(({ perSecond }) => perSecond)).toFixed(0),
      range(ratios, 2),
      median(own.map(({ cpuUs }) => cpuUs)).toFixed(0),
      range(over, 0),
    ]
  })
  console.log(
    `${rounds} rounds of ${REQUESTS} requests, ${CONNECTIONS} connections; medians over the rounds (lowest to highest)`,
  )
  console.log(markdownTable(['route', 'requests/s', 'of bare', 'CPU, µs', 'over bare, µs'], rows))
} finally {
  await miniflare.dispose()
  rmSync(directory, { recursive: true, force: true })
}
