import * as fc from 'fast-check'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { chatProtocol, readChat } from '../../packages/chat/src/index.ts'
import { bodyOfStream, chunksOf, completionOf, streamOfBody } from '../../packages/chat/src/completions.ts'
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
  expect(completionOf(body, 'm')).toEqual({
    id: 'd1',
    object: 'chat.completion',
    created: expect.any(Number),
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'a', refusal: null }, logprobs: null, finish_reason }],
    rag_gate: told,
    usage,
  })
  expect(bodyOfStream(streamOfBody(body, 'm'))).toEqual({ ...told, answer: 'a', usage })
})

test('the cost of an answer is beside its finish reason, and read from there', () => {
  const cost = 'This message: $0.0162'
  const stream = streamOfBody({ answer: 'a', ...about, cost }, 'm')
  expect(stream).toContain(`"finish_reason":"stop"}],"cost":"${cost}"}`)
  expect(bodyOfStream(stream)).toEqual({ answer: 'a', ...about, cost })
})

test('a stream without an answer is rejected', () => {
  expect(() => bodyOfStream('data: {"choices":[]}\n\ndata: [DONE]\n\n')).toThrow(
    expect.objectContaining({ code: 'internal' }),
  )
})

test('chunks without choices or text add nothing to an answer', () => {
  const chunks = [
    { rag_gate: about },
    { choices: [{ index: 0 }], error: null },
    { choices: [{ finish_reason: 'stop' }] },
  ]
  expect(bodyOfStream(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''))).toEqual({
    answer: '',
    ...about,
  })
})

test('an interrupted stream is rejected', () => {
  const stream = `${chunksOf(about, 'm').first}data: {"error":{"code":"llm_timeout"}}\n\n`
  expect(() => bodyOfStream(stream)).toThrow(expect.objectContaining({ code: 'llm_unavailable' }))
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
