/** Checks whether a model's confidence in its answers correlates with their quality. */
import { spearman } from './correlation.ts'
import { auroc } from './auroc.ts'
import type { Interval } from './binomial-interval.ts'
import { aurocInterval, spearmanInterval } from './correlation-interval.ts'

/** An answer with the model's confidence and a rating of its quality. */
export interface RatedAnswer {
  /** 0..1; `undefined` if the model reported none. */
  readonly confidence: number | undefined
  /** 0..1, rated by a person or a test; 1 or 0 if it is just right or wrong. */
  readonly quality: number
}

/** A value with its 95 % interval. */
export interface Estimate extends Interval {
  readonly value: number
}

/** Result of `checkGenerationConfidence`. */
export interface GenerationConfidenceQuality {
  /** Number of answers with both. */
  readonly labels: number
  /** Number of answers without a usable confidence. */
  readonly missing: number
  /** Rank correlation of confidence and quality, −1..1; absent if either is constant. */
  readonly spearman?: Estimate
  /** Probability that a good answer has the higher confidence, 0..1; absent without answers of both kinds. */
  readonly auroc?: Estimate
  /** Whether the confidence is suitable for gating answers. */
  readonly carries: 'yes' | 'no' | 'unknown'
  /** The result in words. */
  readonly statement: string
}

/** Settings of `checkGenerationConfidence`. */
export interface GenerationConfidenceCheckOptions {
  /** Quality from which an answer counts as good, 0..1. @default 0.5 */
  readonly goodFrom?: number
  /** Minimum number of answers for a result. @default 50 */
  readonly minLabels?: number
}

/**
 * Checks whether the generation confidence correlates with the quality of the answers. The result is `yes` only if both
 * intervals exclude chance: correlation above 0, area above .5.
 *
 * @see the specification of multi-gate, "Confidence score reliability"
 */
export function checkGenerationConfidence(
  answers: readonly RatedAnswer[],
  options: GenerationConfidenceCheckOptions = {},
): GenerationConfidenceQuality {
  const { goodFrom = 0.5, minLabels = 50 } = options
  const usable = answers.flatMap(({ confidence, quality }) =>
    confidence !== undefined && Number.isFinite(confidence) && Number.isFinite(quality)
      ? [{ confidence, quality }]
      : [],
  )
  const rho = spearman(usable.map(({ confidence, quality }) => [confidence, quality] as const))
  const scored = usable.map(({ confidence, quality }) => ({ score: confidence, answerable: quality >= goodFrom }))
  const good = scored.filter(({ answerable }) => answerable).length
  const area = auroc(scored)
  const figures = {
    ...(rho === undefined ? {} : { spearman: { value: rho, ...spearmanInterval(rho, usable.length) } }),
    ...(Number.isNaN(area) ? {} : { auroc: { value: area, ...aurocInterval(area, good, scored.length - good) } }),
  }
  return {
    labels: usable.length,
    missing: answers.length - usable.length,
    ...figures,
    ...verdictOf(usable, figures, minLabels),
  }
}

function verdictOf(
  usable: readonly { readonly confidence: number; readonly quality: number }[],
  { spearman: rho, auroc: area }: Pick<GenerationConfidenceQuality, 'spearman' | 'auroc'>,
  minLabels: number,
): Pick<GenerationConfidenceQuality, 'carries' | 'statement'> {
  const labels = usable.length
  if (labels < minLabels) {
    return { carries: 'unknown', statement: `Too few rated answers: ${labels} of ${minLabels} needed` }
  }
  if (rho === undefined) {
    const constant = new Set(usable.map(({ confidence }) => confidence)).size === 1
    return constant
      ? { carries: 'no', statement: 'Every answer has the same confidence: it tells nothing, do not gate on it' }
      : { carries: 'unknown', statement: 'Every answer is equally good: nothing can be told apart' }
  }
  const said = `${labels} rated answers: rank correlation ${estimateText(rho)}${area === undefined ? '' : `, AUROC ${estimateText(area)}`}`
  return rho.low > 0 && (area === undefined || area.low > 0.5)
    ? { carries: 'yes', statement: `The confidence follows the quality of the answers. ${said}` }
    : { carries: 'no', statement: `The confidence does not carry: do not gate on it. ${said}` }
}

function estimateText({ value, low, high }: Estimate): string {
  return `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`
}
