/** Tunes a threshold on labels: offline, into a new frozen policy, with a record of the change and its reason. */
import { RagGateError } from 'hono-rag-gate/errors'
import { meets, RATIO_TOLERANCE } from 'hono-rag-gate/core/lib'
import type { Policy } from 'hono-rag-gate/core/policy'
import {
  type LabelledDecision,
  scoresOfGate,
  type ThresholdGate,
  thresholdOf,
  toleranceOf,
  withThreshold,
} from './gate-threshold.ts'
import type { LabelledScore } from './labelled-score.ts'
import { type MeasuredRate, measuredRate, rateText } from './measured-rate.ts'
import { labelsNeeded, lowestSafeThreshold } from './safe-threshold.ts'

/** Options of `tuneThreshold`. */
export interface TuneOptions {
  /** The gate whose threshold is tuned. */
  readonly gate: ThresholdGate
  /** Share of the unanswerable questions that may be answered, above 0, below 1. @default 0.05 */
  readonly maxFalseAcceptance?: number
  /** Confidence level of that guarantee, .5 to below 1. @default 0.9 */
  readonly certainty?: number
  /** Thresholds are multiples of it, above 0, to .5. @default 0.01 */
  readonly step?: number
}

/** Result of tuning. The given policy is never changed. */
export interface TunedThreshold {
  readonly action: 'keep' | 'raise' | 'lower'
  readonly because: string
  readonly gate: ThresholdGate
  readonly from: number
  readonly to: number
  /** At `to`, on these labels. */
  readonly falseAcceptances: MeasuredRate
  /** At `to`, on these labels. */
  readonly falseRefusals: MeasuredRate
  readonly fromPolicyId: string
  /** The policy to use: a new one, or the given one if nothing changes. */
  readonly policy: Policy
}

/**
 * Finds the lowest threshold of a gate at which, at the given confidence level, at most the given share of unanswerable
 * questions is accepted. Thresholds are tested from the strictest down, each against the exact binomial bound, and the
 * search stops at the first that fails, so that testing many does not weaken the guarantee. The policy is unchanged with
 * too few labels, if no threshold passes, or if the gate compared no unanswerable question with its threshold.
 *
 * The guarantee only holds for questions of the kind that was labelled.
 *
 * @param labelled decisions of the policy, or of another one with this gate
 * @throws `config_invalid` if an option is out of range, the policy has no such gate, or a decision was neither judged by
 *   the gate nor refused
 * @see the specification of sufficiency, "Future Enhancements"
 */
export function tuneThreshold(
  policy: Policy,
  labelled: readonly LabelledDecision[],
  options: TuneOptions,
): TunedThreshold {
  const { gate, maxFalseAcceptance: risk = 0.05, certainty = 0.9, step = 0.01 } = options
  if (!(risk > 0 && risk < 1) || !(certainty >= 0.5 && certainty < 1) || !(step > 0 && step <= 0.5)) {
    throw new RagGateError('config_invalid', 'maxFalseAcceptance, certainty or step is out of range', { param: 'step' })
  }
  const from = thresholdOf(policy, gate)
  const tolerance = toleranceOf(policy, gate)
  const scored = scoresOfGate(gate, labelled)
  requireJudged(labelled, scored, gate)
  const unanswerable = scored.filter(({ answerable }) => !answerable).length
  const kept = (because: string): TunedThreshold => ({
    action: 'keep',
    because,
    gate,
    from,
    to: from,
    ...ratesAt(scored, from, tolerance),
    fromPolicyId: policy.id,
    policy,
  })
  const needed = labelsNeeded(risk, certainty)
  if (unanswerable < needed) {
    return kept(`Too few labels: ${unanswerable} unanswerable questions of ${needed} needed`)
  }
  const refusable = scored.flatMap(({ score, answerable }) => (answerable ? [] : [score]))
  if (!refusable.some(Number.isFinite)) return kept('The gate compared no unanswerable question with its threshold')
  const to = lowestSafeThreshold(refusable, { risk, certainty, step, tolerance })
  if (to === undefined) return kept(`No threshold up to 1 keeps false acceptances at ${risk} with this certainty`)
  const rates = ratesAt(scored, to, tolerance)
  const promise = `At most ${risk} of the unanswerable questions get through, with certainty ${certainty}`
  const because = `${promise}: ${rateText(rates.falseAcceptances)} on these labels`
  if (Math.abs(to - from) <= RATIO_TOLERANCE) return kept(because)
  const changed = withThreshold(policy, gate, to)
  const action = to > from ? 'raise' : 'lower'
  return { action, because, gate, from, to, ...rates, fromPolicyId: policy.id, policy: changed }
}

/** Without a refusal by another gate, a question that the gate did not judge was answered, whatever its threshold is. */
function requireJudged(
  labelled: readonly LabelledDecision[],
  scored: readonly LabelledScore[],
  gate: ThresholdGate,
): void {
  const unjudged = labelled.filter(({ decision }, at) => {
    return Number.isNaN(scored[at]!.score) && decision.findings.every(({ outcome }) => outcome !== 'refuse')
  }).length
  if (unjudged === 0) return
  const problem = `${unjudged} of ${labelled.length} decisions were not judged by ${gate}`
  throw new RagGateError('config_invalid', problem, { param: 'labelled' })
}

function ratesAt(
  scored: readonly LabelledScore[],
  threshold: number,
  tolerance: number,
): Pick<TunedThreshold, 'falseAcceptances' | 'falseRefusals'> {
  const passing = (kind: boolean): readonly [passes: number, of: number] => {
    const those = scored.filter(({ answerable }) => answerable === kind)
    return [those.filter(({ score }) => meets(score, threshold, tolerance)).length, those.length]
  }
  const [accepted, unanswerable] = passing(false)
  const [answered, answerable] = passing(true)
  return {
    falseAcceptances: measuredRate(accepted, unanswerable),
    falseRefusals: measuredRate(answerable - answered, answerable),
  }
}

/** Tuned policies by collection. */
export interface TunedCollections {
  /** Result of tuning by collection, for the change log. */
  readonly tuned: Readonly<Record<string, TunedThreshold>>
  /** The policy for a collection: its own if it has enough labels, else the common one. For `ragGate`. */
  readonly policyFor: (tenant: string, collection: string) => Policy
}

/**
 * Tunes the threshold of each collection on its own labels; repeat it as new labels come in. Each collection has its
 * own guarantee; jointly they hold with less certainty than each alone.
 *
 * @throws what `tuneThreshold` throws
 * @see the specification of sufficiency, "Future Enhancements"
 */
export function tuneByCollection(
  policy: Policy,
  labelled: Readonly<Record<string, readonly LabelledDecision[]>>,
  options: TuneOptions,
): TunedCollections {
  const tuned = new Map(
    Object.entries(labelled).map(([collection, labels]) => [collection, tuneThreshold(policy, labels, options)]),
  )
  return {
    tuned: Object.fromEntries(tuned),
    policyFor: function tunedPolicy(_tenant, collection) {
      return tuned.get(collection)?.policy ?? policy
    },
  }
}
