/** What can be set for an answer cache. */
import type { WordReader } from '../core/text/content-stems.ts'
import type { AnswerCache } from '../ports/answer-cache.ts'
import type { AnswerPurges } from '../ports/answer-purges.ts'
import type { Coalescer } from '../ports/coalescer.ts'

/** Who may share a cached answer: everyone, all of a tenant, or one principal alone. */
export type CacheScope = 'public' | 'tenant' | 'principal'

/** Settings of `answerCache`. */
export interface AnswerCacheOptions {
  /** Where answers are kept: `createMemoryAnswerCache()` or another of the adapters. */
  readonly store: AnswerCache
  /** What was purged of the answers. Without it, nothing can be. */
  readonly purges?: AnswerPurges
  /**
   * Lets one of those who ask the same at the same time make the answer, while the others wait for it, or read its stream
   * along. Without one, each of them is answered separately.
   */
  readonly coalescer?: Coalescer
  /**
   * Reads the words of a question, so that an answer is also sent to another wording of it: one that gives the same stems in the
   * same order, found the same evidence and was judged alike. `englishStems` reads English; `(word) => word` any language,
   * and leaves aside the capital at the beginning and the marks at the end.
   *
   * @default only to the same question
   */
  readonly stems?: WordReader
  /**
   * Who may share a cached answer. Where the gate has no `authenticate`, it must be said to be `public`.
   *
   * @default 'principal'
   */
  readonly scope?: CacheScope
  /**
   * Headers with credentials, in lower case, that no answer of this route depends on. With the scope `public`, a request that
   * carries `Authorization`, `Cookie`, `X-API-Key` or another header named for keys, certificates, sessions or users has no part in the
   * cache, unless the header stands in `vary` or here.
   *
   * @default none
   */
  readonly ignoredCredentials?: readonly string[]
  /**
   * Request headers and query parameters that the handler's answer depends on. They join the answer key.
   *
   * @default no headers; the whole query string, but of GET and HEAD, of which `question.read` says what counts
   */
  readonly vary?: { readonly headers?: readonly string[]; readonly query?: readonly string[] }
  /**
   * What else answers depend on, as one text: the deployment, where several share a store, the model that the handler calls,
   * its prompt. Of another version nothing is found.
   *
   * @default ''
   */
  readonly version?: string
  /**
   * How long past its lifetime a cached answer may stand in for a retriever that failed, or a handler that answered 500,
   * 502, 503 or 504, seconds, up to 30 days. Never one from before a change of the documents or of the policy.
   *
   * @default 0
   */
  readonly staleIfErrorSeconds?: number
}
