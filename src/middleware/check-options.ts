/** The check of a route's options: once, when the middleware is made. */
import type { Context } from 'hono'
import type { GenerationConfidenceSource } from '../core/answer/measure-answer.ts'
import { type ConvexWeights, FUSION_METHODS } from '../core/evidence/fusion.ts'
import { checkPassageFilter } from '../core/evidence/passage-filter.ts'
import { canonicalJson } from '../core/lib/canonical.ts'
import { isRecord } from '../core/lib/guards.ts'
import { RRF_K } from '../core/lib/rank-scores.ts'
import { definePolicy, type Policy } from '../core/policy/policy.ts'
import { validateRules } from '../core/policy/rules.ts'
import type { MessagesByCode } from '../core/reports/refusal.ts'
import type { ContextSettings } from '../pipeline/fit-context.ts'
import type { GateWarning, QuestionSettings, RetrievalSettings } from '../pipeline/question-settings.ts'
import { balanced } from '../presets/balanced/balanced.ts'
import {
  anything,
  callable,
  type Checks,
  group,
  invalid,
  numberWithin,
  oneOf,
  string,
  strings,
  wholeWithin,
} from './check-values.ts'
import type { AnswerOptions, ContextOptions, QuestionOptions, RagGateOptions, RetrievalOptions } from './options.ts'

/** How a route reads questions, completed. */
export type ReadSettings = Required<Omit<QuestionOptions, 'read'>> & Pick<QuestionOptions, 'read'>

/** The options of a route, checked and completed. */
export interface RouteSettings extends QuestionSettings {
  readonly question: ReadSettings
  readonly generationConfidence: GenerationConfidenceSource | undefined
  readonly maxJudgedBytes: number
  readonly refusalStatus: 200 | 403 | 404 | 422
  readonly closestPassages: number
  /** The texts for one request, and what tells them from those for another. */
  readonly messagesFor: (c: Context) => { readonly messages?: MessagesByCode; readonly key: string }
  readonly onRefuse: RagGateOptions['onRefuse']
  readonly onWarning: (warning: GateWarning) => void
}

const QUESTION: Checks<QuestionOptions> = {
  read: callable,
  field: string,
  maxCodePoints: wholeWithin(1, 1_000_000),
  maxBodyBytes: wholeWithin(1, 100_000_000),
  bodyTimeoutMs: wholeWithin(1, 600_000),
  otherFields: oneOf('refuse', 'allow'),
  collection: string,
  // In a string every part of a name would be found.
  otherCollections: (value, option) => {
    if (value !== 'any') strings(value, option)
  },
  searchModes: oneOf('none', 'operators'),
  trials: oneOf('none', 'operators'),
}

const WEIGHTS: Checks<ConvexWeights> = { cosine: anything, bm25: anything }

const RETRIEVAL: Checks<RetrievalOptions> = {
  topK: wholeWithin(1, 100),
  candidates: wholeWithin(1, 100),
  fusion: oneOf(...FUSION_METHODS),
  fusionWeights: group(WEIGHTS),
  rrfK: numberWithin(0, 10_000),
  filter: anything,
  timeoutMs: wholeWithin(1, 60_000),
  rerankTimeoutMs: wholeWithin(1, 60_000),
  rerankFrom: numberWithin(0, 1),
  rerankBelow: numberWithin(0, 1),
  expansion: anything,
}

const CONTEXT: Checks<ContextOptions> = {
  maxCharacters: wholeWithin(200, 10_000_000),
  maxTokens: wholeWithin(50, 10_000_000),
  countTokens: anything,
}

const ANSWER: Checks<AnswerOptions> = {
  generationConfidence: oneOf('reported', 'token-log-probabilities'),
  maxJudgedBytes: wholeWithin(1, 100_000_000),
}

