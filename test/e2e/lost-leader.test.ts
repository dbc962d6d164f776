/** A leader that ends without a word: its request is cancelled, throws, or just ends. In the real runtime. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ROOT } from '../../scripts/local-gate.ts'

const directory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-e2e-'))
let miniflare: Miniflare
let url: URL
const logged: string[] = []

beforeAll(async () => {
  const worker = join(directory, 'worker.mjs')
  await build({
    entryPoints: [join(ROOT, 'test/e2e/flight-worker.ts')],
    outfile: worker,
    bundle: true,
    format: 'esm',
    external: ['cloudflare:workers'],
  })
  miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: 'flights',
      modules: [{ type: 'ESModule', path: worker }],
      modulesRoot: directory,
      compatibilityDate: '2026-11-01',
      verbose: true,
      handleStructuredLogs: ({ message }) => logged.push(message),
      host: '127.0.0.1',
      port: 0,
      serviceBindings: { SELF: 'flights' },
      durableObjects: { FLIGHTS: { className: 'AnswerFlight', useSQLite: true } },
    }),
  )
  url = await miniflare.ready
})

afterAll(async () => {
  await miniflare?.dispose()
  rmSync(directory, { recursive: true, force: true })
})

const send = (name: string, key: string): Promise<Response> => fetch(new URL(`/${name}?key=${key}`, url))

test.each(['throw', 'end'])(
  "a waiting request becomes the leader once the leader's is cancelled, and then %ss",
  async (how) => {
    const leader = send('cancel-after-a-second', how)
    await sleep(300)
    const second = send(how, how)
    await sleep(200)
    const third = send('end', how)
    expect(await Promise.race([second.then(() => 'answered'), sleep(200, 'waits')])).toBe('waits')
    expect(await (await leader).text()).toBe('cancelled')
    expect((await second).status).toBe(how === 'throw' ? 500 : 200)
    expect(await (await third).text()).toBe('leader')
  },
)

test('a stream that breaks off for its followers causes no uncaught exception', async () => {
  logged.length = 0
  const sent = await Promise.all(['one', 'two'].map(() => send('break-off', 'broken')))
  expect((await Promise.all(sent.map((response) => response.text()))).sort()).toEqual(['broke off', 'leader'])
  await send('log', 'all is logged')
  await vi.waitFor(() => expect(logged.join()).toContain('all is logged'), { timeout: 20_000 })
  expect(logged.join()).not.toMatch(/uncaught/i)
})
