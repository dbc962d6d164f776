import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createFallbackGenerator } from '../../packages/models/src/fallback-generator.ts'
import { createOpenAiGenerator } from '../../packages/models/src/openai-compatible.ts'
import type { Generation, GenerationRequest, Generator } from '../../packages/models/src/index.ts'
import { RagGateError } from '../../src/errors.ts'
import { delta, talking, wholeStream } from '../e2e/streaming-model.ts'
import { type Answer, answering, upstreamOfTests } from '../fixtures/scripted-upstream.ts'

const [first, second] = [upstreamOfTests(), upstreamOfTests()]
const GOOD = talking(wholeStream(['Thirty-five ', 'days [1].']))
const request = (signal = new AbortController().signal): GenerationRequest => ({
  question: 'How long?',
  chunks: [],
  context: '',
  signal,
})

const fallbacks: object[] = []
/** Of the first. Only one that is silent is not waited for. */
let timeoutMs = 30_000
const generator = (firstUrl = first().url) =>
  createFallbackGenerator({
    generators: [firstUrl, second().url].map((url, at) =>
      createOpenAiGenerator({
        baseUrl: `${url}/v1`,
        apiKey: 'key',
        model: `m${at}`,
        timeoutMs: at === 0 ? timeoutMs : 30_000,
      }),
    ),
    onFallback: (fallback) => void fallbacks.push(fallback),
  })

const WAYS: Readonly<Record<string, (asked: GenerationRequest, url?: string) => Promise<Partial<Generation>>>> = {
  whole: (asked, url) => generator(url).generate(asked),
  'in pieces': async (asked, url) => {
    const pieces = generator(url).stream!(asked)
    for (let piece = await pieces.next(); ; piece = await pieces.next()) if (piece.done === true) return piece.value
  },
}

beforeEach(() => {
  timeoutMs = 30_000
  fallbacks.splice(0)
  second().answerWith(GOOD)
})

describe.each(Object.entries(WAYS))('an answer %s', (_way, ask) => {
  test.each<[string, Answer, string]>([
    ['hangs up', (response) => response.destroy(), 'llm_unavailable'],
    ['answers 500', answering('', 500), 'llm_unavailable'],
    ['answers 503', answering('', 503), 'llm_unavailable'],
    ['answers 429', answering('', 429), 'llm_unavailable'],
    ['is silent', () => undefined, 'llm_timeout'],
  ])('comes from the second model when the first %s', async (_name, answer, code) => {
    first().answerWith(answer)
    if (code === 'llm_timeout') timeoutMs = 150
    expect(await ask(request())).toMatchObject({ text: 'Thirty-five days [1].', complete: true, model: 'm-1' })
    expect(fallbacks).toEqual([{ model: 'm0', code }])
  })

  test('comes from the second model when the first cannot be reached', async () => {
    expect(await ask(request(), 'http://127.0.0.1:1')).toMatchObject({ complete: true })
    expect(fallbacks).toHaveLength(1)
  })

  test.each<[string, Answer, string]>([
    ['rejects the request', answering('', 400), 'llm_bad_request'],
    ['rejects the key', answering('', 401), 'llm_misconfigured'],
    ['sends no readable answer', answering('<html>'), 'llm_bad_response'],
  ])('is an error when the first %s, and no other is asked', async (_name, answer, code) => {
    first().answerWith(answer)
    const before = second().calls()
    await expect(ask(request())).rejects.toMatchObject({ code })
    expect([second().calls() - before, fallbacks]).toEqual([0, []])
  })

  test("is the last model's error when none can answer", async () => {
    first().answerWith(answering('', 503))
    second().answerWith(answering('', 429, { 'retry-after': '7' }))
    await expect(ask(request())).rejects.toMatchObject({ code: 'llm_unavailable', upstreamStatus: 429 })
  })

  test('is not requested again when the client left', async () => {
    first().answerWith(() => undefined)
    const before = second().calls()
    await expect(ask(request(AbortSignal.timeout(30)))).rejects.toMatchObject({ code: 'llm_timeout' })
    expect(second().calls()).toBe(before)
  })
})

test('an answer is not restarted after its first chunk', async () => {
  first().answerWith(talking([delta('Thirty-')]))
  const before = second().calls()
  const pieces = generator().stream!(request())
  expect(await pieces.next()).toEqual({ done: false, value: 'Thirty-' })
  await expect(pieces.next()).rejects.toMatchObject({ code: 'llm_unavailable' })
  expect([second().calls() - before, fallbacks]).toEqual([0, []])
})

test('a reader who leaves at the first chunk ends the model call', async () => {
  const left = new Promise<void>((resolve) => {
    first().answerWith((response) => {
      response.on('close', resolve)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(delta('Thirty-'))
    })
  })
  const pieces = generator().stream!(request())
  await pieces.next()
  await pieces.return(undefined as never)
  await expect(left).resolves.toBeUndefined()
})

test.each([[[]], [[{ model: 'm', generate: async () => ({}) }, {}]]])('rejects the generators %j', (generators) => {
  const make = () => createFallbackGenerator({ generators: generators as never })
  expect(make).toThrow(expect.objectContaining({ code: 'config_invalid', param: 'generators' }))
})

test('needs nobody who is told, and cannot stream if one of the generators cannot', async () => {
  const failing: Generator = {
    model: 'failing',
    generate: () => Promise.reject(new RagGateError('llm_unavailable', 'down')),
    stream: () => {
      throw new Error('unused')
    },
  }
  const whole: Generator = { model: 'whole', generate: async () => ({ text: 'Yes.', complete: true }) }
  const either = createFallbackGenerator({ generators: [failing, whole] })
  expect(either).not.toHaveProperty('stream')
  expect(await either.generate(request())).toEqual({ text: 'Yes.', complete: true, model: 'whole' })
})

test('an answer in no pieces is an answer', async () => {
  const silent: Generator = {
    model: 'silent',
    generate: () => Promise.reject(new Error('unused')),
    // oxlint-disable-next-line require-yield
    async *stream() {
      return { text: '', complete: true }
    },
  }
  const pieces = createFallbackGenerator({ generators: [silent] }).stream!(request())
  expect(await pieces.next()).toEqual({ done: true, value: { text: '', complete: true, model: 'silent' } })
})

test('a model whose stream fails to close causes no unhandled rejection', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const broken: Generator = {
    model: 'broken',
    generate: () => Promise.reject(new Error('unused')),
    async *stream() {
      try {
        yield 'Thirty-'
        return { text: 'Thirty-', complete: true }
      } finally {
        await Promise.reject(new Error('cannot be closed'))
      }
    },
  }
  const pieces = createFallbackGenerator({ generators: [broken] }).stream!(request())
  await pieces.next()
  await pieces.return(undefined as never)
  await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled).toEqual([])
})
