/** Checks a route's options, once, when the middleware is created. */
import type { Context } from 'hono'
import { checkPassageFilter } from '../core/evidence/passage-filter.ts'
import { canonicalJson } from '../core/lib/canonical.ts'
import { isRecord } from '../core/lib/guards.ts'
import {
  anything,
  callable,
  group,
  methods,
  oneOf,
  type OptionKinds,
  required,
  requireOptions,
  string,
  strings,
  stringsOrAny,
  text,
  whole,
  withDefaults,
} from '../core/lib/options.ts'
import { judgesAnswers } from '../core/policy/judge.ts'
import { definePolicy, type Policy } from '../core/policy/policy.ts'
import type { Text } from '../core/gates/text.ts'
import type { MessagesByCode } from '../core/reports/refusal.ts'

import type { GateWarning, QuestionSettings, RetrievalSettings } from '../pipeline/question-settings.ts'
import { errorForLog, isRagGateError, RagGateError } from '../errors.ts'
import { createMemory } from '../core/signals/signal.ts'
import type { AnswerJudge } from './answer-judge.ts'
import type { AnswerOptions, ContextOptions, QuestionOptions, RagGateOptions, RetrievalOptions } from './options.ts'
import type { SilenceLimits } from '../http/silence-limit.ts'

/** A question as read from a request. */
export interface ReadQuestion {
  /** Normalised. */
  readonly question: string
  /** Collection that the request named. */
  readonly collection: string | undefined
  /** The other members as canonical JSON; the raw body if canonical JSON would not distinguish them. */
  readonly otherFields: string
}

/** How a route reads questions, with defaults applied. */
export interface ReadSettings
  extends Required<Omit<QuestionOptions, 'read' | 'collections'>>, Pick<QuestionOptions, 'read'> {
  /** Searched if the request names none. */
  readonly collection: string
  /** Collections that a request may name. */
  readonly collections: readonly string[] | 'any'
  /** Collections that exist, if the dependencies do not say it. */
  readonly listed: readonly string[]
}

/** A route's options, checked, with defaults applied. */
export interface RouteSettings extends QuestionSettings, SilenceLimits {
  readonly question: ReadSettings
  readonly answerJudge: AnswerJudge | undefined
  readonly closestPassages: number
  /** The texts for a request, and a key that differs between requests with different texts. */
  readonly messagesFor: (c: Context) => { readonly messages?: MessagesByCode; readonly key: string }
  readonly onRefuse: RagGateOptions['onRefuse']
  readonly onWarning: (warning: GateWarning) => void
}

const QUESTION: OptionKinds<QuestionOptions> = {
  read: callable,
  field: text,
  maxCodePoints: whole(1, 1_000_000),
  maxBodyBytes: whole(1, 100_000_000),
  otherFields: oneOf('refuse', 'allow'),
  collections: stringsOrAny,
}

const RETRIEVAL: OptionKinds<RetrievalOptions> = {
  topK: whole(1, 100),
  filter: anything,
  timeoutMs: whole(1, 60_000),
}

const CONTEXT: OptionKinds<ContextOptions> = {
  maxLength: whole(50, 10_000_000),
  lengthOf: callable,
}

const ANSWER: OptionKinds<AnswerOptions> = {
  judge: { words: 'answerJudge() of hono-rag-gate/answers', holds: methods('judge').holds },
  streamIdleTimeoutMs: whole(1, 600_000),
}

/** The options of a route. */
export const ROUTE_OPTIONS: OptionKinds<RagGateOptions> = {
  dependencies: required({
    words: 'an object with a retriever, or a function that makes one',
    holds: (value) => typeof value === 'function' || isRecord(value),
  }),
  policy: required({
    words: 'a policy such as balanced(), or a function that makes one',
    holds: (value) => typeof value === 'function' || isRecord(value),
  }),
  rules: {
    words: 'rules of defineRule() with different ids',
    holds: (rules) =>
      Array.isArray(rules) &&
      rules.every(methods('ask').holds) &&
      new Set(rules.map(({ id }) => id)).size === rules.length,
  },
  mode: oneOf('enforce', 'observe'),
  question: group(QUESTION),
  retrieval: group(RETRIEVAL),
  context: group(CONTEXT),
  answer: group(ANSWER),
  closestPassages: whole(0, 10),
  messages: anything,
  onRefuse: callable,
  onWarning: callable,
}

/**
 * Checks the options of a route.
 *
 * @throws `config_invalid`, `policy_invalid` for an invalid or unknown option
 */
export function checkOptions(options: RagGateOptions<never>): RouteSettings {
  requireOptions(options, ROUTE_OPTIONS)
  const { policy, rules = [], mode = 'enforce', closestPassages = 0, onRefuse } = options
  const onWarning = withFailuresLogged(options.onWarning ?? warnOnConsole)
  const { judge: answerJudge, streamIdleTimeoutMs = 15_000 } = options.answer ?? {}
  const messagesFor = messageChooser(options.messages)
  return {
    policy: policyChooser(policy, answerJudge, options.messages),
    rules: [...rules],
    mode,
    question: checkQuestion(options.question),
    retrieval: checkRetrieval(options.retrieval),
    context: withDefaults(options.context, { maxLength: 12_000 }),
    answerJudge,
    streamIdleTimeoutMs,
    streamStartTimeoutMs: Math.max(streamIdleTimeoutMs, STREAM_START_TIMEOUT_MS),
    closestPassages,
    messagesFor,
    onRefuse,
    onWarning,
  }
}