const OPTIONS: Checks<RagGateOptions> = {
  dependencies: anything,
  policy: anything,
  rules: anything,
  mode: oneOf('enforce', 'observe'),
  question: group(QUESTION),
  retrieval: group(RETRIEVAL),
  context: group(CONTEXT),
  answer: group(ANSWER),
  refusalStatus: oneOf(200, 403, 404, 422),
  closestPassages: wholeWithin(0, 10),
  messages: anything,
  onRefuse: callable,
  onWarning: callable,
}

/**
 * Checks the options of a route.
 *
 * @throws `config_invalid`, `policy_invalid` when one is out of range, or not known
 */
export function checkOptions(options: RagGateOptions<never>): RouteSettings {
  if (!isRecord(options)) throw invalid('ragGate needs options with dependencies', 'options')
  group(OPTIONS)(options, '')
  const { dependencies, policy = balanced(), rules = [], mode = 'enforce', onWarning = warnOnConsole } = options
  const { answer = {}, refusalStatus = 200, closestPassages = 0 } = options
  if (typeof dependencies !== 'function' && !isRecord(dependencies)) {
    throw invalid('dependencies must hold a retriever, or be a function that makes them', 'dependencies')
  }
  validateRules(rules)
  const { generationConfidence, maxJudgedBytes = 1_048_576 } = answer
  const messagesFor = messageChooser(options.messages)
  const checkCodes = codeCheck(options.messages, onWarning)
  return {
    policy: policyChooser(policy, generationConfidence, checkCodes),
    rules: [...rules],
    mode,
    question: completeQuestion(options.question),
    retrieval: checkRetrieval(options.retrieval),
    context: checkContext(options.context),
    generationConfidence,
    maxJudgedBytes,
    refusalStatus,
    closestPassages,
    messagesFor,
    onRefuse: options.onRefuse,
    onWarning,
  }
}

/** One line, and nothing that an upstream said. */
function warnOnConsole({ code, message }: GateWarning): void {
  console.warn(`[rag-gate] ${code}: ${message}`)
}

function completeQuestion(options: QuestionOptions = {}): ReadSettings {
  const { read, field = 'question', maxCodePoints = 2000, maxBodyBytes = 65_536, bodyTimeoutMs = 10_000 } = options
  const { otherFields = 'refuse', collection = 'default', otherCollections = [] } = options
  const { searchModes = 'none', trials = 'none' } = options
  return {
    ...(read && { read }),
    field,
    maxCodePoints,
    maxBodyBytes,
    bodyTimeoutMs,
    otherFields,
    collection,
    otherCollections,
    searchModes,
    trials,
  }
}

function checkRetrieval(options: RetrievalOptions = {}): RetrievalSettings {
  const { topK = 10, candidates = topK, fusion = 'convex', fusionWeights = {}, rrfK, filter, expansion } = options
  const { timeoutMs = 3000, rerankTimeoutMs = 3000, rerankFrom, rerankBelow } = options
  wholeWithin(topK, 100)(candidates, 'retrieval.candidates')
  if (rrfK !== undefined && fusion !== 'rrf') {
    throw invalid("retrieval.rrfK is for the fusion 'rrf'", 'retrieval.rrfK')
  }
  if ((rerankFrom ?? 0) >= (rerankBelow ?? Infinity)) {
    throw invalid('retrieval.rerankFrom must be under retrieval.rerankBelow', 'retrieval.rerankFrom')
  }
  if (expansion !== undefined && typeof expansion?.expand !== 'function') {
    throw invalid('retrieval.expansion must be a stage such as expandRetrieval(…)', 'retrieval.expansion')
  }
  return {
    topK,
    candidates,
    fusion,
    fusionWeights,
    rrfK: rrfK ?? RRF_K,
    timeoutMs,
    rerankTimeoutMs,
    ...(filter === undefined ? {} : { filter: filterChooser(filter) }),
    ...(expansion === undefined ? {} : { expansion }),
    ...(rerankFrom === undefined ? {} : { rerankFrom }),
    ...(rerankBelow === undefined ? {} : { rerankBelow }),
  }
}

