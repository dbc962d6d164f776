/** Limits a generator's concurrent calls and the duration of its streams. */
import { deadline, methods, required, requireOptions, whole } from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import type { Generator } from './generator.ts'

/** Settings of `createLimitedGenerator`. */
export interface LimitedGeneratorOptions {
  readonly generator: Generator
  /**
   * Maximum concurrent calls in this isolate or process, 1 and up. Further calls are rejected at once.
   *
   * @default 50
   */
  readonly callsAtOnce?: number
  /**
   * Maximum duration of a stream, milliseconds, 1 to 2,000,000,000. No call counts as running for longer, because the end of a
   * request that the runtime cancelled without aborting its signal cannot be observed.
   *
   * @default 300000
   */
  readonly streamTimeoutMs?: number
}

/** `Retry-After` of rejected calls, seconds. */
const RETRY_AFTER_SECONDS = 1

/** With more calls than this, each stream pauses 2 ms per call between reads: 500 reads a second in all. */
const READ_AT_ONCE = 4
const LONGEST_PAUSE_MS = 100

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Wraps a generator with these limits.
 *
 * @returns throws `overloaded` (503) beyond the concurrency limit, `llm_timeout` for a stream that takes too long, and
 *   what the generator throws
 * @throws `config_invalid` for invalid options
 */
export function createLimitedGenerator(options: LimitedGeneratorOptions): Generator {
  requireOptions(options, {
    generator: required(methods('generate')),
    callsAtOnce: whole(1),
    streamTimeoutMs: deadline,
  })
  const { generator, callsAtOnce = 50, streamTimeoutMs = 300_000 } = options
  /** Expiry time of each running call, by the function that ends it. */
  const calls = new Map<() => void, number>()
  const begin = (signal: AbortSignal): (() => void) => {
    const nowMs = Date.now()
    // Also ends calls that expire too far in the future, which happens when the clock is set back.
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
    // workerd cancels the request of a disconnected client without running its `finally` blocks.
    signal.addEventListener('abort', end)
    return end
  }
  const stream = generator.stream?.bind(generator)
  return {
    model: generator.model,
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
              // Text that arrives during the pause becomes one piece.
              if (calls.size > READ_AT_ONCE) await sleep(Math.min(2 * calls.size, LONGEST_PAUSE_MS))
            }
          } finally {
            await pieces.return(undefined as never)
          }
        } catch (thrown) {
          if (!late.aborted) throw thrown
          throw new RagGateError('llm_timeout', 'The model took too long to answer', { cause: thrown })
        } finally {
          end()
        }
      },
    }),
  }
}
