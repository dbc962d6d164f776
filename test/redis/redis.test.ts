/** Against a Redis of this machine (`apt-get install redis-server`), over the npm package `redis`. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@redis/client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRedisAnswerCache } from '../../packages/redis/src/answer-cache.ts'
import { createRedisAnswerPurges } from '../../packages/redis/src/answer-purges.ts'
import type { AnswerCacheFault } from '../../src/adapters/answer-cache.ts'
import { createMemoryAnswerCache } from '../../src/adapters/memory-answer-cache.ts'
import { createTieredAnswerCache } from '../../src/adapters/tiered-answer-cache.ts'
import { answerCacheContract } from '../contracts/answer-cache.ts'
import { answerPurgesContract } from '../contracts/answer-purges.ts'
import { aStoredAnswer } from '../fixtures/decision.ts'
import { aGate } from '../fixtures/gate.ts'

/** Path of the server; `undefined` where there is none. */
function redisServer(): string | undefined {
  for (const name of ['redis-server', 'valkey-server']) {
    try {
      execFileSync(name, ['--version'])
      return name
    } catch {
      // The next one.
    }
  }
  return undefined
}

const server = redisServer()
if (server === undefined) console.warn('redis-server is not installed: answers and purges in Redis are not tested')

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  // A server that listens on an address and port has both.
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

