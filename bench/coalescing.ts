/**
 * The cost of many concurrent identical questions: model calls, and times of the first and last byte. Prints a table
 * for docs/internal/speed.md.
 *
 *   npm run bench -- coalescing [-- stream|json|failing …]
 *
 * In workerd, with the Durable Object, in one isolate and in two; the model is a local server that streams its answer
 * over 14 seconds, or returns JSON after 12, or fails after 2. Times are those of the slowest request.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { markdownTable } from './markdown-table.ts'

const ROUNDS = 2
const ASKERS = [1, 20, 100]
const EVENTS = 28
const BEFORE_FIRST_MS = 500
const STREAM_MS = 14_000
const JSON_MS = 12_000
const FAILING_MS = 2000
const FORMS = ['stream', 'json', 'failing']
const forms = process.argv.length > 2 ? process.argv.slice(2) : FORMS

let calls = 0
const model = createServer((request, response) => {
  calls++
  request.resume()
  void (async () => {
    if (request.url?.includes('form=json')) {
      await sleep(JSON_MS)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"answer":"Turn the red key."}')
      return
    }
    if (request.url?.includes('form=failing')) {
      await sleep(FAILING_MS)
      response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":"overloaded"}')
      return
    }
    await sleep(BEFORE_FIRST_MS)
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    for (let event = 0; event < EVENTS; event++) {
      response.write(`data: {"choices":[{"index":0,"delta":{"content":"word ${event} "}}]}\n\n`)
      await sleep((STREAM_MS - BEFORE_FIRST_MS) / EVENTS)
    }
    response.end('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
  })()
})
await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
// A server listening on an address and port has both.
const { port } = model.address() as AddressInfo

const directory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-bench-'))
const path = join(directory, 'worker.mjs')
await build({
  entryPoints: [join(import.meta.dirname, 'coalescing/worker.ts')],
  outfile: path,
  bundle: true,
  format: 'esm',
  external: ['cloudflare:workers'],
  logLevel: 'silent',
})
const isolate = {
  modules: [{ type: 'ESModule' as const, path }],
  modulesRoot: dirname(path),
  compatibilityDate: '2026-11-01',
  bindings: { MODEL_URL: `http://127.0.0.1:${port}/` },
}
const flights = { className: 'AnswerFlight', useSQLite: true }
const shared = { FLIGHTS: { ...flights, scriptName: 'flights' } }
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    host: '127.0.0.1',
    port: 0,
    workers: [
      {
        ...isolate,
        name: 'flights',
        durableObjects: { FLIGHTS: flights },
        serviceBindings: { FIRST: 'first', SECOND: 'second' },
      },
      { ...isolate, name: 'first', durableObjects: shared },
      { ...isolate, name: 'second', durableObjects: shared },
    ],
  }),
)
const url = await miniflare.ready

async function ask(route: string, form: string, isolateAt: number, question: string) {
  const begunMs = performance.now()
  const response = await fetch(new URL(`/${route}?form=${form}&isolate=${isolateAt}`, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ question }),
  })
  let firstMs: number | undefined
  if (response.status !== (form === 'failing' ? 503 : 200) || response.body === null)
    throw new Error(`${response.status}`)
  for await (const _piece of response.body) firstMs ??= performance.now() - begunMs
  return { firstMs: firstMs ?? Infinity, lastMs: performance.now() - begunMs }
}

/** The same question for the gate, but a different one for the cache. */
const spelled = (bits: number): string =>
  ['how', 'does', 'the', 'engine', 'start']
    .map((word, at) => ((bits >> at) & 1 ? word.toUpperCase() : word))
    .join(' ')
    .concat('?')

const seconds = (ms: readonly number[]): string =>
  `${(Math.min(...ms) / 1000).toFixed(2)}–${(Math.max(...ms) / 1000).toFixed(2)}`

const rows: string[][] = []
let asked = 0
for (const route of ['separate', 'coalesced']) {
  for (const form of forms) {
    for (const isolates of [1, 2]) {
      for (const askers of ASKERS) {
        // Without coalescing, the number of requests and isolates does not matter.
        if (route === 'separate' && (askers === 100 || isolates === 2)) continue
        const rounds: { calls: number; firstMs: number; lastMs: number }[] = []
        for (let round = 0; round < ROUNDS; round++) {
          calls = 0
          const question = spelled(asked++)
          const times = await Promise.all(
            Array.from({ length: askers }, (_, at) => ask(route, form, at % isolates, question)),
          )
          rounds.push({
            calls,
            firstMs: Math.max(...times.map(({ firstMs }) => firstMs)),
            lastMs: Math.max(...times.map(({ lastMs }) => lastMs)),
          })
        }
        rows.push([
          route,
          form,
          String(askers),
          String(isolates),
          [...new Set(rounds.map((round) => round.calls))].join(', '),
          seconds(rounds.map(({ firstMs }) => firstMs)),
          seconds(rounds.map(({ lastMs }) => lastMs)),
        ])
        console.error(rows.at(-1)!.join(' | '))
      }
    }
  }
}
console.log(markdownTable(['', 'model', 'askers', 'isolates', 'calls', 'first byte, s', 'last byte, s'], rows))
await miniflare.dispose()
model.close()
rmSync(directory, { recursive: true, force: true })
