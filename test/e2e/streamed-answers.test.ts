/** `/ask` as a stream, through the ready Worker in the real runtime, with a model that streams on loopback. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { callGate, ingest } from '../../packages/cli/src/gate-client.ts'
import { HANDBOOK, MIDDLING, OFF_TOPIC, STRONG } from '../fixtures/corpus.ts'
import { type Answer, answering, type ScriptedUpstream, startUpstream } from '../fixtures/scripted-upstream.ts'
import { type BundledGate, startBundledGate } from './bundled-gate.ts'
import { delta, DONE, talking, wholeStream } from './streaming-model.ts'

const stateDirectory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-e2e-'))
let model: ScriptedUpstream
let gate: BundledGate

const WORDS = ['Thirty-', 'five ', 'days [1].']
const WHOLE = wholeStream(WORDS)

beforeAll(async () => {
  model = await startUpstream(talking(WHOLE))
  gate = await startBundledGate({
    stateDirectory,
    vars: { LLM_BASE_URL: `${model.url}/v1`, LLM_API_KEY: 'key', LLM_MODEL: 'm', STREAM_IDLE_SECONDS: '3' },
  })
  await ingest(gate.url, gate.adminToken, HANDBOOK)
})

afterAll(async () => {
  await gate?.stop()
  await model?.stop()
  rmSync(stateDirectory, { recursive: true, force: true })
})

const post = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${gate.url}/ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** A connection on which a stream is asked for. */
function connected(question: string, headers = ''): Socket {
  const { hostname, port } = new URL(gate.url)
  const socket = connect(Number(port), hostname)
  const body = JSON.stringify({ question, stream: true })
  const head = `POST /ask HTTP/1.1\r\nhost: gate\r\ncontent-type: application/json\r\n${headers}content-length: ${body.length}\r\n\r\n`
  socket.write(head + body)
  return socket
}

let asked = 0
/** The same question for the judge, and another one for the cache. */
const anotherQuestion = (): string => STRONG + '?'.repeat(asked++)

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string }; readonly finish_reason: string | null }[]
  readonly rag_gate?: Readonly<Record<string, unknown>>
}

/** The chunks of a stream that ended well. */
function chunksIn(text: string): Chunk[] {
  const events = text.split('\n\n')
  expect(events.slice(-2)).toEqual(['data: [DONE]', ''])
  return events.slice(0, -2).map((event) => JSON.parse(event.replace(/^data: /, '')) as Chunk)
}

const textIn = (chunks: readonly Chunk[]): string => chunks.map(({ choices }) => choices[0]?.delta.content).join('')

const statusOf = (response: Response): string | undefined =>
  response.headers.get('cache-status')?.replace(/ttl=-?\d+/, 'ttl=N')