/** Wraps a warning function so that its failures are logged and do not fail the request. */
function withFailuresLogged(tell: (warning: GateWarning) => unknown): (warning: GateWarning) => void {
  const told = async (warning: GateWarning): Promise<unknown> => tell(warning)
  return (warning) => {
    told(warning).catch((thrown: unknown) => console.error(`[rag-gate] onWarning: ${errorForLog(thrown)}`))
  }
}

/** The default `onWarning`: one line without any upstream text. */
function warnOnConsole({ code, message }: GateWarning): void {
  console.warn(`[rag-gate] ${code}: ${message}`)
}

const QUESTION_DEFAULTS = {
  field: 'question',
  maxCodePoints: 2000,
  maxBodyBytes: 65_536,
  otherFields: 'refuse',
  collections: ['default'],
} as const

function checkQuestion(options: QuestionOptions | undefined): ReadSettings {
  const settings = withDefaults(options, QUESTION_DEFAULTS)
  const { collections } = settings
  const listed = collections === 'any' ? QUESTION_DEFAULTS.collections : collections
  // The list has at least one member, as checked.
  return { ...settings, listed, collection: listed[0]! }
}

/** A model may take this long before its first words. */
const STREAM_START_TIMEOUT_MS = 60_000

const RETRIEVAL_DEFAULTS = {
  topK: 10,
  timeoutMs: 3000,
} as const

function checkRetrieval(options: RetrievalOptions | undefined): RetrievalSettings {
  const { filter = () => undefined, ...given } = withDefaults(options, RETRIEVAL_DEFAULTS)
  return { ...given, filter: filterChooser(filter) }
}

/** Checks every policy and recomputes its id, so that a modified copy cannot keep the old id. */
function policyChooser(
  policy: RagGateOptions<never>['policy'],
  answerJudge: AnswerJudge | undefined,
  messages: RagGateOptions['messages'],
): QuestionSettings['policy'] {
  if (typeof policy !== 'function') {
    const fixed = checkPolicy(policy, answerJudge)
    if (typeof messages === 'object') checkMessages(messages, Object.keys(fixed.texts))
    return () => fixed
  }
  const memory = createMemory(new WeakMap())
  return (...about) => {
    const chosen = policy(...about)
    return memory(chosen, () => checkPolicy(chosen, answerJudge))
  }
}

/** Reports an invalid setting as one of the option `policy`. */
function definedPolicy(policy: Policy): Policy {
  try {
    return definePolicy(policy)
  } catch (thrown) {
    if (!isRagGateError(thrown)) throw thrown
    const { code, message, param = 'options' } = thrown
    throw new RagGateError(code, `policy: ${message}`, { param: param === 'options' ? 'policy' : `policy.${param}` })
  }
}

function checkPolicy(policy: Policy, answerJudge: AnswerJudge | undefined): Policy {
  const checked = definedPolicy(policy)
  const isUnsure = checked.gates.some(({ gate }) => gate.needs) && answerJudge?.generationConfidence === undefined
  if (judgesAnswers(checked) && (answerJudge === undefined || isUnsure)) {
    const given = isUnsure ? '{ generationConfidence }' : ''
    const message = `This policy needs answer.judge: answerJudge(${given}) of hono-rag-gate/answers`
    throw new RagGateError('config_invalid', message, { param: 'answer.judge' })
  }
  if (checked.dangerouslyDisableGates) {
    console.warn(`[rag-gate] DANGEROUS: the gates are disabled: ${checked.id}`)
  }
  return checked
}

function filterChooser(filter: NonNullable<RetrievalOptions['filter']>): NonNullable<RetrievalSettings['filter']> {
  if (typeof filter === 'function') return filter
  const fixed = checkPassageFilter(filter)
  return () => fixed
}

const TEXTS = group<Partial<Text>>({ answer: string, reason: string, suggestions: strings })

/** @param codes reason codes for which texts may be given */
function checkMessages(messages: object, codes: readonly string[]): void {
  requireOptions(messages, Object.fromEntries(codes.map((code) => [code, TEXTS])), 'config_invalid', 'messages')
}

const MESSAGES_KEY = { key: required(string) }

function messageChooser(messages: RagGateOptions['messages']): RouteSettings['messagesFor'] {
  if (messages === undefined) return () => ({ key: '' })
  if (typeof messages === 'function') {
    const { key: keyOf = (c: Context) => c.req.header('accept-language') ?? '' } = messages
    return (c) => {
      const key = keyOf(c)
      // Non-strings could look alike in the answer key, and one caller would get texts meant for another.
      requireOptions({ key }, MESSAGES_KEY, 'config_invalid', 'messages')
      const byCode: MessagesByCode = (code) => {
        const texts = messages(code, c) ?? {}
        checkMessages({ [code]: texts }, [code])
        return texts
      }
      return { messages: byCode, key }
    }
  }
  checkMessages(messages, Object.keys(messages))
  const byCode: MessagesByCode = (code) => (Object.hasOwn(messages, code) ? messages[code] : undefined)
  // Checked above: strings, and lists of them.
  const key = canonicalJson(messages)
  return () => ({ messages: byCode, key })
}
