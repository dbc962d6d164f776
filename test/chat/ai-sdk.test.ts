import type { LanguageModelV4GenerateResult, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { generateText, isStepCount, streamText, tool, wrapLanguageModel } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ragGateMiddleware, type RagGateMiddlewareOptions } from '../../packages/chat/src/ai-sdk.ts'
import { grounding } from '../../packages/presets/src/answers/grounding.ts'
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
  return { model: wrapLanguageModel({ model: inner, middleware }), inner, events }
}

async function all<Part>(parts: AsyncIterable<Part>): Promise<Part[]> {
  const found: Part[] = []
  for await (const part of parts) found.push(part)
  return found
}

const CLEAN = { maxRetries: 0 } as const

test('the model is asked with the passages, below what the app tells it and behind what was said', async () => {
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

test('a refusal is the text, and no model is asked', async () => {
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

test('in a stream the verdict of an advisory comes before the first word, and the model is told', async () => {
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
  expect(inner.doStreamCalls[0]?.prompt[0]?.content).toContain('only moderately strong')
  expect(events).toMatchObject([{ status: 200, usage: { outputTokens: 7 }, decision: { verdict: 'advise' } }])
})

test('a policy that judges answers has streams made whole, and refuses what the passages do not support', async () => {
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

test('between calls of tools the same question is asked', async () => {
  const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'clock', input: '{}' } as const
  const first = { ...said(''), content: [call], finishReason: { unified: 'tool-calls', raw: 'tool_calls' } } as const
  const { model, inner } = gated(STRONG, {}, { doGenerate: [first, said('At noon [1].')] as never })
  const clock = tool({ inputSchema: z.object({}), execute: async () => 'noon' })
  const { text } = await generateText({ model, ...CLEAN, prompt: QUESTION, tools: { clock }, stopWhen: isStepCount(3) })
  expect(text).toBe('At noon [1].')
  expect(inner.doGenerateCalls[1]?.prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool'])
  expect(JSON.stringify(inner.doGenerateCalls[1]?.prompt[1])).toContain('<passage number=')
})

test.each<[string, object]>([
  [
    'question_type',
    [{ role: 'user', content: [{ type: 'file', data: new Uint8Array([137, 80, 78, 71]), mediaType: 'image/png' }] }],
  ],
  ['question_required', [{ role: 'user', content: '  ' }]],
])('a call without a question is an error: %s', async (code, messages) => {
  const { model, inner } = gated(STRONG)
  await expect(generateText({ model, ...CLEAN, messages: messages as never })).rejects.toMatchObject({ code })
  expect(inner.doGenerateCalls).toEqual([])
})

test('a model that fails fails as ever, and is recorded', async () => {
  const failing = async (): Promise<never> => Promise.reject(new Error('overloaded'))
  const { model, events } = gated(STRONG, {}, { doGenerate: failing, doStream: failing })
  await expect(generateText({ model, ...CLEAN, prompt: QUESTION })).rejects.toThrow('overloaded')
  expect(events).toMatchObject([{ status: 502, decision: { verdict: 'pass' } }])
})

test('who asks, and where, is read from the call', async () => {
  const asked: unknown[] = []
  const { model } = gated(STRONG, {
    question: { collections: ['default', 'manuals'] },
    asker: ({ providerOptions }) => ({
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

test('a misspelt option is an error when the middleware is made', () => {
  expect(() => ragGateMiddleware({ policy: POLICY, dependencies: {} } as never)).toThrow(
    expect.objectContaining({ code: 'config_invalid' }),
  )
})
