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
import type { GateBindings } from './bindings.ts'

/** What `null` stands for. */
const DEFAULT = 'balanced'

/** Made when they are first chosen, and once: a gate checks each policy object once. */
const MAKERS: Readonly<Record<string, () => Policy>> = {
  [DEFAULT]: () => balanced(),
  'balanced-strict': () => balanced({ refuseBelow: 0.75, adviseBelow: 0.85 }),
  'two-tier': () => twoTier(),
  'weighted-signals': () => weightedSignals(),
  // Without a reranker and a graph half of the document's weights have nothing to weigh.
  'weighted-signals-renormalised': () => weightedSignals({ renormalise: true }),
  // No model says here how sure it is of its answer: the gate that asks for it is left out.
  'multi-gate': () => multiGate({ refuseBelowConfidence: 'off' }),
  'legal-review': () => legalReview(),
  advisory: () => advisory(),
  sufficiency: () => sufficiency(),
}

/** Why a policy would refuse, or call unusable, whatever it is asked here; `undefined` where it works. */
export function unfitHere(name: string, env: PolicyBindings): string | undefined {
  const hasReranker = env.RERANKER !== undefined && env.RERANKER !== 'off'
  const embedsMeaning = env.VECTORIZE !== undefined || env.UPSTASH_VECTOR_REST_URL !== undefined
  switch (name) {
    case 'multi-gate':
      return embedsMeaning ? undefined : `it judges cosines of meaning, and ${WORDS_ONLY}`
    case 'advisory':
      return hasReranker || embedsMeaning ? undefined : `it needs a reranker or cosines of meaning, and ${WORDS_ONLY}`
    case 'sufficiency':
      return 'it needs what attributes an answer to passages, and no generator of this Worker reports that'
    default:
      return undefined
  }
}

type PolicyBindings = Pick<GateBindings, 'RERANKER' | 'VECTORIZE' | 'UPSTASH_VECTOR_REST_URL'>

const WORDS_ONLY = 'the embedded index knows words alone (set RERANKER, Vectorize or Upstash Vector)'

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

/** The policy of an id, if this deployment can choose it. */
export function policyOfId(id: string): Policy | undefined {
  const name = POLICY_NAMES.find((each) => policyNamed(each).id === id)
  return name === undefined ? undefined : policyNamed(name)
}
