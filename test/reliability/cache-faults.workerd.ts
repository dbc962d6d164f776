/** Faults F24 to F29 of the stores of answers, through the ready Worker, over its real Cache API and KV. */
import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { GateBindings } from '../../workers/gate/bindings.ts'
import { HANDBOOK, STRONG } from '../fixtures/corpus.ts'
import { ADMIN, post, workerOver } from '../worker-requests.ts'

const KV = (env as unknown as { ANSWERS: KVNamespace }).ANSWERS
const COMPLETION = (text: string) => ({
  model: 'm',
  choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: text } }],
})

let modelCalls = 0
let deployments = 0

/** Each question is answered for itself: one that waits for another's answer asks no store. */
const { ANSWER_FLIGHTS: _, ...ALONE } = env

/** An isolate of its own, with nothing in its memory. */
const isolate = (deployment: string, kv: KVNamespace = KV): GateBindings => ({
  ...ALONE,
  ANSWERS: kv,
  DEPLOYMENT: deployment,
  AUDIENCE: 'operator',
  LLM_BASE_URL: 'https://model.test/v1',
  LLM_API_KEY: 'key',
  LLM_MODEL: 'm',
})

const newDeployment = (): string => `faults-${deployments++}`

/** Some members of a store are others; the rest is as it is. */
const withFaults = <Store extends object>(store: Store, faults: Partial<Store>): Store =>
  new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(name in faults ? faults : target, name)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })

/** The Cache API fails so, until the end of the test. */
async function cacheWith(faults: Partial<Cache>): Promise<void> {
  const store = await caches.open('rag-gate-answers')
  vi.spyOn(caches, 'open').mockResolvedValue(withFaults(store, faults))
}

/** Nothing is in the Cache API, nor comes into it: KV is asked. */
const withoutCacheApi = (): Promise<void> =>
  cacheWith({ match: () => Promise.resolve(undefined), put: () => Promise.resolve() })

/** The answer, whether a store had it, and how often the model was asked. */
async function ask(bindings: GateBindings, question = STRONG) {
  const before = modelCalls
  const response = await workerOver(bindings).post('/ask', { question })
  const { answer } = await response.json<{ answer: string }>()
  const isHit = response.headers.get('cache-status')?.startsWith('rag-gate; hit')
  return { status: response.status, answer, isHit, calls: modelCalls - before }
}

const MADE = { status: 200, isHit: false, calls: 1 }
const KEPT = { status: 200, isHit: true, calls: 0 }

let warned: unknown[] = []

beforeAll(async () => {
  const response = await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
  if (!response.ok) throw new Error(`The documents were not ingested: ${response.status}`)
})

beforeEach(() => {
  warned = []
  vi.spyOn(console, 'warn').mockImplementation((line) => void warned.push(line))
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_url, init) => {
    modelCalls++
    // It answers with the question, so that an answer to another one shows.
    const [, question = ''] = /Question: ([^"\\]+)/.exec(String(init?.body)) ?? []
    return Response.json(COMPLETION(question))
  })
})
afterEach(() => void vi.restoreAllMocks())

test('another isolate finds an answer in the Cache API and in KV (control of the tests below)', async () => {
  const deployment = newDeployment()
  expect(await ask(isolate(deployment))).toMatchObject(MADE)
  expect(await ask(isolate(deployment))).toMatchObject(KEPT)
  await withoutCacheApi()
  expect(await ask(isolate(deployment))).toMatchObject(KEPT)
})

describe('F24, F25: a store that fails', () => {
  test('reads that throw are misses with a warning', async () => {
    const deployment = newDeployment()
    await ask(isolate(deployment))
    const down = (): Promise<never> => Promise.reject(new Error('down'))
    await cacheWith({ match: down })
    expect(await ask(isolate(deployment, withFaults(KV, { get: down as never })))).toMatchObject(MADE)
    expect(warned).toContain('[rag-gate] answer cache: get failed')
  })

  test('reads that hang are misses after 50 and 250 ms', async () => {
    const deployment = newDeployment()
    await ask(isolate(deployment))
    const hanging = (): Promise<never> => new Promise(() => undefined)
    await cacheWith({ match: hanging })
    expect(await ask(isolate(deployment))).toMatchObject(KEPT)
    const bindings = isolate(deployment, withFaults(KV, { get: hanging as never }))
    expect(await ask(bindings)).toMatchObject(MADE)
    expect(warned).toContain('[rag-gate] answer cache: get timeout')
  })

  test('writes that throw do not affect the answer, which the isolate has in memory', async () => {
    const deployment = newDeployment()
    const full = (): Promise<never> => Promise.reject(new Error('full'))
    await cacheWith({ put: full })
    const kv = withFaults(KV, { put: full as never })
    const bindings = isolate(deployment, kv)
    expect(await ask(bindings)).toMatchObject(MADE)
    expect(await ask(bindings)).toMatchObject(KEPT)
    expect(await ask(isolate(deployment, kv))).toMatchObject(MADE)
    expect(warned).toContain('[rag-gate] answer cache: put failed')
  })
})

