import * as fc from 'fast-check'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { chatProtocol, readChat } from '../../packages/chat/src/index.ts'
import { bodyOfStream, chunksOf, completionOf, mapEvents, streamOfBody } from '../../packages/chat/src/completions.ts'
import { streamState } from '../../src/cache/event-stream.ts'
import { ragGate } from '../../src/index.ts'
import { POLICY } from '../fixtures/gate.ts'

const about = { decision_id: 'd1', verdict: 'pass', sources: [{ number: 1, title: 'A\n\nB' }] }

test('an answer converted to a stream and back is the same, with any content', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (answer) => {
      const stream = streamOfBody({ answer, ...about }, 'm')
      expect(bodyOfStream(stream)).toEqual({ answer, ...about })
      expect(streamState(stream, undefined)).toBe('whole')
    }),
  )
})

test('the chunks of a stream form one answer', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (pieces) => {
      const chunks = chunksOf(about, 'm')
      const stream = [chunks.first, ...pieces.map((piece) => chunks.text(piece)), chunks.last('stop')].join('')
      expect(bodyOfStream(stream)).toEqual({ answer: pieces.join(''), ...about })
    }),
  )
})

test("token counts are in a chunk without choices before the end, and not in the answer's text", () => {
  const chunks = chunksOf(about, 'm')
  const stream = [chunks.first, chunks.text('a'), chunks.last('stop', { inputTokens: 120, outputTokens: 7 })].join('')
  const [tokens, done] = stream.split('\n\n').slice(-3)
  expect(JSON.parse(tokens!.replace('data: ', ''))).toMatchObject({
    object: 'chat.completion.chunk',
    choices: [],
    usage: { prompt_tokens: 120, completion_tokens: 7, total_tokens: 127 },
  })
  expect(done).toBe('data: [DONE]')
  const usage = { prompt_tokens: 120, completion_tokens: 7, total_tokens: 127 }
  expect([streamState(stream, undefined), bodyOfStream(stream)]).toEqual(['whole', { answer: 'a', ...about, usage }])
})

test('a truncated answer has complete: false, as a stream and as JSON', () => {
  const chunks = chunksOf(about, 'm')
  const stream = [chunks.first, chunks.text('a'), chunks.last('length')].join('')
  expect(streamState(stream, undefined)).toBe('cut')
  const body = { answer: 'a', ...about, complete: false } as const
  expect(bodyOfStream(stream)).toEqual(body)
  expect(streamState(streamOfBody(body, 'm'), undefined)).toBe('cut')
  expect(bodyOfStream(streamOfBody(body, 'm'))).toEqual(body)
})

const USAGE = { prompt_tokens: 120, completion_tokens: 7, total_tokens: 127 }
const NONE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

test.each<[string, object, object | undefined, string]>([
  ['the tokens that its handler counted', { usage: USAGE }, USAGE, 'stop'],
  ['no tokens if they are not known', {}, undefined, 'stop'],
  ['zero tokens if it is a refusal', { refused: true }, NONE, 'stop'],
  ['the reason that it was cut off', { complete: false }, undefined, 'length'],
])('a completion has %s, whole and in chunks', (_, more, usage, finish_reason) => {
  const body = { answer: 'a', ...about, ...more }
  const told = { ...about, ...more, usage: undefined }
  const seconds = Date.now() / 1000
  expect(completionOf(body, 'm')).toEqual({
    id: 'd1',
    object: 'chat.completion',
    created: expect.closeTo(seconds, -1),
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'a', refusal: null }, logprobs: null, finish_reason }],
    rag_gate: told,
    usage,
  })
  expect(bodyOfStream(streamOfBody(body, 'm'))).toEqual({ ...told, answer: 'a', usage })
})

test('a refusal for clients that ask for one is beside the content, whole and in chunks', () => {
  const body = { answer: 'No.', ...about, refused: true }
  expect(completionOf(body, 'm', 'refusal')).toMatchObject({
    choices: [{ message: { content: null, refusal: 'No.' } }],
  })
  expect(streamOfBody(body, 'm', 'refusal')).toContain('"delta":{"refusal":"No."}')
})

