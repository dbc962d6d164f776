/** The policies that a collection or a tenant can choose by name. */
import type { Policy } from '../../src/core/policy/policy.ts'
import { advisory } from '../../src/presets/advisory/advisory.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { legalReview } from '../../src/presets/weighted-signals/legal-review.ts'
import { multiGate } from '../../src/presets/multi-gate/multi-gate.ts'
import { sufficiency } from '../../src/presets/sufficiency/sufficiency.ts'
import { twoTier } from '../../src/presets/two-tier/two-tier.ts'
import { weightedSignals } from '../../src/presets/weighted-signals/weighted-signals.ts'
import { RagGateError } from '../../src/errors.ts'

/** What `null` stands for. */
const DEFAULT = 'balanced'

/** Made when they are first chosen, and once: a gate checks each policy object once. */
const MAKERS: Readonly<Record<string, () => Policy>> = {
  [DEFAULT]: () => balanced(),
  'balanced-strict': () => balanced({ refuseBelow: 0.75, adviseBelow: 0.85 }),
  'two-tier': () => twoTier(),
  'weighted-signals': () => weightedSignals({ renormalise: true }),
  // No model says here how sure it is of its answer: the gate that asks for it is left out.
  'multi-gate': () => multiGate({ refuseBelowConfidence: 'off' }),
  'legal-review': () => legalReview(),
  advisory: () => advisory(),
  sufficiency: () => sufficiency(),
}

const made = new Map<string, Policy>()

/** Names of the policies that can be chosen. */
export const POLICY_NAMES: readonly string[] = Object.keys(MAKERS)

/**
 * The policy of a name.
 *
 * @throws `config_invalid` for a name that this deployment does not know: nothing is answered under a policy that is not
 *   there
 */
export function policyNamed(name: string | null): Policy {
  const wanted = name ?? DEFAULT
  const known = made.get(wanted)
  if (known !== undefined) return known
  const make = Object.hasOwn(MAKERS, wanted) ? MAKERS[wanted] : undefined
  if (make === undefined) throw new RagGateError('config_invalid', 'The policy noted for this collection is not known')
  const policy = make()
  made.set(wanted, policy)
  return policy
}
