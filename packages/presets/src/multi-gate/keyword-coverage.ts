import { defineGate, gateWith, noteText, type PolicyGate, UNMEASURED } from 'hono-rag-gate/core/gates'
import {
  anything,
  floored,
  meets,
  number,
  type OptionKinds,
  RATIO_TOLERANCE,
  recordedNumber,
  required,
  requireOptions,
  string,
} from 'hono-rag-gate/core/lib'
import { questionTermCount, TEXT_SIGNALS } from 'hono-rag-gate/core/signals'

/** Settings of `keywordCoverage`. */
export interface KeywordCoverageOptions {
  /**
   * Share of the question's keywords that the chunks together must contain, 0..1; below it the answer carries a
   * caution. Equality passes.
   *
   * @default 0.5
   */
  readonly adviseBelow?: number
}

/** The settings as stored in a policy. */
export interface KeywordCoverageSettings {
  readonly gate: 'keyword-coverage'
  readonly adviseBelow: number
}

/**
 * Advises if the retrieved chunks contain too few of the question's keywords, because similar chunks may be about
 * something else. Never refuses for low coverage. Skips a question without keywords.
 *
 * @throws `policy_invalid` when `adviseBelow` is outside 0..1
 * @see the specification of multi-gate, gate 2
 */
export function keywordCoverage(options: KeywordCoverageOptions = {}): PolicyGate {
  requireOptions(options, { adviseBelow: anything }, 'policy_invalid')
  return gateWith(keywordCoverageGate, { gate: 'keyword-coverage', adviseBelow: options.adviseBelow ?? 0.5 })
}

const SETTINGS: OptionKinds<KeywordCoverageSettings> = { gate: required(string), adviseBelow: required(number(0, 1)) }

/** The gate behind `keywordCoverage`. */
export const keywordCoverageGate = defineGate({
  name: 'keyword-coverage',
  stage: 'pre-generation',
  texts: {
    no_keywords: noteText('The question has no keywords'),
    keywords_missing: noteText(
      'The passages hold few of the keywords of the question',
      'Verify that the answer speaks of what was asked',
    ),
    keyword_coverage_missing: UNMEASURED,
  },
  reads: () => [questionTermCount, TEXT_SIGNALS.keywordCoverage],
  validate: (settings: KeywordCoverageSettings) => requireOptions(settings, SETTINGS, 'policy_invalid'),
  check: ({ adviseBelow }, { signals }) => {
    if (signals.questionTermCount === 0) {
      return { outcome: 'skip', code: 'no_keywords', message: 'The question has no keywords to look for' }
    }
    const actual = recordedNumber(signals.keywordCoverage)
    if (Number.isNaN(actual)) {
      return { outcome: 'refuse', code: 'keyword_coverage_missing', message: 'The keywords were not counted' }
    }
    const figures = { actual, threshold: adviseBelow }
    return meets(actual, adviseBelow, RATIO_TOLERANCE)
      ? {
          outcome: 'pass',
          code: 'passed',
          message: `Share of keywords found (${floored(actual)}) meets threshold (${adviseBelow})`,
          ...figures,
        }
      : {
          outcome: 'advise',
          code: 'keywords_missing',
          message: `Share of keywords found (${floored(actual)}) below threshold (${adviseBelow})`,
          ...figures,
        }
  },
})
