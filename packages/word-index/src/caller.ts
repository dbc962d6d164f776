/** Settings, database calls and text parsing shared by the retriever and the index. */
import type { D1Database } from '@cloudflare/workers-types'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import { deadline, isRecord, methods, type OptionKinds, required } from 'hono-rag-gate/core/lib'
import { type Passage, readPassage } from 'hono-rag-gate/core/evidence'
import type { Language } from 'hono-rag-gate/core/text'
import { isRagGateError, type RagGateError } from 'hono-rag-gate/errors'
import {
  badResponse,
  boundedCall,
  createUpstream,
  errorOfFault,
  indexFull,
  type UpstreamName,
  type UpstreamOptions,
  upstreamOptions,
} from '@hono-rag-gate/upstream/http'
import type { Embedding } from 'hono-rag-gate/ports'

/** Settings of a word index. */
export interface WordIndexOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
  /** Converts words to terms: the policy's language, the same for writing and searching. @default none: whole words */
  readonly language?: Language
  /**
   * Deadline of a database call, milliseconds; 1 to 2,000,000,000.
   *
   * @default 1500 for a retriever, 10000 for an index
   */
  readonly timeoutMs?: number
  /** Retry and circuit breaker. */
  readonly upstream?: UpstreamOptions
}

export const WORD_INDEX_OPTIONS: OptionKinds<WordIndexOptions> = {
  db: required({ words: 'a D1 database: is it bound under that name?', holds: methods('prepare').holds }),
  language: methods('stem'),
  timeoutMs: deadline,
  upstream: upstreamOptions,
}

export const INDEX: UpstreamName = { role: 'retriever', what: 'The index' }

/** The embedding recorded for a collection in this index: no vectors, and terms of this language. */
export function wordEmbedding(language: Language | undefined): Embedding {
  return { model: `words-2 ${language?.name ?? 'neutral'}`, dimension: 0 }
}

/** Calls the database with a deadline, retries and circuit breaker; throws errors of this package. */
export type Call = <Result extends object>(work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>

export function callerOf(options: WordIndexOptions, defaultMs: number): Call {
  const timeoutMs = options.timeoutMs ?? defaultMs
  const upstream = createUpstream(options.upstream)
  return async (work, signal) => {
    const answered = await upstream(
      () => boundedCall(() => work().catch(unlessUnavailable), { timeoutMs, signal }),
      signal,
    ).catch((thrown: unknown) => {
      throw errorOfFault(INDEX, thrown)
    })
    if (isRagGateError(answered)) throw answered
    return answered
  }
}

/** @see https://developers.cloudflare.com/d1/observability/debug-d1/ */
const FULL = /maximum (?:DB size|(?:account )?storage limit)|SQLITE_FULL|database or disk is full/i

/** Returns permanent errors, such as a missing table, which are neither retried nor counted as outages. */
function unlessUnavailable(thrown: unknown): RagGateError {
  if (thrown instanceof Error && FULL.test(thrown.message)) return indexFull({ cause: thrown })
  try {
    return rethrowStoreFault(thrown)
  } catch (read) {
    if (isRagGateError(read) && read.code !== 'store_unavailable') return read
    throw thrown
  }
}

/** @throws `retriever_bad_response` if it is not a passage */
export function storedPassage(id: string, stored: string): Passage {
  let passage: unknown
  try {
    passage = JSON.parse(stored)
  } catch {
    passage = undefined
  }
  if (!isRecord(passage)) throw badResponse(INDEX, 'a row that is no passage')
  return readPassage(id, passage['text'], passage)
}
