import { Hono, type MiddlewareHandler } from 'hono'
import { describe, expect, test } from 'vitest'
import { chunksOf, eventStream } from '../../packages/chat/src/completions.ts'
import { chatProtocol, readChat, type ReadChatOptions } from '../../packages/chat/src/index.ts'
import { openAiProtocol } from '../../packages/chat/src/openai-protocol.ts'
import { grounding } from '../../packages/presets/src/answers/grounding.ts'
import { advisory } from '../../packages/presets/src/advisory/advisory.ts'
import { CAUTION_FOR_READER } from '../../src/core/reports/caution.ts'
import { defineGate, gateWith } from '../../src/core/gates/gate.ts'
import { noteText } from '../../src/core/gates/text.ts'
import { definePolicy } from '../../src/core/policy/policy.ts'
import { answerJudge } from '../../src/middleware/answer-judge.ts'
import { createMemoryAnswerCache } from '../../src/adapters/memory-answer-cache.ts'
import { answerCache } from '../../src/cache/answer-cache.ts'
import { ragGate, type RagGateEnv, type RagGateOptions, respondWithError } from '../../src/index.ts'
import { type HandlerContext, POLICY, QUESTION, rankingOf, STRONG } from '../fixtures/gate.ts'

interface Asking extends Partial<RagGateOptions> {
  readonly bounds?: ReadChatOptions
  readonly protocol?: MiddlewareHandler
}

/** Asks an app whose handler answers so, behind an answer cache. */
function asking(
  handler: (c: HandlerContext) => Response | Promise<Response>,
  { bounds, protocol = chatProtocol(), ...options }: Asking = {},
): (body: object) => Promise<Response> {
  const cache = answerCache({ store: createMemoryAnswerCache(), scope: 'public' })
  const gate = ragGate({
    policy: POLICY,
    dependencies: { retriever: { retrieve: async () => rankingOf([STRONG]) }, cache },
    question: { read: (c) => readChat(c, bounds) },
    answer: { judge: answerJudge() },
    ...options,
  })
  const app = new Hono<RagGateEnv>().post('/', protocol, gate, handler)
  app.onError((error, c) => respondWithError(c, error))
  const headers = { 'content-type': 'application/json' }
  return async (body) => app.request('/', { method: 'POST', headers, body: JSON.stringify(body) })
}

const CHAT = { model: 'm', messages: [{ role: 'user', content: QUESTION }] }
const MESSAGE = { messages: [{ role: 'user', parts: [{ type: 'text', text: QUESTION }] }] }

const events = (...chunks: readonly object[]): Response =>
  new Response(
    [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''),
    {
      headers: { 'content-type': 'text/event-stream' },
    },
  )

/** The JSON of the events of a stream. */
const sent = (text: string): readonly object[] =>
  [...text.matchAll(/data: (\{.*\})/g)].map(([, json]) => JSON.parse(json!) as object)

test.each([
  [{ refuseAs: 'text' }, 'refuseAs'],
  [{ read: { maxBytes: 5 } }, 'read.maxBytes'],
  [{ read: { maxHistoryLength: -1 } }, 'read.maxHistoryLength'],
])('the options %j are rejected, naming the wrong one', (options, param) => {
  expect(() => chatProtocol(options as never)).toThrow(expect.objectContaining({ code: 'config_invalid', param }))
})

test.each(['Two years.', 'null', '5'])('a stream of %j is an error for a client that asked for JSON', async (data) => {
  const ask = asking(() => new Response(`data: ${data}\n\n`, { headers: { 'content-type': 'text/event-stream' } }))
  const response = await ask(CHAT)
  const error = { code: 'llm_bad_response', type: 'server_error', param: null }
  expect([response.status, await response.json()]).toMatchObject([502, { error }])
})

test('an interrupted stream is an error for a client that asked for JSON', async () => {
  const ask = asking(() => {
    async function* pieces(): AsyncGenerator<string, void, void> {
      yield chunksOf({ decision_id: 'd1' }, 'm').text('Two ')
      throw new Error('the model is gone')
    }
    const stream = eventStream(pieces(), () => undefined)
    stream.headers.set('cache-control', 'public, max-age=600')
    stream.headers.set('access-control-allow-origin', '*')
    return stream
  })
  const response = await ask(CHAT)
  const error = { code: 'llm_unavailable', type: 'server_error', param: null }
  expect([response.status, await response.json()]).toMatchObject([503, { error }])
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
})

test.each([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'content-filter'],
  ['function_call', 'stop'],
])('the finish reason %s becomes %s for `useChat`', async (reason, finishReason) => {
  const choices = [{ index: 0, delta: { content: 'Two ' }, finish_reason: reason }]
  const response = await asking(() => events({ choices }))(MESSAGE)
  expect(sent(await response.text()).at(-1)).toEqual({ type: 'finish', finishReason })
})

