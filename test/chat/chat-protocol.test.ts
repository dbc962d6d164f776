import { Hono, type MiddlewareHandler } from 'hono'
import { describe, expect, test } from 'vitest'
import { chunksOf, eventStream } from '../../packages/chat/src/completions.ts'
import { chatProtocol, readChat, type ReadChatOptions, type RefuseAs } from '../../packages/chat/src/index.ts'
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
  text
    .split('\n\n')
    .filter((event) => !['', 'data: [DONE]'].includes(event))
    .map((event) => JSON.parse(event.replace(/^data: /, '')) as object)

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

describe('a refusal', () => {
  const OFF_TOPIC = 'How long is the warranty?'
  const chat = { model: 'm', messages: [{ role: 'user', content: OFF_TOPIC }] }
  const message = { messages: [{ role: 'user', parts: [{ type: 'text', text: OFF_TOPIC }] }] }
  const text = 'Nothing was found.'
  const about = { refused: true, verdict: 'refuse', reason_code: 'confidence_low' }
  const refusing = (options: Asking): ReturnType<typeof asking> =>
    asking(() => Response.json({}), { messages: { confidence_low: { answer: text } }, ...options })
  const forms: readonly [string, RefuseAs, object, number, object][] = [
    ['content', 'content', chat, 200, { choices: [{ message: { content: text, refusal: null } }], rag_gate: about }],
    ['`refusal`', 'refusal', chat, 200, { choices: [{ message: { content: null, refusal: text } }], rag_gate: about }],
    [
      'an error',
      'error',
      chat,
      422,
      {
        error: {
          message: text,
          type: 'rag_gate_refusal',
          param: null,
          code: 'confidence_low',
          request_id: expect.any(String),
        },
        rag_gate: about,
      },
    ],
  ]

  test.each(forms)('is sent as %s, as the route or the request asks', async (_, refuseAs, body, status, expected) => {
    const byRoute = await refusing({ protocol: chatProtocol({ refuseAs }) })(body)
    const other = refuseAs === 'error' ? 'content' : 'error'
    const byRequest = await refusing({ protocol: chatProtocol({ refuseAs: other }) })({
      ...body,
      rag_gate: { refuse_as: refuseAs },
    })
    for (const response of [byRoute, byRequest]) {
      expect([response.status, await response.json()]).toMatchObject([status, expected])
    }
  })

  test.each(['content', 'refusal'])('is sent as `%s` in chunks', async (refuse_as) => {
    const response = await refusing({})({ ...chat, stream: true, rag_gate: { refuse_as } })
    const chunk = { choices: [{ delta: { [refuse_as]: text } }] }
    expect(sent(await response.text())).toMatchObject([
      { rag_gate: about },
      chunk,
      { choices: [{ finish_reason: 'stop' }] },
    ])
  })

  const finish = [{ type: 'finish-step' }, { type: 'finish', finishReason: 'stop' }]
  const said = [
    { type: 'text-start', id: 'answer' },
    { type: 'text-delta', id: 'answer', delta: text },
    { type: 'text-end', id: 'answer' },
  ]
  test.each<[RefuseAs, readonly object[]]>([
    ['content', [...said, ...finish]],
    ['refusal', finish],
    ['error', [{ type: 'error', errorText: text }]],
  ])('is sent to `useChat` as %s', async (refuseAs, parts) => {
    const response = await refusing({ protocol: chatProtocol({ refuseAs }) })(message)
    expect(response.status).toBe(200)
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(sent(await response.text())).toEqual([
      { type: 'start' },
      { type: 'data-rag-gate', data: expect.objectContaining({ ...about, answer: text }) },
      { type: 'start-step' },
      ...parts,
    ])
  })

  test('leaves other answers as they are, however refusals are sent', async () => {
    for (const refuseAs of ['refusal', 'error'] as const) {
      const ask = asking((c) => c.json({ answer: 'Red.' }), { protocol: chatProtocol({ refuseAs }) })
      const response = await ask(CHAT)
      expect([response.status, await response.json()]).toMatchObject([
        200,
        { choices: [{ message: { content: 'Red.', refusal: null } }], rag_gate: { refused: false } },
      ])
      const parts = sent(await (await ask(MESSAGE)).text())
      expect(parts).toContainEqual({ type: 'text-delta', id: 'answer', delta: 'Red.' })
      expect(parts.find((part) => 'data' in part)).not.toHaveProperty('data.answer')
    }
  })
})

