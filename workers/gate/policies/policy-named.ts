/** The named policies, made on first use and cached, because a gate checks each policy object once. */
import type { PolicyRecord } from 'hono-rag-gate/adapters/d1'
import { definePolicy, type Policy, policySettings } from 'hono-rag-gate/core/policy'
import { RagGateError } from 'hono-rag-gate/errors'
import { allSignals, DEFAULT_POLICY, NAMED_POLICIES } from '@hono-rag-gate/presets'
import { LANGUAGE } from '../language.ts'

const made = new Map<string, Policy>()

/** Names of the policies that can be chosen. */
export const POLICY_NAMES: readonly string[] = Object.keys(NAMED_POLICIES)

/**
 * The policy of a name; the default for `null`.
 *
 * @throws `config_invalid` for an unknown name
 */
export function policyNamed(name: string | null): Policy {
  const wanted = name ?? DEFAULT_POLICY
  const known = made.get(wanted)
  if (known !== undefined) return known
  const make = Object.hasOwn(NAMED_POLICIES, wanted) ? NAMED_POLICIES[wanted] : undefined
  if (make === undefined) throw new RagGateError('config_invalid', 'There is no policy of the stored name')
  const policy = recordingAll(make())
  made.set(wanted, policy)
  return policy
}

/** The policy in the Worker's language, recording every signal that any named policy reads, so that all of them can be replayed. */
export function recordingAll(policy: Policy): Policy {
  return definePolicy({ ...policy, ...(policy.language && { language: LANGUAGE }), records: allSignals() })
}

/** A policy of the deployment in stored form: plain data with its id. */
export function recordedPolicy(policy: Policy): PolicyRecord {
  return { id: policy.id, ...policySettings(policy) }
}

/** The named policy with an id, if there is one. */
export function namedPolicyOfId(id: string): Policy | undefined {
  const name = POLICY_NAMES.find((each) => policyNamed(each).id === id)
  return name === undefined ? undefined : policyNamed(name)
}
