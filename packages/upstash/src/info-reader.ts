import { Index } from '@upstash/vector'
import { badResponse } from '@hono-rag-gate/upstream/http'
import type { Clock, Embedding } from 'hono-rag-gate/ports'
import type { IndexParts } from './index-kind.ts'
import { type IndexInfo, readInfo } from './rows.ts'
import { INDEX, type UpstashTransport } from './transport.ts'

/** Settings of `createInfoReader`. */
export interface InfoReaderOptions {
  /** Maximum age of the cached model and dimension, milliseconds, 0..60,000. */
  readonly embeddingMaxAgeMs: number
  readonly clock: Clock
}

/** Reads and caches an index's `info`. */
export interface InfoReader {
  /** Kind, similarity and models; requested once, since they never change for an index. */
  parts(signal: AbortSignal): Promise<IndexParts>
  /** Model and dimension, cached for up to `embeddingMaxAgeMs`. */
  embedding(signal: AbortSignal): Promise<Embedding>
  /** The last response. */
  known(): IndexInfo | undefined
  /** Requests `info` now. */
  info(signal: AbortSignal): Promise<IndexInfo>
  /** Clears the cached parts, because a search showed that they changed, as with a new index at the same URL. */
  forget(): void
}

/**
 * Makes a reader of an index's `info`. Requests share results but never pending promises, since workerd does not let
 * one request wait for the I/O of another.
 *
 * @param check throws for parts that cannot be searched
 */
export function createInfoReader(
  transport: UpstashTransport,
  { embeddingMaxAgeMs, clock }: InfoReaderOptions,
  check: (parts: IndexParts) => void,
): InfoReader {
  let copy: { readonly info: IndexInfo; readonly readAtMs: number } | undefined

  async function ask(signal: AbortSignal): Promise<IndexInfo> {
    const readAtMs = clock.nowMs()
    const info = readInfo(await new Index(transport(signal)).info())
    if (info.dense === undefined && info.sparse === undefined) throw badResponse(INDEX, 'no parts')
    check(info)
    copy = { info, readAtMs }
    return info
  }

  return {
    known: () => copy?.info,
    info: ask,
    async parts(signal) {
      return copy?.info ?? ask(signal)
    },
    async embedding(signal) {
      const ageMs = clock.nowMs() - (copy?.readAtMs ?? NaN)
      const { dense, sparse } = copy && ageMs >= 0 && ageMs < embeddingMaxAgeMs ? copy.info : await ask(signal)
      // A sparse index has no dimension; at least one of the parts exists.
      const { model = '', dimension = 0 }: Partial<Embedding> = dense ?? sparse ?? {}
      return { model, dimension }
    },
    forget() {
      copy = undefined
    },
  }
}
