import { Index } from '@upstash/vector'
import { RagGateError } from '../../errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Embedding } from '../../ports/retriever.ts'
import { readDense, readInfo } from './rows.ts'
import { createUpstashTransport, type UpstashOptions } from './transport.ts'

const LONGEST_MAX_AGE_MS = 60_000

/** What a reader needs, and how long it takes the index's word. */
export interface EmbeddingReaderOptions extends UpstashOptions {
  /** 0..60,000. */
  readonly embeddingMaxAgeMs: number
  readonly clock: Clock
}

/**
 * Makes a reader of an index's model and dimension. Its answer is kept; only what was read is shared between requests,
 * since one of them must not wait for what another one sent.
 *
 * @throws `config_invalid` when the age is out of range
 */
export function createEmbeddingReader({
  embeddingMaxAgeMs,
  clock,
  ...where
}: EmbeddingReaderOptions): (signal: AbortSignal) => Promise<Embedding> {
  if (!(embeddingMaxAgeMs >= 0 && embeddingMaxAgeMs <= LONGEST_MAX_AGE_MS)) {
    throw new RagGateError('config_invalid', 'embeddingMaxAgeMs must lie in 0..60,000', { param: 'embeddingMaxAgeMs' })
  }
  // `info` lists every namespace, so that it may be larger than what a search finds.
  const transport = createUpstashTransport({ timeoutMs: 1500, ...where, maxResponseBytes: 8 * 1024 * 1024 })
  let copy: { readonly embedding: Embedding; readonly readAtMs: number } | undefined
  return async function embeddingNow(signal) {
    const readAtMs = clock.nowMs()
    const ageMs = copy === undefined ? Infinity : readAtMs - copy.readAtMs
    if (copy !== undefined && ageMs >= 0 && ageMs < embeddingMaxAgeMs) return copy.embedding
    const embedding = readDense(readInfo(await new Index(transport(signal)).info()).dense)
    copy = { embedding, readAtMs }
    return embedding
  }
}
