/** A model that fails in every way, behind the ready Worker in the real runtime; and what past answers stand in for. */
import { mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { callGate, ingest } from '../../packages/cli/src/gate-client.ts'
import { policySettings } from '../../src/core/policy/policy.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { HANDBOOK, STRONG } from '../fixtures/corpus.ts'
import { type Answer, answering, type ScriptedUpstream, startUpstream } from '../fixtures/scripted-upstream.ts'
import { type BundledGate, startBundledGate } from './bundled-gate.ts'

const LIFETIME = 2
const IF_ERROR = 4
/** More than other tests ask at a time. */
const CALLS_AT_ONCE = 8

let model: ScriptedUpstream
let gate: BundledGate
let shortLived: string
const stateDirectory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-e2e-'))

const completion = (content: string, reason: string | null = 'stop'): string =>
  JSON.stringify({
    model: 'm',
    choices: [{ index: 0, finish_reason: reason, message: { role: 'assistant', content } }],
  })
const GOOD = answering(completion('Thirty-five days [1].'))

beforeAll(async () => {
  model = await startUpstream(GOOD)
  gate = await startBundledGate({
    stateDirectory,
    entry: 'test/e2e/model-faults-worker.ts',
    vars: {
      LLM_BASE_URL: `${model.url}/v1`,
      LLM_API_KEY: 'key',
      LLM_MODEL: 'm',
      LLM_TIMEOUT_SECONDS: '2',
      MODEL_CALLS_AT_ONCE: String(CALLS_AT_ONCE),
      STALE_IF_ERROR_SECONDS: String(IF_ERROR),
    },
  })
  await ingest(gate.url, gate.adminToken, HANDBOOK)
  shortLived = await chooseLifetime(LIFETIME)
})

afterAll(async () => {
  await gate?.stop()
  await model?.stop()
  rmSync(stateDirectory, { recursive: true, force: true })
})

/** Has answers live so many seconds at most, once the copies of the collection are ten seconds old. @returns the policy's id */
async function chooseLifetime(seconds: number): Promise<string> {
  const range = { fromSeconds: seconds, toSeconds: seconds }
  const lifetimes = { high: range, medium: range, low: range, adviseAtMostSeconds: seconds, refusalSeconds: 0 }
  const settings = { ...policySettings(balanced()), name: 'short-lived', cacheLifetimes: lifetimes }
  const address = { url: gate.url, key: gate.adminToken }
  const { id } = await callGate<{ id: string }>(address, 'PUT', '/v1/policies/pushed', { settings })
  await callGate(address, 'PUT', '/v1/collections/default/policy', { policy: id })
  return id
}

const post = (path: string, question: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${gate.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ question }),
    ...init,
  })

let asked = 0
/** The same question for the judge, and another one for the cache. */
const anotherQuestion = (): string => STRONG + '?'.repeat(asked++)

const statusOf = (response: Response): string | undefined =>
  response.headers.get('cache-status')?.replace(/ttl=-?\d+/, 'ttl=N')

/** Statuses of so many decisions as they are recorded by now, newest first. */
async function recorded(count: number): Promise<number[]> {
  const address = { url: gate.url, key: gate.adminToken }
  const { decisions } = await callGate<{ decisions: { status: number }[] }>(address, 'GET', '/v1/decisions')
  return decisions.slice(0, count).map(({ status }) => status)
}