describe('F26, F27: a store that returns wrong entries', () => {
  /** What lies in KV of a deployment, once there are so many questions in it. */
  async function entriesOf(before: ReadonlySet<string>): Promise<string[]> {
    const { keys } = await KV.list({ prefix: 'answer:' })
    return keys.map(({ name }) => name).filter((name) => !before.has(name))
  }
  const all = async (): Promise<Set<string>> => new Set(await entriesOf(new Set()))

  const DAMAGES: readonly (readonly [string, (text: string, other: string) => string])[] = [
    ['empty', () => ''],
    ['no JSON', () => '{'],
    ['cut', (text) => text.slice(0, -1)],
    ['changed', (text) => text.replace('\\"schema\\":2', '\\"schema\\":2,\\"more\\":1')],
    ['with another digest', (text) => text.replace(/"digest":"./, '"digest":"x')],
    ['of an old form', (text) => text.replace('\\"schema\\":2', '\\"schema\\":1')],
    ['that of another question', (_, other) => other],
  ]

  test.each(DAMAGES)(
    'an entry that is %s is a miss and is deleted, and the question gets its own answer',
    async (_, damage) => {
      await withoutCacheApi()
      const deployment = newDeployment()
      const before = await all()
      await ask(isolate(deployment))
      const own = await entriesOf(before)
      await ask(isolate(deployment), 'How long are access logs kept?')
      const others = (await entriesOf(before)).filter((name) => !own.includes(name))
      expect([own.length, others.length]).toEqual([2, 2])
      for (const [at, name] of own.entries()) {
        const text = (await KV.get(name))!
        const damaged = damage(text, (await KV.get(others[at]!))!)
        expect(damaged).not.toBe(text)
        await KV.put(name, damaged)
      }
      expect(await ask(isolate(deployment))).toMatchObject({ ...MADE, answer: STRONG })
      expect(warned).toContain('[rag-gate] answer cache: get damaged')
      // Written anew, whole.
      expect(await ask(isolate(deployment))).toMatchObject({ ...KEPT, answer: STRONG })
    },
  )
})

describe('F28, F29: Workers KV', () => {
  test('a write rejected with 429 is dropped with a warning, and no request fails', async () => {
    await withoutCacheApi()
    const deployment = newDeployment()
    const busy = (): Promise<never> => Promise.reject(new Error('KV PUT failed: 429 Too Many Requests'))
    expect(await ask(isolate(deployment, withFaults(KV, { put: busy as never })))).toMatchObject(MADE)
    expect(warned).toContain('[rag-gate] answer cache: put rate-limited')
    expect(await ask(isolate(deployment))).toMatchObject(MADE)
  })

  test('a read from before the documents changed returns no old answer', async () => {
    await withoutCacheApi()
    const deployment = newDeployment()
    const question = 'When are the lamps of the corridor dimmed?'
    const put = (bindings: GateBindings, hour: string) =>
      workerOver(bindings).post(
        '/v1/documents',
        { documents: [{ id: 'lamps', text: `# Lamps\n\nThe lamps of the corridor are dimmed at ${hour}.` }] },
        ADMIN,
      )
    const first = isolate(deployment)
    await put(first, 'ten')
    expect(await ask(first, question)).toMatchObject(MADE)
    // As KV still shows it elsewhere for a minute.
    const seen = new Map<string, string | null>()
    for (const { name } of (await KV.list({ prefix: 'answer:' })).keys) seen.set(name, await KV.get(name))
    const old = withFaults(KV, { get: (async (name: string) => seen.get(name) ?? null) as never })
    expect(await ask(isolate(deployment, old), question)).toMatchObject(KEPT)
    await put(first, 'eleven')
    expect(await ask(isolate(deployment, old), question)).toMatchObject(MADE)
  })
})
