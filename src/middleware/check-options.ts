/** The check of a route's options: once, when the middleware is made. */
import type { Context } from 'hono'
import type { GenerationConfidenceSource } from '../core/answer/measure-answer.ts'
import { FUSION_METHODS } from '../core/evidence/fusion.ts'
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
  invalid,
  isStrings,
  isWithin,
  requireKnown,
  requireOneOf,
  requireOptionalFunction,
  requireString,
  requireStrings,
  requireWhole,
} from './check-values.ts'
import type { ContextOptions, QuestionOptions, RagGateOptions, RetrievalOptions } from './options.ts'

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

/** Names of the options, group by group: an unknown one would be passed over, and somebody may rely on it. */
const NAMES = {
  '': [
    'dependencies',
    'policy',
    'rules',
    'mode',
    'question',
    'retrieval',
    'context',
    'answer',
    'refusalStatus',
    'closestPassages',
    'messages',
    'onRefuse',
    'onWarning',
  ],
  question: [
    'read',
    'field',
    'maxCodePoints',
    'maxBodyBytes',
    'bodyTimeoutMs',
    'otherFields',
    'collection',
    'otherCollections',
    'searchModes',
    'trials',
  ],
  retrieval: [
    'topK',
    'candidates',
    'fusion',
    'fusionWeights',
    'rrfK',
    'filter',
    'timeoutMs',
    'rerankTimeoutMs',
    'rerankFrom',
    'rerankBelow',
    'expansion',
  ],
  context: ['maxCharacters', 'maxTokens', 'countTokens'],
  answer: ['generationConfidence', 'maxJudgedBytes'],
} as const

/**
 * Checks the options of a route.
 *
 * @throws `config_invalid`, `policy_invalid` when one is out of range, or not known
 */
export function checkOptions(options: RagGateOptions<never>): RouteSettings {
  requireGroups(options)
  const { policy = balanced(), rules = [], mode = 'enforce', answer = {}, onWarning = warnOnConsole } = options
  const { refusalStatus = 200, closestPassages = 0 } = options
  requireOneOf('mode', mode, ['enforce', 'observe'])
  requireOneOf('refusalStatus', refusalStatus, [200, 403, 404, 422])
  requireWhole('closestPassages', closestPassages, 0, 10)
  requireOptionalFunction('onRefuse', options.onRefuse)
  requireOptionalFunction('onWarning', onWarning)
  validateRules(rules)
  const { generationConfidence, maxJudgedBytes = 1_048_576 } = answer
  if (generationConfidence !== undefined) {
    requireOneOf('answer.generationConfidence', generationConfidence, ['reported', 'token-log-probabilities'])
  }
  requireWhole('answer.maxJudgedBytes', maxJudgedBytes, 1, 100_000_000)
  const messagesFor = messageChooser(options.messages)
  const checkCodes = codeCheck(options.messages, onWarning)
  return {
    policy: policyChooser(policy, generationConfidence, checkCodes),
    rules: [...rules],
    mode,
    question: checkQuestion(options.question),
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

function requireGroups(options: RagGateOptions<never>): void {
  if (!isRecord(options)) throw invalid('ragGate needs options with dependencies', 'options')
  for (const [group, names] of Object.entries(NAMES)) {
    const given: unknown = group === '' ? options : options[group as keyof RagGateOptions<never>]
    if (given !== undefined) requireKnown(group, given, names)
  }
  const { dependencies } = options
  if (typeof dependencies !== 'function' && !isRecord(dependencies)) {
    throw invalid('dependencies must hold a retriever, or be a function that makes them', 'dependencies')
  }
}

function checkQuestion(options: QuestionOptions = {}): ReadSettings {
  const settings: ReadSettings = {
    field: 'question',
    maxCodePoints: 2000,
    maxBodyBytes: 65_536,
    bodyTimeoutMs: 10_000,
    otherFields: 'refuse',
    collection: 'default',
    otherCollections: [],
    searchModes: 'none',
    trials: 'none',
    ...options,
  }
  requireOptionalFunction('question.read', settings.read)
  requireString('question.field', settings.field)
  requireWhole('question.maxCodePoints', settings.maxCodePoints, 1, 1_000_000)
  requireWhole('question.maxBodyBytes', settings.maxBodyBytes, 1, 100_000_000)
  requireWhole('question.bodyTimeoutMs', settings.bodyTimeoutMs, 1, 600_000)
  requireOneOf('question.otherFields', settings.otherFields, ['refuse', 'allow'])
  requireString('question.collection', settings.collection)
  // In a string every part of a name would be found.
  if (settings.otherCollections !== 'any') requireStrings('question.otherCollections', settings.otherCollections)
  requireOneOf('question.searchModes', settings.searchModes, ['none', 'operators'])
  requireOneOf('question.trials', settings.trials, ['none', 'operators'])
  return settings
}

function checkRetrieval(options: RetrievalOptions = {}): RetrievalSettings {
  const { topK = 10, candidates = topK, fusion = 'convex', fusionWeights = {}, rrfK, filter, expansion } = options
  const { timeoutMs = 3000, rerankTimeoutMs = 3000, rerankFrom, rerankBelow } = options
  requireWhole('retrieval.topK', topK, 1, 100)
  requireWhole('retrieval.candidates', candidates, topK, 100)
  requireWhole('retrieval.timeoutMs', timeoutMs, 1, 60_000)
  requireWhole('retrieval.rerankTimeoutMs', rerankTimeoutMs, 1, 60_000)
  requireOneOf('retrieval.fusion', fusion, FUSION_METHODS)
  requireKnown('retrieval.fusionWeights', fusionWeights, ['cosine', 'bm25'])
  if (rrfK !== undefined && !(fusion === 'rrf' && isWithin(rrfK, 0, 10_000))) {
    throw invalid("retrieval.rrfK must be a number from 0 to 10000, with the fusion 'rrf'", 'retrieval.rrfK')
  }
  for (const [name, confidence] of Object.entries({ rerankFrom, rerankBelow })) {
    if (confidence === undefined || isWithin(confidence, 0, 1)) continue
    throw invalid(`retrieval.${name} must be a number from 0 to 1`, `retrieval.${name}`)
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
  requireWhole('context.maxCharacters', maxCharacters, 200, 10_000_000)
  if (maxTokens === undefined) return { maxCharacters }
  requireWhole('context.maxTokens', maxTokens, 50, 10_000_000)
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

function messageChooser(messages: RagGateOptions['messages']): RouteSettings['messagesFor'] {
  if (messages === undefined) return () => ({ key: '' })
  if (typeof messages === 'function') {
    return (c) => ({ messages: (code) => messages(code, c), key: c.req.header('accept-language') ?? '' })
  }
  if (!isRecord(messages) || !Object.values(messages).every(isText)) {
    throw invalid('messages must give answer, reason or suggestions by reason code', 'messages')
  }
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
    if (choice === 'only') requireKnown('messages', messages, Object.keys(texts))
    else if (!warned) {
      warned = true
      const unknown = Object.keys(messages).filter((code) => !Object.hasOwn(texts, code))
      if (unknown.length === 0) return
      const message = `messages has texts for ${unknown.join(', ')}, which ${id} never gives: does another policy?`
      onWarning({ code: 'message_code_unknown', message })
    }
  }
}

function isText(text: unknown): boolean {
  if (!isRecord(text)) return false
  return Object.entries(text).every(([name, value]) =>
    name === 'suggestions' ? isStrings(value) : (name === 'answer' || name === 'reason') && typeof value === 'string',
  )
}
