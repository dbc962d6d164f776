/** Rules of a service's own: checks over the texts, beside the gates of its policy. */
import { RagGateError } from '../../errors.ts'
import type { Finding, Verdict } from '../gates/finding.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { frozenCopy } from '../lib/frozen-copy.ts'
import { callable, type OptionKinds, required, requireOptions, strings } from '../lib/options.ts'
import type { ReasonCode } from '../gates/finding.ts'
import { type Signals } from '../signals/measure.ts'
import { hex, sha256 } from '../lib/sha256.ts'
import { words } from '../text/words.ts'
import { visible } from '../text/visible.ts'

/** What a rule may look at: a frozen copy, so that it changes nothing for the gates and rules after it. */
export interface RuleInput {
  /** Normalised. */
  readonly question: string
  /** Best chunk first. */
  readonly evidence: Evidence
  /** What was measured of it: what the policy reads. */
  readonly signals: Signals
}

/** What a rule says. */
export interface RuleFinding {
  /** `pass` never lifts what another gate or rule found. */
  readonly outcome: Verdict
  /** In words, for operators. */
  readonly message: string
  /** A sentence for every caller, instead of "Excluded by a rule of this service". No figures that follow a score. */
  readonly publicText?: string
  /** What was measured; left out of the record unless it is finite. */
  readonly actual?: number
  /** What it was held against; likewise. */
  readonly threshold?: number
}

/** What a rule is made of. */
export interface RuleInit {
  /**
   * Names the rule and all that it depends on: lower-case letters, digits and `- : , .`. It joins the answer key, so
   * another list of words must be another id.
   */
  readonly id: string
  /**
   * Synchronous and pure: what it says must follow from what it is given.
   *
   * @returns `null` when the rule has nothing to say; anything else that is no finding, such as a promise, refuses
   */
  readonly check: (input: RuleInput) => RuleFinding | null
}

/** A check of a service's own, made by `defineRule`. */
export interface Rule {
  readonly id: string
  /** What it finds, for `judge`. */
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

/** Whether a rule stands behind this name among the gates of findings. */
export function isOfRule(gate: string): boolean {
  return gate.startsWith(OF_RULE)
}

/**
 * Makes a rule. One that throws, or says nothing that is known, refuses.
 *
 * @throws `config_invalid` for an id that is malformed, or a check that is none
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
        // What an asynchronous rule says comes too late to be heard; that it failed must not end the service.
        if (found instanceof Promise) found.catch(() => undefined)
        const { outcome, message, publicText = '', actual, threshold } = found
        // A rule without types may say anything.
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
 * Whether any of the words or phrases stands in the text, as whole words, in any letter case. Invisible characters part no
 * word.
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

/** A longer list of topics stands in the id as a hash. */
const LONGEST_LIST = 100

/**
 * Refuses questions that name a topic, as a whole word: `weather` is not in `weatherproof`.
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
