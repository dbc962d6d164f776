/** What can be set for a route behind the gate. */
import type { Context } from 'hono'
import type { ConvexWeights, FusionMethod } from '../core/evidence/fusion.ts'
import type { PassageFilter } from '../core/evidence/passage-filter.ts'
import type { GenerationConfidenceSource } from '../core/answer/measure-answer.ts'
import type { ReasonCode } from '../core/gates/finding.ts'
import type { Text } from '../core/gates/text.ts'
import type { Decision } from '../core/policy/decision.ts'
import type { Policy } from '../core/policy/policy.ts'
import type { Rule } from '../core/policy/rules.ts'
import type { GateWarning, RetrievalExpansion } from '../pipeline/question-settings.ts'
import type { Principal } from '../ports/authenticator.ts'
import type { Collection } from '../ports/collections.ts'
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
   * Status of a refusal. It is an answer, not an error.
   *
   * @default 200
   */
  readonly refusalStatus?: 200 | 403 | 404 | 422
  /**
   * Passages that a refusal names as closest, in its member `closest`, 0..10: for operators title, section and source,
   * for the public the titles alone.
   *
   * @default 0
   */
  readonly closestPassages?: number
  /**
   * Texts instead of the policy's own, in any language: by reason code, or a function that may look at the request. What
   * is left out stays as the policy says it. Of a function, answers are kept for each `Accept-Language` apart. A code that
   * the policy cannot give is an error; where `policy` is a function, a warning `message_code_unknown`.
   *
   * @default none
   */
  readonly messages?:
    | Readonly<Record<ReasonCode, Partial<Text>>>
    | ((code: ReasonCode, c: Context) => Partial<Text> | undefined)
  /**
   * Told of every refusal that is about to be sent. A response that it returns is sent instead, and is not kept.
   *
   * @default none
   */
  readonly onRefuse?: (decision: Decision, c: Context) => Response | undefined | Promise<Response | undefined>
  /**
   * Told of whatever went wrong and was got over: a reranker that failed, a cache that did not answer.
   *
   * @default one line on the console, with its code and nothing that an upstream said
   */
  readonly onWarning?: (warning: GateWarning) => void
}

/** A question as `question.read` finds it in a request. */
export interface QuestionInRequest {
  readonly question: string
  /** @default the collection of the route */
  readonly collection?: string
  /**
   * Whatever else of the request the answer depends on; it joins the answer key.
   *
   * @default the whole body and the query string
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
   * How long the body may take to arrive, milliseconds, 1..600000.
   *
   * @default 10000
   */
  readonly bodyTimeoutMs?: number
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
   * Collection searched when the request names none.
   *
   * @default 'default'
   */
  readonly collection?: string
  /**
   * Further collections of the caller's tenant that a request may name in `collection`; `any` for all of them. Another
   * one does not exist for it.
   *
   * @default []
   */
  readonly otherCollections?: readonly string[] | 'any'
  /**
   * Whether a request of a principal with the admin scope may name the methods of retrieval in `search_mode`: `dense`,
   * `sparse` or `hybrid`. Anybody else who does gets `forbidden`. For `none` there is no such member.
   *
   * @default 'none'
   */
  readonly searchModes?: 'none' | 'operators'
  /**
   * Whether operators may have a question judged on trial, with the member `without`: a list of ids of passages and
   * documents that are taken not to be there, possibly empty. The judgement is the answer: no handler is called, nothing
   * is cached and nothing recorded.
   *
   * @default 'none'
   */
  readonly trials?: 'none' | 'operators'
  /**
   * Who may say, with the member `stream`, whether the answer shall be a stream. That is for the route's handler to read;
   * it is no part of the answer key, so that one stored answer serves both. For `none` there is no such member.
   *
   * @default 'none'
   */
  readonly streams?: 'none' | 'everyone'
}

