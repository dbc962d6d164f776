/** Generators in order: where one cannot answer now, the next one is asked. */
import { callable, methods, required, requireOptions } from 'hono-rag-gate/core/lib'
import { isRagGateError, RagGateError } from 'hono-rag-gate/errors'
import type { Generation, GenerationRequest, Generator } from './generator.ts'

/** Settings of `createFallbackGenerator`. */
export interface FallbackGeneratorOptions {
  /** The first is asked first. One and up. */
  readonly generators: readonly Generator[]
  /**
   * Told of each that could not answer and was passed over.
   *
   * @default none
   */
  readonly onFallback?: (fallback: { readonly model: string; readonly code: string }) => void
}

/** What passes by itself, or is another generator's to do: no connection, status 429 or 5xx, no answer in time. */
const PASSED_OVER: ReadonlySet<string> = new Set(['llm_unavailable', 'llm_timeout'])

/**
 * Makes one generator of several. The next is asked where one fails by `llm_unavailable` or `llm_timeout` before the first piece
 * of its answer, never after it; other failures, and the last one's, are thrown. `model` of an answer names who wrote it; in the
 * answer key all go by the first one's name. Each has a time limit of its own.
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
  /** Throws where no other is asked. */
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
            // A reader who leaves at the first piece leaves the model, too. After the end it does nothing.
            void pieces.return(undefined as never)
          }
        }
        throw unreachable()
      },
    }),
  }
}

const writtenBy = ({ model }: Generator, generation: Generation): Generation => ({ model, ...generation })

/** The last one's failure was thrown. */
const unreachable = (): RagGateError => new RagGateError('internal', 'No generator was asked')
