/** How many answers say what no passage does: counted on labelled answers, never asserted. */
import type { Judgement } from 'hono-rag-gate/core/policy'
import { type MeasuredRate, measuredRate, rateText } from './measured-rate.ts'

/** An answer that was made, what the gates said of it, and what a person says of it. */
export interface LabelledAnswer {
  readonly decision: Pick<Judgement, 'findings' | 'verdict'>
  /** Whether it states anything that the passages do not hold. */
  readonly hallucinated: boolean
}

/** What was counted. */
export interface Hallucinations {
  /** Hallucinated answers among those given: what a reader meets. The target of the multi-gate profile is none. */
  readonly given: MeasuredRate
  /** Hallucinated answers among all that were made. */
  readonly made: MeasuredRate
  /** Answers that the grounding gate refused, among the hallucinated ones that it judged. */
  readonly caught: MeasuredRate
  /** Answers that the grounding gate refused, among the sound ones that it judged. */
  readonly falseAlarms: MeasuredRate
  /** In one sentence, with n and the interval. */
  readonly statement: string
}

/**
 * The rate of hallucinated answers from grounding findings and labels. `given` is what `suggestThresholdChange` takes as
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
