import { expect, onTestFinished, test, vi } from 'vitest'
import type { Generation, GenerationRequest, Generator } from '../../packages/models/src/generator.ts'
import { createLimitedGenerator } from '../../packages/models/src/limited-generator.ts'

const REQUEST: GenerationRequest = { question: 'q', chunks: [], context: '', signal: new AbortController().signal }
const ANSWER: Generation = { text: 'answer', complete: true }

/** A generator whose calls end when the test says so. */
function slow() {
  const ends: (() => void)[] = []
  const ended = () => new Promise<void>((resolve) => ends.push(resolve))
  const generator: Generator = {
    model: 'm',
    generate: async () => (await ended(), ANSWER),
    async *stream() {
      yield 'an'
      await ended()
      yield 'swer'
      return ANSWER
    },
  }
  return { generator, end: () => ends.splice(0).forEach((each) => each()) }
}

test('calls beyond the limit are rejected at once, streams and others together, and accepted later', async () => {
  const { generator, end } = slow()
  const limited = createLimitedGenerator({ generator, callsAtOnce: 2 })
  const whole = limited.generate(REQUEST)
  const pieces = limited.stream!(REQUEST)
  expect(await pieces.next()).toEqual({ done: false, value: 'an' })
  for (const call of [() => limited.generate(REQUEST), () => limited.stream!(REQUEST).next()]) {
    await expect(call()).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 1 })
  }
  const rest = pieces.next()
  end()
  expect([await whole, (await rest).value, (await pieces.next()).value]).toEqual([ANSWER, 'swer', ANSWER])
  const again = [limited.generate(REQUEST), limited.generate(REQUEST)]
  end()
  expect(await Promise.all(again)).toEqual([ANSWER, ANSWER])
})

test('a failed call or an abandoned stream frees its place', async () => {
  const generator: Generator = {
    model: 'm',
    generate: () => Promise.reject(new Error('broken')),
    async *stream() {
      yield 'an'
      return ANSWER
    },
  }
  const limited = createLimitedGenerator({ generator, callsAtOnce: 1 })
  for (let at = 0; at < 3; at++) await expect(limited.generate(REQUEST)).rejects.toThrow('broken')
  for (let at = 0; at < 3; at++) {
    const pieces = limited.stream!(REQUEST)
    await pieces.next()
    await pieces.return(ANSWER)
  }
  expect((await limited.stream!(REQUEST).next()).value).toBe('an')
})

/** Calls of which nothing runs any more, as of a request that workerd cancelled. */
const cancelled: Generator = {
  model: 'm',
  generate: () => new Promise(() => undefined),
  async *stream() {
    yield await new Promise<string>(() => undefined)
    return ANSWER
  },
}

test('a call frees its place when its client leaves, even if it never ends', async () => {
  const limited = createLimitedGenerator({ generator: cancelled, callsAtOnce: 1 })
  const calls = [
    (signal: AbortSignal) => void limited.generate({ ...REQUEST, signal }),
    (signal: AbortSignal) => void limited.stream!({ ...REQUEST, signal }).next(),
  ]
  for (const call of calls) {
    for (let at = 0; at < 3; at++) {
      const client = new AbortController()
      call(client.signal)
      await expect(limited.generate(REQUEST)).rejects.toMatchObject({ code: 'overloaded' })
      client.abort()
    }
  }
})

test('a call without a working signal counts for the maximum time of a stream', async () => {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(1000)
  onTestFinished(() => clock.mockRestore())
  const limited = createLimitedGenerator({ generator: cancelled, callsAtOnce: 2, streamTimeoutMs: 60_000 })
  void limited.generate(REQUEST)
  clock.mockReturnValue(2000)
  void limited.stream!(REQUEST).next()
  const isTurnedAway = async (atMs: number): Promise<boolean> => {
    clock.mockReturnValue(atMs)
    const client = new AbortController()
    const call = limited.generate({ ...REQUEST, signal: client.signal })
    const outcome = await Promise.race([call.catch(() => 'away'), new Promise((resolve) => setImmediate(resolve))])
    client.abort()
    return outcome === 'away'
  }
  expect(await isTurnedAway(60_999)).toBe(true)
  expect(await isTurnedAway(61_000)).toBe(false)
})

