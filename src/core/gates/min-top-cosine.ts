import { anything, number, type OptionKinds, required, requireOptions, string } from '../lib/options.ts'
import { floored } from '../lib/rounding.ts'
import { refusalText, CANNOT_ANSWER, SUGGEST } from './text.ts'
import { COSINE_TOLERANCE, meets, recordedNumber } from '../lib/numbers.ts'
import { topCosine } from '../signals/top-cosine.ts'
import { defineGate, type PolicyGate, gateWith } from './gate.ts'

/** Settings of `minTopCosine`. */
export interface MinTopCosineOptions {
  /**
   * Raw cosine of the best chunk below which the question is refused, −1..1. An equal value passes.
   *
   * @default 0.7
   */
  readonly refuseBelow?: number
}

/** `minTopCosine` as a policy holds it. */
export interface MinTopCosineSettings {
  readonly gate: 'min-top-cosine'
  readonly refuseBelow: number
}

/**
 * Refuses when even the most similar chunk is not similar enough, so the corpus holds nothing relevant.
 *
 * @throws `policy_invalid` when `refuseBelow` is outside −1..1
 * @see the specification of multi-gate, gate 1
 */
export function minTopCosine(options: MinTopCosineOptions = {}): PolicyGate {
  requireOptions(options, { refuseBelow: anything }, 'policy_invalid')
  return gateWith(minTopCosineGate, { gate: 'min-top-cosine', refuseBelow: options.refuseBelow ?? 0.7 })
}

const SETTINGS: OptionKinds<MinTopCosineSettings> = { gate: required(string), refuseBelow: required(number(-1, 1)) }

/** The check behind `minTopCosine`. */
export const minTopCosineGate = defineGate({
  name: 'min-top-cosine',
  stage: 'pre-generation',
  texts: {
    similarity_low: refusalText(
      `${CANNOT_ANSWER} No passage is similar enough to the question.`,
      'No passage is similar enough to the question',
      SUGGEST.rephrase,
      SUGGEST.specify,
      SUGGEST.addDocuments,
    ),
    similarity_missing: refusalText(
      `${CANNOT_ANSWER} The evidence could not be judged.`,
      'The retrieved information carries no similarity',
      SUGGEST.tryLater,
    ),
  },
  threshold: {
    of: ({ refuseBelow }) => refuseBelow,
    moved: (settings, threshold) => ({ ...settings, refuseBelow: threshold }),
  },
  reads: () => [topCosine],
  validate: (settings: MinTopCosineSettings) => requireOptions(settings, SETTINGS, 'policy_invalid'),
  check: ({ refuseBelow }, { signals }) => {
    const actual = recordedNumber(signals.topCosine)
    if (Number.isNaN(actual)) {
      return { outcome: 'refuse', code: 'similarity_missing', message: 'No chunk carries a cosine similarity' }
    }
    const figures = { actual, threshold: refuseBelow }
    const shown = floored(actual + COSINE_TOLERANCE)
    if (meets(actual, refuseBelow, COSINE_TOLERANCE)) {
      return {
        outcome: 'pass',
        code: 'passed',
        message: `Top-1 similarity (${shown}) meets threshold (${refuseBelow})`,
        ...figures,
      }
    }
    return {
      outcome: 'refuse',
      code: 'similarity_low',
      message: `Top-1 similarity (${shown}) below threshold (${refuseBelow})`,
      ...figures,
    }
  },
})
