import type { LanguageModelV4GenerateResult, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { generateText, isStepCount, streamText, tool, wrapLanguageModel } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ragGateMiddleware, type RagGateMiddlewareOptions } from '../../packages/chat/src/ai-sdk.ts'
import { advisory } from '../../packages/presets/src/advisory/advisory.ts'
import { grounding } from '../../packages/presets/src/answers/grounding.ts'
import { createMemoryAnswerCache } from '../../src/adapters/memory-answer-cache.ts'
import { answerCache, type AnswerCacheOptions } from '../../src/cache/index.ts'
import { definePolicy } from '../../src/core/policy/policy.ts'
import { plainCollection } from '../../src/ports/collections.ts'
import type { DecisionEvent } from '../../src/ports/decision-log.ts'
import { aPassage } from '../fixtures/evidence.ts'
import { MIDDLING, POLICY, QUESTION, STRONG, WEAK } from '../fixtures/gate.ts'

const USAGE = {
  inputTokens: { total: 120, noCache: 120, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 7, text: 7, reasoning: 0 },
}
const STOP = { unified: 'stop', raw: 'stop' } as const
const said = (text: string): LanguageModelV4GenerateResult => ({
  content: [{ type: 'text', text }],
  finishReason: STOP,
  usage: USAGE,
  warnings: [],
})
const spokenResult = (): LanguageModelV4GenerateResult => said('With the red key [1].')
const spoken: LanguageModelV4StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'With the ' },
  { type: 'text-delta', id: '1', delta: 'red key [1].' },
  { type: 'text-end', id: '1' },
  { type: 'finish', usage: USAGE, finishReason: STOP },
]

/** A model behind the gate, and what is recorded. */
function gated(
  finds: string,
  options: Partial<RagGateMiddlewareOptions> = {},
  answers: Partial<ConstructorParameters<typeof MockLanguageModelV4>[0]> = {},
) {
  const events: DecisionEvent[] = []
  const inner = new MockLanguageModelV4({
    modelId: 'mock-1',
    doGenerate: said('With the red key [1].'),
    doStream: async () => ({ stream: convertArrayToReadableStream(spoken) }),
    ...answers,
  })
  const middleware = ragGateMiddleware({
    policy: POLICY,
    dependencies: {
      retriever: {
        retrieve: async () => {
          const passage = aPassage('a', { text: finds, title: 'Engine', source: 'https://docs.example/engine' })
          return [{ kind: 'bm25', entries: [{ passage, score: 9 }] }]
        },
      },
      log: { record: async (event) => void events.push(event), flush: async () => undefined },
    },
    ...options,
  })
  return { model: wrapLanguageModel({ model: inner, middleware }), inner, events, calls: () => callsOf(inner) }
}

const callsOf = ({ doGenerateCalls, doStreamCalls }: MockLanguageModelV4): number =>
  doGenerateCalls.length + doStreamCalls.length

async function all<Part>(parts: AsyncIterable<Part>): Promise<Part[]> {
  const found: Part[] = []
  for await (const part of parts) found.push(part)
  return found
}

const CLEAN = { maxRetries: 0 } as const
/** The question, as the AI SDK passes it to a model. */
const ASKED = [{ role: 'user' as const, content: [{ type: 'text' as const, text: QUESTION }] }]

test("the model gets the passages after the app's instructions and before the conversation", async () => {
  const { model, inner, events } = gated(STRONG)
  const { text, sources, providerMetadata } = await generateText({
    model,
    ...CLEAN,
    instructions: 'Be brief.',
    messages: [
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: 'Hello!' },
      { role: 'user', content: QUESTION },
    ],
    temperature: 0.1,
  })
  expect(text).toBe('With the red key [1].')
  expect(sources).toMatchObject([{ sourceType: 'url', url: 'https://docs.example/engine', title: 'Engine' }])
  expect(providerMetadata).toMatchObject({ ragGate: { verdict: 'pass', refused: false, sources: [{ number: 1 }] } })
  const [call] = inner.doGenerateCalls
  expect(call?.temperature).toBe(0.1)
  expect(call?.prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
  expect(call?.prompt[0]?.content).toMatch(/^Be brief\.\n\nAnswer the question from/)
  expect(JSON.stringify(call?.prompt[0])).not.toContain('red key')
  expect(JSON.stringify(call?.prompt[3])).toMatch(/<passage number=.*red key.*Question: How does the engine start\?/)
  expect(events).toMatchObject([
    { route: 'ai-sdk', status: 200, model: 'mock-1', usage: { inputTokens: 120, outputTokens: 7 } },
  ])
})

