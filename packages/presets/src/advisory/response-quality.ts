import { type AnswerSignals } from 'hono-rag-gate/core/answer'
import { measureAnswer } from '../answers/index.ts'
import {
  CANNOT_ANSWER,
  defineGate,
  gateWith,
  noteText,
  type PolicyGate,
  refusalText,
  SUGGEST,
} from 'hono-rag-gate/core/gates'
import {
  anything,
  meets,
  number,
  type OptionKind,
  type OptionKinds,
  RATIO_TOLERANCE,
  recordedFlag,
  required,
  requireOptions,
  string,
  text,
} from 'hono-rag-gate/core/lib'

/** Settings of `responseQuality`. */
export interface ResponseQualityOptions {
  /** Fields that a structured answer must have. @default none */
  readonly requiredFields?: readonly string[]
  /** Fields that it should have. @default none */
  readonly optionalFields?: readonly string[]
  /**
   * Quality below which the answer is refused, 0..0.3. Equality passes.
   *
   * @default 0.2: a missing required field refuses
   */
  readonly refuseBelow?: number
  /**
   * Quality below which the answer carries a caution, `refuseBelow`..0.3. Equality passes.
   *
   * @default 0.3: a missing optional field advises
   */
  readonly adviseBelow?: number
}

/** The settings as stored in a policy. */
export interface ResponseQualitySettings extends Required<ResponseQualityOptions> {
  readonly gate: 'response-quality'
}

/** Quality of a structured answer, by completeness. */
const RESPONSE_QUALITY = Object.freeze({
  complete: 0.3,
  optionalMissing: 0.2,
  requiredMissing: 0.1,
  invalid: 0,
})

/**
 * Judges the completeness of a structured answer: all fields .3, an optional one missing .2, a required one missing .1.
 * Anything but a JSON object (plain text, invalid JSON, a stream) scores 0.
 *
 * @throws `policy_invalid` when a setting is out of range
 * @see the specification of advisory, factor 3
 */
export function responseQuality(options: ResponseQualityOptions = {}): PolicyGate {
  const kinds = {
    requiredFields: FIELD_NAMES,
    optionalFields: FIELD_NAMES,
    refuseBelow: anything,
    adviseBelow: anything,
  }
  requireOptions(options, kinds, 'policy_invalid')
  return gateWith(responseQualityGate, {
    gate: 'response-quality',
    requiredFields: [...(options.requiredFields ?? [])],
    optionalFields: [...(options.optionalFields ?? [])],
    refuseBelow: options.refuseBelow ?? RESPONSE_QUALITY.optionalMissing,
    adviseBelow: options.adviseBelow ?? RESPONSE_QUALITY.complete,
  })
}

/** Checks a list of field names. */
export const FIELD_NAMES: OptionKind = {
  words: 'names of fields',
  holds: (names) => Array.isArray(names) && names.every(text.holds),
}

/** Quality of the answer, 0..0.3; 0 if it is not structured, `undefined` if these fields were not measured. */
export function responseQualityOf(
  { requiredFields, optionalFields }: Pick<ResponseQualitySettings, 'requiredFields' | 'optionalFields'>,
  { structure }: AnswerSignals,
): number | undefined {
  if (structure === undefined) return RESPONSE_QUALITY.invalid
  if (!structure.missing.every((field) => typeof field === 'string')) return undefined
  if (!recordedFlag(structure.valid)) return RESPONSE_QUALITY.invalid
  if (![...requiredFields, ...optionalFields].every((field) => structure.lookedFor.includes(field))) return undefined
  const lacks = (field: string): boolean => structure.missing.includes(field)
  if (requiredFields.some(lacks)) return RESPONSE_QUALITY.requiredMissing
  return optionalFields.some(lacks) ? RESPONSE_QUALITY.optionalMissing : RESPONSE_QUALITY.complete
}

/** The gate behind `responseQuality`. */
export const responseQualityGate = defineGate({
  name: 'response-quality',
  stage: 'post-generation',
  measure: measureAnswer,
  judgesUnreadable: true,
  texts: {
    response_incomplete: refusalText(
      `${CANNOT_ANSWER} The answer was incomplete.`,
      'The answer was incomplete',
      SUGGEST.rephrase,
      SUGGEST.narrow,
    ),
    response_partial: noteText('The answer lacks optional parts', 'Verify the answer with primary sources'),
    response_quality_missing: refusalText(
      `${CANNOT_ANSWER} The answer could not be judged.`,
      'The answer could not be judged',
      SUGGEST.tryLater,
    ),
  },
  answerFields: ({ requiredFields, optionalFields }) => [...requiredFields, ...optionalFields],
  validate: (settings: ResponseQualitySettings) => {
    const kinds: OptionKinds<ResponseQualitySettings> = {
      gate: required(string),
      refuseBelow: required(number(0, RESPONSE_QUALITY.complete)),
      adviseBelow: required(number(settings.refuseBelow, RESPONSE_QUALITY.complete)),
      requiredFields: required(FIELD_NAMES),
      optionalFields: required(FIELD_NAMES),
    }
    requireOptions(settings, kinds, 'policy_invalid')
  },
  check: (settings, { answer }) => {
    const actual = answer === undefined ? undefined : responseQualityOf(settings, answer)
    if (actual === undefined) {
      return { outcome: 'refuse', code: 'response_quality_missing', message: 'There is no structured answer to judge' }
    }
    const { refuseBelow, adviseBelow } = settings
    if (!meets(actual, refuseBelow, RATIO_TOLERANCE)) {
      return {
        outcome: 'refuse',
        code: 'response_incomplete',
        message: `Response quality (${actual}) below threshold (${refuseBelow})`,
        actual,
        threshold: refuseBelow,
      }
    }
    const figures = { actual, threshold: adviseBelow }
    return meets(actual, adviseBelow, RATIO_TOLERANCE)
      ? {
          outcome: 'pass',
          code: 'passed',
          message: `Response quality (${actual}) meets threshold (${adviseBelow})`,
          ...figures,
        }
      : {
          outcome: 'advise',
          code: 'response_partial',
          message: `Response quality (${actual}) below threshold (${adviseBelow})`,
          ...figures,
        }
  },
})