function checkContext({ maxCharacters = 12_000, maxTokens, countTokens }: ContextOptions = {}): ContextSettings {
  if (maxTokens === undefined) return { maxCharacters }
  if (typeof countTokens === 'function') return { maxCharacters, maxTokens, countTokens }
  throw invalid('context.maxTokens needs countTokens, which counts as the model does', 'context.countTokens')
}

/** Policies are checked and given their own id whoever made them: a copy with other gates must not keep the old id. */
function policyChooser(
  policy: NonNullable<RagGateOptions<never>['policy']>,
  source: GenerationConfidenceSource | undefined,
  checkCodes: CodeCheck,
): QuestionSettings['policy'] {
  if (typeof policy !== 'function') {
    const fixed = checkPolicy(policy, source)
    checkCodes(fixed, 'only')
    return () => fixed
  }
  const checked = new WeakMap<Policy, Policy>()
  return (tenant, collection, policyId, noted) => {
    const chosen = policy(tenant, collection, policyId, noted)
    const known = checked.get(chosen)
    if (known !== undefined) return known
    const made = checkPolicy(chosen, source)
    checkCodes(made, 'of-several')
    checked.set(chosen, made)
    return made
  }
}

function checkPolicy(policy: Policy, source: GenerationConfidenceSource | undefined): Policy {
  const checked = definePolicy(policy)
  if (source === undefined && checked.gates.some(({ gate }) => gate.needs === 'generation-confidence')) {
    throw invalid(
      "A gate of this policy needs a source of confidence: set answer.generationConfidence to 'reported' or 'token-log-probabilities'",
      'answer.generationConfidence',
    )
  }
  if (checked.dangerouslyDisableGates === true) {
    console.warn(`[rag-gate] DANGEROUS: the gates of ${checked.id} are disabled, every question is answered`)
  }
  return checked
}

function filterChooser(filter: NonNullable<RetrievalOptions['filter']>): NonNullable<RetrievalSettings['filter']> {
  if (typeof filter === 'function') return filter
  const fixed = checkPassageFilter(filter)
  return () => fixed
}

const TEXTS = group({ answer: string, reason: string, suggestions: strings })

function messageChooser(messages: RagGateOptions['messages']): RouteSettings['messagesFor'] {
  if (messages === undefined) return () => ({ key: '' })
  if (typeof messages === 'function') {
    return (c) => ({ messages: (code) => messages(code, c), key: c.req.header('accept-language') ?? '' })
  }
  if (!isRecord(messages)) throw invalid('messages must give texts by reason code', 'messages')
  for (const [code, given] of Object.entries(messages)) TEXTS(given, `messages.${code}`)
  const byCode: MessagesByCode = (code) => (Object.hasOwn(messages, code) ? messages[code] : undefined)
  // Checked above: strings, and lists of them.
  const key = canonicalJson(messages)
  return () => ({ messages: byCode, key })
}

/** Holds the codes that texts are given for against those that a policy can give. */
type CodeCheck = (policy: Policy, choice: 'only' | 'of-several') => void

/**
 * A code that the only policy cannot give is an error. Where policies are chosen by the request it may be another's, so
 * the first that is chosen leads to one warning.
 */
function codeCheck(messages: RagGateOptions['messages'], onWarning: RouteSettings['onWarning']): CodeCheck {
  if (messages === undefined || typeof messages === 'function') return () => undefined
  let warned = false
  return ({ id, texts }, choice) => {
    if (choice === 'only')
      group(Object.fromEntries(Object.keys(texts).map((code) => [code, anything])))(messages, 'messages')
    else if (!warned) {
      warned = true
      const unknown = Object.keys(messages).filter((code) => !Object.hasOwn(texts, code))
      if (unknown.length === 0) return
      const message = `messages has texts for ${unknown.join(', ')}, which ${id} never gives: does another policy?`
      onWarning({ code: 'message_code_unknown', message })
    }
  }
}