test('a refusal is returned as text, without a model call', async () => {
  const { model, inner, events } = gated(WEAK)
  const { text, usage, providerMetadata, finishReason } = await generateText({ model, ...CLEAN, prompt: QUESTION })
  const { textStream } = streamText({ model, ...CLEAN, prompt: QUESTION })
  expect(await all(textStream)).toEqual([text])
  expect(text).not.toBe('')
  expect([usage.totalTokens, finishReason]).toEqual([0, 'stop'])
  expect(providerMetadata).toMatchObject({ ragGate: { refused: true, verdict: 'refuse' } })
  expect([inner.doGenerateCalls, inner.doStreamCalls]).toEqual([[], []])
  expect(events.map(({ decision }) => decision.verdict)).toEqual(['refuse', 'refuse'])
})

test('a stream with an advisory has the verdict before the first word, and the model gets the caution', async () => {
  const { model, inner, events } = gated(MIDDLING)
  const { fullStream } = streamText({ model, ...CLEAN, prompt: QUESTION })
  const parts = await all(fullStream)
  const types = parts.map(({ type }) => type)
  expect(types.indexOf('custom')).toBeGreaterThan(-1)
  expect(types.indexOf('custom')).toBeLessThan(types.indexOf('source'))
  expect(types.indexOf('source')).toBeLessThan(types.indexOf('text-delta'))
  expect(parts.find(({ type }) => type === 'custom')).toMatchObject({
    kind: 'rag-gate.verdict',
    providerMetadata: { ragGate: { verdict: 'advise', caution: expect.stringContaining('verify') } },
  })
  expect(inner.doStreamCalls[0]?.prompt[0]?.content).toContain('evidence is limited')
  expect(events).toMatchObject([{ status: 200, usage: { outputTokens: 7 }, decision: { verdict: 'advise' } }])
})

test('under a policy that judges answers, streams are generated completely first, and refused without support', async () => {
  const policy = definePolicy({ ...POLICY, gates: [...POLICY.gates, grounding()] })
  const bad = 'Pineapples grow in Greenland every summer [1].'
  const refusing = gated(STRONG, { policy }, { doGenerate: said(bad) })
  const { textStream } = streamText({ model: refusing.model, ...CLEAN, prompt: QUESTION })
  expect((await all(textStream)).join('')).not.toContain('Pineapples')
  expect(refusing.inner.doStreamCalls).toEqual([])
  expect(refusing.events).toMatchObject([{ decision: { verdict: 'refuse', answerSignals: expect.anything() } }])
  const passing = gated(STRONG, { policy }, { doGenerate: said(`${STRONG} [1]`) })
  expect((await generateText({ model: passing.model, ...CLEAN, prompt: QUESTION })).text).toContain('red key')
})

test('an answer whose caution only its judgement led to has it, as text and as a stream', async () => {
  const { model } = gated(STRONG, { policy: advisory({ requiredFields: ['summary'] }) })
  const ragGate = { verdict: 'advise', usable: false, caution: expect.stringContaining('verify') }
  const { text, sources, providerMetadata } = await generateText({ model, ...CLEAN, prompt: QUESTION })
  expect({ text, sources, providerMetadata }).toMatchObject({
    text: 'With the red key [1].',
    sources: [{ title: 'Engine' }],
    providerMetadata: { ragGate },
  })
  const parts = await all(streamText({ model, ...CLEAN, prompt: QUESTION }).fullStream)
  expect(parts.find(({ type }) => type === 'custom')).toMatchObject({ providerMetadata: { ragGate } })
})

test('a tool call is no answer yet: it is recorded, but not judged', async () => {
  const policy = definePolicy({ ...POLICY, gates: [...POLICY.gates, grounding()] })
  const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'clock', input: '{}' } as const
  const content = [{ type: 'text' as const, text: 'Pineapples grow in Greenland every summer.' }, call]
  const { model, events } = gated(STRONG, { policy }, { doGenerate: { ...said(''), content } })
  const result = await model.doGenerate({ prompt: ASKED })
  expect(result.content.slice(2)).toEqual(content)
  expect(events).toMatchObject([
    { status: 200, model: 'mock-1', usage: { outputTokens: 7 }, decision: { verdict: 'pass' } },
  ])
})

