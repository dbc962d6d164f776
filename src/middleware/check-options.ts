/** The check of a route's options: once, when the middleware is made. */
import type { Context } from 'hono'
import type { GenerationConfidenceSource } from '../core/answer/measure-answer.ts'
import { type ConvexWeights, FUSION_METHODS } from '../core/evidence/fusion.ts'
import { checkPassageFilter } from '../core/evidence/passage-filter.ts'
import { canonicalJson } from '../core/lib/canonical.ts'
import { isRecord } from '../core/lib/guards.ts'
import {
  anything,
  callable,
  group,
  methods,
  number,
  oneOf,
  type OptionKinds,
  required,
  requireOptions,
  string,
  strings,
  whole,
  withDefaults,
} from '../core/lib/options.ts'
import { RRF_K } from '../core/lib/rank-scores.ts'
import { definePolicy, type Policy } from '../core/policy/policy.ts'
import type { Text } from '../core/gates/text.ts'
import { validateRules } from '../core/policy/rules.ts'
import type { MessagesByCode } from '../core/reports/refusal.ts'
import type { ContextSettings } from '../pipeline/fit-context.ts'
import type { GateWarning, QuestionSettings, RetrievalSettings } from '../pipeline/question-settings.ts'
import { errorForLog, isRagGateError, RagGateError } from '../errors.ts'
import type { AnswerOptions, ContextOptions, QuestionOptions, RagGateOptions, RetrievalOptions } from './options.ts'
import type { SilenceLimits } from './silence-limit.ts'

/** How a route reads questions, completed. */
export type ReadSettings = Required<Omit<QuestionOptions, 'read'>> & Pick<QuestionOptions, 'read'>

/** The options of a route, checked and completed. */
export interface RouteSettings extends QuestionSettings, SilenceLimits {
  readonly question: ReadSettings
  readonly generationConfidence?: GenerationConfidenceSource
  readonly maxJudgedBytes: number
  readonly refusalStatus: 200 | 403 | 404 | 422
  readonly closestPassages: number
  /** The texts for one request, and what tells them from those for another. */
  readonly messagesFor: (c: Context) => { readonly messages?: MessagesByCode; readonly key: string }
  readonly onRefuse: RagGateOptions['onRefuse']
  readonly onWarning: (warning: GateWarning) => void
}

const QUESTION: OptionKinds<QuestionOptions> = {
  read: callable,
  field: string,
  maxCodePoints: whole(1, 1_000_000),
  maxBodyBytes: whole(1, 100_000_000),
  bodyTimeoutMs: whole(1, 600_000),
  otherFields: oneOf('refuse', 'allow'),
  collection: string,
  // In a string every part of a name would be found.
  otherCollections: { words: "a list of strings, or 'any'", holds: (value) => value === 'any' || strings.holds(value) },
  searchModes: oneOf('none', 'operators'),
  trials: oneOf('none', 'operators'),
  streams: oneOf('none', 'everyone'),
}

const WEIGHTS: OptionKinds<ConvexWeights> = { cosine: anything, bm25: anything }

const RETRIEVAL: OptionKinds<RetrievalOptions> = {
  topK: whole(1, 100),
  candidates: whole(1, 100),
  fusion: oneOf(...FUSION_METHODS),
  fusionWeights: group(WEIGHTS),
  rrfK: number(0, 10_000),
  filter: anything,
  timeoutMs: whole(1, 60_000),
  rerankTimeoutMs: whole(1, 60_000),
  rerankFrom: number(0, 1),
  rerankBelow: number(0, 1),
  expansion: { words: 'a stage such as expandRetrieval(…)', holds: methods('expand').holds },
}

const CONTEXT: OptionKinds<ContextOptions> = {
  maxCharacters: whole(200, 10_000_000),
  maxTokens: whole(50, 10_000_000),
  countTokens: callable,
}

const ANSWER: OptionKinds<AnswerOptions> = {
  generationConfidence: oneOf('reported', 'token-log-probabilities'),
  maxJudgedBytes: whole(1, 100_000_000),
  streamStartTimeoutMs: whole(1, 600_000),
  streamIdleTimeoutMs: whole(1, 600_000),
}

const OPTIONS: OptionKinds<RagGateOptions> = {
  dependencies: required({
    words: 'an object with a retriever, or a function that makes one',
    holds: (value) => typeof value === 'function' || isRecord(value),
  }),
  policy: required({
    words: 'a policy, such as balanced(), or a function that chooses one',
    holds: (value) => typeof value === 'function' || isRecord(value),
  }),
  rules: anything,
  mode: oneOf('enforce', 'observe'),
  question: group(QUESTION),
  retrieval: group(RETRIEVAL),
  context: group(CONTEXT),
  answer: group(ANSWER),
  refusalStatus: oneOf(200, 403, 404, 422),
  closestPassages: whole(0, 10),
  messages: anything,
  onRefuse: callable,
  onWarning: callable,
}

function invalid(message: string, param: string): RagGateError {
  return new RagGateError('config_invalid', message, { param })
}

/**
 * Checks the options of a route.
 *
 * @throws `config_invalid`, `policy_invalid` when one is out of range, or not known
 */
