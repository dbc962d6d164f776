import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createOpenAiGenerator, type OpenAiGeneratorOptions } from '../../packages/models/src/openai-compatible.ts'
import type { Generation } from '../../packages/models/src/generator.ts'
import { upstreamOfTests } from '../fixtures/scripted-upstream.ts'

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
  it('is yielded chunk by chunk, and summarised at its end', async () => {
    const { pieces, send, seen } = anEndpoint()
    send(delta(''), delta('Turn '), delta('the ').slice(0, 20), delta('the ').slice(20))
    send(`: wait\n\n${delta('key.')}${delta('', 'stop')}`, USAGE, DONE)
    const [texts, generation] = await readAll(pieces)
    expect(texts).toEqual(['Turn ', 'the ', 'key.'])
    expect(generation).toEqual({
      text: 'Turn the key.',
      complete: true,
      model: 'served',
      usage: { inputTokens: 120, outputTokens: 7 },
    })
    // Any other outcome.
    expect(seen.isCancelled).toBe(true)
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

  it('is one chunk when its events arrived together, also before an error among them', async () => {
    const { pieces, send } = anEndpoint()
    send(delta('Turn ') + delta('the '), `${delta('key.')}data: {"error":{}}\n\n`)
    expect((await pieces.next()).value).toBe('Turn the ')
    expect((await pieces.next()).value).toBe('key.')
    await expect(pieces.next()).rejects.toMatchObject({ code: 'llm_bad_response' })
  })

  it('skips chunks without text, and leaves no timer when it fails before the first one', async () => {
    const { pieces, send, fail } = anEndpoint()
    const next = pieces.next()
    send('data: {"choices":[{"index":0,"delta":{"role":"assistant"}}]}\n\n')
    await vi.advanceTimersByTimeAsync(1)
    fail()
    await expect(next).rejects.toMatchObject({ code: 'llm_unavailable' })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('of blanks is none', async () => {
    const { pieces, send } = anEndpoint()
    send(delta(' '), delta('\n', 'stop'), DONE)
    await expect(readAll(pieces)).rejects.toMatchObject({ code: 'llm_bad_response' })
  })

  const THOUGHT = '\n<think>\nThe user asks [1] how.\n</think>\n\nTurn the `</think>` key.'
  it.each([1, 2, 3, 5, 8, 13, 200])(
    'comes without the reasoning before it, in pieces of %i characters',
    async (size) => {
      const { pieces, send } = anEndpoint()
      for (let at = 0; at < THOUGHT.length; at += size) send(delta(THOUGHT.slice(at, at + size)))
      send(delta('', 'stop'), DONE)
      const [texts, generation] = await readAll(pieces)
      expect(texts.join('')).toBe('Turn the `</think>` key.')
      expect(generation).toMatchObject({ text: 'Turn the `</think>` key.', complete: true })
    },
  )

  it.each([
    'Models write `<think>…</think>` first: see <think>a</think>.',
    ' \n<thin> is no tag.',
    '<thi',
    '  <think> begins the reasoning.',
    '<think>',
  ])('keeps tags that are no reasoning: %j', async (answer) => {
    for (const size of [1, 4, 100]) {
      const { pieces, send } = anEndpoint()
      for (let at = 0; at < answer.length; at += size) send(delta(answer.slice(at, at + size)))
      send(delta('', 'stop'), DONE)
      const [texts, generation] = await readAll(pieces)
      expect(texts.join('')).toBe(answer)
      expect(generation).toMatchObject({ text: answer, complete: true })
    }
  })

  it.each([
    ['length', '<think>\nThe user asks'],
    ['stop', '<think>\nThe user asks\n</think>\n'],
    [null, '<think>The user asks'],
  ])('that ended by %j in its reasoning is no answer', async (reason, reply) => {
    const { pieces, send } = anEndpoint()
    send(delta(reply), delta('', reason), DONE)
    expect(await failureOf(readAll(pieces))).toMatchObject({ code: 'llm_bad_response' })
  })

  it('may be as long as its tokens allow, with the members of a chunk around each of them', async () => {
    const { pieces, send } = anEndpoint({ maxTokens: 6000 })
    // An eight-character word in a chunk of 240 bytes, as endpoints send it.
    const chunk = delta('gearbox ', null, { id: 'c'.repeat(60), service_tier: 'default', obfuscation: 'x'.repeat(40) })
    send(chunk.repeat(3000), chunk.repeat(3000), delta('', 'stop'), DONE)
    expect((await readAll(pieces))[1]).toMatchObject({ text: 'gearbox '.repeat(6000), complete: true })
  })

  it('is requested without log-probabilities', async () => {
    const { pieces, send, seen } = anEndpoint({ logProbabilities: 'asked' })
    send(delta('a', 'stop'), DONE)
    await readAll(pieces)
    expect(seen.bodies[0]).not.toHaveProperty('logprobs')
  })

  it.each([
    [['length'], false],
    [['content_filter'], false],
    [[null], false],
    [['stop'], true],
    [['stop', ''], true],
  ] as const)('that ended by %j is complete: %s', async (reasons, complete) => {
    const { pieces, send } = anEndpoint()
    send(delta('a'), ...reasons.map((reason) => delta('', reason)), DONE)
    expect((await readAll(pieces))[1].complete).toBe(complete)
  })

  it('that ends without [DONE] is complete after a finish reason, and interrupted otherwise', async () => {
    const whole = anEndpoint()
    whole.send(delta('a', 'stop'))
    whole.close()
    expect((await readAll(whole.pieces))[1]).toMatchObject({ text: 'a', complete: true })
    const noReason = anEndpoint()
    noReason.send(delta('a', ''))
    noReason.close()
    expect(await failureOf(readAll(noReason.pieces))).toMatchObject({ code: 'llm_unavailable' })
    const cut = anEndpoint()
    cut.send(delta('a'))
    cut.close()
    expect(await failureOf(readAll(cut.pieces))).toMatchObject({ code: 'llm_unavailable' })
  })

  it.each([
    ['an error', 'data: {"error":{"message":"secret"}}\n\n', 'llm_bad_response'],
    ['an event named error', `${delta('a')}event: error\ndata: {"code":500}\n\n${DONE}`, 'llm_bad_response'],
    ['an object that is an error', `${delta('a')}data: {"object":"error"}\n\n${DONE}`, 'llm_bad_response'],
    ['no JSON', 'data: secret\n\n', 'llm_bad_response'],
    ['nothing', DONE, 'llm_bad_response'],
    ['too much', delta('x'.repeat(5000)), 'llm_bad_response'],
  ])('with %s fails with a code, without its text', async (_, sent, code) => {
    const { pieces, send, seen } = anEndpoint({ maxResponseBytes: 4096 })
    send(sent)
    const failure = await failureOf(readAll(pieces))
    expect(failure).toMatchObject({ code })
    expect(seen.isCancelled).toBe(true)
    expect(String(failure)).not.toContain('secret')
  })

  it('that breaks off fails after the chunks received', async () => {
    const { pieces, send, fail } = anEndpoint()
    send(delta('Turn '))
    expect(await pieces.next()).toEqual({ done: false, value: 'Turn ' })
    const next = failureOf(pieces.next())
    fail()
    expect(await next).toMatchObject({ code: 'llm_unavailable' })
  })

  it('has a deadline for its first words only', async () => {
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

  it('is cancelled at its source when the reader leaves', async () => {
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
  ])('with status %s fails with its code', async (status, code) => {
    let open = 0
    const { pieces } = anEndpoint({
      fetch: async () => {
        open++
        return new Response(new ReadableStream({ cancel: () => void open-- }), { status })
      },
    })
    expect(await failureOf(readAll(pieces))).toMatchObject({ code })
    expect(open).toBe(0)
  })

  it('counts with other answers towards the circuit breaker', async () => {
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

describe('an endpoint on loopback', () => {
  const upstream = upstreamOfTests()
  const STREAM = [delta('Turn '), delta('it.', 'stop')]
  // It is asked over real sockets.
  beforeEach(() => void vi.useRealTimers())

  /** Asks for a stream so many times, of one generator. @returns what came of each, and what was asked */
  async function asking(times: number, statusOf: (body: Record<string, unknown>, calls: number) => number) {
    const bodies: Record<string, unknown>[] = []
    upstream().answerWith((response, _, text) => {
      const body = JSON.parse(text) as Record<string, unknown>
      const status = statusOf(body, bodies.push(body))
      if (status !== 200) return response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":{}}')
      const usage = body['stream_options'] === undefined ? [] : [USAGE]
      return response.writeHead(200, { 'content-type': 'text/event-stream' }).end([...STREAM, ...usage, DONE].join(''))
    })
    const generator = createOpenAiGenerator({ baseUrl: `${upstream().url}/v1`, apiKey: 'key', model: 'm' })
    const request = { question: 'How?', chunks: [], context: 'C', signal: new AbortController().signal }
    const became: unknown[] = []
    for (let time = 0; time < times; time++) {
      became.push(
        await readAll(generator.stream!(request)).then(
          ([texts, { usage }]) => [texts.join(''), usage?.inputTokens],
          (thrown: unknown) => (thrown as { code: string }).code,
        ),
      )
    }
    return { became, asked: bodies.map((body) => body['stream_options'] !== undefined) }
  }

  it.each([400, 422])(
    'that rejects stream_options with %i is called without stream_options from then on',
    async (status) => {
      const { became, asked } = await asking(3, (body) => (body['stream_options'] === undefined ? 200 : status))
      expect(became).toEqual([1, 2, 3].map(() => ['Turn it.', undefined]))
      expect(asked).toEqual([true, false, false, false])
    },
  )

  it('that accepts stream_options is still called with them after it rejected a request', async () => {
    const { became, asked } = await asking(3, (_, calls) => (calls === 2 ? 400 : 200))
    expect(became).toEqual([['Turn it.', 120], 'llm_bad_request', ['Turn it.', 120]])
    expect(asked).toEqual([true, true, true])
  })

  it('that rejects the first request for another reason is called with stream_options again', async () => {
    const { became, asked } = await asking(2, (_, calls) => (calls <= 2 ? 400 : 200))
    expect(became).toEqual(['llm_bad_request', ['Turn it.', 120]])
    expect(asked).toEqual([true, false, true])
  })

  it.each([
    [401, 'llm_misconfigured'],
    [429, 'llm_unavailable'],
    [503, 'llm_unavailable'],
  ])('that answers %i is not called again', async (status, code) => {
    expect(await asking(1, () => status)).toEqual({ became: [code], asked: [true] })
  })
  it('that does not stream is read completely, in one chunk', async () => {
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Turn it – größer.' } }]
    const body = JSON.stringify({ model: 'served', choices, usage: { prompt_tokens: 120, completion_tokens: 7 } })
    const bytes = Buffer.from(body)
    // A letter of two bytes comes in halves.
    const half = bytes.indexOf(Buffer.from('ß')) + 1
    upstream().answerWith((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write(bytes.subarray(0, half))
      setTimeout(() => response.end(bytes.subarray(half)), 50)
    })
    const generator = createOpenAiGenerator({ baseUrl: `${upstream().url}/v1`, apiKey: 'key', model: 'm' })
    const request = { question: 'How?', chunks: [], context: 'C', signal: new AbortController().signal }
    const whole = await generator.generate(request)
    expect(await readAll(generator.stream!(request))).toEqual([['Turn it – größer.'], whole])
  })

  it.each([
    ['an error', 'application/json', '{"error":{"message":"secret"}}'],
    ['nothing', 'application/json', '{"choices":[]}'],
    ['no JSON', 'application/json', 'secret'],
    ['a page', 'text/html', '<h1>secret</h1>'],
  ])('that answers with %s in place of a stream fails with a code, without its text', async (_, type, body) => {
    upstream().answerWith((response) => response.writeHead(200, { 'content-type': type }).end(body))
    const generator = createOpenAiGenerator({ baseUrl: `${upstream().url}/v1`, apiKey: 'key', model: 'm' })
    const request = { question: 'How?', chunks: [], context: 'C', signal: new AbortController().signal }
    const failure = await failureOf(readAll(generator.stream!(request)))
    expect(failure).toMatchObject({ code: 'llm_bad_response' })
    expect(String(failure)).not.toContain('secret')
  })
})