describe('an answer requested as a stream', () => {
  test('arrives as the model writes it, with the verdict before its first word', async () => {
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    let sent = 0
    const answer = talking(WHOLE, () => (sent++ === 1 ? held : Promise.resolve()))
    let asked: unknown
    model.answerWith((upstream, request, body) => {
      asked = JSON.parse(body)
      answer(upstream, request, body)
    })
    const response = await post({ question: anotherQuestion(), stream: true })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('rag-gate')).toMatch(/^pass;/)
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let came = ''
    // While the model holds back everything but its first word.
    while (!came.includes(JSON.stringify('Thirty-'))) came += (await reader.read()).value ?? ''
    expect(came).not.toContain(JSON.stringify('five '))
    const [first] = came.split('\n\n')
    const { rag_gate: told, choices } = JSON.parse(first!.replace(/^data: /, '')) as Chunk
    expect(told).toMatchObject({ verdict: 'pass', answered_by: 'model', refused: false, sources: expect.any(Array) })
    expect(choices).toEqual([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }])
    release()
    for (let read = await reader.read(); !read.done; read = await reader.read()) came += read.value
    const chunks = chunksIn(came)
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content)).toEqual(['', ...WORDS, undefined, undefined])
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 120, completion_tokens: 7 } })
    expect(asked).toMatchObject({ stream: true, stream_options: { include_usage: true } })
  })

  test('is stored after its end, and sent again with the same chunks, or as JSON on request', async () => {
    model.answerWith(talking(WHOLE))
    const question = anotherQuestion()
    const first = await (await post({ question, stream: true })).text()
    const calls = model.calls()
    const again = await post({ question, stream: true })
    expect([statusOf(again), await again.text()]).toEqual(['rag-gate; hit; ttl=N', first])
    const json = await post({ question })
    expect([statusOf(json), json.headers.get('content-type')]).toEqual(['rag-gate; hit; ttl=N', 'application/json'])
    const usage = { prompt_tokens: 120, completion_tokens: 7, total_tokens: 127 }
    expect(await json.json()).toEqual({ answer: WORDS.join(''), ...chunksIn(first)[0]!.rag_gate, usage })
    expect(model.calls()).toBe(calls)
  })

  test('also comes from an answer stored as JSON', async () => {
    model.answerWith(talking(WHOLE))
    const question = anotherQuestion()
    const made = (await (await post({ question })).json()) as { answer: string; usage: object }
    const { answer, usage, ...about } = made
    const calls = model.calls()
    const stream = await post({ question }, { accept: 'text/event-stream' })
    expect([statusOf(stream), stream.headers.get('content-type')]).toEqual([
      'rag-gate; hit; ttl=N',
      'text/event-stream',
    ])
    const chunks = chunksIn(await stream.text())
    expect([textIn(chunks), chunks[0]?.rag_gate]).toEqual([answer, about])
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage })
    expect(model.calls()).toBe(calls)
  })

  test('by twenty clients at once is one model call, and all get the first word when it arrives', async () => {
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    let sent = 0
    // The model holds back all but its first word until every asker has that.
    model.answerWith(talking(WHOLE, () => (sent++ === 1 ? held : Promise.resolve())))
    const question = anotherQuestion()
    const calls = model.calls()
    const readers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await post({ question, stream: true })
        const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
        let text = ''
        while (!text.includes(WORDS[0]!)) text += (await reader.read()).value ?? ''
        return { reader, text, status: statusOf(response) }
      }),
    )
    release()
    const texts = await Promise.all(
      readers.map(async ({ reader, text }) => {
        let whole = text
        for (let read = await reader.read(); !read.done; read = await reader.read()) whole += read.value
        return whole
      }),
    )
    expect(model.calls() - calls).toBe(1)
    expect(new Set(texts).size).toBe(1)
    const statuses = readers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 'rag-gate; fwd=miss')).toHaveLength(1)
    expect(statuses.filter((status) => status === 'rag-gate; fwd=miss; ttl=N; collapsed')).toHaveLength(19)
  })

  test('is read by the official client', async () => {
    model.answerWith(talking(WHOLE))
    const client = new OpenAI({ apiKey: gate.adminToken, baseURL: gate.url, maxRetries: 0 })
    for (const state of ['made', 'stored']) {
      const stream = await client.post<AsyncIterable<OpenAI.ChatCompletionChunk & Chunk>>('/ask', {
        body: { question: 'How long are nightly backups of the billing database kept, in days?', stream: true },
        stream: true,
      })
      const chunks: Chunk[] = []
      for await (const chunk of stream as unknown as AsyncIterable<Chunk>) chunks.push(chunk)
      expect([state, textIn(chunks), chunks[0]?.rag_gate?.['verdict']]).toEqual([state, WORDS.join(''), 'pass'])
    }
  })

  test('is sent to its end to a client that has closed its own side of the connection', async () => {
    model.answerWith(talking(WHOLE, () => sleep(20)))
    const socket = connected(anotherQuestion())
    socket.end()
    let text = ''
    for await (const piece of socket) text += String(piece)
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(text).toContain(JSON.stringify(WORDS.at(-1)))
    expect(text).toContain('[DONE]')
  })

  test('has its tokens counted', async () => {
    model.answerWith(talking(WHOLE))
    await (await post({ question: anotherQuestion(), stream: true })).text()
    const address = { url: gate.url, key: gate.adminToken }
    await vi.waitFor(
      async () => {
        const { decisions } = await callGate<{ decisions: { id: string }[] }>(address, 'GET', '/v1/decisions')
        const newest = await callGate<{ decision: object }>(address, 'GET', `/v1/decisions/${decisions[0]?.id}`)
        expect(JSON.stringify(newest)).toContain('"input_tokens":120')
      },
      { timeout: 20_000, interval: 300 },
    )
  })

  test('with a caution has it before its first word', async () => {
    const chunks = chunksIn(await (await post({ question: MIDDLING, stream: true })).text())
    expect(chunks[0]?.rag_gate).toMatchObject({ verdict: 'advise', caution: expect.stringContaining('verify') })
  })
})

