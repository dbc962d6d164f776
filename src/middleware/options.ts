/** What can be set for a route behind the gate. */
import type { Context } from 'hono'
import type { PassageFilter } from '../core/evidence/passage-filter.ts'
import type { ReasonCode } from '../core/gates/finding.ts'
import type { Text } from '../core/gates/text.ts'
import type { Decision } from '../core/policy/decision.ts'
import type { Policy } from '../core/policy/policy.ts'
import type { Rule } from '../core/policy/rules.ts'
import type { Refusal } from '../core/reports/refusal.ts'
import type { GateWarning } from '../pipeline/question-settings.ts'
import type { Principal } from '../ports/authenticator.ts'
import type { Collection } from '../ports/collections.ts'
import type { AnswerJudge } from './answer-judge.ts'
import type { GateDependencies } from './dependencies.ts'

/** Settings of `ragGate`. */
export interface RagGateOptions<Bindings extends object = object> {
  /**
   * The retriever and the optional parts, or a function that makes them from the bindings. The function is called once per
   * bindings object, which on Workers means once per isolate, so clients, copies and buffers live as long as the isolate. Where
   * every request has its own bindings object (Node, Deno, Pages), pass the dependencies themselves, or a function without
   * parameters, which is called only once.
   */
  readonly dependencies: GateDependencies | ((env: Bindings) => GateDependencies)
  /**
   * The policy, or a function that chooses one from tenant, collection, the id of the policy that an operator chose for them
   * (`null` for none), and the collection's record. Thresholds come from the server only; nothing in a request changes them.
   */
  readonly policy: Policy | ((tenant: string, collection: string, policyId: string | null, noted: Collection) => Policy)
  /**
   * Your own checks, run after the policy's gates; the strictest finding wins. Their ids are part of the answer
   * key.
   *
   * @default none
   */
  readonly rules?: readonly Rule[]
  /**
   * `enforce` responds to refused questions itself. `observe` decides and records, but lets the handler answer everything. A
   * failure (no retrieval, no collection) is an error in both.
   *
   * @default 'enforce'
   */
  readonly mode?: 'enforce' | 'observe'
  /** How questions are read, and where they may be asked. */
  readonly question?: QuestionOptions
  /** How evidence is found. */
  readonly retrieval?: RetrievalOptions
  /** The context budget: how much of the evidence the model reads, and therefore how much is judged. */
  readonly context?: ContextOptions
  /** How the handler's answer is read: judged, if the policy judges answers, and aborted if it stalls. */
  readonly answer?: AnswerOptions
  /**
   * Number of passages that a refusal names in its member `closest`, 0..10: title, section and source for operators, only
   * titles for the public.
   *
   * @default 0
   */
  readonly closestPassages?: number
  /**
   * Texts that replace the policy's own, in any language: by reason code, or a function of code and request
   * (`messagesIn` of `@hono-rag-gate/messages` has five languages). Omitted texts stay as in the policy. With a function, the
   * answer key includes its `key`, by default the whole `Accept-Language`. A code that the policy cannot give is an error,
   * unless `policy` is a function.
   *
   * @default none
   */
  readonly messages?: Readonly<Record<ReasonCode, Partial<Text>>> | MessagesByRequest
  /**
   * Called for every new refusal, with its texts as this caller sees them (`answer`, `suggestions`); not called when a refusal
   * is sent again from the cache. A response that it returns is sent instead and not cached; any other value except
   * `undefined` is `config_invalid`. A status that it sets becomes the refusal's; with 204,
   * 205 or 304 the refusal has no body and is not cached.
   *
   * @default none
   * @example onRefuse: (_decision, c) => c.status(403)
   * @example onRefuse: (_decision, c, { answer }) => c.text(answer)
   */
  readonly onRefuse?: (decision: Decision, c: Context, refusal: Refusal) => Response | void | Promise<Response | void>
  /**
   * Called for a failure that did not fail the request, such as that of a reranker or a cache.
   *
   * @default one line on the console, with the code and without any upstream text
   */
  readonly onWarning?: (warning: GateWarning) => void
}

/** Texts by reason code and request. */
export interface MessagesByRequest {
  (code: ReasonCode, c: Context): Partial<Text> | undefined
  /** The part of the request that the texts depend on. @default the header `Accept-Language` */
  readonly key?: (c: Context) => string
}

