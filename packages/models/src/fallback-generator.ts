/** Several generators in order: if one is unavailable, the next is called. */
import { callable, methods, required, requireOptions } from 'hono-rag-gate/core/lib'
import { isRagGateError, RagGateError } from 'hono-rag-gate/errors'
import type { Generation, GenerationRequest, Generator } from './generator.ts'

/** Settings of `createFallbackGenerator`. */
export interface FallbackGeneratorOptions {
  /** In order of preference. At least one. */
  readonly generators: readonly Generator[]
  /**
   * Called for each generator that failed and was skipped.
   *
   * @default none
   */
  readonly onFallback?: (fallback: { readonly model: string; readonly code: string }) => void
}

/** Transient failures: no connection, status 408, 429 or 5xx, a timeout. */
const PASSED_OVER: ReadonlySet<string> = new Set(['llm_unavailable', 'llm_timeout'])

/**
 * Combines several generators into one. If a call fails with `llm_unavailable` or `llm_timeout` before the first piece
 * of its answer, the next generator is called; other failures, and the last one's, are thrown. `model` of an answer
 * names its generator; the answer key has the first one's name. Each generator has its own timeout.
 *
 * @throws `config_invalid` without generators
 */
export function createFallbackGenerator(options: FallbackGeneratorOptions): Generator {
  requireOptions(options, {
    generators: required({
      words: 'a list of generators',
      holds: (list) => Array.isArray(list) && list.length > 0 && list.every(methods('generate').holds),
    }),
    onFallback: callable,
  })
  const { generators, onFallback } = options
  /** Rethrows a failure that has no fallback. */
  const passOver = (at: number, thrown: unknown, { signal }: GenerationRequest): void => {
    const isLast = at === generators.length - 1
    if (isLast || signal.aborted || !isRagGateError(thrown) || !PASSED_OVER.has(thrown.code)) throw thrown
    onFallback?.({ model: generators[at]!.model, code: thrown.code })
  }
  return {
    model: generators[0]!.model,
    async generate(request) {
      for (const [at, generator] of generators.entries()) {
        try {
          return writtenBy(generator, await generator.generate(request))
        } catch (thrown) {
          passOver(at, thrown, request)
        }
      }
      throw unreachable()
    },
    ...(generators.every((generator) => 'stream' in generator) && {
      async *stream(request) {
        for (const [at, generator] of generators.entries()) {
          const pieces = generator.stream!(request)
          try {
            let first: IteratorResult<string, Generation>
            try {
              first = await pieces.next()
            } catch (thrown) {
              passOver(at, thrown, request)
              continue
            }
            if (first.done === true) return writtenBy(generator, first.value)
            yield first.value
            return writtenBy(generator, yield* pieces)
          } finally {
            // Cancels the model's stream if the reader stops early; no effect after its end.
            pieces.return(undefined as never).catch(() => undefined)
          }
        }
        throw unreachable()
      },
    }),
  }
}

const writtenBy = ({ model }: Generator, generation: Generation): Generation => ({ model, ...generation })

/** Cannot happen: the last generator's failure was thrown. */
const unreachable = (): RagGateError => new RagGateError('internal', 'No generator was called')