describe('what is no answer of the gate is sent as it is', () => {
  const app = new Hono()
    .use(chatProtocol())
    .post('/json', (c) => c.json({ error: 'none', answer: 'Red.' }, 200, { etag: '"1"' }))
    .post('/teapot', (c) => c.text('{"error":{}}', 418))
    .post('/events', () => events({ choices: [] }))
    .post('/lost', (c) => c.json({ message: 'lost' }, 404))
  test.each([
    ['/json', 200, 'application/json', '{"error":"none","answer":"Red."}'],
    ['/teapot', 418, 'text/plain; charset=UTF-8', '{"error":{}}'],
    ['/events', 200, 'text/event-stream', 'data: {"choices":[]}\n\ndata: [DONE]\n\n'],
    ['/lost', 404, 'application/json', '{"message":"lost"}'],
  ])('%s', async (path, status, type, body) => {
    const headers = { 'content-type': 'application/json' }
    const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(CHAT) })
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([status, type, body])
    expect(response.headers.get('etag')).toBe(path === '/json' ? '"1"' : null)
  })

  test('text of a handler', async () => {
    const response = await asking((c) => c.text('Red.'))(CHAT)
    expect([response.headers.get('content-type'), await response.text()]).toEqual(['text/plain;charset=UTF-8', 'Red.'])
  })

  test.each([
    ['JSON', (c: HandlerContext) => c.json({ answer: 'Red.' }), '{"answer":"Red."}'],
    ['events', () => events({ choices: [] }), 'data: {"choices":[]}\n\ndata: [DONE]\n\n'],
  ])('%s, for a question without messages', async (_, handler, body) => {
    expect(await (await asking(handler)({ question: QUESTION })).text()).toBe(body)
  })

  test('JSON that is neither an answer nor a completion', async () => {
    const response = await asking((c) => c.json({ title: 'Red' }))(CHAT)
    expect(await response.json()).toEqual({ title: 'Red' })
  })
})

test.each([
  [400, 'invalid_request_error'],
  [499, 'invalid_request_error'],
  [500, 'server_error'],
])('an error with status %i has the members of OpenAI’s errors, and its own', async (status, type) => {
  const app = new Hono().post('/', chatProtocol(), (c) =>
    c.json({ error: { code: 'full', param: 'n' }, hint: 1 }, status as 400),
  )
  const response = await app.request('/', { method: 'POST' })
  expect([response.status, await response.json()]).toEqual([
    status,
    { error: { code: 'full', type, param: 'n' }, hint: 1 },
  ])
})

test('an answer with a member `error` is an answer', async () => {
  const response = await asking((c) => c.json({ answer: 'Red.', error: { code: 'slow' } }))(CHAT)
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'Red.' } }] })
})

describe('a client of OpenAI', () => {
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
  const chunks = () =>
    events({ choices: [{ delta: { content: 'Red.' }, finish_reason: 'stop' }] }, { choices: [], usage })

  test.each([
    [{ include_usage: true }, [{ rag_gate: { verdict: 'pass' } }, { choices: [], usage }]],
    [{ include_usage: false }, [{ rag_gate: { verdict: 'pass' } }]],
    [undefined, [{ rag_gate: { verdict: 'pass' } }]],
  ])('gets the tokens of a stream if it asks for them: %j', async (stream_options, expected) => {
    const response = await asking(chunks)({ ...CHAT, stream: true, stream_options })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.has('x-vercel-ai-ui-message-stream')).toBe(false)
    expect(sent(await response.text())).toMatchObject(expected)
  })

  test.each([
    ['m', 'm'],
    [undefined, 'rag-gate'],
  ])('gets the model that it asked for, %s, from JSON and from chunks', async (model, named) => {
    for (const handler of [chunks, (c: HandlerContext) => c.json({ answer: 'Red.' })]) {
      const response = await asking(handler)({ ...CHAT, model })
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(await response.json()).toMatchObject({ model: named, choices: [{ message: { content: 'Red.' } }] })
    }
  })

  test('gets the events of a message unchanged', async () => {
    const response = await asking(() => {
      const message = events({ type: 'start' }, { type: 'text-delta', id: '1', delta: 'Red.' })
      message.headers.set('x-vercel-ai-ui-message-stream', 'v1')
      return message
    })({ ...CHAT, stream: true })
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
    expect(sent(await response.text())).toEqual([{ type: 'start' }, { type: 'text-delta', id: '1', delta: 'Red.' }])
  })
})

