/** What can be set for a route behind the gate, and the check of it: once, when the middleware is made. */
import { type ConvexWeights, FUSION_METHODS, type FusionMethod } from '../core/evidence/fusion.ts'
import type { GenerationConfidenceSource } from '../core/answer/measure-answer.ts'
import { checkPassageFilter, type PassageFilter } from '../core/evidence/passage-filter.ts'
import { definePolicy, type Policy } from '../core/policy/policy.ts'
import { balanced } from '../presets/balanced/balanced.ts'
import { type Rule, validateRules } from '../core/policy/rules.ts'
import { RagGateError } from '../errors.ts'
import type { GateSettings } from '../pipeline/gate-question.ts'
import type { Principal } from '../ports/authenticator.ts'
import type { CacheScope, GateConnections } from './connect.ts'
import type { QuestionOptions, SearchModes } from './read-question.ts'

/** Settings of `ragGate`. */
export interface RagGateOptions<Bindings extends object> {
  /**
   * Connects the gate to the world: retriever, collections, and what else there is. A function is called once for each
   * bindings object: on Workers that is once for an isolate, so clients, copies and buffers live as long. Where every
   * request comes with bindings of its own (Node, Deno, Pages), give the connections themselves.
   */
  readonly resolve: GateConnections | ((env: Bindings) => GateConnections)
  /**
   * The policy, or how to choose one: by tenant and collection, and by the policy that is noted for them (`null` for
   * none). Thresholds come from the server only; nothing in a request changes them.
   *
   * @default balanced()
   */
  readonly policy?: Policy | ((tenant: string, collection: string, policyId: string | null) => Policy)
  /**
   * Checks of the service's own, asked after the policy's gates; the strictest finding wins. Their ids join the answer
   * key.
   *
   * @default none
   */
  readonly rules?: readonly Rule[]
  /**
   * From where the handler has its model's confidence, which it reports with `c.var.ragGate.report(…)`: a value of its
   * own, or the tokens' log-probabilities. A policy with the gate `generation-confidence` needs it said.
   *
   * @default none
   */
  readonly generationConfidence?: GenerationConfidenceSource
  /**
   * Largest answer that gates for answers read, bytes. A larger one is refused.
   *
   * @default 1048576
   */
  readonly maxJudgedBytes?: number
  /**
   * `enforce` answers refusals itself. `observe` decides and records, and lets the handler answer what would have been
   * refused. A fault (no retrieval, no collection) is an error in both.
   *
   * @default 'enforce'
   */
  readonly mode?: 'enforce' | 'observe'
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
  /** How questions are read. */
  readonly question?: QuestionOptions
  /**
   * Whether a request of a principal with the admin scope may name the methods of retrieval in `search_mode`: `dense`,
   * `sparse` or `hybrid`. Anybody else who does gets `forbidden`. For `none` there is no such member.
   *
   * @default 'none'
   */
  readonly searchModes?: SearchModes
  /**
   * Who may share a cached answer: everyone, all of a tenant, or one principal alone. With a cache and no
   * `authenticate`, it must be said to be `public`.
   *
   * @default 'principal'
   */
  readonly cacheScope?: CacheScope
  /**
   * Request headers, in lower case, and query parameters that the handler's answer depends on. They join the answer key.
   */
  readonly vary?: { readonly headers?: readonly string[]; readonly query?: readonly string[] }
  /**
   * Which passages a question may be answered from, beside tenant and collection: fields and the values they may have,
   * or how to choose them by who asks. The index searches among those alone, and the filter joins the answer key. Such a
   * function must not fall back to nothing for a caller it does not know: `undefined` means all passages.
   *
   * @default all passages of the collection
   */
  readonly filter?: PassageFilter | ((principal: Principal, collection: string) => PassageFilter | undefined)
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
  /** Weights of the convex mix of dense and sparse scores. */
  readonly fusionWeights?: ConvexWeights
  /**
   * Constant of the fusion `rrf`, 0..10000: the larger, the less a first place counts before a tenth. It needs `rrf`.
   *
   * @default 60
   */
  readonly rrfK?: number
  /**
   * Confidence of the first judgement under which one further round of retrieval is tried, 0..1: with words of the best
   * passages, or in the words of the rewriter. Both rounds are merged and judged by the same policy for the question as
   * it was asked. docs/adaptive-retrieval.md has what it costs and gives.
   *
   * @default never
   */
  readonly expandBelow?: number
  /**
   * How long the rewriter may take, milliseconds, within the deadline of the retrieval.
   *
   * @default 1000
   */
  readonly rewriteTimeoutMs?: number
  /**
   * Deadline of the retrieval and of a further round together, headers and bodies, milliseconds.
   *
   * @default 3000
   */
  readonly retrievalTimeoutMs?: number
  /**
   * How long the reranker may take, milliseconds; then the evidence is judged as it was retrieved.
   *
   * @default 3000
   */
  readonly rerankTimeoutMs?: number
  /**
   * Budget of the context for the model, characters.
   *
   * @default 12000
   */
  readonly maxContextCharacters?: number
  /**
   * Budget of the context for the model, tokens, beside that in characters. It needs `countTokens`.
   *
   * @default no limit
   */
  readonly maxContextTokens?: number
  /**
   * Counts tokens as the model does, for `maxContextTokens`. Change `prompt` when it begins to count otherwise.
   *
   * @default none
   * @example countTokens: (text) => encode(text).length // `encode` of gpt-tokenizer
   */
  readonly countTokens?: (text: string) => number
  /**
   * How long past its lifetime a cached answer may stand in for a retriever that failed, seconds. Never one from before a
   * change of the documents.
   *
   * @default 0
   */
  readonly staleIfErrorSeconds?: number
  /**
   * Largest answer that is stored, bytes.
   *
   * @default 262144
   */
  readonly maxStoredBytes?: number
  /**
   * Status of a refusal. It is an answer, not an error.
   *
   * @default 200
   */
  readonly refusalStatus?: 200 | 403 | 404 | 422
  /**
   * Version or hash of the handler's prompt. Change it when the prompt changes: old answers are then never found.
   *
   * @default ''
   */
  readonly prompt?: string
}

