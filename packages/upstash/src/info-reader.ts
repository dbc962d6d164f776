import { Index } from '@upstash/vector'
import { badResponse } from '@hono-rag-gate/upstream/http'
import type { Clock, Embedding } from 'hono-rag-gate/ports'
import type { IndexParts } from './index-kind.ts'
import { type IndexInfo, readInfo } from './rows.ts'
import { INDEX, type UpstashTransport } from './transport.ts'

/** How long a reader takes the index's word. */
export interface InfoReaderOptions {
  /** 0..60,000. */
  readonly embeddingMaxAgeMs: number
  readonly clock: Clock
}

/** Reads what an index says of itself. */
export interface InfoReader {
  /** Kind, similarity and models: asked once, since an index keeps them for as long as it lives. */
  parts(signal: AbortSignal): Promise<IndexParts>
  /** Model and dimension; an answer not older than `embeddingMaxAgeMs` is given again. */
  embedding(signal: AbortSignal): Promise<Embedding>
  /** What it said last. */
  known(): IndexInfo | undefined
  /** Asks now. */
  info(signal: AbortSignal): Promise<IndexInfo>
  /** Has the parts asked for again: a search showed that they are others, such as those of a new index at the old URL. */
  forget(): void
}

/**
 * Makes a reader of an index's `info`. Only what was read is shared between requests, since one of them must not wait for
 * what another one sent.
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
    if (info.dense === undefined && info.sparse === undefined) throw badResponse(INDEX, 'info without a part to search')
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
      // A sparse index has no length of vectors; one of the two parts is there.
      const { model = '', dimension = 0 }: Partial<Embedding> = dense ?? sparse ?? {}
      return { model, dimension }
    },
    forget() {
      copy = undefined
    },
  }
}