describe('with a stream requested,', () => {
  test('a refusal has the same format, without a model call', async () => {
    const calls = model.calls()
    const { answer, ...about } = (await (await post({ question: OFF_TOPIC })).json()) as { answer: string }
    const response = await post({ question: OFF_TOPIC, stream: true })
    expect(response.headers.get('rag-gate')).toMatch(/^refuse;/)
    const chunks = chunksIn(await response.text())
    expect([textIn(chunks), chunks[0]?.rag_gate]).toEqual([answer, about])
    expect(model.calls()).toBe(calls)
  })

  test.each<[string, unknown]>([
    ['a text', 'yes'],
    ['a number', 1],
    ['null', null],
  ])('%s as `stream` is rejected', async (_, stream) => {
    const response = await post({ question: STRONG, stream })
    expect([response.status, await response.json()]).toMatchObject([422, { error: { code: 'stream_type' } }])
  })

  test('Accept with both types returns JSON', async () => {
    const response = await post({ question: STRONG }, { accept: 'application/json, text/event-stream' })
    expect(response.headers.get('content-type')).toBe('application/json')
    const other = await post({ question: STRONG, stream: false }, { accept: 'text/event-stream' })
    expect(other.headers.get('content-type')).toBe('application/json')
  })

  test.each<[string, Answer, number, string]>([
    ['hangs up', (response) => response.destroy(), 503, 'llm_unavailable'],
    ['answers 429', answering('secret', 429), 503, 'llm_unavailable'],
    ['answers 400', answering('{"error":"secret"}', 400), 502, 'llm_bad_request'],
    ['streams an error', talking(['data: {"error":{"message":"secret"}}\n\n']), 502, 'llm_bad_response'],
    ['streams nothing', talking([delta('', 'stop'), DONE]), 502, 'llm_bad_response'],
    ['ends before its first word', talking([delta('')]), 503, 'llm_unavailable'],
    ['answers whole', answering('{"choices":[]}'), 502, 'llm_bad_response'],
  ])('a model that %s causes an ordinary error', async (_, script, status, code) => {
    model.answerWith(script)
    const response = await post({ question: anotherQuestion(), stream: true })
    const text = await response.text()
    expect([response.status, JSON.parse(text)]).toMatchObject([status, { error: { code } }])
    expect(text).not.toContain('secret')
  })

  test.each<[string, readonly string[], string]>([
    ['that dies', WHOLE.slice(0, 2), 'llm_unavailable'],
    ['that tells of an error', [...WHOLE.slice(0, 2), 'data: {"error":{"message":"secret"}}\n\n'], 'llm_bad_response'],
  ])('an answer %s ends with an error event, and is not stored', async (_, events, code) => {
    model.answerWith(talking(events))
    const question = anotherQuestion()
    const text = await (await post({ question, stream: true })).text()
    expect(text.split('\n\n').at(-2)).toMatch(new RegExp(`^data: \\{"error":\\{"code":"${code}"`))
    expect(text).not.toContain('secret')
    expect(text).not.toContain('[DONE]')
    model.answerWith(talking(WHOLE))
    const again = await post({ question, stream: true })
    expect([statusOf(again), textIn(chunksIn(await again.text()))]).toEqual([
      expect.stringMatching(/^rag-gate; fwd=miss/),
      WORDS.join(''),
    ])
  })

  test('an answer that falls silent is abandoned, with its model call', async () => {
    let isClosed = false
    model.answerWith((response, request, body) => {
      response.on('close', () => (isClosed = true))
      let sent = 0
      talking(WHOLE, () => (sent++ < 2 ? Promise.resolve() : new Promise(() => undefined)))(response, request, body)
    })
    const text = await (await post({ question: anotherQuestion(), stream: true })).text()
    expect(text.split('\n\n').at(-2)).toMatch(/^data: \{"error":\{"code":"llm_timeout"/)
    await vi.waitFor(() => expect(isClosed).toBe(true), { timeout: 10_000 })
  })

  test('an answer whose client resets the connection is read to its end and stored', async () => {
    model.answerWith(talking(WHOLE, () => sleep(50)))
    const question = anotherQuestion()
    const calls = model.calls()
    const socket = connected(question)
    socket.once('data', () => socket.resetAndDestroy())
    await once(socket, 'close')
    await vi.waitFor(
      async () => {
        const again = await post({ question }, { 'cache-control': 'only-if-cached' })
        expect([again.status, await again.json()]).toMatchObject([200, { answer: WORDS.join('') }])
      },
      { timeout: 10_000, interval: 200 },
    )
    expect(model.calls() - calls).toBe(1)
  })

  test('an answer that is not to be stored is then abandoned, with its model call', async () => {
    let isClosed = false
    const endless = Array.from({ length: 10_000 }, () => delta('and so on '))
    model.answerWith((response, request, body) => {
      response.on('close', () => (isClosed = true))
      talking(endless, () => (isClosed ? new Promise(() => undefined) : sleep(20)))(response, request, body)
    })
    const socket = connected(anotherQuestion(), 'cache-control: no-store\r\n')
    socket.once('data', () => socket.resetAndDestroy())
    await vi.waitFor(() => expect(isClosed).toBe(true), { timeout: 10_000 })
  })

  test('a truncated answer is sent, marked incomplete, and not stored', async () => {
    model.answerWith(talking([delta('Thirty'), delta('', 'length'), DONE]))
    const question = anotherQuestion()
    const calls = model.calls()
    for (let time = 0; time < 2; time++) {
      const chunks = chunksIn(await (await post({ question, stream: true })).text())
      expect([textIn(chunks), chunks.at(-1)?.choices[0]?.finish_reason]).toEqual(['Thirty', 'length'])
    }
    expect(model.calls() - calls).toBe(2)
  })
})