test('the same question is used between tool calls', async () => {
  const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'clock', input: '{}' } as const
  const first = { ...said(''), content: [call], finishReason: { unified: 'tool-calls', raw: 'tool_calls' } } as const
  const { model, inner } = gated(STRONG, {}, { doGenerate: [first, said('At noon [1].')] as never })
  const clock = tool({ inputSchema: z.object({}), execute: async () => 'noon' })
  const { text } = await generateText({ model, ...CLEAN, prompt: QUESTION, tools: { clock }, stopWhen: isStepCount(3) })
  expect(text).toBe('At noon [1].')
  expect(inner.doGenerateCalls[1]?.prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool'])
  expect(JSON.stringify(inner.doGenerateCalls[1]?.prompt[1])).toContain('<passage number=')
})

test.each<[string, object, object]>([
  [
    'question_type',
    [{ role: 'user', content: [{ type: 'file', data: new Uint8Array([137, 80, 78, 71]), mediaType: 'image/png' }] }],
    { message: 'The question may hold text alone: no images, no files', param: 'prompt' },
  ],
  [
    'question_type',
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: QUESTION },
          { type: 'file', data: new Uint8Array([137, 80, 78, 71]), mediaType: 'image/png' },
        ],
      },
    ],
    { param: 'prompt' },
  ],
  ['question_required', [{ role: 'user', content: '  ' }], {}],
  [
    'question_required',
    [{ role: 'assistant', content: 'Hello!' }],
    { message: 'There is no message of the user', param: 'prompt' },
  ],
])('a call without a question is rejected: %s', async (code, messages, more) => {
  const { model, inner } = gated(STRONG)
  await expect(generateText({ model, ...CLEAN, messages: messages as never })).rejects.toMatchObject({ code, ...more })
  expect(inner.doGenerateCalls).toEqual([])
})

test('a question of several texts is one, and a system message is added where there is none', async () => {
  const { model, inner } = gated(STRONG, { instructions: 'Cite.' })
  const texts = ['Hello!', 'How does the engine start?'].map((text) => ({ type: 'text' as const, text }))
  await generateText({ model, ...CLEAN, messages: [{ role: 'user', content: texts }] })
  const [system, user, ...others] = inner.doGenerateCalls[0]!.prompt
  expect([system, others]).toEqual([{ role: 'system', content: 'Cite.' }, []])
  expect(JSON.stringify(user)).toContain('Question: Hello!\\n\\nHow does the engine start?')
})

test.each([undefined, 'engine.md'])('a passage from %j is a source that is a document', async (source) => {
  const passage = aPassage('a', { text: STRONG, title: 'Engine', ...(source !== undefined && { source }) })
  const retriever = { retrieve: async () => [{ kind: 'bm25' as const, entries: [{ passage, score: 9 }] }] }
  const { model } = gated(STRONG, { dependencies: { retriever } })
  const { content } = await model.doGenerate({ prompt: ASKED })
  expect(content.slice(1)).toEqual([
    {
      type: 'source',
      sourceType: 'document',
      id: 'a',
      mediaType: 'text/plain',
      title: 'Engine',
      ...(source !== undefined && { filename: source }),
    },
    { type: 'text', text: 'With the red key [1].' },
  ])
})

