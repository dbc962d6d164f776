import { expect, test } from 'vitest'
import type { Generation } from '../../packages/models/src/generator.ts'
import { createOpenAiGenerator } from '../../packages/models/src/openai-compatible.ts'
import { type AiTextBinding, workersAiEndpoint } from '../../packages/models/src/workers-ai-endpoint.ts'

const MODEL = '@cf/a/b'
const USAGE = { prompt_tokens: 120, completion_tokens: 7 }

/** A generator whose binding answers so, and the calls of the binding. */
function over(answer: () => Response) {
  const calls: unknown[][] = []
  const ai: AiTextBinding = {
    run: async (...call) => {
      calls.push(call)
      return answer()
    },
  }
  const generator = createOpenAiGenerator({ ...workersAiEndpoint(ai), model: MODEL, maxTokens: 50 })
  const request = { question: 'How?', chunks: [], context: 'C', signal: AbortSignal.timeout(2000) }
  return {
    calls,
    generate: () => generator.generate(request),
    stream: async (): Promise<[string[], Generation]> => {
      const texts: string[] = []
      const pieces = generator.stream!(request)
      for (;;) {
        const piece = await pieces.next()
        if (piece.done === true) return [texts, piece.value]
        texts.push(piece.value)
      }
    },
  }
}

const events =
  (...data: readonly unknown[]) =>
  () =>
    new Response(data.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join(''), {
      headers: { 'content-type': 'text/event-stream' },
    })

test('calls the binding with what an endpoint would get, without what the binding does not know', async () => {
  const { calls, generate, stream } = over(() => Response.json({ response: 'Turn.', usage: USAGE }))
  await generate()
  await stream().catch(() => undefined)
  const whole = { max_tokens: 50, messages: [{ role: 'system' }, { role: 'user', content: 'C\n\nQuestion: How?' }] }
  const options = { returnRawResponse: true, signal: expect.any(AbortSignal) }
  expect(calls).toMatchObject([
    [MODEL, whole, options],
    [MODEL, { ...whole, stream: true }, options],
  ])
  for (const [, input] of calls) {
    expect(input).not.toHaveProperty('model')
    expect(input).not.toHaveProperty('stream_options')
  }
})

test.each<[string, unknown, object]>([
  [
    'below the limit of tokens is complete',
    { response: 'Turn.', usage: USAGE },
    { text: 'Turn.', complete: true, model: MODEL, usage: { inputTokens: 120, outputTokens: 7 } },
  ],
  [
    'at the limit of tokens is not complete',
    { response: 'Turn.', usage: { ...USAGE, completion_tokens: 50 } },
    { text: 'Turn.', complete: false, model: MODEL, usage: { inputTokens: 120, outputTokens: 50 } },
  ],
  ['without token counts is not complete', { response: 'Turn.' }, { text: 'Turn.', complete: false, model: MODEL }],
  [
    'with a count of tokens that is no number is not complete',
    { response: 'Turn.', usage: { completion_tokens: '7' } },
    { text: 'Turn.', complete: false, model: MODEL },
  ],
  [
    'in the shape of OpenAI stays as it is',
    { model: 'served', choices: [{ message: { content: 'Turn.' }, finish_reason: 'stop' }] },
    { text: 'Turn.', complete: true, model: 'served' },
  ],
  [
    'that is a number is its digits',
    { response: 35, usage: USAGE },
    { text: '35', complete: true, model: MODEL, usage: { inputTokens: 120, outputTokens: 7 } },
  ],
])('a whole answer %s', async (_, answer, generation) => {
  expect(await over(() => Response.json(answer)).generate()).toEqual(generation)
})

test.each([null, 'Turn.', { response: { a: 1 } }, { response: null }])('the answer %j is none', async (answer) => {
  await expect(over(() => Response.json(answer)).generate()).rejects.toMatchObject({ code: 'llm_bad_response' })
})

test('an answer in pieces has all of them, digits too, and is complete below the limit of tokens', async () => {
  const pieces = [{ response: 'In ' }, { response: 35 }, { response: ' days.', usage: USAGE }, { response: '' }]
  const [texts, generation] = await over(events(...pieces, '[DONE]')).stream()
  expect(texts.join('')).toBe('In 35 days.')
  expect(generation).toEqual({
    text: 'In 35 days.',
    complete: true,
    model: MODEL,
    usage: { inputTokens: 120, outputTokens: 7 },
  })
})

test('an answer in pieces without token counts is not complete', async () => {
  const [, generation] = await over(events({ response: 'In 35 days.' }, '[DONE]')).stream()
  expect(generation).toEqual({ text: 'In 35 days.', complete: false, model: MODEL })
})

test('an answer in pieces that breaks off is an error', async () => {
  await expect(over(events({ response: 'In ', usage: USAGE })).stream()).rejects.toMatchObject({
    code: 'llm_unavailable',
  })
})

test('an answer in pieces in the shape of OpenAI stays as it is', async () => {
  const choice = { delta: { content: 'In 35 days.' }, finish_reason: 'length' }
  const [texts, generation] = await over(events({ model: 'served', choices: [choice] }, '[DONE]')).stream()
  expect([texts, generation]).toEqual([['In 35 days.'], { text: 'In 35 days.', complete: false, model: 'served' }])
})

test.each([
  [() => Response.json({ error: 'secret' }, { status: 429, headers: { 'retry-after': '7' } }), 'llm_unavailable', 429],
  [() => new Response(null, { status: 403 }), 'llm_misconfigured', 403],
])('a failure keeps its status: %#', async (answer, code, upstreamStatus) => {
  await expect(over(answer).generate()).rejects.toMatchObject({ code, upstreamStatus })
})
