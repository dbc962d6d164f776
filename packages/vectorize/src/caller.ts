/** What retriever and chunk index of one index share: settings, and how the binding is called. */
import type { Passage } from 'hono-rag-gate/core/evidence'
import { isRecord, methods, number, type OptionKinds, required } from 'hono-rag-gate/core/lib'
import {
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

/** What retriever and chunk index of one Vectorize index share. */
export interface VectorizeOptions {
  readonly index: VectorizeBinding
  readonly embedder: Embedder
  /** Keeps the texts, for passages that do not fit into 10 KiB of metadata. Without it they are in the metadata. */
  readonly texts?: ChunkTexts
  /**
   * Milliseconds that a call of the binding may take; 1 and up.
   *
   * @default 1500 for a retriever, 10000 for a chunk index
   */
  readonly timeoutMs?: number
  /** Retry and circuit breaker. */
  readonly upstream?: UpstreamOptions
}

/** What each of them must be. */
export const VECTORIZE_OPTIONS: OptionKinds<VectorizeOptions> = {
  // A binding that is not configured is `undefined`, in spite of its type.
  index: required({ words: 'a Vectorize binding: is it bound under that name?', holds: methods('query').holds }),
  embedder: required({
    words: `an embedder of 1 to ${LIMITS.dimension} dimensions`,
    holds: (value) =>
      methods('embed').holds(value) && isRecord(value) && number(1, LIMITS.dimension).holds(value['dimension']),
  }),
  texts: methods('get'),
  timeoutMs: number(1),
  upstream: upstreamOptions,
}

/** Calls the binding under one deadline and one discipline; gives errors of this package. */
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

/** In the order of the vectors; `null` for one whose text is kept elsewhere and gone: it was deleted there first. */
export async function passagesOf(
  vectors: readonly ReadVector[],
  namespace: string,
  texts: Pick<ChunkTexts, 'get'> | undefined,
): Promise<readonly (Passage | null)[]> {
  if (texts === undefined) return vectors.map(passageOf)
  return vectors.length === 0
    ? []
    : texts.get(
        namespace,
        vectors.map(({ id }) => id),
      )
}