describe('a model that', () => {
  /** Begins a whole answer, and sends a part of it. */
  const begun =
    (then: (response: ServerResponse) => void): Answer =>
    (response) => {
      const body = completion('Thirty-five days [1].')
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
      response.write(body.slice(0, 30))
      setTimeout(() => then(response), 20)
    }

  test.each<[string, Answer, number, string]>([
    ['hangs up', (response) => response.destroy(), 503, 'llm_unavailable'],
    ['dies in the middle of its answer', begun((response) => response.destroy()), 503, 'llm_unavailable'],
    ['answers 429', answering('secret', 429, { 'retry-after': '9' }), 503, 'llm_unavailable'],
    ['answers 500', answering('secret', 500), 503, 'llm_unavailable'],
    ['sends half of its JSON', answering(completion('secret').slice(0, -9)), 502, 'llm_bad_response'],
    ['sends an error with status 200', answering('{"error":{"message":"secret"}}'), 502, 'llm_bad_response'],
    ['sends no JSON', answering('<html>secret'), 502, 'llm_bad_response'],
  ])(
    '%s: is called once, and causes an error with a code, without its text, and nothing is stored',
    async (name, answer, status, code) => {
      const question = anotherQuestion()
      model.answerWith(answer)
      const before = model.calls()
      const failed = await post('/ask', question)
      const text = await failed.text()
      expect([failed.status, JSON.parse(text)]).toMatchObject([status, { error: { code } }])
      expect(text).not.toContain('secret')
      expect(failed.headers.get('retry-after')).toBe(name === 'answers 429' ? '9' : null)
      expect(model.calls() - before).toBe(1)
      model.answerWith(GOOD)
      const good = await post('/ask', question)
      expect([good.status, statusOf(good)]).toEqual([200, expect.stringMatching(/^rag-gate; fwd=miss/)])
    },
  )

  test.each(['length', 'content_filter', null])('stops with %j has its answer sent, but not stored', async (reason) => {
    const question = anotherQuestion()
    model.answerWith(answering(completion('Thirty', reason)))
    for (let time = 0; time < 2; time++) {
      const response = await post('/ask', question)
      // A caller that comes while the first is still leading waits, and is told that there is nothing to share.
      expect([response.status, statusOf(response)]).toEqual([200, expect.stringMatching(/^rag-gate; fwd=miss/)])
      expect(await response.json()).toMatchObject({ answer: 'Thirty' })
    }
  })

  test('is called for others when more clients left than may call it at once', async () => {
    let asked = 0
    model.answerWith(() => void asked++)
    const { hostname, port } = new URL(gate.url)
    for (let client = 0; client < CALLS_AT_ONCE + 2; client++) {
      const body = JSON.stringify({ question: anotherQuestion(), stream: client % 2 === 0 })
      const socket = connect(Number(port), hostname).on('error', () => undefined)
      const head = `POST /ask HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\n`
      socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`)
      await vi.waitFor(() => expect(asked).toBe(client + 1), { timeout: 30_000 })
      // workerd takes the mere end of what a client sends for no leaving.
      socket.resetAndDestroy()
    }
    model.answerWith(GOOD)
    await vi.waitFor(async () => expect((await post('/ask', anotherQuestion())).status).toBe(200), { timeout: 30_000 })
  })

  test("never answers is abandoned after the deployment's time limit", async () => {
    model.answerWith(() => undefined)
    const askedMs = performance.now()
    const response = await post('/ask', anotherQuestion())
    expect([response.status, await response.json()]).toMatchObject([504, { error: { code: 'llm_timeout' } }])
    // By default they are twenty.
    expect(performance.now() - askedMs).toBeLessThan(15_000)
    model.answerWith(GOOD)
  })
})

const delta = (content: string, reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content }, finish_reason: reason }] })}\n\n`
const EVENTS = [delta('Thirty-'), delta('five '), delta('days.'), delta('', 'stop'), 'data: [DONE]\n\n']

/** Sends what is there of a stream, piece by piece; `end` says how it stops. */
const streamed =
  (pieces: readonly string[], end: (response: ServerResponse) => void): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    void (async () => {
      for (const piece of pieces) {
        response.write(piece)
        await sleep(30)
      }
      end(response)
    })()
  }
const ending = (response: ServerResponse): void => void response.end()
const dying = (response: ServerResponse): void => void response.destroy()

describe('a stream of the model', () => {
  test('that is complete is passed on unchanged, and stored', async () => {
    model.answerWith(streamed(EVENTS, ending))
    const question = anotherQuestion()
    expect(await (await post('/stream', question)).text()).toBe(EVENTS.join(''))
    const again = await post('/stream', question)
    expect([statusOf(again), await again.text()]).toEqual(['rag-gate; hit; ttl=N', EVENTS.join('')])
  })

  test('that breaks off ends with an error in its own format, is not stored, and is recorded as failed', async () => {
    const question = anotherQuestion()
    for (let whole = 0; whole < EVENTS.length; whole++) {
      model.answerWith(streamed([...EVENTS.slice(0, whole), EVENTS[whole]!.slice(0, 12)], dying))
      const response = await post('/stream', question)
      expect([response.status, statusOf(response)]).toEqual([200, expect.stringMatching(/^rag-gate; fwd=miss/)])
      const text = await response.text()
      const came = EVENTS.slice(0, whole).join('')
      expect(text.startsWith(came)).toBe(true)
      const last = text.slice(came.length)
      // The form of a stream that has no event yet is unknown.
      if (whole === 0) expect(last).toMatch(/^event: error\ndata: \{"type":"error",.*"code":"llm_unavailable".*\}\n\n$/)
      else expect(last).toMatch(/^data: \{"error":\{"code":"llm_unavailable",.*\}\}\n\n$/)
    }
    const statuses = [...EVENTS.map(() => 503), 200]
    await vi.waitFor(async () => expect(await recorded(statuses.length)).toEqual(statuses), {
      timeout: 20_000,
      interval: 300,
    })
  })

  test('that falls silent is abandoned, and ends like one that broke off', async () => {
    const question = anotherQuestion()
    let isClosed = false
    const silent = (response: ServerResponse): void => void response.on('close', () => (isClosed = true))
    model.answerWith(streamed(EVENTS.slice(0, 2), silent))
    const text = await (await post('/stream', question)).text()
    const came = EVENTS.slice(0, 2).join('')
    expect(text.startsWith(came)).toBe(true)
    expect(text.slice(came.length)).toMatch(/^data: \{"error":\{"code":"llm_timeout",.*\}\}\n\n$/)
    await vi.waitFor(() => expect(isClosed).toBe(true), { timeout: 10_000 })
    await vi.waitFor(async () => expect(await recorded(1)).toEqual([504]), { timeout: 20_000, interval: 300 })
    model.answerWith(streamed(EVENTS, ending))
    const again = await post('/stream', question)
    expect([statusOf(again), await again.text()]).toEqual([
      expect.stringMatching(/^rag-gate; fwd=miss/),
      EVENTS.join(''),
    ])
  })

  test('that its reader leaves is stored only when complete', async () => {
    const question = anotherQuestion()
    model.answerWith(streamed(EVENTS, ending))
    const controller = new AbortController()
    const left = await post('/stream', question, { signal: controller.signal })
    await left.body!.getReader().read()
    controller.abort()
    await sleep(1000)
    const again = await post('/stream', question)
    expect(await again.text()).toBe(EVENTS.join(''))
  })
})

describe('an expired answer', () => {
  beforeAll(async () => {
    model.answerWith(GOOD)
    const isInUse = async (): Promise<void> =>
      expect((await post('/ask', anotherQuestion())).headers.get('rag-gate')).toContain(shortLived)
    await vi.waitFor(isInUse, { timeout: 30_000, interval: 1000 })
  })

  /** Asks again and again. @returns what came, each once, up to what is waited for */
  async function cameUntil(question: string, last: string): Promise<string[]> {
    const came: string[] = []
    for (const untilMs = Date.now() + 30_000; came.at(-1) !== last && Date.now() < untilMs;) {
      const response = await post('/ask', question)
      const { answer, error } = (await response.json()) as { answer?: string; error?: { code: string } }
      const detail = /detail=[\w-]+/.exec(statusOf(response) ?? '')?.[0] ?? 'fresh'
      const each = error === undefined ? `${answer} ${detail}` : `${response.status} ${error.code}`
      if (each !== came.at(-1)) came.push(each)
      if (detail === 'detail=stale-if-error')
        expect(Number(response.headers.get('age'))).toBeGreaterThanOrEqual(LIFETIME)
      await sleep(300)
    }
    return came
  }

  test('is sent, marked stale, when a model is down, until its window is over', async () => {
    model.answerWith(answering(completion('The first.')))
    const question = anotherQuestion()
    await post('/ask', question)
    model.answerWith(answering('{}', 503))
    expect(await cameUntil(question, '503 llm_unavailable')).toEqual([
      'The first. fresh',
      'The first. detail=stale-if-error',
      '503 llm_unavailable',
    ])
  })
})
