import {
  anything,
  floored,
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

/** Settings of `generationConfidence`. */
export interface GenerationConfidenceOptions {
  /**
   * The model's confidence in its own answer below which the answer is refused, 0..1. Equality passes.
   *
   * @default 0.6
   */
  readonly refuseBelow?: number
}

/** The settings as stored in a policy. */
export interface GenerationConfidenceSettings {
  readonly gate: 'generation-confidence'
  readonly refuseBelow: number
}

/**
 * Refuses an answer in which the model itself has little confidence, however good the retrieval. A missing or
 * non-finite confidence refuses; 0 is a valid confidence.
 *
 * @throws `policy_invalid` when `refuseBelow` is outside 0..1
 * @see the specification of multi-gate, gate 3
 */
export function generationConfidence(options: GenerationConfidenceOptions = {}): PolicyGate {
  requireOptions(options, { refuseBelow: anything }, 'policy_invalid')
  return gateWith(generationConfidenceGate, {
    gate: 'generation-confidence',
    refuseBelow: options.refuseBelow ?? 0.6,
  })
}

const UNSURE = refusalText(NOT_CONFIRMED, 'It is not known how sure the model was of its answer', SUGGEST.tryLater)

const SETTINGS: OptionKinds<GenerationConfidenceSettings> = {
  gate: required(string),
  refuseBelow: required(number(0, 1)),
}

/** The gate behind `generationConfidence`. */
export const generationConfidenceGate = defineGate({
  name: 'generation-confidence',
  stage: 'post-generation',
  measure: measureAnswer,
  texts: {
    generation_confidence_low: refusalText(
      NOT_CONFIRMED,
      'The model was not sure enough of its answer',
      SUGGEST.rephrase,
      SUGGEST.narrow,
      SUGGEST.specify,
    ),
    generation_confidence_missing: UNSURE,
    generation_confidence_invalid: UNSURE,
  },
  needs: 'generation-confidence',
  threshold: {
    of: ({ refuseBelow }) => refuseBelow,
    moved: (settings, threshold) => ({ ...settings, refuseBelow: threshold }),
  },
  validate: (settings: GenerationConfidenceSettings) => requireOptions(settings, SETTINGS, 'policy_invalid'),
  check: ({ refuseBelow }, { answer }) => {
    if (answer?.unusable.includes('generationConfidence') === true) {
      return {
        outcome: 'refuse',
        code: 'generation_confidence_invalid',
        message: 'The reported generation confidence is not a number from 0 to 1',
      }
    }
    const actual = answer?.generationConfidence
    if (typeof actual !== 'number' || !Number.isFinite(actual)) {
      return {
        outcome: 'refuse',
        code: 'generation_confidence_missing',
        message: 'No generation confidence was reported',
      }
    }
    const figures = { actual, threshold: refuseBelow }
    return meets(actual, refuseBelow, RATIO_TOLERANCE)
      ? {
          outcome: 'pass',
          code: 'passed',
          message: `Generation confidence (${floored(actual)}) meets threshold (${refuseBelow})`,
          ...figures,
        }
      : {
          outcome: 'refuse',
          code: 'generation_confidence_low',
          message: `Generation confidence (${floored(actual)}) below threshold (${refuseBelow})`,
          ...figures,
        }
  },
})
