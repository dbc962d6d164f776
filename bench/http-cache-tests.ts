/**
 * Runs the public HTTP cache tests (https://github.com/http-tests/cache-tests) against a route behind the gate whose
 * handler forwards its origin's responses.
 *
 *   npm run bench -- http-cache-tests <checkout of the tests> [memory|cache-api] [POST|QUERY|GET]
 *
 * GET requests of the tests are sent to the route by the given method. Prints a table, and every required test that did
 * not pass. The tests for interim responses need `undici` in the checkout: run `npm install` there.
 */
import { spawnSync } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { ROOT } from '../scripts/local-gate.ts'

interface Test {
  readonly id: string
  readonly kind?: 'required' | 'optimal' | 'check'
  readonly browser_only?: boolean
}
type Suites = readonly { readonly id: string; readonly tests: readonly Test[] }[]
type Results = Readonly<Record<string, true | readonly [kind: string, message: string]>>
interface Runner {
  readonly runTests: (suites: Suites, browserCache: boolean, base: string) => Promise<void>
  readonly getResults: () => Results
}
interface Judge {
  readonly resultTypes: Readonly<Record<string, unknown>>
  readonly determineTestResult: (suites: Suites, id: string, results: Results, honourDependencies?: boolean) => unknown
}
type Handler = (path: string[], request: IncomingMessage, response: ServerResponse) => void

const STORES = ['memory', 'cache-api']
const METHODS = ['POST', 'QUERY', 'GET']

const [checkout, store, method] = process.argv.slice(2)
if (checkout === undefined) throw new Error('Which checkout of http-tests/cache-tests?')
/** Imports a module of the tests, with the type of the members used. */
const moduleOf = async <Form>(path: string): Promise<Form> =>
  (await import(pathToFileURL(resolve(checkout, path)).href)) as Form

/** The tests' own server, on loopback only. */
async function startOrigin(): Promise<{ readonly url: string; readonly close: () => void }> {
  const handlers: Record<string, Handler> = {}
  for (const name of ['config', 'state', 'test']) {
    handlers[name] = (await moduleOf<{ default: Handler }>(`test-engine/server/handle-${name}.mjs`)).default
  }
  const server = createServer((request, response) => {
    const [, name = '', ...path] = new URL(request.url ?? '/', 'http://origin').pathname.split('/')
    const handle = handlers[name]
    if (handle !== undefined) return handle(path, request, response)
    response.writeHead(404).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() }
}

/**
 * Suites for features that an answer cache does not have: revalidation, invalidation by other methods, conditional and
 * range requests, interim responses.
 */
const OTHER_SUITES = [
  'update304',
  'invalidation',
  'conditional-inm',
  'conditional-lm',
  'partial',
  'interim',
  'updateHEAD',
]

/** Summary of the results of one kind of test. */
function tally(outcomes: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of outcomes) counts.set(name, (counts.get(name) ?? 0) + 1)
  return `${outcomes.length}: ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}`
}

async function run(store: string, method: string): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [resolve(ROOT, 'bench/http-cache/worker.ts')],
    bundle: true,
    format: 'esm',
    conditions: ['workerd'],
    write: false,
  })
  const origin = await startOrigin()
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: 'http-cache-tests',
      modules: true,
      script: outputFiles[0]!.text,
      compatibilityDate: '2026-11-01',
      compatibilityFlags: ['nodejs_compat'],
      host: '127.0.0.1',
      port: 0,
      // Bypasses the development proxy, which compresses responses.
      unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
      bindings: { ORIGIN: origin.url },
    }),
  )
  try {
    const base = `${(await miniflare.unsafeGetDirectURL()).origin}/${store}/${method}`
    const { default: suites } = await moduleOf<{ default: Suites }>('tests/index.mjs')
    const { runTests, getResults } = await moduleOf<Runner>('test-engine/client/runner.mjs')
    const { determineTestResult, resultTypes } = await moduleOf<Judge>('test-engine/lib/results.mjs')
    await runTests(suites, false, base)
    const results = getResults()
    const names = new Map(Object.entries(resultTypes).map(([name, type]) => [type, name]))
    const outcome = (id: string): string => names.get(determineTestResult(suites, id, results)) ?? ''
    const alone = (id: string): string => names.get(determineTestResult(suites, id, results, false)) ?? ''
    const all = suites.flatMap(({ id: suite, tests }) =>
      tests.flatMap(({ id, kind = 'required', browser_only: browserOnly }) =>
        browserOnly === true ? [] : [{ suite, id, kind }],
      ),
    )
    for (const kind of ['required', 'optimal', 'check']) {
      const ofKind = all.filter((test) => test.kind === kind)
      const asked = ofKind.filter(({ suite }) => !OTHER_SUITES.includes(suite))
      console.log(`${store} ${method} ${kind} ${tally(ofKind.map(({ id }) => outcome(id)))}`)
      console.log(`  each alone ${tally(ofKind.map(({ id }) => alone(id)))}`)
      console.log(`  without ${OTHER_SUITES.join(', ')} ${tally(asked.map(({ id }) => outcome(id)))}`)
    }
    for (const { suite, id, kind } of all) {
      if (kind !== 'required' || outcome(id) === 'pass') continue
      const result = results[id]
      console.log(`  ${suite} ${id}: ${outcome(id)}, ${result === true ? 'passes alone' : result?.[1]}`)
    }
  } finally {
    await miniflare.dispose()
    origin.close()
  }
}

if (store !== undefined && method !== undefined) {
  await run(store, method)
} else {
  // The tests keep results in module state, so each run is a separate process.
  for (const one of store === undefined ? STORES : [store]) {
    for (const by of METHODS)
      spawnSync(process.execPath, [...process.execArgv, process.argv[1]!, checkout, one, by], { stdio: 'inherit' })
  }
}