/** What `question.read` returns. */
export interface QuestionInRequest {
  readonly question: string
  /** @default the collection of the route */
  readonly collection?: string
  /**
   * Everything besides the question that the answer depends on; it becomes part of the answer key.
   *
   * @default the whole request without its headers, except `Content-Type`
   */
  readonly vary?: readonly string[]
}

/** How questions are read, and where they may be asked. */
export interface QuestionOptions {
  /**
   * Reads the question from any request: the last of `messages`, a form, the query string of a GET. Read the body through
   * Hono's `c.req`, so that the handler can read it again.
   *
   * @default the member `field` of a JSON body, by POST or QUERY
   * @throws `RagGateError` with a code for requests without a question; anything else thrown becomes `invalid_json`, and a
   *   result of another type `config_invalid`
   */
  readonly read?: (c: Context) => string | QuestionInRequest | Promise<string | QuestionInRequest>
  /**
   * Member of the JSON body that holds the question.
   *
   * @default 'question'
   */
  readonly field?: string
  /**
   * Longest question, Unicode code points, 1..1000000.
   *
   * @default 2000
   */
  readonly maxCodePoints?: number
  /**
   * Largest body, bytes, 1..100000000. It does not apply to `read`, which must limit the body itself.
   *
   * @default 65536
   */
  readonly maxBodyBytes?: number
  /**
   * What to do with unknown members of the body. `refuse` rejects the request, so that a client never relies on an option
   * that the server ignores. `allow` leaves them to the route's handler and makes them part of the answer key; the gate does
   * not use them. If one is a number beyond ±(2^53 - 1), which JavaScript would round, the raw body becomes part of the
   * key.
   *
   * @default 'refuse'
   */
  readonly otherFields?: 'refuse' | 'allow'
  /**
   * Collections of the caller's tenant that a request may name in `collection`; the first is the default. Any other gives
   * `collection_not_found`. `any` allows all of the tenant's collections, with `default` as the default.
   *
   * @default ['default']
   */
  readonly collections?: readonly string[] | 'any'
}

/** How evidence is found. */
export interface RetrievalOptions {
  /**
   * Chunks retrieved per method, and chunks judged after fusion, 1..100.
   *
   * @default 10
   */
  readonly topK?: number
  /**
   * Restricts the passages within tenant and collection: fields and their allowed values, or a function of the caller. The
   * index searches only passages that match, and the filter is part of the answer key. For an unknown caller the function
   * must not return `undefined`, which means all passages.
   *
   * @default all passages of the collection
   */
  readonly filter?: PassageFilter | ((principal: Principal, collection: string) => PassageFilter | undefined)
  /**
   * Deadline of the retrieval, headers and body, milliseconds, 1..60000. It also applies to each look-up of collection and
   * lexicon, to `authenticate` and to `questionHmac`.
   *
   * @default 3000
   */
  readonly timeoutMs?: number
}

/** The context budget. */
export interface ContextOptions {
  /**
   * Longest context, including delimiters, in characters or in units of `lengthOf`, 50..10000000.
   *
   * @default 12000
   */
  readonly maxLength?: number
  /**
   * Measures a text for `maxLength`, for example in the model's tokens. A result that is not a number from 0, such as a
   * promise, is `config_invalid`. When this function changes, change `version` of the answer cache too.
   *
   * @default characters (UTF-16 code units)
   * @example lengthOf: (text) => encode(text).length // `encode` of gpt-tokenizer
   */
  readonly lengthOf?: (text: string) => number
}

/** How the handler's answer is read. */
export interface AnswerOptions {
  /**
   * Judges answers before they are sent: `answerJudge()` of `hono-rag-gate/answers`. Required by policies with gates for
   * answers; it is separate so that other apps do not bundle it.
   *
   * @default none
   */
  readonly judge?: AnswerJudge
  /**
   * Longest pause between bytes of an event stream, milliseconds, 1..600000; before the first byte, and for any other
   * answer, the limit is at least 60 seconds. After it the answer is treated as broken off: a stream ends with an error event,
   * its source is cancelled, and nothing is stored. A comment (`: wait`) ends a pause; time spent waiting for a slow client
   * does not count. Without a cache JSON is sent unchanged, without a limit.
   *
   * @default 15000
   */
  readonly streamIdleTimeoutMs?: number
}