/** The options of a route, checked and completed. */
export type RouteSettings = GateSettings &
  Required<
    Pick<
      RagGateOptions<object>,
      | 'collection'
      | 'otherCollections'
      | 'maxContextCharacters'
      | 'maxJudgedBytes'
      | 'maxStoredBytes'
      | 'refusalStatus'
      | 'searchModes'
      | 'staleIfErrorSeconds'
    >
  > & {
    readonly question: Required<QuestionOptions>
    readonly cacheScope: CacheScope | undefined
    readonly varyHeaders: readonly string[]
    readonly varyQuery: readonly string[]
    readonly generationConfidence: GenerationConfidenceSource | undefined
  }

/**
 * Checks the options of a route.
 *
 * @throws `config_invalid`, `policy_invalid` when one is out of range
 */
export function checkOptions(options: RagGateOptions<never>): RouteSettings {
  const { policy = balanced(), topK = 10, maxContextCharacters = 12_000 } = options
  const { retrievalTimeoutMs = 3000, rerankTimeoutMs = 3000 } = options
  requireWhole('topK', topK, 1, 100)
  const { candidates = topK } = options
  requireWhole('candidates', candidates, topK, 100)
  requireWhole('retrievalTimeoutMs', retrievalTimeoutMs, 1, 60_000)
  requireWhole('rerankTimeoutMs', rerankTimeoutMs, 1, 60_000)
  requireWhole('maxContextCharacters', maxContextCharacters, 200, 10_000_000)
  const fusion = checkFusion(options)
  const further = checkFurtherRound(options)
  const tokens = checkTokenBudget(options)
  const { searchModes = 'none', staleIfErrorSeconds = 0 } = options
  requireOneOf('searchModes', searchModes, ['none', 'operators'])
  requireWhole('staleIfErrorSeconds', staleIfErrorSeconds, 0, 30 * 86_400)
  const question: Required<QuestionOptions> = {
    field: 'question',
    maxCodePoints: 2000,
    maxBodyBytes: 65_536,
    bodyTimeoutMs: 10_000,
    otherFields: 'refuse',
    ...options.question,
  }
  const maxStoredBytes = options.maxStoredBytes ?? 262_144
  requireWhole('maxStoredBytes', maxStoredBytes, 0, 100_000_000)
  const maxJudgedBytes = options.maxJudgedBytes ?? 1_048_576
  requireWhole('maxJudgedBytes', maxJudgedBytes, 1, 100_000_000)
  const { rules = [], generationConfidence } = options
  validateRules(rules)
  requireOneOf('generationConfidence', generationConfidence, ['reported', 'token-log-probabilities'])
  requireOneOf('mode', options.mode, ['enforce', 'observe'])
  requireOneOf('cacheScope', options.cacheScope, ['public', 'tenant', 'principal'])
  requireOneOf('refusalStatus', options.refusalStatus, [200, 403, 404, 422])
  const { collection = 'default', otherCollections = [], vary = {} } = options
  if (typeof collection !== 'string') throw invalid('collection must be a text', 'collection')
  // In a text every part of a name would be found.
  if (otherCollections !== 'any') requireTexts('otherCollections', otherCollections)
  requireTexts('vary', vary.headers ?? [])
  requireTexts('vary', vary.query ?? [])
  requireOneOf('question.otherFields', question.otherFields, ['refuse', 'allow'])
  requireWhole('question.maxCodePoints', question.maxCodePoints, 1, 1_000_000)
  requireWhole('question.maxBodyBytes', question.maxBodyBytes, 1, 100_000_000)
  requireWhole('question.bodyTimeoutMs', question.bodyTimeoutMs, 1, 600_000)
  return {
    policy: policyChooser(policy, generationConfidence),
    rules: [...rules],
    generationConfidence,
    maxJudgedBytes,
    mode: options.mode ?? 'enforce',
    collection,
    otherCollections,
    question,
    cacheScope: options.cacheScope,
    varyHeaders: vary.headers?.map((name) => name.toLowerCase()) ?? [],
    varyQuery: vary.query ?? [],
    ...(options.filter !== undefined && { filter: filterChooser(options.filter) }),
    topK,
    candidates,
    ...fusion,
    retrievalTimeoutMs,
    rerankTimeoutMs,
    ...further,
    maxContextCharacters,
    ...tokens,
    searchModes,
    staleIfErrorSeconds,
    maxStoredBytes,
    refusalStatus: options.refusalStatus ?? 200,
    prompt: options.prompt ?? '',
  }
}

