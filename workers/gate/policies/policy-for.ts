/** By which policy a collection is judged: one that has a name here, or one that was pushed. */
import { calibratedParts } from '../../../src/core/calibration/calibrated-parts.ts'
import { type Policy, resolvePolicy } from '../../../src/core/policy/policy.ts'
import type { PolicyParts } from '../../../src/core/policy/preset.ts'
import { isRagGateError, RagGateError } from '../../../src/errors.ts'
import type { Collection } from '../../../src/ports/collections.ts'
import { advisoryPreset } from '../../../src/presets/advisory/advisory.ts'
import { balancedPreset } from '../../../src/presets/balanced/balanced.ts'
import { multiGatePreset } from '../../../src/presets/multi-gate/multi-gate.ts'
import { sufficiencyPreset } from '../../../src/presets/sufficiency/sufficiency.ts'
import { twoTierPreset } from '../../../src/presets/two-tier/two-tier.ts'
import { weightedSignalsPreset } from '../../../src/presets/weighted-signals/weighted-signals.ts'
import { policyNamed } from '../policies.ts'
import { type PolicyPin, requirePin } from './pins.ts'

/** What pushed policies may be made of. */
const PARTS: readonly PolicyParts[] = [
  balancedPreset,
  twoTierPreset,
  weightedSignalsPreset,
  multiGatePreset,
  advisoryPreset,
  sufficiencyPreset,
  calibratedParts,
]

/** By what was stored: settings and pin. */
const resolved = new Map<string, { readonly policy: Policy; readonly pin: PolicyPin | null }>()
const MOST_RESOLVED = 100

/**
 * The policy that is noted for a collection.
 *
 * @throws `config_invalid` for one that is not known, or that was calibrated on another embedding: nothing is answered
 *   under a promise that does not hold
 */
export function policyFor(policyId: string | null, noted: Collection): Policy {
  if (policyId === null || !policyId.includes('@')) return policyNamed(policyId)
  const { policy, pin } = resolved.get(noted.pushedPolicy ?? '') ?? keep(policyId, noted.pushedPolicy ?? null)
  if (pin !== null) {
    try {
      requirePin(pin, noted, 'embedding')
    } catch (cause) {
      throw new RagGateError('config_invalid', 'The policy of this collection was calibrated on another embedding', {
        cause,
      })
    }
  }
  return policy
}

/**
 * A policy from the settings that were sent.
 *
 * @throws `policy_settings` when they are none, need parts that are not here, or would disable the gate
 */
export function policyFromSettings(settings: unknown): Policy {
  let policy: Policy
  try {
    policy = resolvePolicy(settings, PARTS)
  } catch (thrown) {
    if (!isRagGateError(thrown)) throw thrown
    const { message, param = 'settings' } = thrown
    throw new RagGateError('policy_settings', message, { param, cause: thrown })
  }
  if (policy.dangerouslyDisableGates === true) {
    throw new RagGateError('policy_settings', 'A policy without gates is set in the code, never pushed', {
      param: 'dangerouslyDisableGates',
    })
  }
  if (policy.gates.some(({ gate }) => gate.needs === 'generation-confidence')) {
    throw new RagGateError('policy_settings', 'This Worker has no source of generation confidence', { param: 'gates' })
  }
  return policy
}

function keep(id: string, pushed: string | null): { readonly policy: Policy; readonly pin: PolicyPin | null } {
  if (pushed === null) throw new RagGateError('config_invalid', 'The policy noted for this collection is not known')
  // Made by the database from what was checked when it was pushed.
  const { settings, pin } = JSON.parse(pushed) as { settings: unknown; pin: PolicyPin | null }
  const policy = resolvePolicy(settings, PARTS)
  if (policy.id !== id) throw new RagGateError('config_invalid', 'The policy noted for this collection is damaged')
  const made = { policy, pin }
  for (const oldest of resolved.keys()) {
    if (resolved.size < MOST_RESOLVED) break
    resolved.delete(oldest)
  }
  resolved.set(pushed, made)
  return made
}
