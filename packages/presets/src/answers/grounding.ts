import {
  anything,
  meets,
  number,
  type OptionKinds,
  RATIO_TOLERANCE,
  required,
  requireOptions,
  string,
} from 'hono-rag-gate/core/lib'
import { measureAnswer } from './measure-answer.ts'
import { defineGate, gateWith, NOT_CONFIRMED, type PolicyGate, refusalText, SUGGEST } from 'hono-rag-gate/core/gates'
import type { SentenceSupport } from 'hono-rag-gate/core/answer'
import { answerSentences } from './sentence-support.ts'

/** Settings of `grounding`. */
export interface GroundingOptions {
  /**
   * Minimum share of a sentence's content words that the passages must contain, 0..1. Equality passes.
   *
   * @default 0.5
   */
  readonly minTermShare?: number
}

/** The settings as stored in a policy. */
export interface GroundingSettings {
  readonly gate: 'grounding'
  readonly minTermShare: number
}

/**
 * Refuses an answer with an unsupported sentence. The passages must contain all its numbers and names, and enough of
 * its content words; a sentence is compared with the passages that it cites, or with all if it cites none. The
 * comparison is lexical: a negation made of the same words is not detected. An answer without any checkable content
 * refuses.
 *
 * @throws `policy_invalid` when `minTermShare` is outside 0..1
 * @see the specification of multi-gate, gate 4
 */
export function grounding(options: GroundingOptions = {}): PolicyGate {
  requireOptions(options, { minTermShare: anything }, 'policy_invalid')
  return gateWith(groundingGate, { gate: 'grounding', minTermShare: options.minTermShare ?? 0.5 })
}

const SETTINGS: OptionKinds<GroundingSettings> = { gate: required(string), minTermShare: required(number(0, 1)) }

/** The gate behind `grounding`. */
export const groundingGate = defineGate({
  name: 'grounding',
  stage: 'post-generation',
  measure: measureAnswer,
  texts: {
    answer_unsupported: refusalText(
      NOT_CONFIRMED,
      'The answer said something that the documents do not',
      SUGGEST.rephrase,
      SUGGEST.narrow,
      SUGGEST.addDocuments,
    ),
    answer_uncheckable: refusalText(
      NOT_CONFIRMED,
      'The answer said nothing that could be checked',
      SUGGEST.rephrase,
      SUGGEST.specify,
    ),
  },
  validate: (settings: GroundingSettings) => requireOptions(settings, SETTINGS, 'policy_invalid'),
  refusedSentences: (settings, answer, { sentences }) => {
    const said = answerSentences(answer)
    return unsupportedSentences(settings, sentences).flatMap((at) => said[at] ?? [])
  },
  check: (settings, { answer }) => {
    if (answer === undefined || !answer.sentences.some(saysSomething)) {
      return { outcome: 'refuse', code: 'answer_uncheckable', message: 'The answer says nothing that could be checked' }
    }
    const unsupported = unsupportedSentences(settings, answer.sentences)
    const figures = { actual: unsupported.length, threshold: 0 }
    if (unsupported.length > 0) {
      const named = unsupported.map((at) => String(at + 1)).join(', ')
      return {
        outcome: 'refuse',
        code: 'answer_unsupported',
        message: `Not supported by the passages: sentence ${named} of ${answer.sentences.length}`,
        ...figures,
      }
    }
    const checkable = answer.sentences.filter(saysSomething).length
    return {
      outcome: 'pass',
      code: 'passed',
      message: `All ${checkable} sentences that can be checked are supported by the passages`,
      ...figures,
    }
  },
})

/** Indexes of the sentences that the passages do not support, ascending. */
function unsupportedSentences(
  { minTermShare }: Pick<GroundingSettings, 'minTermShare'>,
  sentences: readonly SentenceSupport[],
): number[] {
  return sentences.flatMap((sentence, at) => (isSupported(sentence, minTermShare) ? [] : [at]))
}

function saysSomething({ termCount }: SentenceSupport): boolean {
  return termCount > 0
}

/** A missing count, as in a damaged record, counts as unsupported. */
function isSupported(sentence: SentenceSupport, minTermShare: number): boolean {
  const { missingNumbers, missingNames, unknownCitations } = sentence
  if (missingNumbers !== 0 || missingNames !== 0 || unknownCitations !== 0) return false
  return sentence.termCount === 0 || meets(sentence.termShare, minTermShare, RATIO_TOLERANCE)
}
