/**
 * What the gate costs: requests per second and latency of the same question route with and without it, as ratios of one
 * run, in workerd, with the embedded index, D1 and the project's docs as corpus.
 *
 *   npm run bench:overhead [-- rounds]
 *
 * All routes take turns in every round, so that a machine that slows down slows them all; a hand-written route stands
 * there twice, and the ratio of the twins says how far the others can be trusted.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { ingest } from '../src/cli/gate-client.ts'
import { ROOT } from '../scripts/local-gate.ts'
import { bundle } from './bundle.ts'
import { migrate } from './migrate.ts'

const STRONG = 'How long is a strong answer cached?'
const OFF_TOPIC = 'Which river flows through the capital of Peru?'
const SECONDS = 2
const CONNECTIONS = 16

interface Route {
  readonly name: string
  readonly path: string
  readonly question: string
  /** Verdict that the gate must give, so that the route measures what its name says. */
  readonly verdict?: 'pass' | 'refuse'
}

const ROUTES: readonly Route[] = [
  { name: 'JSON floor', path: '/json', question: STRONG },
  { name: 'hand-written RAG', path: '/hand-written', question: STRONG },
  { name: 'its twin', path: '/hand-written-twin', question: STRONG },
  { name: 'gated, passes', path: '/gated', question: STRONG, verdict: 'pass' },
  { name: 'gated, passes, recorded in D1', path: '/gated-recorded', question: STRONG, verdict: 'pass' },
  { name: 'gated, refuses', path: '/gated', question: OFF_TOPIC, verdict: 'refuse' },
  { name: 'hand-written, off topic', path: '/hand-written', question: OFF_TOPIC },
  { name: 'cache hit, memory', path: '/hit-memory', question: STRONG, verdict: 'pass' },
  { name: 'cache hit, Cache API', path: '/hit-cache-api', question: STRONG, verdict: 'pass' },
]

async function load(url: string, { path, question, verdict, name }: Route): Promise<autocannon.Result> {
  const body = JSON.stringify({ question })
  const headers = { 'content-type': 'application/json' }
  const check = await fetch(url + path, { method: 'POST', headers, body })
  const gate = check.headers.get('rag-gate')
  if (!check.ok || (verdict !== undefined && gate?.startsWith(verdict) !== true)) {
    throw new Error(`${name} answered ${check.status}, ${gate}`)
  }
  await check.arrayBuffer()
  const result = await autocannon({
    url: url + path,
    method: 'POST',
    headers,
    body,
    connections: CONNECTIONS,
    duration: SECONDS,
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${name}: ${result.non2xx} failures, ${result.errors} errors`)
  return result
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

const rounds = Number(process.argv[2] ?? 5)
const directory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-bench-'))
const modules = bundle('bench/overhead-worker.ts', directory)
const token = 'bench-token-0123456789abcdef0123456789abcdef'
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    name: 'overhead',
    modules,
    modulesRoot: directory,
    compatibilityDate: '2026-11-01',
    compatibilityFlags: ['nodejs_compat'],
    host: '127.0.0.1',
    port: 0,
    d1Databases: ['DB'],
    durableObjects: { VECTOR_INDEX: { className: 'VectorIndex', useSQLite: true } },
    bindings: { ADMIN_TOKEN: token },
  }),
)
try {
  const url = (await miniflare.ready).origin
  await migrate(miniflare)
  const docs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'))
  await ingest(
    url,
    token,
    docs.map((name) => ({ id: name, text: readFileSync(join(ROOT, 'docs', name), 'utf8') })),
  )
  const results = new Map<Route, autocannon.Result[]>(ROUTES.map((route) => [route, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const route of ROUTES) {
      const result = await load(url, route)
      // The first round warms up.
      if (round > 0) results.get(route)?.push(result)
    }
  }
  const rates = (path: string, question: string): number[] =>
    (results.get(ROUTES.find((route) => route.path === path && route.question === question) ?? ROUTES[0]!) ?? []).map(
      (result) => result.requests.average,
    )
  const floor = rates('/json', STRONG)
  console.log(
    `${rounds} rounds of ${SECONDS} s, ${CONNECTIONS} connections, ${docs.length} documents; medians over the rounds`,
  )
  console.log(`${'route'.padEnd(32)} req/s   of hand-written (lowest–highest)   of the floor   p50 ms   p99 ms`)
  for (const route of ROUTES) {
    const own = results.get(route) ?? []
    const compared = rates('/hand-written', route.question)
    const ratios = own.map((result, at) => result.requests.average / (compared[at] ?? NaN))
    const toFloor = own.map((result, at) => result.requests.average / (floor[at] ?? NaN))
    const range = `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`
    const rps = median(own.map((result) => result.requests.average)).toFixed(0)
    const p50 = median(own.map((result) => result.latency.p50)).toFixed(0)
    const p99 = median(own.map((result) => result.latency.p99)).toFixed(0)
    console.log(
      `${route.name.padEnd(32)} ${rps.padStart(5)}   ${range.padEnd(32)} ${median(toFloor).toFixed(2).padStart(12)}   ${p50.padStart(6)}   ${p99.padStart(6)}`,
    )
  }
} finally {
  await miniflare.dispose()
  rmSync(directory, { recursive: true, force: true })
}
