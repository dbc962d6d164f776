/**
 * The gate compared with a bare proxy, direct model calls, and Portkey's gateway: time to the first byte, and requests
 * per second from the cache, as ratios within one run.
 *
 *   npm run bench -- gateways [-- path-of-a-built-Portkey|- [rounds]]
 *
 * The model is a local server that answers after 10 ms. Each gateway is a separate workerd process, and all take turns
 * in every round. Portkey's is built in a checkout of Portkey-AI/gateway, with `"cache": true` in its `conf.json`, by
 * `wrangler deploy src/index.ts --dry-run --minify --outdir build-workerd`; the path is that of
 * `build-workerd/index.js`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer, request as ask } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { convertV4MiniflareOptions, Miniflare, type V4ModuleDefinition } from 'miniflare'
import { ingest } from '../packages/cli/src/gate-client.ts'
import { bundle } from '../scripts/bundle.ts'
import { bundleScript, inWorkerd, originOf } from '../scripts/in-workerd.ts'
import { markdownTable } from './markdown-table.ts'
import { median, medianWithInterval } from './medians.ts'
import { migrate } from './migrate.ts'
import { workerdCpuMs } from './workerd-cpu.ts'

const BEFORE_FIRST_MS = 10
/** Requests per turn: sequential for the first byte, with this many connections for cached answers. */
const FIRST_BYTES = 4
const HITS = 400
const CONNECTIONS = 8
/** Requests to each before measuring, so that the code is compiled. */
const WARM = 60
const TOKEN = 'bench-token-0123456789abcdef0123456789abcdef'
const WORDS = 'how long is a strong answer kept in the cache of a gate'.split(' ')
const [portkeyPath = '-', given = '25'] = process.argv.slice(2)
const rounds = Number(given)

const event = (content: string, reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: reason }] })}\n\n`
const model = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += String(piece)))
  request.on('end', () => void answer((JSON.parse(body) as { stream?: boolean }).stream === true))
  async function answer(isStream: boolean): Promise<void> {
    await sleep(BEFORE_FIRST_MS)
    if (!isStream) {
      const message = { role: 'assistant', content: 'A day [1].' }
      const usage = { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 }
      const choices = [{ index: 0, finish_reason: 'stop', message }]
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage }))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const word of ['A', ' day', ' [1].']) {
      response.write(event(word))
      await sleep(5)
    }
    response.end(`${event('', 'stop')}data: [DONE]\n\n`)
  }
})
await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
// A server listening on an address and port has both.
const modelUrl = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`

interface Target {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly bodyOf: (question: string, stream: boolean) => object
  /** Header and value that mark a cached answer. */
  readonly hit?: readonly [header: string, value: RegExp]
  /** Does not call the model. */
  readonly isBare?: boolean
}

const directory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-bench-'))
// Portkey caches requests without the member `stream`, but not with `false`.
const chat = (question: string, stream: boolean): object => ({
  model: 'm',
  ...(stream && { stream }),
  messages: [{ role: 'user', content: question }],
})
const own = join(directory, 'own', 'worker.mjs')
await bundleScript(join(import.meta.dirname, 'gateways', 'worker.ts'), own)
const running: Miniflare[] = [inWorkerd(own, { MODEL_URL: modelUrl })]

const serve = (name: string, modules: V4ModuleDefinition[], others: object): Miniflare => {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name,
      modules,
      modulesRoot: dirname(modules[0]!.path),
      compatibilityDate: '2026-11-01',
      compatibilityFlags: ['nodejs_compat'],
      host: '127.0.0.1',
      port: 0,
      unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
      ...others,
    }),
  )
  running.push(miniflare)
  return miniflare
}

async function targets(): Promise<readonly Target[]> {
  const json = { 'content-type': 'application/json' }
  const ownUrl = await originOf(running[0]!)
  const question = (text: string, stream: boolean): object => ({ question: text, stream })
  const gate = serve('gate', bundle('workers/gate/index.ts', directory), {
    d1Databases: ['DB'],
    durableObjects: { ANSWER_FLIGHTS: { className: 'AnswerFlight', useSQLite: true } },
    bindings: {
      ADMIN_TOKEN: TOKEN,
      LLM_BASE_URL: modelUrl,
      LLM_API_KEY: 'key',
      LLM_MODEL: 'm',
      REQUESTS_PER_MINUTE: '100000',
    },
  })
  const gateUrl = await originOf(gate, 'gate')
  await migrate(gate)
  await ingest(gateUrl, TOKEN, [{ id: 'a', text: `# Cache\n\nHow ${WORDS.slice(1).join(' ')}: a day.` }])
  const portkey: Target[] = []
  if (portkeyPath !== '-') {
    const served = serve('portkey', [{ type: 'ESModule', path: portkeyPath }], {
      bindings: { ENVIRONMENT: 'dev', CUSTOM_HEADERS_TO_IGNORE: [] },
    })
    const config = { provider: 'openai', api_key: 'key', custom_host: modelUrl, cache: { mode: 'simple' } }
    portkey.push({
      name: 'Portkey',
      url: `${await originOf(served, 'portkey')}/v1/chat/completions`,
      headers: { ...json, 'x-portkey-config': JSON.stringify(config) },
      bodyOf: chat,
      hit: ['x-portkey-cache-status', /^HIT$/],
    })
  }
  return [
    { name: 'bare proxy', url: `${ownUrl}/bare`, headers: json, bodyOf: question },
    { name: 'its twin', url: `${ownUrl}/bare`, headers: json, bodyOf: question },
    {
      name: 'a bare route',
      url: `${ownUrl}/answered`,
      headers: json,
      bodyOf: question,
      hit: ['content-type', /json/],
      isBare: true,
    },
    { name: 'the model directly', url: `${modelUrl}/chat/completions`, headers: json, bodyOf: chat },
    {
      name: 'gate, middleware',
      url: `${ownUrl}/gated`,
      headers: json,
      bodyOf: question,
      hit: ['cache-status', /; hit$/],
    },
    {
      name: 'gate, ready Worker',
      url: `${gateUrl}/v1/chat/completions`,
      headers: { ...json, authorization: `Bearer ${TOKEN}` },
      bodyOf: chat,
      hit: ['cache-status', /; hit(?:;|$)/],
    },
    ...portkey,
  ]
}