describe('JSON, for `useChat`', () => {
  test('has a source for each that has an id and a document', async () => {
    const cited = { id: 'a', document_id: 'A' }
    const url = 'https://docs.example/a'
    const sources = [
      null,
      { id: 'a' },
      { id: 5, document_id: 'A' },
      cited,
      { ...cited, source: 'a.md' },
      { ...cited, source: url },
    ]
    const source = { type: 'source-document', sourceId: 'a', mediaType: 'text/plain', title: 'A' }
    const partsOf = async (given: unknown): Promise<readonly object[]> =>
      sent(await (await asking((c) => c.json({ answer: 'Red.', sources: given }))(MESSAGE)).text()).slice(2, -5)
    expect(await partsOf(sources)).toEqual([
      source,
      { ...source, filename: 'a.md' },
      { type: 'source-url', sourceId: 'a', url, title: 'A' },
      { type: 'start-step' },
    ])
    expect(await partsOf(5)).toEqual([{ type: 'start-step' }])
  })

  test.each([
    ['', true, 'stop', 0],
    ['Red.', false, 'length', 3],
  ])('with the answer %j and complete: %j is finished so: %s', async (answer, complete, finishReason, texts) => {
    const parts = sent(await (await asking((c) => c.json({ answer, complete }))(MESSAGE)).text())
    expect(parts.at(-1)).toEqual({ type: 'finish', finishReason })
    expect(parts.filter((part) => 'id' in part && part.id === 'answer')).toHaveLength(texts)
  })
})

describe('a message of the handler, for `useChat`', () => {
  const start = { type: 'start' }
  const text = { type: 'text-delta', id: '1', delta: 'Red.' }
  const own = { type: 'data-rag-gate', data: {} }
  const told = { type: 'data-rag-gate', data: expect.objectContaining({ verdict: 'pass' }) }
  const source = expect.objectContaining({ type: 'source-document' })

  test.each<[string, readonly object[], readonly object[]]>([
    ['has the verdict after its start', [start, text, text], [start, told, source, text, text]],
    ['has no second verdict', [start, own, text], [start, own, text]],
    [
      'ends with an error that a failure left',
      [start, { error: { message: 'The model is gone' } }],
      [start, { type: 'error', errorText: 'The model is gone' }],
    ],
  ])('%s', async (_, given, expected) => {
    const response = await asking(() => {
      const message = events(...given)
      message.headers.set('x-vercel-ai-ui-message-stream', 'v1')
      return message
    })(MESSAGE)
    expect(sent(await response.text())).toEqual(expected)
  })
})

describe('chunks of a completion, for `useChat`', () => {
  const choice = (content: unknown, finish_reason: string | null = null): object => ({
    choices: [{ delta: { content }, finish_reason }],
  })
  const text = (...deltas: readonly string[]): readonly object[] => [
    { type: 'text-start', id: 'answer' },
    ...deltas.map((delta) => ({ type: 'text-delta', id: 'answer', delta })),
    { type: 'text-end', id: 'answer' },
  ]
  const finish = (finishReason: string): readonly object[] => [
    { type: 'finish-step' },
    { type: 'finish', finishReason },
  ]

  test.each<[string, readonly object[], readonly object[]]>([
    ['text', [choice(''), choice('R'), choice('ed.'), choice(null, 'stop')], [...text('R', 'ed.'), ...finish('stop')]],
    ['no text', [{ choices: [null] }, { choices: 5 }, choice(5, 'stop')], finish('stop')],
    ['a reason that has no name there', [choice('Red.', 'x_length')], [...text('Red.'), ...finish('stop')]],
    ['a reason that only begins like one', [choice('Red.', 'length_x')], [...text('Red.'), ...finish('stop')]],
    [
      'an error without a message',
      [choice('R', 'stop'), { error: { message: 5 } }, { error: null }],
      [...text('R'), ...finish('stop')],
    ],
  ])('are a message: %s', async (_, chunks, parts) => {
    const response = await asking(() => events(...chunks))(MESSAGE)
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
    expect(sent(await response.text())).toEqual([
      { type: 'start' },
      { type: 'data-rag-gate', data: expect.objectContaining({ verdict: 'pass' }) },
      expect.objectContaining({ type: 'source-document' }),
      { type: 'start-step' },
      ...parts,
    ])
  })

  test('have no part for a comment', async () => {
    const chunk = `data: ${JSON.stringify(choice('Red.', 'stop'))}`
    const body = [': begins', chunk, ': ends', 'data: [DONE]', ''].join('\n\n')
    const headers = { 'content-type': 'text/event-stream' }
    const parts = sent(await (await asking(() => new Response(body, { headers }))(MESSAGE)).text())
    expect(parts.slice(-5)).toEqual([...text('Red.'), ...finish('stop')])
  })

  test('end at an error', async () => {
    const chunks = [choice('R'), { error: { message: 'The model is gone' } }, choice('ed.')]
    const parts = sent(await (await asking(() => events(...chunks))(MESSAGE)).text())
    expect(parts).toContainEqual({ type: 'error', errorText: 'The model is gone' })
    expect(JSON.stringify(parts)).not.toContain('ed.')
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