describe.skipIf(server === undefined)('Redis', () => {
  const directory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-redis-'))
  let port: number
  let running: ChildProcess
  let redis: ReturnType<typeof clientOf>

  const clientOf = (at: number) =>
    createClient({
      socket: { host: '127.0.0.1', port: at, reconnectStrategy: () => 20 },
      disableOfflineQueue: true,
    })
  const start = (): void => {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--appendonly', 'yes']
    running = spawn(server!, [...options, '--appendfsync', 'always'], { stdio: 'ignore' })
  }
  const kill = async (): Promise<void> => {
    const gone = new Promise((resolve) => running.once('exit', resolve))
    running.kill('SIGKILL')
    await gone
  }
  /** A read that takes a tenth of a second is a miss by default: a busy machine is waited for, for less than any answer may take. */
  const aStore = (options: Partial<Parameters<typeof createRedisAnswerCache>[0]> = {}) =>
    createRedisAnswerCache({ redis, deadlineMs: 1000, ...options })
  const isUp = (): Promise<void> =>
    vi.waitFor(async () => expect(await redis.ping()).toBe('PONG'), { timeout: 10_000, interval: 20 })

  beforeAll(async () => {
    port = await freePort()
    start()
    redis = clientOf(port)
    redis.on('error', () => undefined)
    await redis.connect()
    await isUp()
  })
  afterAll(async () => {
    redis.destroy()
    await kill()
    rmSync(directory, { recursive: true, force: true })
  })

  answerCacheContract('createRedisAnswerCache', async () => {
    await redis.flushAll()
    return aStore()
  })

  it('keeps an answer for its lifetime and stale-if-error window, under a name that reveals nothing', async () => {
    await redis.flushAll()
    await aStore({ prefix: 'mine:' }).put(
      'the question',
      aStoredAnswer('the question', { lifetimeSeconds: 100, staleIfErrorSeconds: 20 }),
    )
    const [name, ...others] = await redis.keys('*')
    expect(others).toEqual([])
    expect(name).toMatch(/^mine:[0-9a-f]{64}$/)
    expect(await redis.ttl(name!)).toBeGreaterThan(115)
    expect(await redis.get(name!)).not.toContain('the question')
  })

  it('ignores and deletes entries written by others', async () => {
    await redis.flushAll()
    const faults: AnswerCacheFault[] = []
    const ours = aStore({
      hmacKey: new Uint8Array(32).fill(7),
      onFault: (fault) => void faults.push(fault),
    })
    await ours.put('key', aStoredAnswer('key'))
    const [name] = await redis.keys('*')
    const sealed = (await redis.get(name!))!
    for (const foreign of ['', '{}', sealed.replace('"digest":"', '"digest":"0'), sealed.slice(0, -2)]) {
      await redis.set(name!, foreign)
      expect(await ours.get('key')).toBeNull()
      expect(await redis.exists(name!)).toBe(0)
    }
    expect(faults.map(({ kind }) => kind)).toEqual(Array(4).fill('damaged'))
  })

  it('shares answers between servers', async () => {
    await redis.flushAll()
    const [one, other] = [0, 1].map(() => aGate({ cache: { store: aStore() } }))
    await one!.ask()
    expect((await other!.ask()).headers.get('cache-status')).toBe('rag-gate; hit')
    expect(other!.journal.retrievals).toEqual([])
  })

  it('when killed and restarted, every question is answered, and stored answers are found again', async () => {
    await redis.flushAll()
    const faults: AnswerCacheFault[] = []
    const store = aStore({ onFault: (fault) => void faults.push(fault) })
    const gate = aGate({ cache: { store } })
    const question = (at: number): { question: string } => ({ question: `How does the engine start? ${at}` })
    const statuses: number[] = []
    const slowestMs: number[] = []
    for (let at = 0; at < 60; at++) {
      if (at === 20) await kill()
      if (at === 40) {
        start()
        await isUp()
      }
      const begunMs = performance.now()
      statuses.push((await gate.ask(question(at % 20))).status)
      slowestMs.push(performance.now() - begunMs)
    }
    expect(new Set(statuses)).toEqual(new Set([200]))
    // Away: nothing found, nothing waited for. Back: what was stored before is there.
    expect(gate.journal.events.map(({ cache }) => cache)).toEqual([
      ...Array(20).fill('miss'),
      ...Array(20).fill('miss'),
      ...Array(20).fill('hit'),
    ])
    expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(['failed']))
    expect(Math.max(...slowestMs)).toBeLessThan(10_000)
  })

  answerPurgesContract('createRedisAnswerPurges', async () => {
    await redis.flushAll()
    return createRedisAnswerPurges({ redis })
  })
  answerPurgesContract('createRedisAnswerPurges without copies', async () => {
    await redis.flushAll()
    return createRedisAnswerPurges({ redis, copyMaxAgeMs: 0 })
  })

  it('makes a purge known to other servers and their memory within the maximum age of their copy', async () => {
    await redis.flushAll()
    const clock = { atMs: Date.now(), nowMs: () => clock.atMs }
    const servers = [0, 1].map(() => {
      const purges = createRedisAnswerPurges({ redis, clock })
      const store = createTieredAnswerCache({
        tiers: [createMemoryAnswerCache(), aStore()],
      })
      return { purges, gate: aGate({ cache: { store, purges } }) }
    })
    const [here, there] = servers
    const states = async (): Promise<(string | null)[]> =>
      Promise.all(servers.map(async ({ gate }) => (await gate.ask()).headers.get('cache-status')))
    await here!.gate.ask()
    expect(await states()).toEqual(['rag-gate; hit', 'rag-gate; hit'])
    await here!.purges.purge([{ kind: 'tenant', tenant: 'default' }])
    clock.atMs += 4999
    expect((await there!.gate.ask()).headers.get('cache-status')).toBe('rag-gate; hit')
    clock.atMs += 1
    expect((await there!.gate.ask()).headers.get('cache-status')).toBe('rag-gate; fwd=miss')
    expect(await states()).toEqual(['rag-gate; hit', 'rag-gate; hit'])
  })

  it('when killed and restarted after a purge, no answer is sent meanwhile, and purged ones do not return', async () => {
    await redis.flushAll()
    const store = aStore()
    const purges = createRedisAnswerPurges({ redis, copyMaxAgeMs: 0 })
    const gate = aGate({ cache: { store, purges } })
    const status = async (question: string): Promise<string | null> =>
      (await gate.ask({ question })).headers.get('cache-status')
    const [purged, kept] = ['How does the engine start?', 'How does the engine start with a key?']
    for (const question of [purged!, kept!]) expect(await status(question)).toBe('rag-gate; fwd=miss')
    await purges.purge([{ kind: 'question', tenant: 'default', collection: 'default', question: purged! }])
    await kill()
    expect(await status(kept!)).toBe('rag-gate; fwd=bypass')
    await expect(purges.purge([{ kind: 'everything' }])).rejects.toMatchObject({ code: 'store_unavailable' })
    start()
    await isUp()
    expect([await status(purged!), await status(kept!)]).toEqual(['rag-gate; fwd=miss', 'rag-gate; hit'])
  })

  it('treats a list of purges that Redis evicted as a purge of everything', async () => {
    for (const evicted of ['of:acme', 'numbers']) {
      await redis.flushAll()
      const purges = createRedisAnswerPurges({ redis })
      const before = (await purges.known('acme')).epoch
      const epoch = await purges.purge([{ kind: 'document', tenant: 'acme', collection: 'manual', documentId: 'a' }])
      expect(await redis.del(`{rag-gate:purges}:${evicted}`)).toBe(1)
      // Numbers are milliseconds; the one for a loss must come after those read before.
      await new Promise((resolve) => setTimeout(resolve, 2))
      const { purgedSince, epoch: now } = await createRedisAnswerPurges({ redis }).known('acme')
      const others = [{ kind: 'everything' }, { kind: 'tenant', tenant: 'acme' }] as const
      expect(purgedSince(before, others)).toBe(true)
      expect(purgedSince(now, others)).toBe(false)
      expect(now).toBeGreaterThanOrEqual(epoch)
    }
  })

  it.each([
    { lost: ['of:acme', 'numbers'], next: 'globex' },
    { lost: ['of:acme', 'numbers'], next: 'acme' },
    { lost: ['of:acme'], next: 'acme' },
  ])('treats lost lists ($lost) as a purge of everything, also after a purge of $next', async ({ lost, next }) => {
    await redis.flushAll()
    const purges = () => createRedisAnswerPurges({ redis })
    const before = (await purges().known('acme')).epoch
    const first = await purges().purge([{ kind: 'tenant', tenant: 'acme' }])
    expect(await redis.del(lost.map((name) => `{rag-gate:purges}:${name}`))).toBe(lost.length)
    const scope = { kind: 'document', tenant: next, collection: 'manual', documentId: 'a' } as const
    expect(await purges().purge([scope])).toBeGreaterThan(first)
    const { purgedSince } = await purges().known('acme')
    expect(purgedSince(before, [{ kind: 'everything' }, { kind: 'tenant', tenant: 'acme' }])).toBe(true)
  })

  it.each(['a question', 'a purge'])(
    'takes a list that went back to an older snapshot for one that may have held anything, with the next call for %s',
    async (next) => {
      await redis.flushAll()
      const here = createRedisAnswerPurges({ redis })
      const names = ['of:acme', 'of:', 'numbers'].map((name) => `{rag-gate:purges}:${name}`)
      await here.known('acme')
      const epoch = await here.purge([{ kind: 'tenant', tenant: 'acme' }])
      for (const name of names) expect(await redis.copy(name, `${name}:snapshot`)).toBe(1)
      const document = { kind: 'document', tenant: 'acme', collection: 'manual', documentId: 'a' } as const
      const lost = await here.purge([document])
      for (const name of names) await redis.rename(`${name}:snapshot`, name)
      if (next === 'a purge') expect(await here.purge([{ kind: 'tenant', tenant: 'globex' }])).toBeGreaterThan(lost)
      else await here.known('acme')
      for (const purges of [here, createRedisAnswerPurges({ redis })]) {
        expect((await purges.known('acme')).purgedSince(epoch, [document, { kind: 'everything' }])).toBe(true)
      }
    },
  )
})

