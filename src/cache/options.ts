/** Options of `answerCache`. */
import type { WordReader } from '../core/text/content-stems.ts'
import type { AnswerCache } from '../ports/answer-cache.ts'
import type { AnswerPurges } from '../ports/answer-purges.ts'
import type { Coalescer } from '../ports/coalescer.ts'

/** Who may share a cached answer: everyone, all callers of a tenant, or one principal only. */
export type CacheScope = 'public' | 'tenant' | 'principal'

/** Options of `answerCache`. */
export interface AnswerCacheOptions {
  /** The store: `createMemoryAnswerCache()` or another adapter. */
  readonly store: AnswerCache
  /** List of purges. Without it, answers cannot be purged. */
  readonly purges?: AnswerPurges
  /**
   * Coalesces simultaneous identical questions: one caller makes the answer, and the others wait for it or follow its stream.
   * Without one, each is answered separately.
   */
  readonly coalescer?: Coalescer
  /**
   * Maps the words of a question to stems, so that another wording gets the same answer: one with the same stems in the same
   * order, the same evidence and the same verdict. `englishStems` is for English; `(word) => word` works for any language,
   * and ignores an initial capital and final punctuation.
   *
   * @default only the same question gets the answer
   */
  readonly stems?: WordReader
  /**
   * Who may share a cached answer. If the gate has no `authenticate`, it must be `public`.
   *
   * @default 'principal'
   */
  readonly scope?: CacheScope
  /**
   * Credential headers, in lower case, on which no answer of this route depends. With the scope `public`, a request bypasses
   * the cache if it carries `Authorization`, `Cookie`, `X-API-Key` or another header whose name suggests keys, certificates,
   * sessions or users, unless the header is listed in `vary` or here.
   *
   * @default none
   */
  readonly ignoredCredentials?: readonly string[]
  /**
   * Request headers and query parameters that the handler's answer depends on. They are part of the answer key.
   *
   * @default no headers; the whole query string, except for GET and HEAD, where `question.read` decides what counts
   */
  readonly vary?: { readonly headers?: readonly string[]; readonly query?: readonly string[] }
  /**
   * A string for everything else that answers depend on: the deployment, if several share a store, the handler's model, its
   * prompt. Answers of another version are not found.
   *
   * @default ''
   */
  readonly version?: string
  /**
   * How long after expiry a cached answer may be sent if the retriever fails, or the handler responds with 500, 502, 503 or
   * 504, seconds, up to 30 days. Never an answer from before a change of documents or policy.
   *
   * @default 0
   */
  readonly staleIfErrorSeconds?: number
}
