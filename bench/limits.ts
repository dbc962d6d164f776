/**
 * `npm run bench -- limits [-- rounds]`: what a request of the ready Worker uses of resources that the free plan
 * limits: subrequests, D1 rows, CPU time. In workerd, without a model, with the docs as corpus.
 *
 * Subrequests and rows are counted at the bindings, and are deterministic. CPU time is that of the workerd process,
 * including the Durable Object and the simulated D1 and cache, which Cloudflare runs elsewhere: an upper bound. It is
 * the median, minimum and maximum of rounds in which all requests take turns, beside a route that only parses and
 * writes JSON. It needs Linux, and is left out elsewhere.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { docsCorpus } from '../scripts/docs-corpus.ts'
import { bundle } from '../scripts/bundle.ts'
import type { Used } from './limits/used.ts'
import { markdownTable } from './markdown-table.ts'
import { migrate } from './migrate.ts'

const TOKEN = 'bench-token-0123456789abcdef0123456789abcdef'
/** Longer than the decision log's delay before it writes. */
const UNTIL_WRITTEN_MS = 1500
/** Requests of each kind in a round. */
const PER_ROUND = 100

interface Kind {
  readonly name: string
  readonly path: string
  readonly question: string
  readonly verdict?: 'pass' | 'refuse'
  /** Whether each request varies its letter case, so that no cache has the answer. */
  readonly fresh?: boolean
}

const STRONG = 'How long is a strong answer cached?'
const OFF_TOPIC = 'Which river flows through the capital of Peru?'

const KINDS: readonly Kind[] = [
  { name: 'JSON in, JSON out', path: '/bare', question: STRONG },
  { name: 'passes, answered', path: '/ask', question: STRONG, verdict: 'pass', fresh: true },
  { name: 'refused', path: '/ask', question: OFF_TOPIC, verdict: 'refuse', fresh: true },
  { name: 'from the cache', path: '/ask', question: STRONG, verdict: 'pass' },
]

/** Number of requests so far. */
let asked = 0
const rounds = Number(process.argv[2] ?? 9)
const directory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-limits-'))
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    name: 'limits',
    modules: bundle('bench/limits/worker.ts', directory),
    modulesRoot: directory,
    compatibilityDate: '2026-11-01',
    compatibilityFlags: ['nodejs_compat'],
    host: '127.0.0.1',
    port: 0,
    d1Databases: ['DB'],
    durableObjects: {
      ANSWER_FLIGHTS: { className: 'AnswerFlight', useSQLite: true },
    },
    bindings: { ADMIN_TOKEN: TOKEN },
  }),
)
try {
  await measure((await miniflare.ready).origin)
} finally {
  await miniflare.dispose()
  rmSync(directory, { recursive: true })
}

async function measure(url: string): Promise<void> {
  await migrate(miniflare)
  const ingested = await ingestDocs(url)
  const rows: string[][] = [
    [`${ingested.documents} documents, ${ingested.chunks} chunks in`, ...counts(ingested.used, 1)],
  ]
  for (const kind of KINDS.slice(1)) {
    // The first request fills the caches; it is not counted.
    await ask(url, kind)
    await settled(url)
    for (let n = 0; n < PER_ROUND; n++) await ask(url, kind)
    rows.push([kind.name, ...counts(await settled(url), PER_ROUND)])
  }
  const head = ['request', 'calls of D1', 'statements', 'rows read', 'rows written', 'of the cache']
  console.log(`${markdownTable(head, rows)}\n\nMeans over ${PER_ROUND} requests, one after the other.\n`)
  if (workerdCpuMs() === undefined) return

  const spent = new Map(KINDS.map(({ name }) => [name, [] as number[]]))
  for (let round = 0; round < rounds; round++) {
    for (const kind of KINDS) {
      const before = workerdCpuMs() ?? 0
      for (let n = 0; n < PER_ROUND; n++) await ask(url, kind)
      spent.get(kind.name)?.push(((workerdCpuMs() ?? 0) - before) / PER_ROUND)
    }
  }
  const cpu = KINDS.map(({ name }) => [name, withRange(spent.get(name) ?? [])])
  console.log(markdownTable(['request', 'CPU of workerd, ms: median (lowest to highest)'], cpu))
  console.log(`\n${rounds} rounds of ${PER_ROUND} requests of each kind.`)
}

