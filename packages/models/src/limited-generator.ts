/** A generator that is asked by so many at a time, and for so long. */
import { methods, number, required, requireOptions, whole } from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import type { Generator } from './generator.ts'

/** Settings of `createLimitedGenerator`. */
export interface LimitedGeneratorOptions {
  readonly generator: Generator
  /**
   * Calls at a time in this isolate or process, 1 and up. More are turned away at once.
   *
   * @default 50
   */
  readonly callsAtOnce?: number
  /**
   * Milliseconds that a stream may take from its beginning to its end, 1 and up. For longer no call counts among those at a
   * time: of a request that the runtime cancelled without aborting its signal the end is not known.
   *
   * @default 300000
   */
  readonly streamTimeoutMs?: number
}

/** Seconds after which a call may be turned away again. */
const RETRY_AFTER_SECONDS = 1

/** With more calls than these each stream is read after a pause of twice as many milliseconds: all together 500 times a second. */
const READ_AT_ONCE = 4
const LONGEST_PAUSE_MS = 100

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Makes the same generator with these bounds.
 *
 * @returns throws `overloaded` (503) beyond the calls at a time, `llm_timeout` for a stream that takes too long, and what the
 *   generator does
 * @throws `config_invalid` for options that are not these
 */
export function createLimitedGenerator(options: LimitedGeneratorOptions): Generator {
  requireOptions(options, {
    generator: required(methods('generate')),
    callsAtOnce: whole(1),
    streamTimeoutMs: number(1),
  })
  const { generator, callsAtOnce = 50, streamTimeoutMs = 300_000 } = options
  /** Until when each call counts, by what ends it. */
  const calls = new Map<() => void, number>()
  const begin = (signal: AbortSignal): (() => void) => {
    const nowMs = Date.now()
    // One that counts for longer than any was begun before the clock was set back.
    for (const [end, untilMs] of calls) if (untilMs <= nowMs || untilMs > nowMs + streamTimeoutMs) end()
    if (calls.size >= callsAtOnce) {
      throw new RagGateError<'overloaded'>('overloaded', 'The model is asked by too many at a time', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    const end = (): void => {
      calls.delete(end)
      signal.removeEventListener('abort', end)
    }
    calls.set(end, nowMs + streamTimeoutMs)
    // workerd cancels the request of a client that leaves: nothing else of it runs, no `finally` either.
    signal.addEventListener('abort', end)
    return end
  }
  const stream = generator.stream?.bind(generator)
  return {
    ...generator,
    async generate(request) {
      const end = begin(request.signal)
      try {
        return await generator.generate(request)
      } finally {
        end()
      }
    },
    ...(stream !== undefined && {
      async *stream(request) {
        const end = begin(request.signal)
        const late = AbortSignal.timeout(streamTimeoutMs)
        try {
          const pieces = stream({ ...request, signal: AbortSignal.any([request.signal, late]) })
          try {
            for (;;) {
              const piece = await pieces.next()
              if (piece.done === true) return piece.value
              yield piece.value
              // What comes meanwhile is one piece.
              if (calls.size > READ_AT_ONCE) await sleep(Math.min(2 * calls.size, LONGEST_PAUSE_MS))
            }
          } finally {
            await pieces.return(undefined as never)
          }
        } catch (thrown) {
          if (!late.aborted) throw thrown
          throw new RagGateError('llm_timeout', 'The model took too long for its answer', { cause: thrown })
        } finally {
          end()
        }
      },
    }),
  }
}
