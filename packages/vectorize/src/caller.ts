/** Options and binding calls that the retriever and the chunk index share. */
import type { Passage } from 'hono-rag-gate/core/evidence'
import { deadline, isRecord, methods, number, type OptionKinds, required } from 'hono-rag-gate/core/lib'
import {
  badResponse,
  boundedCall,
  createUpstream,
  errorOfFault,
  type UpstreamOptions,
  upstreamOptions,
} from '@hono-rag-gate/upstream/http'
import type { ChunkTexts, Embedder } from 'hono-rag-gate/ports'
import type { VectorizeBinding } from './binding.ts'
import { INDEX, LIMITS } from './limits.ts'
import { passageOf, type ReadVector } from './rows.ts'

/** Options that the retriever and the chunk index share. */
export interface VectorizeOptions {
  readonly index: VectorizeBinding
  readonly embedder: Embedder
  /** Store for passages that do not fit into 10 KiB of metadata. Without it texts are stored in the metadata. */
  readonly texts?: ChunkTexts
  /**
   * Deadline of a call to the binding, milliseconds; 1 to 2,000,000,000.
   *
   * @default 1500 for a retriever, 10000 for a chunk index
   */
  readonly timeoutMs?: number
  /** Retry and circuit breaker. */
  readonly upstream?: UpstreamOptions
}

/** Validation of the options. */
export const VECTORIZE_OPTIONS: OptionKinds<VectorizeOptions> = {
  // A binding that is not configured is `undefined`, despite its type.
  index: required({ words: 'a Vectorize binding: is it bound under that name?', holds: methods('query').holds }),
  embedder: required({
    words: `an embedder of 1 to ${LIMITS.dimension} dimensions`,
    holds: (value) =>
      methods('embed').holds(value) && isRecord(value) && number(1, LIMITS.dimension).holds(value['dimension']),
  }),
  texts: methods('get'),
  timeoutMs: deadline,
  upstream: upstreamOptions,
}

/** Calls the binding with a deadline, retries and circuit breaker; throws errors of this package. */
export type Call = <Result>(work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>

export function callerOf(
  { timeoutMs, upstream: discipline }: Pick<VectorizeOptions, 'timeoutMs' | 'upstream'>,
  defaultMs: number,
): Call {
  const ms = timeoutMs ?? defaultMs
  const upstream = createUpstream(discipline)
  return (work, signal) =>
    upstream(() => boundedCall(work, { timeoutMs: ms, signal }), signal).catch((thrown: unknown) => {
      throw errorOfFault(INDEX, thrown)
    })
}

/**
 * The passages of vectors, in their order; `null` if the text is in the external store and was deleted there.
 *
 * @throws `retriever_bad_response` if the store returns other passages, or in another order
 */
export async function passagesOf(
  vectors: readonly ReadVector[],
  namespace: string,
  texts: Pick<ChunkTexts, 'get'> | undefined,
): Promise<readonly (Passage | null)[]> {
  if (texts === undefined) return vectors.map(passageOf)
  if (vectors.length === 0) return []
  const ids = vectors.map(({ id }) => id)
  const passages = await texts.get(namespace, ids)
  if (passages.length !== ids.length || passages.some((passage, at) => passage && passage.id !== ids[at])) {
    throw badResponse(INDEX, 'texts that are not those of the ids, in order')
  }
  return passages
}
