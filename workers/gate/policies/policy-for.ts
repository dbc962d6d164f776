/** Resolves the policy of a collection: a named one, or a pushed one. */
import { keepNewest } from 'hono-rag-gate/core/lib'
import { type Policy, type PolicyPin, resolvePolicy } from 'hono-rag-gate/core/policy'
import { isRagGateError, RagGateError } from 'hono-rag-gate/errors'
import type { Collection } from 'hono-rag-gate/ports'
import { POLICY_PARTS } from '@hono-rag-gate/presets'
import type { Policies } from '@hono-rag-gate/console'
import { WorkerError } from '../errors.ts'
import { requirePin } from './pins.ts'
import { namedPolicyOfId, POLICY_NAMES, policyNamed, recordingAll } from './policy-named.ts'

/** Cache by the stored settings and pin. */
const resolved = new Map<string, { readonly policy: Policy; readonly pin: PolicyPin | null }>()
const MOST_RESOLVED = 100

/**
 * The policy set for a collection.
 *
 * @throws `config_invalid` for an unknown one, or one calibrated with another embedding or reranker, because its
 *   guarantee would not hold
 */
export function policyFor(policyId: string | null, noted: Collection, reader: string | null): Policy {
  if (policyId === null || !policyId.includes('@')) return policyNamed(policyId)
  const { policy, pin } = resolved.get(noted.pushedPolicy ?? '') ?? keep(policyId, noted.pushedPolicy ?? null)
  if (pin !== null) {
    try {
      requirePin(pin, noted, reader, 'scale')
    } catch (cause) {
      const message = 'The policy is for another embedding or reader: choose another, then calibrate'
      throw new RagGateError('config_invalid', message, { cause })
    }
  }
  return policy
}

/**
 * Makes a policy from settings in a request.
 *
 * @throws `policy_settings` if they are invalid, need unavailable parts, or would disable the gate
 */
export function policyFromSettings(settings: unknown): Policy {
  let policy: Policy
  try {
    policy = resolvePolicy(settings, POLICY_PARTS)
  } catch (thrown) {
    if (!isRagGateError(thrown)) throw thrown
    const { message, param = 'settings' } = thrown
    throw new WorkerError('policy_settings', message, { param, cause: thrown })
  }
  if (policy.dangerouslyDisableGates === true) {
    throw new WorkerError('policy_settings', 'A policy without gates cannot be pushed', {
      param: 'dangerouslyDisableGates',
    })
  }
  return policy
}

/**
 * The policy with an id: a named one, or one that the tenant pushed.
 *
 * @returns `undefined` for any other, and for a pushed one that this version cannot make any more
 */
export async function policyOfId(
  { policies }: { readonly policies: Policies },
  tenant: string,
  id: string,
): Promise<Policy | undefined> {
  const named = namedPolicyOfId(id)
  if (named !== undefined) return named
  const pushed = await policies.pushed(tenant, id)
  try {
    return pushed === undefined ? undefined : policyFromSettings(pushed.settings)
  } catch (thrown) {
    if (thrown instanceof WorkerError && thrown.code === 'policy_settings') return undefined
    throw thrown
  }
}

/** The policy by name or id; see `policyOfId`. */
export async function policyAsked(
  stored: { readonly policies: Policies },
  tenant: string,
  asked: string,
): Promise<Policy | undefined> {
  return POLICY_NAMES.includes(asked) ? policyNamed(asked) : policyOfId(stored, tenant, asked)
}

function keep(id: string, pushed: string | null): { readonly policy: Policy; readonly pin: PolicyPin | null } {
  if (pushed === null) throw new RagGateError('config_invalid', 'The policy set for this collection is unknown')
  // Built by the database from what was validated when it was pushed.
  const { settings, pin } = JSON.parse(pushed) as { settings: unknown; pin: PolicyPin | null }
  const policy = recordingAll(resolvePolicy(settings, POLICY_PARTS))
  if (policy.id !== id) throw new RagGateError('config_invalid', 'The policy set for this collection is damaged')
  const made = { policy, pin }
  keepNewest(resolved, pushed, made, MOST_RESOLVED)
  return made
}