/** How evidence is found. */
export interface RetrievalOptions {
  /**
   * Chunks judged, 1..100.
   *
   * @default 10
   */
  readonly topK?: number
  /**
   * Chunks retrieved of each method before they are mixed, `topK`..100. A chunk that only one method returned counts 0
   * for the other: the deeper both look, the fewer there are.
   *
   * @default topK
   */
  readonly candidates?: number
  /**
   * How the rankings of a retriever are put in one order: by the convex mix of scaled scores, by reciprocal rank fusion,
   * or by distribution-based score fusion. It chooses which chunks are judged and in what order; what policies read of
   * scores are the methods' own and their convex mix, whichever is chosen.
   *
   * @default 'convex'
   */
  readonly fusion?: FusionMethod
  /** Weights of the convex mix of dense and sparse scores. @default .65 sparse, .35 dense */
  readonly fusionWeights?: ConvexWeights
  /**
   * Constant of the fusion `rrf`, 0..10000: the larger, the less a first place counts before a tenth. It needs `rrf`.
   *
   * @default 60
   */
  readonly rrfK?: number
  /**
   * Which passages a question may be answered from, beside tenant and collection: fields and the values they may have,
   * or how to choose them by who asks. The index searches among those alone, and the filter joins the answer key. Such a
   * function must not fall back to nothing for a caller it does not know: `undefined` means all passages.
   *
   * @default all passages of the collection
   */
  readonly filter?: PassageFilter | ((principal: Principal, collection: string) => PassageFilter | undefined)
  /**
   * Deadline of the retrieval and of a further round together, headers and bodies, milliseconds, 1..60000; of each look-up
   * of collection and lexicon, and of `authenticate`, too.
   *
   * @default 3000
   */
  readonly timeoutMs?: number
  /**
   * How long the reranker may take, milliseconds, 1..60000; then the evidence is judged as it was retrieved.
   *
   * @default 3000
   */
  readonly rerankTimeoutMs?: number
  /**
   * Confidence of the judgement without the reranker from which it is asked, 0..1, under `rerankBelow`. A question below
   * it is judged without.
   *
   * @default 0
   */
  readonly rerankFrom?: number
  /**
   * Confidence of the judgement without the reranker from which it is not asked any more, 0..1: what is that sure is judged
   * without. docs/cascades.md has what it saves and changes.
   *
   * @default it is asked however sure the question is
   */
  readonly rerankBelow?: number
  /**
   * One further round of retrieval where the first judgement was weak: `expandRetrieval({ below: 0.55 })` of
   * `hono-rag-gate/answers`, with words of the best passages or in the words of the rewriter. Both rounds are merged and
   * judged by the same policy for the question as it was asked. docs/reference/adaptive-retrieval.md has what it costs
   * and gives.
   *
   * @default none
   */
  readonly expansion?: RetrievalExpansion
}

/** How much of the evidence a model reads. */
export interface ContextOptions {
  /**
   * Characters of the whole context, delimiters included, 200..10000000.
   *
   * @default 12000
   */
  readonly maxCharacters?: number
  /**
   * Tokens of the whole context, beside the characters, 50..10000000. It needs `countTokens`.
   *
   * @default no limit
   */
  readonly maxTokens?: number
  /**
   * Counts tokens as the model does, for `maxTokens`. Change `prompt` of the answer cache when it begins to count otherwise.
   *
   * @default none
   * @example countTokens: (text) => encode(text).length // `encode` of gpt-tokenizer
   */
  readonly countTokens?: (text: string) => number
}

/** How the handler's answer is read. */
export interface AnswerOptions {
  /**
   * From where the handler has its model's confidence, which it reports with `c.var.ragGate.report(…)`: a value of its
   * own, or the tokens' log-probabilities. A policy with the gate `generation-confidence` needs it said.
   *
   * @default none
   */
  readonly generationConfidence?: GenerationConfidenceSource
  /**
   * Largest answer that gates for answers read, bytes, 1..100000000. A larger one is refused.
   *
   * @default 1048576
   */
  readonly maxJudgedBytes?: number
  /**
   * How long a stream of events may be silent before its first bytes, once the handler returned it, milliseconds,
   * 1..600000. Then it ends with the event of a stream that broke off, its source is cancelled, and nothing of it is
   * stored. JSON that is judged may wait as long for each of its pieces.
   *
   * @default 60000
   */
  readonly streamStartTimeoutMs?: number
  /**
   * The same between its bytes, milliseconds, 1..600000. A comment (`: wait`) breaks the silence; a client that is slow to
   * read is none.
   *
   * @default 15000
   */
  readonly streamIdleTimeoutMs?: number
}
