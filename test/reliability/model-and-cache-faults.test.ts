/** Faults F17 to F29 of a model, over real sockets, and of the stores of answers, through the whole gate. */
import type { ServerResponse } from 'node:http'
import * as fc from 'fast-check'
import OpenAI from 'openai'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type AnswerCacheFault,
  createCacheApiAnswerCache,
} from '../../packages/cloudflare/src/cache-api-answer-cache.ts'
import type { ResponseStore } from '../../packages/cloudflare/src/cache-api-answer-cache.ts'
import { createKvAnswerCache, type KvStore } from '../../packages/cloudflare/src/kv-answer-cache.ts'
import { createMemoryAnswerPurges } from '../../src/adapters/memory-answer-purges.ts'
import { createMemoryCoalescer } from '../../src/adapters/memory-coalescer.ts'
import { createOpenAiGenerator } from '../../packages/models/src/openai-compatible.ts'
import { respondWithError } from '../../src/middleware/respond.ts'
import type { Generator } from '../../packages/models/src/generator.ts'
import { aGate, type GateFixture, type HandlerContext, QUESTION, rankingOf, STRONG, WEAK } from '../fixtures/gate.ts'
import { type Answer, answering, type ScriptedUpstream, startUpstream } from '../fixtures/scripted-upstream.ts'
import { examples } from '../properties.ts'

let upstream: ScriptedUpstream

const completion = (finishReason: string | null = 'stop', content = 'Turn the red key.'): string =>
  JSON.stringify({ model: 'm', choices: [{ finish_reason: finishReason, message: { role: 'assistant', content } }] })
const GOOD = answering(completion())