test('the cost of an answer is beside its finish reason, and read from there', () => {
  const cost = 'This message: $0.0162'
  const stream = streamOfBody({ answer: 'a', ...about, cost }, 'm')
  expect(stream).toContain(`"finish_reason":"stop"}],"cost":"${cost}"}`)
  expect(bodyOfStream(stream)).toEqual({ answer: 'a', ...about, cost })
})

const INTERRUPTED = `${chunksOf(about, 'm').first}data: {"error":{"code":"llm_timeout"}}\n\n`

test.each([
  ['without an answer', 'data: {"choices":[]}\n\ndata: [DONE]\n\n', 'internal', 'A stored stream does not say what'],
  ['that was interrupted', INTERRUPTED, 'llm_unavailable', 'The answer broke off'],
  ['of other data', 'data: Two years.\n\n', 'llm_bad_response', 'The stream is no chat completion'],
  ['of a list', 'data: [{"choices":[]}]\n\n', 'llm_bad_response', 'The stream is no chat completion'],
])('a stream %s is rejected', (_, stream, code, message) => {
  expect(() => bodyOfStream(stream)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) }),
  )
})

test('chunks without choices or text add nothing to an answer', () => {
  const chunks = [
    { rag_gate: about },
    { choices: [{ index: 0 }], error: null },
    { choices: [{ finish_reason: 'stop' }] },
  ]
  const stream = [': keep-alive', ...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}`)].join('\n\n')
  expect(bodyOfStream(`${stream}\n\n`)).toEqual({ answer: '', ...about })
})

describe('events changed one by one', () => {
  /** A stream of these pieces, and why it was cancelled. */
  function streamOf(pieces: readonly string[]) {
    const reasons: unknown[] = []
    const utf8 = new TextEncoder()
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(utf8.encode(piece))
        if (pieces.length > 1) controller.close()
      },
      cancel: (reason) => void reasons.push(reason),
    })
    return { stream, reasons }
  }

  test('are sent as soon as they are complete, without those that are left out', async () => {
    const { stream } = streamOf(['data: 1\n\ndata: 2\n', '\ndata: drop\n\n', 'data: 3\n\ndata: 4\n\n'])
    const sent: string[] = []
    const changed = mapEvents(stream, (event) => (event.includes('drop') ? '' : event.toUpperCase()))
    for await (const piece of changed) sent.push(new TextDecoder().decode(piece))
    expect(sent).toEqual(['DATA: 1\n\n', 'DATA: 2\n\n', 'DATA: 3\n\nDATA: 4\n\n'])
  })

  test('end their source when they are cancelled', async () => {
    const { stream, reasons } = streamOf(['data: 1\n\n'])
    await mapEvents(stream, (event) => event).cancel('left')
    expect(reasons).toEqual(['left'])
  })
})

test.each(['content_filter', undefined])('an answer that ended by %s has complete: false as JSON', (reason) => {
  const choices = [{ index: 0, delta: { content: 'Two ' }, finish_reason: reason ?? null }]
  const stream = `data: ${JSON.stringify({ choices, rag_gate: about })}\n\n${reason === undefined ? '' : 'data: [DONE]\n\n'}`
  expect(bodyOfStream(stream)).toEqual({ answer: 'Two ', ...about, complete: false })
})

test.each([false, true])(
  'a refusal made by the application has the id of its decision (stream: %j)',
  async (stream) => {
    let decided = ''
    const gate = ragGate({
      policy: POLICY,
      dependencies: { retriever: { retrieve: async () => [{ kind: 'bm25', entries: [] }] } },
      question: { read: readChat },
      onRefuse: ({ id }, c, { answer }) => {
        decided = id
        return c.json({ answer: `${answer} Ask us.`, refused: true })
      },
    })
    const app = new Hono().post('/', chatProtocol(), gate)
    const messages = [{ role: 'user', content: 'How long is the warranty?' }]
    const response = await app.request('/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages, stream }),
    })
    const text = await response.text()
    const { id } = JSON.parse(stream ? text.slice('data: '.length, text.indexOf('\n')) : text) as { id: string }
    expect(id).toBe(decided)
    expect(text).toContain('Ask us.')
  },
)