describe('the stream of a model', () => {
  const streaming = (parts: readonly LanguageModelV4StreamPart[]) =>
    gated(STRONG, {}, { doStream: async () => ({ stream: convertArrayToReadableStream([...parts]) }) })
  const [start, ...others] = spoken

  test('has the verdict once, behind its start, and again at its end beside what the model says of itself', async () => {
    const end = { ...others.at(-1)!, providerMetadata: { own: { id: 1 } } } as LanguageModelV4StreamPart
    const { model } = streaming([start!, ...others.slice(0, -1), end])
    const { stream } = await model.doStream({ prompt: ASKED })
    const parts = await all(stream)
    expect(parts.map(({ type }) => type)).toEqual([
      'stream-start',
      'custom',
      'source',
      ...others.map(({ type }) => type),
    ])
    expect(parts.at(-1)).toMatchObject({
      usage: USAGE,
      providerMetadata: { own: { id: 1 }, ragGate: { verdict: 'pass' } },
    })
  })

  test.each<[string, LanguageModelV4StreamPart, object]>([
    ['the model that answered', { type: 'response-metadata', modelId: 'mock-2' }, { model: 'mock-2', status: 200 }],
    ['that of the call if it is not named', { type: 'response-metadata' }, { model: 'mock-1', status: 200 }],
    ['a failure of the model', { type: 'error', error: new Error('gone') }, { status: 502 }],
  ])('is recorded once, with %s', async (_, part, recorded) => {
    const { model, events } = streaming([start!, part, ...others])
    await all((await model.doStream({ prompt: ASKED })).stream)
    expect(events).toEqual([expect.objectContaining(recorded)])
  })

  test('without token counts is recorded without them', async () => {
    const { inputTokens, outputTokens } = USAGE
    for (const usage of [
      { inputTokens: { ...inputTokens, total: undefined }, outputTokens },
      { inputTokens, outputTokens: { ...outputTokens, total: undefined } },
    ]) {
      const { model, events } = streaming([...spoken.slice(0, -1), { type: 'finish', usage, finishReason: STOP }])
      await all((await model.doStream({ prompt: ASKED })).stream)
      expect(events).toMatchObject([{ status: 200 }])
      expect(events[0]).not.toHaveProperty('usage')
    }
  })

  test('is cancelled with its reason when its reader leaves, and recorded', async () => {
    const reasons: unknown[] = []
    const source = new ReadableStream<LanguageModelV4StreamPart>({
      start: (controller) => controller.enqueue(start!),
      cancel: (reason) => void reasons.push(reason),
    })
    const { model, events } = gated(STRONG, {}, { doStream: async () => ({ stream: source }) })
    const { stream } = await model.doStream({ prompt: ASKED })
    await stream.cancel('left')
    expect([reasons, events]).toMatchObject([['left'], [{ status: 200 }]])
  })

  test('that breaks off is recorded as a failure, which its reader gets', async () => {
    const source = new ReadableStream<LanguageModelV4StreamPart>({
      pull: (controller) => controller.error(new Error('gone')),
    })
    const { model, events } = gated(STRONG, {}, { doStream: async () => ({ stream: source }) })
    const { stream } = await model.doStream({ prompt: ASKED })
    await expect(all(stream)).rejects.toThrow('gone')
    expect(events).toMatchObject([{ status: 502 }])
  })
})

test('the reasoning of a judged answer is streamed before its text', async () => {
  const policy = definePolicy({ ...POLICY, gates: [...POLICY.gates, grounding()] })
  const content = [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: `${STRONG} [1]` },
  ] as const
  const { model } = gated(STRONG, { policy }, { doGenerate: { ...said(''), content: [...content] } })
  const parts = await all((await model.doStream({ prompt: ASKED })).stream)
  expect(parts.slice(3, -1)).toEqual([
    { type: 'reasoning-start', id: '2' },
    { type: 'reasoning-delta', id: '2', delta: 'Hm.' },
    { type: 'reasoning-end', id: '2' },
    { type: 'text-start', id: '3' },
    { type: 'text-delta', id: '3', delta: `${STRONG} [1]` },
    { type: 'text-end', id: '3' },
  ])
})

test('an error of the model is passed on and recorded', async () => {
  const failing = async (): Promise<never> => Promise.reject(new Error('overloaded'))
  const { model, events } = gated(STRONG, {}, { doGenerate: failing, doStream: failing })
  await expect(generateText({ model, ...CLEAN, prompt: QUESTION })).rejects.toThrow('overloaded')
  expect(events).toMatchObject([{ status: 502, decision: { verdict: 'pass' } }])
})

