/** `PUT /v1/collections/{id}/policy` and `PUT /v1/policy`: chooses the policy of a collection or tenant. */
import { checkMembers, requireScope } from '@hono-rag-gate/console/http'
import type { Context } from 'hono'
import { ConsoleError } from '@hono-rag-gate/console'
import type { Policy, PolicyPin } from 'hono-rag-gate/core/policy'
import { checkCollectionId, readJsonObject, withoutOwnTenant } from 'hono-rag-gate/middleware'
import { collectionNotFound } from 'hono-rag-gate/pipeline'
import type { GateBindings } from '../bindings.ts'
import { type Composition, compositionFor } from '../compose.ts'
import { learnAfter } from '../documents/learn-scale.ts'
import { WorkerError } from '../errors.ts'
import { requirePin } from './pins.ts'
import { policyFromSettings } from './policy-for.ts'
import { readWhy } from './read-why.ts'
import { namedPolicyOfId, POLICY_NAMES, policyNamed, recordedPolicy } from './policy-named.ts'
import { requireFit } from './require-fit.ts'

const LIMITS = { maxBytes: 10_000, timeoutMs: 10_000 }

/** Chooses for one collection; `null` means the tenant's. */
export async function putCollectionPolicy(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const composition = compositionFor(c.env)
  const { ingest } = composition
  const { tenant, id: by } = await requireScope(composition, c.req.raw, 'admin')
  const id = checkCollectionId(c.req.param('id'))
  const asked = await readChoice(c, composition, { tenant, collection: id }, async (pin) => {
    const found = (await ingest.collections.list(tenant)).find((collection) => collection.id === id)
    if (found === undefined) throw collectionNotFound()
    requirePin(pin, found, composition.reader, 'scale')
  })
  const { policy, current } = asked
  if (!(await ingest.collections.choosePolicy(tenant, id, policy, current))) throw collectionNotFound()
  c.executionCtx.waitUntil(learnAfter(composition, tenant, id))
  await recordChoice(composition, { tenant, by, collection: id, ...asked })
  return c.json({ collection: id, policy })
}

/** Chooses for the collections of the caller's tenant without their own; `null` means the deployment's. */
export async function putTenantPolicy(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const composition = compositionFor(c.env)
  const { ingest } = composition
  const { tenant, id: by } = await requireScope(composition, c.req.raw, 'admin')
  const asked = await readChoice(c, composition, { tenant, collection: null }, async () => {
    throw new WorkerError('policy_pin_mismatch', 'This policy is for the collection of its calibration', {
      param: 'policy',
    })
  })
  const { policy, current } = asked
  await ingest.collections.chooseTenantPolicy(tenant, policy, current)
  await recordChoice(composition, { tenant, by, collection: null, ...asked })
  return c.json({ tenant, policy })
}

/** The choice in the body, and its reason. */
interface AskedPolicy {
  readonly policy: string | null
  /** The resolved policy. */
  readonly chosen: Policy
  /** Empty if not given. */
  readonly why: string
  /** Whether the current choice is reverted. */
  readonly rollback: boolean
  /** The policy that is replaced: of a rollback, the one that it takes back. */
  readonly before: string | null
  /** The policy set until now; a rollback recorded in part may differ from `before`. */
  readonly current: string | null
}

/** What the policy is chosen for. */
interface ChosenFor {
  readonly tenant: string
  /** `null` for the whole tenant. */
  readonly collection: string | null
}

/** @param checkPin throws if a pushed policy does not match */
async function readChoice(
  c: Context<{ Bindings: GateBindings }>,
  composition: Composition,
  { tenant, collection }: ChosenFor,
  checkPin: (pin: PolicyPin) => Promise<void>,
): Promise<AskedPolicy> {
  const { policy: named, why: said, rollback = false, ...others } = await readJsonObject(c.req, LIMITS)
  checkMembers(withoutOwnTenant(others, tenant), 'policy or rollback, why')
  if (typeof rollback !== 'boolean' || (rollback && named !== undefined)) {
    throw new ConsoleError('policy_unknown', 'Give policy, or rollback: true', {
      param: 'rollback',
    })
  }
  const { policies } = composition
  const earlier = rollback ? await policies.choiceBefore(tenant, collection) : undefined
  if (rollback && earlier === undefined) {
    throw new WorkerError('nothing_to_roll_back', 'There is no choice to go back to')
  }
  const policy = earlier === undefined ? named : earlier.before
  const current = await policies.chosen(tenant, collection)
  const before = earlier === undefined ? current : earlier.last.policy
  const about = { why: readWhy(said), rollback, before, current }
  if (policy === null) return { policy, chosen: policyNamed(policy), ...about }
  if (typeof policy === 'string' && POLICY_NAMES.includes(policy)) {
    const chosen = policyNamed(policy)
    await requireFit(chosen, composition)
    return { policy, chosen, ...about }
  }
  const pushed = typeof policy === 'string' ? await policies.pushed(tenant, policy) : undefined
  if (pushed === undefined) {
    const names = POLICY_NAMES.join(', ')
    throw new ConsoleError('policy_unknown', `policy must be null, the id of a pushed policy or one of ${names}`, {
      param: 'policy',
    })
  }
  const chosen = policyFromSettings(pushed.settings)
  // Resources may have changed since it was pushed.
  await requireFit(chosen, composition)
  if (pushed.pin !== null) await checkPin(pushed.pin)
  return { policy: pushed.id, chosen, ...about }
}

interface Choice extends AskedPolicy, ChosenFor {
  readonly by: string
}

/** Stores a policy of the deployment, and records the choice with author, time and reason. */
async function recordChoice({ policies }: Composition, { policy, chosen, ...choice }: Choice): Promise<void> {
  // A pushed policy belongs to its tenant, and is already stored.
  if (namedPolicyOfId(chosen.id) !== undefined) await policies.keep(recordedPolicy(chosen))
  await policies.recordChoice({ ...choice, policy, policyId: chosen.id })
}