test('handler and client get the chat within the bounds that the gate applied', async () => {
  const bounds = { maxBodyBytes: 400_000, maxHistoryLength: 0 }
  const ask = asking(async (c) => c.json({ answer: `${(await readChat(c)).history.length} turns` }), { bounds })
  const before = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b'.repeat(300_000) },
  ]
  const turns = [{ role: 'user', content: 'c' }, { role: 'assistant', content: 'd' }, ...CHAT.messages]
  const response = await ask({ ...CHAT, messages: [...before, ...turns] })
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: '0 turns' } }] })
})

test.each<[string, object]>([
  ['a completion', CHAT],
  ['chunks', { ...CHAT, stream: true }],
  ['a message', MESSAGE],
])('an answer converted into %s has no header about the bytes of the other form', async (_, chat) => {
  const fields = ['content-length', 'etag', 'content-digest', 'repr-digest']
  const said = Object.fromEntries(['x-own', ...fields].map((name) => [name, '"of-the-json"']))
  const { headers } = await asking((c) => c.json({ answer: 'The red key.' }, 200, said))(chat)
  expect(['x-own', ...fields].filter((name) => headers.has(name))).toEqual(['x-own'])
})

test.each<[string, object]>([
  ['JSON', { answer: STRONG }],
  ['a completion', { choices: [{ message: { content: STRONG }, finish_reason: 'stop' }] }],
])('the verdict is that of the judged answer, from the cache too, if the handler returns %s', async (_, body) => {
  const handler = (c: HandlerContext) => {
    c.var.ragGate.report({ answer: STRONG })
    return c.json(body)
  }
  const ask = asking(handler, { policy: advisory({ requiredFields: ['summary'] }) })
  const told = { refused: false, verdict: 'advise', reason_code: 'advisory_unusable', caution: CAUTION_FOR_READER }
  const sources = [{ number: 1 }]
  expect(await (await ask(CHAT)).json()).toMatchObject({ rag_gate: { ...told, sources } })
  expect(await (await ask(CHAT)).json()).toMatchObject({ rag_gate: told })
  const parts = sent(await (await ask({ ...MESSAGE, model: 'n' })).text())
  expect(parts).toContainEqual({ type: 'data-rag-gate', data: expect.objectContaining(told) })
})

describe('an answer without support, with the app’s own refusal', () => {
  const policy = definePolicy({ ...POLICY, gates: [...POLICY.gates, grounding()] })
  const invented = 'Pineapples grow in Greenland every summer [1].'

  test.each<[string, object]>([
    ['JSON', { answer: 'Ask us.' }],
    ['a completion', { choices: [{ message: { content: 'Ask us.' } }] }],
  ])('has the verdict of the refusal and no sources: %s', async (_, body) => {
    const ask = asking((c) => c.json({ answer: invented }), { policy, onRefuse: (_decision, c) => c.json(body) })
    const completion = (await (await ask(CHAT)).json()) as { rag_gate: object }
    expect(completion).toMatchObject({ choices: [{ message: { content: 'Ask us.' } }] })
    expect(completion.rag_gate).toEqual({
      decision_id: expect.any(String),
      refused: true,
      verdict: 'refuse',
      band: 'high',
      reason_code: 'answer_unsupported',
    })
  })

  test('is not a refusal if that is only observed', async () => {
    const ask = asking((c) => c.json({ answer: invented }), { policy, mode: 'observe' })
    expect(await (await ask(CHAT)).json()).toMatchObject({
      choices: [{ message: { content: invented } }],
      rag_gate: { refused: false, verdict: 'pass', reason_code: 'passed', sources: [{ number: 1 }] },
    })
  })
})

describe('an own gate whose code has other characters than letters', () => {
  const advising = defineGate<{ gate: 'own'; outcome: 'refuse' | 'advise' }, string>({
    name: 'own',
    stage: 'pre-generation',
    validate: () => undefined,
    check: ({ outcome }) => ({ outcome, code: 'shop/price-asked:1.0', message: '' }),
    texts: { 'shop/price-asked:1.0': noteText('Ask the shop.') },
  })
  const told = { reason_code: 'shop/price-asked:1.0' }

  test.each<[string, 'refuse' | 'advise', object]>([
    ['a refusal', 'refuse', { ...told, refused: true }],
    ['an advisory', 'advise', { ...told, refused: false, caution: CAUTION_FOR_READER }],
  ])('has %s in the form of the client, from the cache too', async (_, outcome, about) => {
    const own = gateWith(advising, { gate: 'own', outcome })
    const policy = definePolicy({ ...POLICY, gates: [...POLICY.gates, own] })
    const ask = asking((c) => c.json({ answer: STRONG }), { policy })
    for (const body of [CHAT, CHAT]) {
      expect(await (await ask(body)).json()).toMatchObject({ object: 'chat.completion', rag_gate: about })
    }
    expect(sent(await (await ask(MESSAGE)).text())).toContainEqual({
      type: 'data-rag-gate',
      data: expect.objectContaining(about),
    })
  })
})