test('a call that began before the clock was set back no longer counts', async () => {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(3_600_000)
  onTestFinished(() => clock.mockRestore())
  const limited = createLimitedGenerator({ generator: cancelled, callsAtOnce: 1 })
  void limited.generate(REQUEST)
  await expect(limited.generate(REQUEST)).rejects.toMatchObject({ code: 'overloaded' })
  clock.mockReturnValue(1000)
  const client = new AbortController()
  const call = limited.generate({ ...REQUEST, signal: client.signal }).catch(() => 'away')
  expect(await Promise.race([call, new Promise((resolve) => setImmediate(resolve, 'begun'))])).toBe('begun')
  client.abort()
})

test('a stream that takes too long ends with its own error', async () => {
  const generator: Generator = {
    model: 'm',
    generate: () => Promise.reject(new Error('not called')),
    async *stream({ signal }) {
      for (;;) {
        yield 'a'
        await new Promise((resolve) => setTimeout(resolve, 5))
        signal.throwIfAborted()
      }
    },
  }
  const limited = createLimitedGenerator({ generator, streamTimeoutMs: 60 })
  const texts: string[] = []
  const read = async () => {
    for await (const text of limited.stream!(REQUEST)) texts.push(text)
  }
  await expect(read()).rejects.toMatchObject({ code: 'llm_timeout' })
  expect(texts.length).toBeGreaterThan(1)
})

test('a client that leaves is not reported as a stream that took too long', async () => {
  const left = new AbortController()
  const { generator } = slow()
  const limited = createLimitedGenerator({
    generator: {
      ...generator,
      async *stream({ signal }) {
        yield 'an'
        signal.throwIfAborted()
        return ANSWER
      },
    },
  })
  const pieces = limited.stream!({ ...REQUEST, signal: left.signal })
  await pieces.next()
  left.abort(new Error('left'))
  await expect(pieces.next()).rejects.toThrow('left')
})

test('a generator without streams has none when limited', () => {
  const whole: Generator = { model: 'm', generate: async () => ANSWER }
  expect('stream' in createLimitedGenerator({ generator: whole })).toBe(false)
})

test('with many streams each is read after a pause, with few at once', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let read = 0
  const generator: Generator = {
    model: 'm',
    generate: async () => ANSWER,
    async *stream() {
      for (;;) yield String(++read)
    },
  }
  const limited = createLimitedGenerator({ generator })
  const streams = Array.from({ length: 4 }, () => limited.stream!(REQUEST))
  for (const stream of streams) await stream.next()
  await streams[0]!.next()
  expect(read).toBe(5)

  streams.push(limited.stream!(REQUEST))
  expect((await streams[4]!.next()).value).toBe('6')
  const next = streams[4]!.next()
  await vi.advanceTimersByTimeAsync(9)
  expect(read).toBe(6)
  await vi.advanceTimersByTimeAsync(1)
  expect((await next).value).toBe('7')
  await Promise.all(streams.map((stream) => stream.return(ANSWER)))
  expect(vi.getTimerCount()).toBe(0)
})

test('has the model name of a generator whose class defines it as a getter', () => {
  class Own implements Generator {
    get model(): string {
      return 'own'
    }
    generate = () => Promise.resolve(ANSWER)
  }
  expect(createLimitedGenerator({ generator: new Own() }).model).toBe('own')
})

test('a reader who leaves ends the stream of the generator', async () => {
  let isEnded = false
  const generator: Generator = {
    model: 'm',
    generate: async () => ANSWER,
    async *stream() {
      try {
        for (;;) yield 'a'
      } finally {
        isEnded = true
      }
    },
  }
  const pieces = createLimitedGenerator({ generator }).stream!(REQUEST)
  await pieces.next()
  await pieces.return(ANSWER)
  expect(isEnded).toBe(true)
})
