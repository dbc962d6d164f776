/**
 * The cost of a cache hit: requests per second and CPU time of a stored answer, from the isolate's memory and from the
 * Cache API, compared with a bare Hono route with the same response, and with the minimum of any gate. In workerd, as
 * ratios within one run.
 *
 *   npm run bench -- cache-hits [-- rounds]
 *
 * All routes take turns in every round; the bare route occurs twice, and the ratio of the two shows how precise the
 * others are. CPU time is that of the workerd process, from /proc, so on Linux only.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { ROOT } from '../scripts/local-gate.ts'
import { bundleScript, inWorkerd, originOf } from '../scripts/in-workerd.ts'
import { markdownTable } from './markdown-table.ts'
import { median, medianWithInterval } from './medians.ts'
import { workerdCpuMs } from './workerd-cpu.ts'

/** Requests per turn of a route: turns are short, so that other load on the machine affects all routes alike. */
const REQUESTS = 500
const CONNECTIONS = 16
const QUESTION = JSON.stringify({ question: 'How does the engine start with the red key?' })
const HEADERS = { 'content-type': 'application/json' }

const ROUTES = [
  { name: 'bare Hono route', path: '/bare' },
  { name: 'its twin', path: '/bare-twin' },
  { name: 'the floor', path: '/floor' },
  { name: 'hit, memory', path: '/hit-memory', status: 'rag-gate; hit' },
  { name: 'hit, Cache API', path: '/hit-cache-api', status: 'rag-gate; hit' },
] as const

interface Measured {
  readonly perSecond: number
  readonly cpuUs: number
}

async function load(url: string, route: (typeof ROUTES)[number]): Promise<Measured> {
  const check = await fetch(url + route.path, { method: 'POST', headers: HEADERS, body: QUESTION })
  const said = check.headers.get('cache-status') ?? undefined
  if (!check.ok || ('status' in route && said !== route.status))
    throw new Error(`${route.name}: ${check.status}, ${said}`)
  await check.arrayBuffer()
  const beforeMs = workerdCpuMs()
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
    // A turn is too short for counting requests per second, and latencies have a resolution of a millisecond.
    perSecond: (1000 * (answeredMs.length - 1)) / (answeredMs.at(-1)! - answeredMs[0]!),
    cpuUs: (1000 * (workerdCpuMs() - beforeMs)) / result.requests.total,
  }
}

const rounds = Number(process.argv[2] ?? 40)
const directory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-bench-'))
const worker = join(directory, 'worker.mjs')
await bundleScript(join(ROOT, 'bench', 'cache-hits', 'worker.ts'), worker)
const miniflare = inWorkerd(worker)
try {
  const url = await originOf(miniflare)
  for (const { path } of ROUTES)
    await (await fetch(url + path, { method: 'POST', headers: HEADERS, body: QUESTION })).text()
  const measured = ROUTES.map((): Measured[] => [])
  for (let round = 0; round <= rounds; round++) {
    for (const [at, route] of ROUTES.entries()) {
      const result = await load(url, route)
      // The first round is a warm-up.
      if (round > 0) measured[at]?.push(result)
    }
  }
  const [floor = []] = measured
  const rows = ROUTES.map(({ name }, at) => {
    const own = measured[at] ?? []
    const ratios = own.map(({ perSecond }, round) => perSecond / (floor[round]?.perSecond ?? NaN))
    const over = own.map(({ cpuUs }, round) => cpuUs - (floor[round]?.cpuUs ?? NaN))
    return [
      name,
      median(own.map(({ perSecond }) => perSecond)).toFixed(0),
      medianWithInterval(ratios, 2),
      median(own.map(({ cpuUs }) => cpuUs)).toFixed(0),
      medianWithInterval(over, 0),
      medianWithInterval(
        own.map(({ cpuUs }, round) => cpuUs / (floor[round]?.cpuUs ?? NaN)),
        2,
      ),
    ]
  })
  console.log(
    `${rounds} rounds of ${REQUESTS} requests, ${CONNECTIONS} connections; medians over the rounds, with 95 % intervals`,
  )
  console.log(markdownTable(['route', 'requests/s', 'of bare', 'CPU, µs', 'over bare, µs', 'CPU of bare'], rows))
} finally {
  await miniflare.dispose()
  rmSync(directory, { recursive: true, force: true })
}