describe('each completion has its own id, stored ones too', () => {
  const idsIn = async (response: Response): Promise<readonly string[]> =>
    (await response.text()).match(/"id":"(?!chunk)[^"]+(?=","(?:object|model))/g) ?? []

  test.each<[string, (c: HandlerContext) => Response]>([
    ['JSON', (c) => c.json({ answer: 'The red key.', ...c.var.ragGate.summary })],
    [
      'completions',
      (c) => c.json({ id: 'a', model: 'm', choices: [{ message: { content: 'Red.' }, finish_reason: 'stop' }] }),
    ],
    [
      'chunks',
      () =>
        events(
          { id: 'a', model: 'm', choices: [{ index: 0, delta: { content: 'Red.' }, finish_reason: null }] },
          { id: 'a', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
        ),
    ],
  ])('from a handler that returns %s', async (_what, handler) => {
    const ask = asking(handler)
    const asked = [CHAT, CHAT, { ...CHAT, stream: true }, { ...CHAT, stream: true }]
    const ids: string[] = []
    for (const chat of asked) {
      const of = new Set(await idsIn(await ask(chat)))
      expect(of.size).toBe(1)
      ids.push(...of)
    }
    expect(new Set(ids).size).toBe(asked.length)
  })
})

test('a message from the cache has its own id when its handler names messages', async () => {
  const parts = [{ type: 'start', messageId: 'm1' }, { type: 'text-start', id: '1' }, { type: 'finish' }]
  const ask = asking((c) => {
    c.var.ragGate.report({ complete: true })
    const response = events(...parts)
    response.headers.set('x-vercel-ai-ui-message-stream', 'v1')
    return response
  })
  const ids: unknown[] = []
  for (const nth of [1, 2, 3]) {
    const response = await ask(MESSAGE)
    expect(response.headers.get('cache-status')).toContain(nth === 1 ? 'fwd=miss' : 'hit')
    const [start, told] = sent(await response.text())
    expect([start, told]).toMatchObject([{ type: 'start' }, { type: 'data-rag-gate' }])
    ids.push((start as { messageId?: unknown }).messageId)
  }
  expect(ids[0]).toBe('m1')
  expect(new Set(ids).size).toBe(3)
})

describe('with the OpenAI protocol only', () => {
  const answered = asking((c) => c.json({ answer: 'The red key.' }), { protocol: openAiProtocol() })

  test('an answer is returned as a completion', async () => {
    expect(await (await answered(CHAT)).json()).toMatchObject({ choices: [{ message: { content: 'The red key.' } }] })
  })

  test.each([
    ['JSON', answered, '{"answer":"The red key."}'],
    [
      'a stream',
      asking(() => events({ choices: [] }), { protocol: openAiProtocol() }),
      'data: {"choices":[]}\n\ndata: [DONE]\n\n',
    ],
  ])("a `useChat` request gets the handler's response unchanged: %s", async (_what, ask, body) => {
    expect(await (await ask(MESSAGE)).text()).toBe(body)
  })
})

describe('a completion returned by the handler', () => {
  const completion = {
    id: 'chatcmpl-1',
    model: 'm-1',
    choices: [{ index: 0, message: { role: 'assistant', content: 'The red key.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  }
  const answered = asking((c) => c.json(completion))
  const told = {
    decision_id: expect.any(String),
    refused: false,
    verdict: 'pass',
    band: 'high',
    reason_code: 'passed',
  }

  test('is returned unchanged to an OpenAI client, with the verdict', async () => {
    expect(await (await answered(CHAT)).json()).toEqual({
      ...completion,
      rag_gate: { ...told, sources: [expect.objectContaining({ number: 1 })] },
    })
  })

  test('is converted to a stream on request, from the cache too', async () => {
    const response = await answered({ ...CHAT, stream: true })
    expect(response.headers.get('cache-status')).toContain('hit')
    const chunks = sent(await response.text())
    expect(chunks).toMatchObject([
      { rag_gate: told },
      { choices: [{ delta: { content: 'The red key.' } }] },
      { choices: [{ finish_reason: 'stop' }] },
    ])
    expect(chunks[0]).not.toHaveProperty('rag_gate.caution')
  })

  test('is converted to a message for `useChat`', async () => {
    expect(sent(await (await answered(MESSAGE)).text())).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'data-rag-gate' }),
        expect.objectContaining({ type: 'source-document' }),
        { type: 'text-delta', id: 'answer', delta: 'The red key.' },
        { type: 'finish', finishReason: 'stop' },
      ]),
    )
  })

  test('with a tool call is returned unchanged', async () => {
    const tool_calls = [{ id: 'a', type: 'function', function: { name: 'stock', arguments: '{}' } }]
    const calling = {
      ...completion,
      choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls }, finish_reason: 'tool_calls' }],
    }
    const response = await asking((c) => c.json(calling))(CHAT)
    expect(await response.json()).toMatchObject(calling)
  })
})