function checkFusion({
  fusion = 'convex',
  fusionWeights = {},
  rrfK,
}: RagGateOptions<never>): Pick<GateSettings, 'fusion' | 'fusionWeights' | 'rrfK'> {
  requireOneOf('fusion', fusion, FUSION_METHODS)
  if (rrfK === undefined) return { fusion, fusionWeights }
  if (fusion === 'rrf' && Number.isFinite(rrfK) && rrfK >= 0 && rrfK <= 10_000) return { fusion, fusionWeights, rrfK }
  throw new RagGateError('config_invalid', "rrfK must be a number from 0 to 10000, with the fusion 'rrf'", {
    param: 'rrfK',
  })
}

function checkFurtherRound({
  expandBelow,
  rewriteTimeoutMs = 1000,
}: RagGateOptions<never>): Pick<GateSettings, 'expandBelow' | 'rewriteTimeoutMs'> {
  requireWhole('rewriteTimeoutMs', rewriteTimeoutMs, 1, 60_000)
  if (expandBelow === undefined) return { rewriteTimeoutMs }
  if (!(expandBelow >= 0 && expandBelow <= 1)) {
    throw new RagGateError('config_invalid', 'expandBelow must be a number from 0 to 1', { param: 'expandBelow' })
  }
  return { expandBelow, rewriteTimeoutMs }
}

function checkTokenBudget({
  maxContextTokens,
  countTokens,
}: RagGateOptions<never>): Pick<GateSettings, 'maxContextTokens' | 'countTokens'> {
  if (maxContextTokens === undefined) return {}
  requireWhole('maxContextTokens', maxContextTokens, 50, 10_000_000)
  if (typeof countTokens === 'function') return { maxContextTokens, countTokens }
  throw new RagGateError('config_invalid', 'maxContextTokens needs countTokens, which counts as the model does', {
    param: 'countTokens',
  })
}

/** Policies are checked and given their own id whoever made them: a copy with other gates must not keep the old id. */
function policyChooser(
  policy: NonNullable<RagGateOptions<never>['policy']>,
  source: GenerationConfidenceSource | undefined,
): GateSettings['policy'] {
  if (typeof policy !== 'function') {
    const fixed = checkPolicy(policy, source)
    return () => fixed
  }
  const checked = new WeakMap<Policy, Policy>()
  return (tenant, collection, policyId) => {
    const chosen = policy(tenant, collection, policyId)
    const known = checked.get(chosen)
    if (known !== undefined) return known
    const made = checkPolicy(chosen, source)
    checked.set(chosen, made)
    return made
  }
}

function filterChooser(filter: NonNullable<RagGateOptions<never>['filter']>): NonNullable<GateSettings['filter']> {
  if (typeof filter === 'function') return filter
  const fixed = checkPassageFilter(filter)
  return () => fixed
}

function checkPolicy(policy: Policy, source: GenerationConfidenceSource | undefined): Policy {
  const checked = definePolicy(policy)
  if (source === undefined && checked.gates.some(({ gate }) => gate === 'generation-confidence')) {
    throw new RagGateError(
      'config_invalid',
      "The gate generation-confidence needs a source: set generationConfidence to 'reported' or 'token-log-probabilities'",
      { param: 'generationConfidence' },
    )
  }
  if (checked.dangerouslyDisableGates === true) {
    console.warn(`[rag-gate] DANGEROUS: the gates of ${checked.id} are disabled, every question is answered`)
  }
  return checked
}

function requireWhole(option: string, value: number, low: number, high: number): void {
  if (!Number.isInteger(value) || value < low || value > high) {
    throw new RagGateError('config_invalid', `${option} must be a whole number from ${low} to ${high}`, {
      param: option,
    })
  }
}

function requireTexts(option: string, values: readonly string[]): void {
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) {
    throw invalid(`${option} must be a list of texts`, option)
  }
}

function invalid(message: string, param: string): RagGateError {
  return new RagGateError('config_invalid', message, { param })
}

/** A mode with a typing error must not open the gate. */
function requireOneOf<Value>(option: string, value: Value | undefined, allowed: readonly Value[]): void {
  if (value !== undefined && !allowed.includes(value)) {
    throw new RagGateError('config_invalid', `${option} must be one of ${allowed.join(', ')}`, { param: option })
  }
}
