/** An application's own rules: checks over texts, in addition to the policy's gates. */
import { RagGateError } from '../../errors.ts'
import type { Finding, Verdict, ReasonCode } from '../gates/finding.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { frozenCopy } from '../lib/frozen-copy.ts'
import { callable, type OptionKinds, required, requireOptions, strings } from '../lib/options.ts'
import { type Signals } from '../signals/measure.ts'
import { hex, sha256 } from '../lib/sha256.ts'
import { words } from '../text/words.ts'
import { visible } from '../text/visible.ts'

/** Input of a rule: a frozen copy, so that a rule cannot affect others. */
export interface RuleInput {
  /** Normalised. */
  readonly question: string
  /** Best chunk first. */
  readonly evidence: Evidence
  /** The signals that the policy reads. */
  readonly signals: Signals
}

/** Result of a rule. */
export interface RuleFinding {
  /** `pass` never overrides a stricter finding. */
  readonly outcome: Verdict
  /** Message for operators. */
  readonly message: string
  /** A sentence for every caller, instead of "A rule of this service excludes it". It must not reveal scores. */
  readonly publicText?: string
  /** The measured value; recorded only if finite. */
  readonly actual?: number
  /** The value it was compared with; recorded only if finite. */
  readonly threshold?: number
}

/** Input of `defineRule`. */
export interface RuleInit {
  /**
   * Identifies the rule and everything it depends on: lower-case letters, digits and `- : , .`. It is part of the answer key,
   * so a rule with another list of words needs another id.
   */
  readonly id: string
  /**
   * The check, which must be synchronous and pure.
   *
   * @returns a finding, or `null` for none; anything else, such as a promise, refuses
   */
  readonly check: (input: RuleInput) => RuleFinding | null
}

/** An application's own check, made by `defineRule`. */
export interface Rule {
  readonly id: string
  /** Runs the check. @returns findings for `judge` */
  readonly ask: (input: RuleInput) => readonly Finding[]
}

const RULE: OptionKinds<RuleInit> = {
  id: required({
    words: '1 to 200 of a-z, 0-9 and - : , .',
    holds: (id) => typeof id === 'string' && /^[\p{Ll}\p{Lo}\p{N}][\p{Ll}\p{Lo}\p{M}\p{N}:,.-]{0,199}$/u.test(id),
  }),
  check: required(callable),
}

const CODES: Readonly<Record<Verdict, ReasonCode>> = {
  pass: 'passed',
  advise: 'rule_advised',
  refuse: 'rule_refused',
}

const OF_RULE = 'rule:'

/** Whether this name in a finding is that of a rule. */
export function isOfRule(gate: string): boolean {
  return gate.startsWith(OF_RULE)
}

/**
 * Makes a rule. A check that throws or returns something invalid refuses the question.
 *
 * @throws `config_invalid` for a malformed id, or a check that is not a function
 */
export function defineRule(init: RuleInit): Rule {
  requireOptions(init, RULE)
  const { id, check } = init
  const about = { gate: `${OF_RULE}${id}`, stage: 'pre-generation' } as const
  const failed: Finding = { ...about, outcome: 'refuse', code: 'rule_failed', message: 'The rule could not judge' }
  return Object.freeze({
    id,
    ask(input: RuleInput): readonly Finding[] {
      try {
        const found = check(frozenCopy(input))
        if (found === null) return []
        // The result of an asynchronous rule is ignored; its rejection must not crash the service.
        if (found instanceof Promise) found.catch(() => undefined)
        const { outcome, message, publicText = '', actual, threshold } = found
        // An untyped rule may return anything.
        const said: readonly unknown[] = [outcome, message, publicText]
        if (!said.every((text) => typeof text === 'string') || !Object.hasOwn(CODES, outcome)) return [failed]
        return [
          {
            ...about,
            outcome,
            code: CODES[outcome],
            message,
            ...(publicText === '' ? {} : { publicText }),
            ...(Number.isFinite(actual) && { actual: actual! }),
            ...(Number.isFinite(threshold) && { threshold: threshold! }),
          },
        ]
      } catch {
        return [failed]
      }
    },
  })
}

/**
 * Whether the text contains any of the words or phrases, as whole words, case-insensitively. Invisible characters do not
 * separate words.
 */
export function mentions(text: string, wanted: readonly string[]): boolean {
  const held = ` ${wordsSeen(text)} `
  return wanted.some((each) => {
    const phrase = wordsSeen(each)
    return phrase !== '' && held.includes(` ${phrase} `)
  })
}

function wordsSeen(text: string): string {
  return words(visible(text)).join(' ')
}

/** Longer lists of topics appear in the id as a hash. */
const LONGEST_LIST = 100

/**
 * Refuses questions that contain a topic as a whole word: `weather` does not match `weatherproof`.
 *
 * @throws `config_invalid` when no topic is given
 * @see the specification of two-tier, "Custom Gating Logic", first example
 */
export function refuseTopics(topics: readonly string[]): Rule {
  if (!strings.holds(topics)) throw noTopics()
  const wanted = topics.map(wordsSeen).filter((topic) => topic !== '')
  if (wanted.length === 0) throw noTopics()
  const listed = wanted.map((topic) => topic.replaceAll(' ', '.')).join(',')
  return defineRule({
    id: `refuse-topics:${listed.length > LONGEST_LIST ? hex(sha256(listed)).slice(0, 32) : listed}`,
    check({ question }) {
      const named = wanted.find((topic) => mentions(question, [topic]))
      if (named === undefined) return null
      const message = `Questions about ${named} not supported`
      return { outcome: 'refuse', message, publicText: message }
    },
  })
}

function noTopics(): RagGateError {
  return new RagGateError('config_invalid', 'refuseTopics needs a list of words, one or more', { param: 'rules' })
}
