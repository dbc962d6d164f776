/** What can be set for an answer cache. */
import type { Context } from 'hono'
import type { WordReader } from '../core/text/content-stems.ts'
import type { AnswerCache } from '../ports/answer-cache.ts'
import type { AnswerPurges } from '../ports/answer-purges.ts'
import type { Coalescer } from '../ports/coalescer.ts'
import type { CredentialHeader } from './cache-use.ts'

/** Who may share a cached answer: everyone, all of a tenant, or one principal alone. */
export type CacheScope = 'public' | 'tenant' | 'principal'

/** Settings of `answerCache`. */
export interface AnswerCacheOptions {
  /** Where answers are kept: `createMemoryAnswerCache()` or another of the adapters. */
  readonly store: AnswerCache
  /** What was purged of the answers. Without it, nothing can be. */
  readonly purges?: AnswerPurges
  /**
   * Lets one of those who ask the same at the same time make the answer, while the others wait for it. Without one, each
   * of them is answered for himself.
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
   * Credentials that no answer of this route depends on. With the scope `public`, a request that carries `Authorization` or
   * `Cookie` has no part in the cache, unless the header stands in `vary` or here.
   *
   * @default none
   */
  readonly ignoredCredentials?: readonly CredentialHeader[]
  /** Request headers and query parameters that the handler's answer depends on. They join the answer key. @default none */
  readonly vary?: { readonly headers?: readonly string[]; readonly query?: readonly string[] }
  /**
   * Names the deployment in the key, so that two of them, or an old and a new database, can share a store.
   *
   * @default ''
   */
  readonly deployment?: string
  /**
   * Names the model that the handler calls: another model makes other answers.
   *
   * @default ''
   */
  readonly model?: string
  /**
   * Version or hash of the handler's prompt. Change it when the prompt changes: old answers are then never found.
   *
   * @default ''
   */
  readonly prompt?: string
  /**
   * How long past its lifetime a cached answer may stand in for a retriever that failed, or a handler that answered 500,
   * 502, 503 or 504, seconds, up to 30 days. Never one from before a change of the documents or of the policy.
   *
   * @default 0
   */
  readonly staleIfErrorSeconds?: number
  /**
   * How long past its lifetime a cached answer may be sent while a new one is made after the response, seconds, up to 30
   * days. It needs `revalidate`. Never one from before a change of the documents or of the policy, and no refusal.
   *
   * @default 0
   */
  readonly staleWhileRevalidateSeconds?: number
  /**
   * Sends a request to the application again, so that a new answer is made: `(request, c) => app.fetch(request, c.env,
   * c.executionCtx)`. The request is the caller's own, without its `Cache-Control` and conditions.
   *
   * @default none
   */
  readonly revalidate?: (request: Request, c: Context) => Response | Promise<Response>
  /**
   * How long a question waits for the answer to the same question that is being made, where there is a coalescer,
   * milliseconds, 0..60000; then it is answered separately. 0: it does not wait.
   *
   * @default 10000
   */
  readonly coalesceTimeoutMs?: number
  /**
   * Headers of the handler that are not stored with its answer, because they are for one caller. Headers of middleware
   * around the gate never are: it sets them again.
   *
   * @default none
   */
  readonly omitHeaders?: readonly string[]
  /**
   * How often in a minute one caller may have an answer made anew that is stored, by `Cache-Control: no-cache`, `no-store`
   * or `max-age`, in one isolate, 0..100000; beyond that a stored answer is sent.
   *
   * @default 6
   */
  readonly bypassesPerMinute?: number
  /**
   * Largest answer that is stored, bytes, 0..100000000.
   *
   * @default 262144
   */
  readonly maxStoredBytes?: number
}