async function ask(url: string, { path, question, verdict, fresh = false, name }: Kind): Promise<void> {
  const body = JSON.stringify({ question: fresh ? inOtherLetters(question, asked++) : question })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url + path, { method: 'POST', headers, body })
  const gate = response.headers.get('rag-gate')
  const text = await response.text()
  if (!response.ok || (verdict !== undefined && gate?.startsWith(verdict) !== true)) {
    throw new Error(`${name} answered ${response.status}, ${gate}: ${text.slice(0, 300)}`)
  }
  const cached = response.headers.get('cache-status')?.includes('hit') === true
  if (path === '/ask' && fresh && cached) throw new Error(`${name} came from the cache`)
}

/** Capitalises the letters at the one bits of a number: another cache key, the same words. */
function inOtherLetters(question: string, number: number): string {
  let rest = number
  return question.toLowerCase().replaceAll(/[a-z]/g, (letter) => {
    const is = rest % 2 === 1
    rest = Math.floor(rest / 2)
    return is ? letter.toUpperCase() : letter
  })
}

/** The usage, including writes after the last response. */
async function settled(url: string): Promise<Used> {
  await sleep(UNTIL_WRITTEN_MS)
  // The Worker's own format.
  return (await (await fetch(`${url}/used`)).json()) as Used
}

async function ingestDocs(url: string): Promise<{ documents: number; chunks: number; used: Used }> {
  const documents = docsCorpus()
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` }
  const response = await fetch(`${url}/v1/documents`, { method: 'POST', headers, body: JSON.stringify({ documents }) })
  if (!response.ok) throw new Error(`The docs were not taken: ${await response.text()}`)
  // The format of the HTTP API.
  const reply = (await response.json()) as { documents: readonly { chunks: number }[] }
  const chunks = reply.documents.reduce((sum, document) => sum + document.chunks, 0)
  return { documents: documents.length, chunks, used: await settled(url) }
}

function counts(used: Used, requests: number): string[] {
  const { d1Calls, d1Statements, rowsRead, rowsWritten, cacheCalls } = used
  return [d1Calls, d1Statements, rowsRead, rowsWritten, cacheCalls].map((count) =>
    String(Math.round((count / requests) * 100) / 100),
  )
}

function withRange(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b)
  const shown = [sorted[Math.floor(sorted.length / 2)], sorted[0], sorted.at(-1)].map((value) =>
    (value ?? NaN).toFixed(2),
  )
  return `${shown[0]} (${shown[1]} to ${shown[2]})`
}

/** CPU time so far of all workerd processes below this one, milliseconds; `undefined` without /proc. */
function workerdCpuMs(): number | undefined {
  try {
    const all = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))
    const stats = new Map(all.flatMap((pid) => readStat(pid) ?? []))
    const isOurs = (pid: number): boolean =>
      pid === process.pid || (stats.has(pid) && isOurs(stats.get(pid)?.parent ?? 0))
    const ours = [...stats].filter(([pid, { name }]) => name === 'workerd' && isOurs(pid))
    // The kernel counts in hundredths of a second.
    return ours.reduce((sum, [, { ticks }]) => sum + ticks * 10, 0)
  } catch {
    return undefined
  }
}

function readStat(pid: string): [number, { name: string; parent: number; ticks: number }][] | undefined {
  try {
    const [, name = '', rest = ''] = /^\d+ \((.*)\) \S (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    const fields = rest.split(' ').map(Number)
    // Fields after the state: the parent is first, user and system time are eleventh and twelfth.
    return [[Number(pid), { name, parent: fields[0] ?? 0, ticks: (fields[10] ?? 0) + (fields[11] ?? 0) }]]
  } catch {
    // The process has ended in the meantime.
    return undefined
  }
}