beforeEach(async () => {
  upstream = await startUpstream(GOOD)
  for (const level of ['error', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => undefined)
})

afterEach(async () => {
  await upstream.stop()
  vi.restoreAllMocks()
})

const settled = (ms = 20): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** A gate whose handler asks the scripted model, as the ready Worker does. */
function gateOver(answer: Answer, options: GateFixture = {}, timeoutMs = 200) {
  upstream.answerWith(answer)
  const model: Generator = createOpenAiGenerator({
    baseUrl: `${upstream.url}/v1`,
    apiKey: 'key',
    model: 'm',
    timeoutMs,
  })
  const gate = aGate({
    ...options,
    handler: async (c) => {
      const { question, context, report } = c.var.ragGate
      const signal = c.req.raw.signal
      const made = await model.generate({ question, chunks: context.chunks, context: context.text, signal })
      report({ complete: made.complete })
      return c.json({ answer: made.text })
    },
  })
  gate.app.onError((thrown, c) => respondWithError(c, thrown))
  return gate
}

/** A gate whose handler passes the stream of the scripted model on. */
function streamingGate(answer: Answer, options: GateFixture = {}) {
  upstream.answerWith(answer)
  const handler = async (_c: HandlerContext): Promise<Response> => {
    const { body } = await fetch(upstream.url, { method: 'POST' })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  return aGate({ ...options, handler })
}

const delta = (content: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`
const DONE = 'data: [DONE]\n\n'
const EVENTS = [delta('Turn '), delta('the red '), delta('key.'), delta('', 'stop'), DONE]

/** Sends events one by one; `end` says how it stops. */
const streamed =
  (events: readonly string[], end: (response: ServerResponse) => void = (response) => response.end()): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events) response.write(event)
    setTimeout(() => end(response), 10)
  }

const codeOf = async (response: Response): Promise<string | undefined> =>
  ((await response.json()) as { error?: { code: string } }).error?.code

test.each([
  ['JSON', () => gateOver(GOOD)],
  ['a stream', () => streamingGate(streamed(EVENTS))],
])('a good answer as %s is stored, and the model is not called again (control of the tests below)', async (_, make) => {
  const { ask } = make()
  await (await ask()).text()
  await settled()
  expect((await ask()).headers.get('cache-status')).toBe('rag-gate; hit')
  expect(upstream.calls()).toBe(1)
})

describe('F17: a model that is too slow', () => {
  test.each<[string, Answer]>([
    ['never answers', () => undefined],
    ['hangs behind its headers', (response) => void response.writeHead(200).write('{"choices":[')],
  ])('%s: gets 504, nothing is stored, and the decision is recorded', async (_, answer) => {
    const { ask, journal } = gateOver(answer)
    const response = await ask()
    expect([response.status, await codeOf(response)]).toEqual([504, 'llm_timeout'])
    expect(journal.stored).toEqual([])
    expect(journal.events).toMatchObject([{ status: 504, cache: 'miss', decision: { verdict: 'pass' } }])
  })
})

describe('F18: a model that breaks off in the middle of a stream', () => {
  test('after any of its events, an error follows what was sent, nothing is stored, and the record is a failure', async () => {
    for (let sent = 1; sent < EVENTS.length; sent++) {
      const cut = [...EVENTS.slice(0, sent), EVENTS[sent]!.slice(0, -2)]
      const { ask, journal } = streamingGate(streamed(cut, (response) => response.destroy()))
      const text = await (await ask()).text()
      const whole = EVENTS.slice(0, sent).join('')
      expect(text.startsWith(whole)).toBe(true)
      const { error } = JSON.parse(text.slice(whole.length).replace(/^data: /, '')) as { error: { code: string } }
      expect(error).toMatchObject({ code: 'llm_unavailable', type: 'server_error' })
      await settled()
      expect([...journal.stored, ...journal.storedByEvidence]).toEqual([])
      expect(journal.events).toMatchObject([{ status: 503, decision: { verdict: 'pass' } }])
    }
  })

  test('causes an error in the official client, after what was sent', async () => {
    const { ask } = streamingGate(streamed(EVENTS.slice(0, 2), (response) => response.destroy()))
    const client = new OpenAI({ apiKey: 'key', baseURL: 'http://gate.test', maxRetries: 0, fetch: () => ask() })
    const came: (string | null | undefined)[] = []
    const reading = (async () => {
      const stream = await client.chat.completions.create({ model: 'm', messages: [], stream: true })
      for await (const { choices } of stream) came.push(choices[0]?.delta.content)
    })()
    await expect(reading).rejects.toMatchObject({ code: 'llm_unavailable' })
    expect(came).toEqual(['Turn ', 'the red '])
  })

  test('closed cleanly after any byte but the last, is not stored', async () => {
    const whole = EVENTS.join('')
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole.length - 2 }), async (end) => {
        const { ask, journal } = streamingGate(streamed([whole.slice(0, end)].filter((text) => text !== '')))
        await (await ask()).text()
        await settled(1)
        expect(journal.stored).toEqual([])
      }),
      { numRuns: examples(40) },
    )
  })
})

describe('F19: an answer that is not reported complete', () => {
  test.each([['length'], ['content_filter'], ['tool_calls'], [null]])(
    'with finish_reason %j is sent and not stored',
    async (reason) => {
      const { ask, journal } = gateOver(answering(completion(reason)))
      expect(await (await ask()).json()).toEqual({ answer: 'Turn the red key.' })
      expect(journal.stored).toEqual([])
      expect((await ask()).headers.get('cache-status')).toBe('rag-gate; fwd=miss')
    },
  )

  test.each<[string, readonly string[]]>([
    ['[DONE] without finish_reason', [delta('Turn the key.'), DONE]],
    ['finish_reason length', [delta('Turn the'), delta('', 'length'), DONE]],
    ['finish_reason content_filter', [delta('Turn the'), delta('', 'content_filter'), DONE]],
    ['finish_reason without [DONE]', [delta('Turn the key.'), delta('', 'stop')]],
  ])('as a stream with %s is sent and not stored', async (_, events) => {
    const { ask, journal } = streamingGate(streamed(events))
    expect(await (await ask()).text()).toBe(events.join(''))
    await settled()
    expect([...journal.stored, ...journal.storedByEvidence]).toEqual([])
  })
})

describe('F20, F21: a model without a readable answer', () => {
  test.each<[string, Answer, number, string]>([
    ['an error with status 200', answering('{"error":{"message":"secret"}}'), 502, 'llm_bad_response'],
    ['HTML', answering('<html>secret</html>'), 502, 'llm_bad_response'],
    ['nothing', answering(''), 502, 'llm_bad_response'],
    ['an empty answer', answering(completion('stop', '')), 502, 'llm_bad_response'],
    ['429', answering('secret', 429, { 'retry-after': '3' }), 503, 'llm_unavailable'],
    ['500', answering('secret', 500), 503, 'llm_unavailable'],
    ['503', answering('secret', 503), 503, 'llm_unavailable'],
    ['a redirect', answering('', 302, { location: 'http://127.0.0.1:1/' }), 502, 'llm_bad_response'],
  ])(
    '%s: is called once, and causes an error with a code, without its text, and nothing is stored',
    async (_, answer, status, code) => {
      const { ask, journal } = gateOver(answer)
      const before = upstream.calls()
      const response = await ask()
      const text = await response.text()
      expect([response.status, (JSON.parse(text) as { error: { code: string } }).error.code]).toEqual([status, code])
      expect(text).not.toContain('secret')
      expect(upstream.calls() - before).toBe(1)
      expect(journal.stored).toEqual([])
    },
  )

  test('repeatedly is not called for a while, and every question gets an error', async () => {
    const { ask } = gateOver(answering('{}', 503))
    for (let time = 0; time < 40; time++) expect((await ask()).status).toBe(503)
    expect(upstream.calls()).toBe(10)
  })
})

describe('F22: a client that leaves in the middle of a stream', () => {
  /** Reads one event, leaves, and waits for what is left for after the response. */
  async function readAndLeave(answer: Answer) {
    const gate = streamingGate(answer)
    const response = await gate.app.request('/ask', {
      method: 'POST',
      body: JSON.stringify({ question: QUESTION }),
      headers: { 'content-type': 'application/json' },
    })
    const reader = response.body!.getReader()
    const { value } = await reader.read()
    expect(new TextDecoder().decode(value)).toContain('Turn')
    await reader.cancel()
    await settled(60)
    return gate
  }

  test('has its answer read to the end, stored and recorded', async () => {
    const { journal, ask } = await readAndLeave(streamed(EVENTS))
    expect(journal.stored.map(({ body }) => body)).toEqual([EVENTS.join('')])
    expect(journal.events).toHaveLength(1)
    expect(await (await ask()).text()).toBe(EVENTS.join(''))
  })

  test('has no answer stored when the model fails meanwhile', async () => {
    const { journal } = await readAndLeave(streamed(EVENTS.slice(0, 3), (response) => response.destroy()))
    expect(journal.stored).toEqual([])
    expect(journal.events).toHaveLength(1)
  })
})

test('F23: many retries of one question cause one model call', async () => {
  const slow: Answer = (...exchange) => void setTimeout(() => GOOD(...exchange), 60)
  const { ask } = gateOver(slow, { cache: { coalescer: createMemoryCoalescer() } }, 60_000)
  const before = upstream.calls()
  const responses = await Promise.all(Array.from({ length: 200 }, () => ask()))
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
  expect(upstream.calls() - before).toBe(1)
})

/** A Cache API in a Map, of which single methods can be made to fail. */
function aStore(faults: Partial<ResponseStore> = {}) {
  const entries = new Map<string, Response>()
  const store: ResponseStore = {
    match: async (url) => entries.get(url)?.clone(),
    put: async (url, response) => void entries.set(url, response),
    delete: async (url) => entries.delete(url),
    ...faults,
  }
  return { store, entries }
}

/** A gate over such a store, which has all the time that a busy machine may take. */
function gateWithStore(faults: Partial<ResponseStore> = {}, options: GateFixture = {}) {
  const told: AnswerCacheFault[] = []
  const { store: cache, entries } = aStore(faults)
  const store = createCacheApiAnswerCache({ cache, deadlineMs: 60_000, onFault: (fault) => void told.push(fault) })
  return { ...aGate({ ...options, cache: { store, ...options.cache } }), entries, told }
}

const statesOf = (events: readonly { readonly cache: string }[]): readonly string[] => events.map(({ cache }) => cache)

describe('F24, F25: a cache that fails', () => {
  test('reads that throw are misses, and counted', async () => {
    const { ask, journal, told } = gateWithStore({ match: () => Promise.reject(new Error('down')) })
    for (let time = 0; time < 2; time++) expect((await ask()).status).toBe(200)
    expect(statesOf(journal.events)).toEqual(['miss', 'miss'])
    expect(told).toMatchObject([
      { operation: 'get', kind: 'failed' },
      { operation: 'get', kind: 'failed' },
    ])
  })

  test('reads that hang are misses after 50 ms by default', async () => {
    const hanging = aStore({ match: () => new Promise(() => undefined) })
    const told: AnswerCacheFault[] = []
    const store = createCacheApiAnswerCache({ cache: hanging.store, onFault: (fault) => void told.push(fault) })
    const { ask } = aGate({ cache: { store } })
    await ask()
    const tookMs: number[] = []
    for (let time = 0; time < 5; time++) {
      const begunMs = performance.now()
      expect((await ask()).status).toBe(200)
      tookMs.push(performance.now() - begunMs)
    }
    expect(told).toHaveLength(6)
    // The quickest: a busy machine makes single ones late.
    expect(Math.min(...tookMs)).toBeGreaterThanOrEqual(45)
    expect(Math.min(...tookMs)).toBeLessThan(110)
  })

  test('writes that throw do not affect the answer, and are counted', async () => {
    const { ask, journal, told } = gateWithStore({ put: () => Promise.reject(new Error('full')) })
    for (let time = 0; time < 2; time++) expect((await ask()).status).toBe(200)
    expect(statesOf(journal.events)).toEqual(['miss', 'miss'])
    // By question and by evidence.
    expect(told.filter(({ operation }) => operation === 'put')).toHaveLength(4)
  })
})

describe('F26, F27: a cache that returns wrong entries', () => {
  test('damaged, truncated, foreign or old entries are misses and deleted, and the question gets its own answer', async () => {
    const { ask, entries, journal, told } = gateWithStore(
      {},
      {
        handler: (c) => c.json({ answer: `About ${c.var.ragGate.question}` }),
      },
    )
    await ask()
    const [url, sound] = [...entries][0]!
    const text = await sound.clone().text()
    await ask({ question: `${QUESTION} And why?` })
    const other = await [...entries.entries()]
      .find(([name]) => name !== url)![1]
      .clone()
      .text()
    const damaged = [
      '',
      '{',
      '[]',
      'null',
      text.slice(0, -1),
      text.slice(0, text.length / 2),
      text.replace('About', 'Above'),
      text.replace('\\"schema\\":2', '\\"schema\\":1'),
      text.replace(/"digest":"./, '"digest":"x'),
      other,
    ]
    for (const body of damaged) {
      expect(body).not.toBe(text)
      entries.set(url, new Response(body, { headers: { 'content-type': 'application/json' } }))
      const handled = journal.handled.length
      expect(await (await ask()).json()).toEqual({ answer: `About ${QUESTION}` })
      expect(journal.handled).toHaveLength(handled + 1)
    }
    expect(told.filter(({ kind }) => kind === 'damaged')).toHaveLength(damaged.length)
    // The last one was written anew.
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; hit')
  })
})

/** A KV namespace that takes one write a second to a key, and whose reads lag behind by so many seconds. */
function laggingKv(clock: () => number, lagSeconds: number) {
  const writes = new Map<string, { readonly atMs: number; readonly value: string | null }[]>()
  const kv: KvStore = {
    get: async (key) => {
      const seen = writes.get(key)?.filter(({ atMs }) => atMs <= clock() - lagSeconds * 1000)
      return seen?.at(-1)?.value ?? null
    },
    put: async (key, value) => {
      const known = writes.get(key) ?? []
      if (known.some(({ atMs }) => clock() - atMs < 1000)) throw new Error('KV PUT failed: 429 Too Many Requests')
      writes.set(key, [...known, { atMs: clock(), value }])
    },
    delete: async (key) => void writes.get(key)?.push({ atMs: clock(), value: null }),
  }
  return kv
}

describe('F28, F29: Workers KV', () => {
  /** A gate over KV alone, with documents that can change. */
  function gateOverKv(lagSeconds: number) {
    let nowMs = (): number => 0
    let version = 1
    let found: readonly string[] = [STRONG]
    let answers = 0
    const told: AnswerCacheFault[] = []
    const purges = createMemoryAnswerPurges()
    const kv = laggingKv(() => nowMs(), lagSeconds)
    const store = createKvAnswerCache({ kv, onFault: (fault) => void told.push(fault) })
    const gate = aGate({
      finds: () => rankingOf(found),
      corpusVersion: () => version,
      handler: (c) => c.json({ answer: `Answer ${++answers}` }),
      cache: { store, purges },
    })
    nowMs = () => gate.clock.atMs
    return {
      ...gate,
      told,
      purges,
      change: (texts: readonly string[]) => {
        version++
        found = texts
      },
    }
  }

  test('a second write within a second is dropped and counted, and no request fails', async () => {
    const { ask, told } = gateOverKv(0)
    for (let time = 0; time < 5; time++) {
      expect((await ask(undefined, { 'cache-control': 'no-cache' })).status).toBe(200)
    }
    expect(told.length).toBeGreaterThan(0)
    expect(new Set(told.map(({ kind }) => kind))).toEqual(new Set(['rate-limited']))
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; hit')
  })

  test("a read from a minute ago never returns the old documents' answer", async () => {
    const { ask, clock, change, journal } = gateOverKv(60)
    await ask()
    clock.atMs += 61_000
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; hit')
    change([`${STRONG} Only on Mondays.`])
    for (let second = 0; second < 60; second += 10) {
      expect(await (await ask()).text()).not.toContain('"Answer 1"')
      clock.atMs += 10_000
    }
    change([WEAK])
    expect(((await (await ask()).json()) as { refused: boolean }).refused).toBe(true)
    expect(journal.events.filter(({ cache }) => cache === 'hit').length).toBe(1)
  })

  test('a read from a minute ago never returns a purged answer', async () => {
    const { ask, clock, purges } = gateOverKv(60)
    await ask()
    clock.atMs += 61_000
    await purges.purge([{ kind: 'collection', tenant: 'default', collection: 'default' }])
    expect(await (await ask()).json()).toEqual({ answer: 'Answer 2' })
  })
})
