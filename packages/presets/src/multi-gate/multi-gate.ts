import { anything, number, oneOf, type OptionKinds, requireOptions } from 'hono-rag-gate/core/lib'
import {
  generationConfidence,
  generationConfidenceGate,
  grounding,
  groundingGate,
  type GroundingOptions,
} from '../answers/index.ts'
import { minTopCosine, minTopCosineGate, type ReasonCode, type Text } from 'hono-rag-gate/core/gates'
import { definePolicy, ENGINE_TEXTS, type Policy, type Preset, type Wording } from 'hono-rag-gate/core/policy'
import { english } from 'hono-rag-gate/language/english'
import { topCosine, topCosineModel } from './top-cosine.ts'
import { keywordCoverage, keywordCoverageGate } from './keyword-coverage.ts'

const GATES = [minTopCosineGate, keywordCoverageGate, generationConfidenceGate, groundingGate]

/** The sentence that the specification uses for every refusal. */
const NOT_VERIFIED = 'This information cannot be verified from the book content.'

/** Gates, model and texts of `multiGate`, with the specification's refusal. */
export const multiGatePreset: Preset = Object.freeze<Preset>({
  name: 'multi-gate',
  needsOneOf: ['meaning'],
  gates: GATES,
  confidenceModels: [topCosineModel],
  languages: [english],
  specificationTexts: inOneSentence([ENGINE_TEXTS, ...GATES.map(({ texts }) => texts)]),
})

/** All refusal texts, with their answer replaced by the specification's sentence. */
function inOneSentence(texts: readonly Readonly<Record<ReasonCode, Text>>[]): Readonly<Record<ReasonCode, Text>> {
  const refusals = texts.flatMap((each) => Object.entries(each)).filter(([, { answer }]) => answer !== '')
  return Object.freeze(Object.fromEntries(refusals.map(([code, text]) => [code, { ...text, answer: NOT_VERIFIED }])))
}

/** Settings of `multiGate`. */
export interface MultiGateOptions extends GroundingOptions {
  /**
   * Raw cosine of the best chunk below which the question is refused, −1..1.
   *
   * @default 0.7
   */
  readonly refuseBelow?: number
  /**
   * Share of the question's keywords that the chunks must contain; below it the answer carries a caution, 0..1.
   *
   * @default 0.5
   */
  readonly adviseBelowKeywords?: number
  /**
   * Generation confidence below which the answer is refused, 0..1. `'off'` leaves the gate out, for models that report
   * no confidence.
   *
   * @default 0.6
   */
  readonly refuseBelowConfidence?: number | 'off'
  /**
   * Whether the answer is compared with the passages.
   *
   * @default 'on'
   */
  readonly answerGrounding?: 'on' | 'off'
  /** Wording of refusals. @default 'neutral' */
  readonly wording?: Wording
}

const SHARE = number(0, 1)

/** Options that a gate has under the same name are validated by the gate. */
const OPTIONS: OptionKinds<MultiGateOptions> = {
  refuseBelow: anything,
  adviseBelowKeywords: SHARE,
  refuseBelowConfidence: {
    words: `${SHARE.words}, or 'off'`,
    holds: (value) => value === 'off' || SHARE.holds(value),
  },
  answerGrounding: oneOf('on', 'off'),
  wording: anything,
  minTermShare: anything,
}

/**
 * Checks the best chunk's cosine, keyword coverage (a caution), the model's confidence in its answer, and the answer's
 * grounding in the passages.
 *
 * The third gate needs a source of that confidence: `answer.generationConfidence` of `ragGate`.
 *
 * @throws `policy_invalid` when a setting is out of range
 */
export function multiGate(options: MultiGateOptions = {}): Policy {
  requireOptions(options, OPTIONS, 'policy_invalid')
  const { refuseBelow, adviseBelowKeywords, refuseBelowConfidence, minTermShare } = options
  return definePolicy({
    name: 'multi-gate',
    confidence: topCosine(),
    preset: multiGatePreset,
    ...(options.wording === undefined ? {} : { wording: options.wording }),
    bands: { high: 0.85, medium: 0.7, low: 0.5 },
    language: english,
    gates: [
      minTopCosine(refuseBelow === undefined ? {} : { refuseBelow }),
      keywordCoverage(adviseBelowKeywords === undefined ? {} : { adviseBelow: adviseBelowKeywords }),
      ...(refuseBelowConfidence === 'off'
        ? []
        : [generationConfidence(refuseBelowConfidence === undefined ? {} : { refuseBelow: refuseBelowConfidence })]),
      ...(options.answerGrounding === 'off' ? [] : [grounding(minTermShare === undefined ? {} : { minTermShare })]),
    ],
  })
}