test('caller and collection are read from the call', async () => {
  const asked: unknown[] = []
  const { model } = gated(STRONG, {
    question: { collections: ['default', 'manuals'] },
    asker: async ({ providerOptions }) => ({
      collection: 'manuals',
      principal: { tenant: String(providerOptions?.['app']?.['tenant']), id: 'ann', scopes: ['ask'] },
    }),
    onDecision: ({ tenant, collection }) => asked.push([tenant, collection]),
    dependencies: {
      retriever: { retrieve: async () => [] },
      collections: {
        find: async (tenant, id) => plainCollection({ tenant, id }),
        lexicon: () => Promise.reject(new Error('none')),
      },
    },
  })
  await generateText({ model, ...CLEAN, prompt: QUESTION, providerOptions: { app: { tenant: 'acme' } } })
  expect(asked).toEqual([['acme', 'manuals']])
})

test('a misspelt option is rejected when the middleware is made', () => {
  expect(() => ragGateMiddleware({ policy: POLICY, dependencies: {} } as never)).toThrow(
    expect.objectContaining({ code: 'config_invalid' }),
  )
})

describe('with an answer cache', () => {
  /** A model behind a gate with a cache, at a time that the test sets. What is kept is waited for. */
  function cached(
    finds: string,
    {
      cache = {},
      ...options
    }: Partial<RagGateMiddlewareOptions> & { readonly cache?: Partial<AnswerCacheOptions> } = {},
    answers: Parameters<typeof gated>[2] = {},
  ) {
    const work: Promise<unknown>[] = []
    const clock = { nowMs: () => now }
    let now = Date.now()
    const events: DecisionEvent[] = []
    const passage = aPassage('a', { text: finds, title: 'Engine', source: 'https://docs.example/engine' })
    const made = gated(
      finds,
      {
        waitUntil: (promise) => work.push(promise),
        ...options,
        dependencies: {
          retriever: { retrieve: async () => [{ kind: 'bm25', entries: [{ passage, score: 9 }] }] },
          log: { record: async (event) => void events.push(event), flush: async () => undefined },
          cache: answerCache({ store: createMemoryAnswerCache(), scope: 'public', ...cache }),
          clock,
        },
      },
      answers,
    )
    const settled = async <Value>(value: PromiseLike<Value>): Promise<Value> => {
      const given = await value
      await Promise.all(work.splice(0))
      return given
    }
    return {
      ...made,
      events,
      states: () => events.map(({ cache: state, status }) => `${state} ${status}`),
      generate: (more: object = {}) =>
        settled(generateText({ model: made.model, ...CLEAN, prompt: QUESTION, ...more } as never)),
      stream: (more: object = {}) =>
        settled(
          all(
            streamText({ model: made.model, ...CLEAN, prompt: QUESTION, onError: () => undefined, ...more } as never)
              .fullStream,
          ),
        ),
      pass: (seconds: number) => void (now += seconds * 1000),
    }
  }
  type Parts = Awaited<ReturnType<ReturnType<typeof cached>['stream']>>
  const heard = (parts: Parts): string => parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('')

  test('the same call is answered once, as JSON or as a stream, with verdict and sources before the text', async () => {
    const { generate, stream, calls, states } = cached(STRONG)
    const first = await stream()
    const again = await generate()
    expect([calls(), again.text, heard(first)]).toEqual([1, 'With the red key [1].', 'With the red key [1].'])
    expect(again.sources).toMatchObject([{ url: 'https://docs.example/engine' }])
    expect(again.providerMetadata).toMatchObject({ ragGate: { verdict: 'pass', sources: [{ number: 1 }] } })
    expect(again.usage.totalTokens).toBe(0)
    const types = (await stream()).map(({ type }) => type)
    expect(types.indexOf('custom')).toBeLessThan(types.indexOf('source'))
    expect(types.indexOf('source')).toBeLessThan(types.indexOf('text-delta'))
    expect([calls(), states()]).toEqual([1, ['miss 200', 'hit 200', 'hit 200']])
  })

  test.each<[string, object]>([
    ['instructions', { instructions: 'Be brief.' }],
    ['a temperature', { temperature: 0.5 }],
    ['a header', { headers: { 'x-own': '1' } }],
    [
      'a conversation',
      {
        prompt: undefined,
        messages: [
          { role: 'user', content: 'Hi.' },
          { role: 'assistant', content: 'Hi!' },
          { role: 'user', content: QUESTION },
        ],
      },
    ],
    ['options of a provider', { providerOptions: { app: { user: 'ann' } } }],
    [
      "options of a provider in the question's message",
      {
        prompt: undefined,
        messages: [{ role: 'user', content: QUESTION, providerOptions: { app: { user: 'ann' } } }],
      },
    ],
    ['tools', { tools: { clock: tool({ inputSchema: z.object({}) }) } }],
  ])('another call gets another answer: %s', async (_, more) => {
    const { generate, calls } = cached(STRONG)
    await generate()
    await generate(more)
    expect(calls()).toBe(2)
    await generate(more)
    expect(calls()).toBe(2)
  })

  test('an answer with a caution is stored for a shorter time than a strong one', async () => {
    const outlives = async (finds: string): Promise<boolean> => {
      const { generate, pass, calls } = cached(finds)
      await generate()
      pass(POLICY.cacheLifetimes.adviseAtMostSeconds + 60)
      await generate()
      return calls() === 1
    }
    expect([await outlives(STRONG), await outlives(MIDDLING)]).toEqual([true, false])
  })

  test('a refusal is stored too, and an old answer replaces a failed model call', async () => {
    const refusing = cached(WEAK)
    await refusing.generate()
    expect((await refusing.generate()).providerMetadata).toMatchObject({ ragGate: { refused: true } })
    expect(refusing.states()).toEqual(['miss 200', 'hit 200'])
    let fails = false
    const answers = async () => (fails ? Promise.reject(new Error('overloaded')) : whole)
    const whole = spokenResult()
    const { generate, stream, pass, states } = cached(
      STRONG,
      { cache: { staleIfErrorSeconds: 1e6 } },
      { doGenerate: answers, doStream: () => Promise.reject(new Error('overloaded')) },
    )
    await generate()
    fails = true
    pass(POLICY.cacheLifetimes.high.toSeconds * 2)
    expect((await generate()).text).toBe('With the red key [1].')
    expect(heard(await stream())).toBe('With the red key [1].')
    expect(states()).toEqual(['miss 200', 'stale 200', 'stale 200'])
  })

  test('tool calls, truncated answers, parts other than text and interrupted streams are not stored', async () => {
    const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'clock', input: '{}' } as const
    const picture = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([1]) } } as const
    const cut = { finishReason: { unified: 'length', raw: 'length' } } as const
    for (const [more, given] of [
      [
        { content: [call], finishReason: { unified: 'tool-calls', raw: 'tool_calls' } },
        { tools: { clock: tool({ inputSchema: z.object({}) }) } },
      ],
      [{ content: [...spokenResult().content, picture] }, {}],
      [cut, {}],
    ] as const) {
      const { generate, calls, states } = cached(
        STRONG,
        {},
        { doGenerate: async () => ({ ...spokenResult(), ...more }) as never },
      )
      for (let at = 0; at < 2; at++) await generate(given)
      expect([calls(), states()]).toEqual([2, ['miss 200', 'miss 200']])
    }
    const broken = [...spoken.slice(0, 4), { type: 'error', error: new Error('gone') } as const]
    const { stream, calls, states } = cached(
      STRONG,
      {},
      { doStream: async () => ({ stream: convertArrayToReadableStream(broken) }) },
    )
    for (let at = 0; at < 2; at++) await stream()
    expect([calls(), states()]).toEqual([2, ['miss 502', 'miss 502']])
    const short = cached(
      STRONG,
      {},
      { doStream: async () => ({ stream: convertArrayToReadableStream(spoken.slice(0, 4)) }) },
    )
    for (let at = 0; at < 2; at++) await short.stream()
    expect([short.calls(), short.states()]).toEqual([2, ['miss 502', 'miss 502']])
  })

  test('callers with different ids get separate answers', async () => {
    expect(() => cached(STRONG, { cache: { scope: 'principal' } })).toThrow(
      expect.objectContaining({ code: 'cache_scope_required' }),
    )
    const { generate, calls } = cached(STRONG, {
      cache: { scope: 'principal' },
      tellsCallersApart: true,
      asker: ({ headers }) => ({ principal: { tenant: 'acme', id: headers?.['x-user'] ?? 'none', scopes: ['ask'] } }),
    })
    for (const user of ['ann', 'ann', 'bob']) await generate({ headers: { 'x-user': user } })
    expect(calls()).toBe(2)
  })
})
