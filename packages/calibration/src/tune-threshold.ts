/** A threshold from ground truth: offline, into a new frozen policy, with what changed and why. */
import { RagGateError } from 'hono-rag-gate/errors'
import { meets, RATIO_TOLERANCE } from 'hono-rag-gate/core/lib'
import type { Policy } from 'hono-rag-gate/core/policy'
import {
  type LabelledDecision,
  scoresOfGate,
  type ThresholdGate,
  thresholdOf,
  withThreshold,
} from './gate-threshold.ts'
import type { LabelledScore } from './labelled-score.ts'
import { type MeasuredRate, measuredRate, rateText } from './measured-rate.ts'
import { labelsNeeded, lowestSafeThreshold } from './safe-threshold.ts'

/** Settings of `tuneThreshold`. */
export interface TuneOptions {
  /** The gate whose threshold is tuned. */
  readonly gate: ThresholdGate
  /** Share of the unanswerable questions that may be answered, above 0, below 1. @default 0.05 */
  readonly maxFalseAcceptance?: number
  /** How sure one must be of that, .5 to below 1. @default 0.9 */
  readonly certainty?: number
  /** Thresholds are multiples of it, above 0, to .5. @default 0.01 */
  readonly step?: number
}

/** What tuning came to. The policy that was given is never changed. */
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
  /** The policy to use: a new one, or the one given where nothing changes. */
  readonly policy: Policy
}

/**
 * The lowest threshold of a gate at which, with the stated certainty, no more than the stated share of unanswerable
 * questions gets through. Thresholds are tried from the strictest down and the first that cannot be vouched for ends it,
 * so that trying many of them takes nothing from the certainty; each is held against the exact binomial bound. With too
 * few labels, or no threshold that holds, the policy stays as it is.
 *
 * The promise holds for questions of the kind that was labelled, and no other.
 *
 * @throws `config_invalid` when an option is out of range, or the policy has no such gate
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
  const scored = scoresOfGate(gate, labelled)
  const unanswerable = scored.filter(({ answerable }) => !answerable).length
  const kept = (because: string): TunedThreshold => ({
    action: 'keep',
    because,
    gate,
    from,
    to: from,
    ...ratesAt(scored, from),
    fromPolicyId: policy.id,
    policy,
  })
  const needed = labelsNeeded(risk, certainty)
  if (unanswerable < needed) {
    return kept(`Too few labels: ${unanswerable} unanswerable questions of ${needed} needed`)
  }
  const refusable = scored.flatMap(({ score, answerable }) => (answerable ? [] : [score]))
  const to = lowestSafeThreshold(refusable, { risk, certainty, step })
  if (to === undefined) return kept(`No threshold up to 1 keeps false acceptances at ${risk} with this certainty`)
  const rates = ratesAt(scored, to)
  const promise = `At most ${risk} of the unanswerable questions get through, with certainty ${certainty}`
  const because = `${promise}: ${rateText(rates.falseAcceptances)} on these labels`
  if (Math.abs(to - from) <= RATIO_TOLERANCE) return kept(because)
  const changed = withThreshold(policy, gate, to)
  const action = to > from ? 'raise' : 'lower'
  return { action, because, gate, from, to, ...rates, fromPolicyId: policy.id, policy: changed }
}

function ratesAt(
  scored: readonly LabelledScore[],
  threshold: number,
): Pick<TunedThreshold, 'falseAcceptances' | 'falseRefusals'> {
  const passing = (kind: boolean): readonly [passes: number, of: number] => {
    const those = scored.filter(({ answerable }) => answerable === kind)
    return [those.filter(({ score }) => meets(score, threshold, RATIO_TOLERANCE)).length, those.length]
  }
  const [accepted, unanswerable] = passing(false)
  const [answered, answerable] = passing(true)
  return {
    falseAcceptances: measuredRate(accepted, unanswerable),
    falseRefusals: measuredRate(answerable - answered, answerable),
  }
}

/** Thresholds of their own, by collection. */
export interface TunedCollections {
  /** What tuning came to, by collection: for the change log. */
  readonly tuned: Readonly<Record<string, TunedThreshold>>
  /** The policy of a collection: its own where it has labels enough, the common one elsewhere. For `ragGate`. */
  readonly policyFor: (tenant: string, collection: string) => Policy
}

/**
 * Tunes the threshold of each collection from its own labels; run again on newer labels, over time. Every collection has
 * its own promise: together they hold less surely than each alone.
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
