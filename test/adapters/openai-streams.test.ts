import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createOpenAiGenerator, type OpenAiGeneratorOptions } from '../../src/adapters/openai-compatible.ts'
import type { Generation } from '../../src/ports/generator.ts'

const delta = (content: string, reason: string | null = null, more: object = {}): string =>
  `data: ${JSON.stringify({ model: 'served', choices: [{ index: 0, delta: { content }, finish_reason: reason }], ...more })}\n\n`
const USAGE = 'data: {"choices":[],"usage":{"prompt_tokens":120,"completion_tokens":7}}\n\n'
const DONE = 'data: [DONE]\n\n'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** An endpoint that sends when it is told to, and a generator that asks it. */
function anEndpoint(options: Partial<OpenAiGeneratorOptions> = {}) {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  const seen = { bodies: [] as Record<string, unknown>[], isCancelled: false, isAborted: false }
  const body = new ReadableStream<Uint8Array>({
    start: (started) => void (controller = started),
    cancel: () => void (seen.isCancelled = true),
  })
  const generator = createOpenAiGenerator({
    baseUrl: 'https://llm.example/v1',
    apiKey: 'key',
    model: 'asked',
    fetch: async (_url, init) => {
      seen.bodies.push(JSON.parse(String(init.body)) as Record<string, unknown>)
      init.signal?.addEventListener('abort', () => (seen.isAborted = true))
      return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
    },
    ...options,
  })
  const left = new AbortController()
  const request = { question: 'How?', chunks: [], context: 'C', caution: 'Careful.', signal: left.signal }
  return {
    seen,
    leave: () => left.abort(),
    send: (...texts: string[]) => {
      for (const text of texts) controller.enqueue(new TextEncoder().encode(text))
    },
    close: () => controller.close(),
    fail: () => controller.error(new Error('secret')),
    pieces: generator.stream!(request),
  }
}

/** All pieces, and what the generation was. */
async function readAll(pieces: AsyncGenerator<string, Generation, void>): Promise<[string[], Generation]> {
  const texts: string[] = []
  for (;;) {
    const piece = await pieces.next()
    if (piece.done === true) return [texts, piece.value]
    texts.push(piece.value)
  }
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )

describe('a streamed answer', () => {
  it('comes piece by piece, and is told of at its end', async () => {
    const { pieces, send, seen } = anEndpoint()
    send(delta(''), delta('Turn '), delta('the ').slice(0, 20), delta('the ').slice(20))
    send(`: wait\n\n${delta('key.')}${delta('', 'stop')}`, USAGE, DONE)
    const [texts, generation] = await readAll(pieces)
    expect(texts).toEqual(['Turn ', 'the ', 'key.'])
    expect(generation).toEqual({
      text: 'Turn the key.',
      manner: 'written',
      complete: true,
      model: 'served',
      usage: { inputTokens: 120, outputTokens: 7 },
    })
    const [body] = seen.bodies
    expect(body).toMatchObject({
      model: 'asked',
      max_tokens: 800,
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(JSON.stringify(body)).toContain('Careful.')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('may be asked for without its tokens', async () => {
    const { pieces, send, seen } = anEndpoint({ streamedUsage: 'not asked', logProbabilities: 'asked' })
    send(delta('a', 'stop'), DONE)
    const [, generation] = await readAll(pieces)
    expect(generation).not.toHaveProperty('usage')
    expect(seen.bodies[0]).not.toHaveProperty('stream_options')
    expect(seen.bodies[0]).not.toHaveProperty('logprobs')
  })

  it.each([
    [['length'], false],
    [['content_filter'], false],
    [[null], false],
    [['stop'], true],
  ] as const)('that ended by %j is whole: %s', async ([reason], complete) => {
    const { pieces, send } = anEndpoint()
    send(delta('a'), delta('', reason), DONE)
    expect((await readAll(pieces))[1].complete).toBe(complete)
  })

  it('that ends without a mark is whole where it said that it stopped, and broke off otherwise', async () => {
    const whole = anEndpoint()
    whole.send(delta('a', 'stop'))
    whole.close()
    expect((await readAll(whole.pieces))[1]).toMatchObject({ text: 'a', complete: true })
    const cut = anEndpoint()
    cut.send(delta('a'))
    cut.close()
    expect(await failureOf(readAll(cut.pieces))).toMatchObject({ code: 'llm_unavailable' })
  })

  it.each([
    ['an error', 'data: {"error":{"message":"secret"}}\n\n', 'llm_bad_response'],
    ['no JSON', 'data: secret\n\n', 'llm_bad_response'],
    ['nothing', DONE, 'llm_bad_response'],
    ['too much', delta('x'.repeat(5000)), 'llm_bad_response'],
  ])('of %s fails with a code, and no word of it', async (_, sent, code) => {
    const { pieces, send } = anEndpoint({ maxResponseBytes: 4096 })
    send(sent)
    const failure = await failureOf(readAll(pieces))
    expect(failure).toMatchObject({ code })
    expect(String(failure)).not.toContain('secret')
  })

  it('that breaks off fails after what came', async () => {
    const { pieces, send, fail } = anEndpoint()
    send(delta('Turn '))
    expect(await pieces.next()).toEqual({ done: false, value: 'Turn ' })
    const next = failureOf(pieces.next())
    fail()
    expect(await next).toMatchObject({ code: 'llm_unavailable' })
  })

  it('has a deadline for its first words, and none after them', async () => {
    const late = anEndpoint({ timeoutMs: 2000 })
    late.send(delta(''))
    const failure = failureOf(late.pieces.next())
    await vi.advanceTimersByTimeAsync(2000)
    expect(await failure).toMatchObject({ code: 'llm_timeout' })
    expect(late.seen).toMatchObject({ isCancelled: true, isAborted: true })

    const slow = anEndpoint({ timeoutMs: 2000 })
    slow.send(delta('Turn '))
    expect((await slow.pieces.next()).value).toBe('Turn ')
    await vi.advanceTimersByTimeAsync(3_600_000)
    slow.send(delta('it.', 'stop'), DONE)
    expect((await readAll(slow.pieces))[0]).toEqual(['it.'])
  })

  it('that nobody wants any more ends, and so does its source', async () => {
    const { pieces, send, seen, leave } = anEndpoint()
    send(delta('Turn '))
    await pieces.next()
    const next = failureOf(pieces.next())
    leave()
    expect(await next).toMatchObject({ code: 'llm_timeout' })
    expect(seen).toMatchObject({ isCancelled: true, isAborted: true })
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([
    [429, 'llm_unavailable'],
    [500, 'llm_unavailable'],
    [401, 'llm_misconfigured'],
    [400, 'llm_bad_request'],
  ])('of status %s is none', async (status, code) => {
    const { pieces } = anEndpoint({ fetch: async () => new Response('secret', { status }) })
    expect(await failureOf(readAll(pieces))).toMatchObject({ code })
  })

  it('counts with whole answers towards the circuit breaker', async () => {
    let calls = 0
    const generator = createOpenAiGenerator({
      baseUrl: 'https://llm.example/v1',
      apiKey: 'key',
      model: 'm',
      fetch: async () => {
        calls++
        return new Response('', { status: 500 })
      },
    })
    const request = { question: 'How?', chunks: [], context: 'C', signal: new AbortController().signal }
    for (let time = 0; time < 5; time++) {
      await failureOf(generator.generate(request))
      await failureOf(readAll(generator.stream!(request)))
    }
    await failureOf(generator.generate(request))
    await failureOf(readAll(generator.stream!(request)))
    expect(calls).toBe(10)
  })
})
