/** Serves the routes of `overhead-worker.ts` in workerd, with the project's docs as corpus, and loads them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { ingest } from '../packages/cli/src/gate-client.ts'
import { ROOT } from '../scripts/local-gate.ts'
import { bundle } from '../scripts/bundle.ts'
import { migrate } from './migrate.ts'

export const STRONG = 'How long is a strong answer cached?'
export const OFF_TOPIC = 'Which river flows through the capital of Peru?'
export const SECONDS = 2
export const CONNECTIONS = 16

/** A route, and its question. */
export interface Route {
  readonly name: string
  readonly path: string
  readonly question: string
  /** Required verdict of the gate, so that the route measures what its name states. */
  readonly verdict?: 'pass' | 'refuse'
}

/** The running routes. */
export interface OverheadSite {
  readonly url: string
  readonly miniflare: Miniflare
  readonly documents: number
  close(): Promise<void>
}

/** Serves the routes and ingests the documents. */
export async function serveOverhead(): Promise<OverheadSite> {
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
      bindings: { ADMIN_TOKEN: token },
    }),
  )
  const close = async (): Promise<void> => {
    await miniflare.dispose()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const url = (await miniflare.ready).origin
    await migrate(miniflare)
    const docs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'))
    const texts = docs.map((name) => ({ id: name, text: readFileSync(join(ROOT, 'docs', name), 'utf8') }))
    await ingest(url, token, texts)
    return { url, miniflare, documents: docs.length, close }
  } catch (thrown) {
    await close()
    throw thrown
  }
}

/**
 * Loads a route for a while, as fast as it answers or at a fixed rate of requests per second.
 *
 * @throws if a response is wrong or fails
 */
export async function load(
  url: string,
  { path, question, verdict, name }: Route,
  requestsPerSecond?: number,
): Promise<autocannon.Result> {
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
    ...(requestsPerSecond !== undefined && { overallRate: requestsPerSecond }),
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${name}: ${result.non2xx} failures, ${result.errors} errors`)
  return result
}

/** The median; of an even number of values the upper one. */
export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
