/** Counts hallucinated answers among labelled ones. */
import type { Judgement } from 'hono-rag-gate/core/policy'
import { type MeasuredRate, measuredRate, rateText } from './measured-rate.ts'

/** A generated answer with its decision and a person's label. */
export interface LabelledAnswer {
  readonly decision: Pick<Judgement, 'findings' | 'verdict'>
  /** Whether it states anything that the passages do not contain. */
  readonly hallucinated: boolean
}

/** Counted rates. */
export interface Hallucinations {
  /** Hallucinated answers among those sent to readers. The multi-gate profile's target is none. */
  readonly given: MeasuredRate
  /** Hallucinated answers among all generated ones. */
  readonly made: MeasuredRate
  /** Among the hallucinated answers that the grounding gate judged, those that it refused. */
  readonly caught: MeasuredRate
  /** Among the correct answers that the grounding gate judged, those that it refused. */
  readonly falseAlarms: MeasuredRate
  /** In one sentence, with n and the interval. */
  readonly statement: string
}

/**
 * Computes hallucination rates from grounding findings and labels. `given` can be passed to `suggestThresholdChange` as
 * `hallucinations`.
 *
 * @see the specification of multi-gate, "Consequences" (SC-002)
 */
export function countHallucinations(answers: readonly LabelledAnswer[]): Hallucinations {
  const rateOf = (of: readonly LabelledAnswer[], hit: (answer: LabelledAnswer) => boolean): MeasuredRate =>
    measuredRate(of.filter(hit).length, of.length)
  const isHallucinated = ({ hallucinated }: LabelledAnswer): boolean => hallucinated
  const judged = answers.filter((answer) => groundingOf(answer) !== undefined)
  const isRefused = (answer: LabelledAnswer): boolean => groundingOf(answer) === 'refuse'
  const given = rateOf(
    answers.filter(({ decision }) => decision.verdict !== 'refuse'),
    isHallucinated,
  )
  return {
    given,
    made: rateOf(answers, isHallucinated),
    caught: rateOf(judged.filter(isHallucinated), isRefused),
    falseAlarms: rateOf(
      judged.filter((answer) => !isHallucinated(answer)),
      isRefused,
    ),
    statement:
      given.labels === 0
        ? 'No labelled answer was given: the rate of hallucinated answers is not known'
        : `Hallucinated answers among those given: ${rateText(given)}, 95 % interval`,
  }
}

function groundingOf({ decision }: LabelledAnswer) {
  const outcome = decision.findings.find(({ gate }) => gate === 'grounding')?.outcome
  return outcome === 'skip' ? undefined : outcome
}
