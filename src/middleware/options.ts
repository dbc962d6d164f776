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
   * What the gate works with: a retriever, and what else there is. A function is called once for each bindings object: on
   * Workers that is once for an isolate, so clients, copies and buffers live as long. Where every request comes with
   * bindings of its own (Node, Deno, Pages), give the dependencies themselves.
   */
  readonly dependencies: GateDependencies | ((env: Bindings) => GateDependencies)
  /**
   * The policy, or how to choose one: by tenant and collection, by the policy that is noted for them (`null` for none),
   * and by what else is known of the collection. Thresholds come from the server only; nothing in a request changes them.
   */
  readonly policy: Policy | ((tenant: string, collection: string, policyId: string | null, noted: Collection) => Policy)
  /**
   * Checks of the service's own, asked after the policy's gates; the strictest finding wins. Their ids join the answer
   * key.
   *
   * @default none
   */
  readonly rules?: readonly Rule[]
  /**
   * `enforce` answers refusals itself. `observe` decides and records, and lets the handler answer what would have been
   * refused. A fault (no retrieval, no collection) is an error in both.
   *
   * @default 'enforce'
   */
  readonly mode?: 'enforce' | 'observe'
  /** How questions are read, and where they may be asked. */
  readonly question?: QuestionOptions
  /** How evidence is found. */
  readonly retrieval?: RetrievalOptions
  /** How much of the evidence a model reads, and so how much of it is judged. */
  readonly context?: ContextOptions
  /** How the handler's answer is read: judged, where the policy judges answers, and given up where it falls silent. */
  readonly answer?: AnswerOptions
  /**
   * Passages that a refusal names as closest, in its member `closest`, 0..10: for operators title, section and source,
   * for the public the titles alone.
   *
   * @default 0
   */
  readonly closestPassages?: number
  /**
   * Texts instead of the policy's own, in any language: by reason code, or a function that may look at the request
   * (`messagesIn` of `@hono-rag-gate/messages` has five languages). What is left out stays as the policy says it. Of a
   * function, answers are kept apart by its `key`, by default the whole `Accept-Language`. A code that
   * the policy cannot give is an error, unless `policy` is a function.
   *
   * @default none
   */
  readonly messages?: Readonly<Record<ReasonCode, Partial<Text>>> | MessagesByRequest
  /**
   * Told of every refusal that is made, with its texts as this caller reads them (`answer`, `suggestions`); one that is sent
   * again from the cache was told of then. A response that it returns is sent instead, and is not kept; anything else but
   * `undefined` is `config_invalid`. A status that it sets is that of the refusal.
   *
   * @default none
   * @example onRefuse: (_decision, c) => c.status(403)
   * @example onRefuse: (_decision, c, { answer }) => c.text(answer)
   */
  readonly onRefuse?: (decision: Decision, c: Context, refusal: Refusal) => Response | void | Promise<Response | void>
  /**
   * Called for a fault that the request survived: a reranker that failed, a cache that did not answer.
   *
   * @default one line on the console, with its code and nothing that an upstream said
   */
  readonly onWarning?: (warning: GateWarning) => void
}

/** Texts by reason code and request. */
export interface MessagesByRequest {
  (code: ReasonCode, c: Context): Partial<Text> | undefined
  /** What of the request they depend on. @default its header `Accept-Language` */
  readonly key?: (c: Context) => string
}

/** A question as `question.read` finds it in a request. */
export interface QuestionInRequest {
  readonly question: string
  /** @default the collection of the route */
  readonly collection?: string
  /**
   * What the answer depends on besides the question; it joins the answer key.
   *
   * @default the whole request but its headers; of these `Content-Type`
   */
  readonly vary?: readonly string[]
}

/** How questions are read, and where they may be asked. */
export interface QuestionOptions {
  /**
   * Reads the question from any request: the last of `messages`, a form, the query string of a GET. The request's body
   * is read through Hono's `c.req`, so that the handler can read it again.
   *
   * @default the member `field` of a JSON body, by POST or QUERY
   * @throws `RagGateError` with a code for requests that hold no question; anything else thrown is `invalid_json`, and a
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
   * Largest body, bytes, 1..100000000. `read` has to see to it by itself.
   *
   * @default 65536
   */
  readonly maxBodyBytes?: number
  /**
   * What to do with members that the gate does not know. `refuse` protects against options a client believes in and the
   * server ignores. `allow` leaves them to the route's own handler and makes them part of the answer key; the gate never
   * reads them. With a number among them beyond ±(2^53 - 1), which JavaScript rounds, the whole body as it was sent is
   * part of the key.
   *
   * @default 'refuse'
   */
  readonly otherFields?: 'refuse' | 'allow'
  /**
   * Collections of the caller's tenant that a request may name in `collection`; the first is searched when it names none.
   * Another one does not exist for it. `any` for all of them, of which `default` is searched when none is named.
   *
   * @default ['default']
   */
  readonly collections?: readonly string[] | 'any'
}

/** How evidence is found. */
export interface RetrievalOptions {
  /**
   * Chunks retrieved of each method and, once their rankings are mixed, judged, 1..100.
   *
   * @default 10
   */
  readonly topK?: number
  /**
   * Which passages a question may be answered from, beside tenant and collection: fields and the values they may have,
   * or how to choose them by who asks. The index searches among those alone, and the filter joins the answer key. Such a
   * function must not fall back to nothing for a caller it does not know: `undefined` means all passages.
   *
   * @default all passages of the collection
   */
  readonly filter?: PassageFilter | ((principal: Principal, collection: string) => PassageFilter | undefined)
  /**
   * Deadline of the retrieval, headers and body, milliseconds, 1..60000; of each look-up of collection and lexicon, of
   * `authenticate` and of `questionHmac`, too.
   *
   * @default 3000
   */
  readonly timeoutMs?: number
}

/** How much of the evidence a model reads. */
export interface ContextOptions {
  /**
   * Length of the whole context, delimiters included: characters, or what `lengthOf` counts, 50..10000000.
   *
   * @default 12000
   */
  readonly maxLength?: number
  /**
   * Counts as the model does, for `maxLength`: tokens, say. Change `version` of the answer cache when it begins to count
   * otherwise.
   *
   * @default characters (UTF-16 code units)
   * @example lengthOf: (text) => encode(text).length // `encode` of gpt-tokenizer
   */
  readonly lengthOf?: (text: string) => number
}

/** How the handler's answer is read. */
export interface AnswerOptions {
  /**
   * Judges answers before they are sent: `answerJudge()` of `hono-rag-gate/answers`. A policy with gates for answers needs
   * it; an app whose policy has none does not bundle it.
   *
   * @default none
   */
  readonly judge?: AnswerJudge
  /**
   * How long a stream of events may be silent between its bytes, milliseconds, 1..600000; before the first, and for each
   * piece of any other answer, it may be so for 60 seconds at least. Then it ends like one that broke off, a stream with an
   * event, its source is cancelled, and nothing of it is stored. A comment (`: wait`) breaks the silence; a client that is
   * slow to read is none. Without a cache JSON is sent as it is, without a limit.
   *
   * @default 15000
   */
  readonly streamIdleTimeoutMs?: number
}