export function checkOptions(options: RagGateOptions<never>): RouteSettings {
  requireOptions(options, OPTIONS)
  const { policy, rules = [], mode = 'enforce' } = options
  const onWarning = harmless(options.onWarning ?? warnOnConsole)
  const { refusalStatus = 200, closestPassages = 0 } = options
  const answer = withDefaults(options.answer, ANSWER_DEFAULTS)
  validateRules(rules)
  const messagesFor = messageChooser(options.messages)
  const checkCodes = codeCheck(options.messages, onWarning)
  return {
    policy: policyChooser(policy, answer.generationConfidence, checkCodes),
    rules: [...rules],
    mode,
    question: withDefaults(options.question, QUESTION_DEFAULTS),
    retrieval: checkRetrieval(options.retrieval),
    context: checkContext(options.context),
    ...answer,
    refusalStatus,
    closestPassages,
    messagesFor,
    onRefuse: options.onRefuse,
    onWarning,
  }
}

/** What is told of something that was got over must not undo that. */
function harmless(tell: (warning: GateWarning) => unknown): (warning: GateWarning) => void {
  return (warning) => {
    const report = (thrown: unknown): void => console.error(`[rag-gate] onWarning: ${errorForLog(thrown)}`)
    try {
      Promise.resolve(tell(warning)).catch(report)
    } catch (thrown) {
      report(thrown)
    }
  }
}

/** One line, and nothing that an upstream said. */
function warnOnConsole({ code, message }: GateWarning): void {
  console.warn(`[rag-gate] ${code}: ${message}`)
}

const QUESTION_DEFAULTS = {
  field: 'question',
  maxCodePoints: 2000,
  maxBodyBytes: 65_536,
  bodyTimeoutMs: 10_000,
  otherFields: 'refuse',
  collection: 'default',
  otherCollections: [],
  searchModes: 'none',
  trials: 'none',
  streams: 'none',
} as const

const ANSWER_DEFAULTS = { maxJudgedBytes: 1_048_576, streamStartTimeoutMs: 60_000, streamIdleTimeoutMs: 15_000 }

const RETRIEVAL_DEFAULTS = {
  topK: 10,
  fusion: 'convex',
  fusionWeights: {},
  timeoutMs: 3000,
  rerankTimeoutMs: 3000,
} as const

function checkRetrieval(options: RetrievalOptions = {}): RetrievalSettings {
  const { filter, rrfK, ...given } = withDefaults(options, RETRIEVAL_DEFAULTS)
  const { topK, candidates = topK, fusion, rerankFrom = 0, rerankBelow = Infinity } = given
  if (candidates < topK) throw invalid('retrieval.candidates must not be under retrieval.topK', 'retrieval.candidates')
  if (rrfK !== undefined && fusion !== 'rrf') {
    throw invalid("retrieval.rrfK is for the fusion 'rrf'", 'retrieval.rrfK')
  }
  if (rerankFrom >= rerankBelow) {
    throw invalid('retrieval.rerankFrom must be under retrieval.rerankBelow', 'retrieval.rerankFrom')
  }
  return { ...given, candidates, rrfK: rrfK ?? RRF_K, ...(filter && { filter: filterChooser(filter) }) }
}

function checkContext({ maxCharacters = 12_000, maxTokens, countTokens }: ContextOptions = {}): ContextSettings {
  if (maxTokens === undefined) return { maxCharacters }
  if (countTokens !== undefined) return { maxCharacters, maxTokens, countTokens }
  throw invalid('context.maxTokens needs context.countTokens', 'context.countTokens')
}

/** Policies are checked and given their own id whoever made them: a copy with other gates must not keep the old id. */
function policyChooser(
  policy: RagGateOptions<never>['policy'],
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

/** A wrong setting is told of as one of the option `policy`. */
function definedPolicy(policy: Policy): Policy {
  try {
    return definePolicy(policy)
  } catch (thrown) {
    if (!isRagGateError(thrown) || thrown.code !== 'policy_invalid') throw thrown
    const { code, message, param = 'options' } = thrown
    throw new RagGateError(code, `policy: ${message}`, { param: param === 'options' ? 'policy' : `policy.${param}` })
  }
}

function checkPolicy(policy: Policy, source: GenerationConfidenceSource | undefined): Policy {
  const checked = definedPolicy(policy)
  if (source === undefined && checked.gates.some(({ gate }) => gate.needs === 'generation-confidence')) {
    throw invalid('A gate of this policy needs answer.generationConfidence', 'answer.generationConfidence')
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

const TEXTS = group<Partial<Text>>({ answer: string, reason: string, suggestions: strings })

/** @param codes that texts may be given for */
function checkMessages(messages: object, codes: readonly string[]): void {
  requireOptions(messages, Object.fromEntries(codes.map((code) => [code, TEXTS])), 'config_invalid', 'messages')
}

function messageChooser(messages: RagGateOptions['messages']): RouteSettings['messagesFor'] {
  if (messages === undefined) return () => ({ key: '' })
  if (typeof messages === 'function') {
    return (c) => ({ messages: (code) => messages(code, c), key: c.req.header('accept-language') ?? '' })
  }
  checkMessages(messages, Object.keys(messages))
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
    if (choice === 'only') checkMessages(messages, Object.keys(texts))
    else if (!warned) {
      warned = true
      const unknown = Object.keys(messages).filter((code) => !Object.hasOwn(texts, code))
      if (unknown.length === 0) return
      const message = `messages has texts for ${unknown.join(', ')}, which ${id} never gives: does another policy?`
      onWarning({ code: 'message_code_unknown', message })
    }
  }
}
