/** A generator that is asked by so many at a time, and for so long. */
import { number, object, required, requireOptions, whole } from 'hono-rag-gate/core/lib'
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
   * Milliseconds that a stream may take from its beginning to its end, 1 and up.
   *
   * @default 300000
   */
  readonly streamTimeoutMs?: number
}

/** Seconds after which a call may be turned away again. */
const RETRY_AFTER_SECONDS = 1

/**
 * Makes the same generator with these bounds.
 *
 * @returns throws `overloaded` (503) beyond the calls at a time, `llm_timeout` for a stream that takes too long, and what the
 *   generator does
 * @throws `config_invalid` for options that are not these
 */
export function createLimitedGenerator(options: LimitedGeneratorOptions): Generator {
  requireOptions(options, { generator: required(object), callsAtOnce: whole(1), streamTimeoutMs: number(1) })
  const { generator, callsAtOnce = 50, streamTimeoutMs = 300_000 } = options
  let running = 0
  const begin = (): void => {
    if (running >= callsAtOnce) {
      throw new RagGateError<'overloaded'>('overloaded', 'The model is asked by too many at a time', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    running++
  }
  const stream = generator.stream?.bind(generator)
  return {
    ...generator,
    async generate(request) {
      begin()
      try {
        return await generator.generate(request)
      } finally {
        running--
      }
    },
    ...(stream !== undefined && {
      async *stream(request) {
        begin()
        const late = AbortSignal.timeout(streamTimeoutMs)
        try {
          return yield* stream({ ...request, signal: AbortSignal.any([request.signal, late]) })
        } catch (thrown) {
          if (!late.aborted) throw thrown
          throw new RagGateError('llm_timeout', 'The model took too long for its answer', { cause: thrown })
        } finally {
          running--
        }
      },
    }),
  }
}