it.each([['OK'], [undefined], ['1e400'], [[]]])('a purge answered with %j is reported as failed', async (reply) => {
  const purges = createRedisAnswerPurges({ redis: { eval: async () => reply } })
  await expect(purges.purge([{ kind: 'everything' }])).rejects.toMatchObject({ code: 'store_unavailable' })
})

it('does not wait for a Redis that hangs: half a second for a question, five for a purge', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const purges = createRedisAnswerPurges({ redis: { eval: () => new Promise(() => undefined) } })
  for (const [call, ms] of [
    [() => purges.known('acme'), 500],
    [() => purges.purge([{ kind: 'everything' }]), 5000],
  ] as const) {
    let failure: unknown
    void call().catch((thrown: unknown) => (failure = thrown))
    await vi.advanceTimersByTimeAsync(ms - 1)
    expect(failure).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(failure).toMatchObject({ code: 'store_unavailable' })
  }
})

it('the example of the README starts without a Redis', async () => {
  const page = readFileSync(new URL('../../packages/redis/README.md', import.meta.url), 'utf8')
  const [, code = ''] = /```ts\n(.*?)```/s.exec(page) ?? []
  const client = `export const createClient = () => ({
    on() {}, connect: () => new Promise(() => {}), get() {}, setEx() {}, del() {}, eval() {},
  })`
  const folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-readme-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const example = code
    .replace("'@redis/client'", `'data:text/javascript,${encodeURIComponent(client)}'`)
    .replaceAll(/'(@?hono-rag-gate[\w/-]*)'/g, (_, name: string) => `'${import.meta.resolve(name)}'`)
  writeFileSync(join(folder, 'example.ts'), example)
  expect(await import(pathToFileURL(join(folder, 'example.ts')).href)).toHaveProperty('cache')
})