let asked = 0
/** The same question for the gate, but a different one for every cache. */
function another(): string {
  const bits = ++asked
  return `${WORDS.map((word, at) => ((bits >> at) & 1 ? word.toUpperCase() : word)).join(' ')}?`
}

const agent = new Agent({ keepAlive: true })

/** Milliseconds until the first byte of the body. */
function firstByte(target: Target, question: string, stream: boolean): Promise<number> {
  const { url, headers, bodyOf } = target
  return new Promise((resolve, reject) => {
    const begunMs = performance.now()
    const sent = ask(url, { method: 'POST', headers, agent }, (response) => {
      let ms: number | undefined
      let body = ''
      response.on('data', (piece) => {
        ms ??= performance.now() - begunMs
        body += String(piece)
      })
      response.on('end', () =>
        response.statusCode === 200 && ms !== undefined && body.includes('day')
          ? resolve(ms)
          : reject(new Error(`${target.name}: ${response.statusCode} ${body}`)),
      )
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(bodyOf(question, stream)))
  })
}

const HIT = `${WORDS.join(' ')}?`

async function hits(target: Target): Promise<{ readonly perSecond: number; readonly cpuUs: number }> {
  const { url, headers, bodyOf, hit } = target
  const body = JSON.stringify(bodyOf(HIT, false))
  const check = await fetch(url, { method: 'POST', headers, body })
  await check.arrayBuffer()
  const [name, value] = hit!
  if (!value.test(check.headers.get(name) ?? '')) throw new Error(`${target.name}: ${check.headers.get(name)}`)
  const beforeMs = workerdCpuMs()
  const answeredMs: number[] = []
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const options = { url, method: 'POST', headers, body, connections: CONNECTIONS, amount: HITS } as const
    autocannon(options, (thrown: unknown, ended) =>
      thrown === null || thrown === undefined ? resolve(ended) : reject(thrown as Error),
    ).on('response', () => answeredMs.push(performance.now()))
  })
  if (result.non2xx + result.errors > 0) throw new Error(`${target.name}: ${result.non2xx} failures`)
  return {
    perSecond: (1000 * (HITS - 1)) / (answeredMs.at(-1)! - answeredMs[0]!),
    cpuUs: (1000 * (workerdCpuMs() - beforeMs)) / HITS,
  }
}

try {
  const targeted = await targets()
  const cached = targeted.filter(({ hit }) => hit !== undefined)
  const all = targeted.filter(({ isBare }) => !isBare)
  const firstMs = new Map<string, number[]>()
  const byHit = new Map(cached.map(({ name }) => [name, [] as { perSecond: number; cpuUs: number }[]]))
  for (const target of cached) await firstByte(target, HIT, false)
  for (let n = 0; n < WARM; n++) for (const target of all) await firstByte(target, another(), n % 2 === 0)
  await sleep(500)
  for (let round = -1; round < rounds; round++) {
    for (const stream of [true, false]) {
      // Each round starts with a different one.
      for (let at = 0; at < all.length; at++) {
        const target = all[(at + round + 1) % all.length]!
        const taken: number[] = []
        for (let n = 0; n < FIRST_BYTES; n++) taken.push(await firstByte(target, another(), stream))
        // The first round is a warm-up.
        const key = `${target.name} ${stream}`
        if (round >= 0) firstMs.set(key, [...(firstMs.get(key) ?? []), median(taken)])
      }
    }
    for (const target of cached) {
      const measured = await hits(target)
      if (round >= 0) byHit.get(target.name)!.push(measured)
    }
  }
  const of = (name: string, stream: boolean): number[] => firstMs.get(`${name} ${stream}`)!
  const over = (values: readonly number[], others: readonly number[]): number[] =>
    values.map((value, at) => value / others[at]!)
  console.log(`${rounds} rounds; medians, with 95 % intervals\n`)
  console.log(
    markdownTable(
      ['first byte', 'stream, ms', 'of bare', 'of the model', 'whole, ms', 'of bare', 'of the model'],
      all.map(({ name }) => [
        name,
        ...[true, false].flatMap((stream) => [
          medianWithInterval(of(name, stream), 1),
          medianWithInterval(over(of(name, stream), of('bare proxy', stream)), 2),
          medianWithInterval(over(of(name, stream), of('the model directly', stream)), 2),
        ]),
      ]),
    ),
  )
  const last = byHit.get(cached.at(-1)!.name)!
  console.log()
  console.log(
    markdownTable(
      ['answered from the cache', 'requests/s', `of ${cached.at(-1)!.name}`, 'CPU, µs'],
      cached.map(({ name }) => {
        const own = byHit.get(name)!
        const ratios = own.map(({ perSecond }, at) => perSecond / last[at]!.perSecond)
        return [
          name,
          medianWithInterval(
            own.map(({ perSecond }) => perSecond),
            0,
          ),
          medianWithInterval(ratios, 2),
          medianWithInterval(
            own.map(({ cpuUs }) => cpuUs),
            0,
          ),
        ]
      }),
    ),
  )
} finally {
  agent.destroy()
  await Promise.all(running.map((miniflare) => miniflare.dispose()))
  model.close()
  rmSync(directory, { recursive: true, force: true })
}
