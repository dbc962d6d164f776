/** `PUT /v1/collections/{id}/policy` and `PUT /v1/policy`: by which policy a collection, or a tenant, is judged. */
import type { Context } from 'hono'
import { RagGateError } from '../../src/errors.ts'
import { withoutOwnTenant } from '../../src/middleware/own-tenant.ts'
import { readJsonObject } from '../../src/middleware/read-body.ts'
import { checkCollectionId } from '../../src/middleware/read-question.ts'
import { collectionNotFound } from '../../src/pipeline/find-place.ts'
import type { Policy } from '../../src/core/policy/policy.ts'
import { requireScope } from './access.ts'
import type { GateBindings } from './bindings.ts'
import { compositionFor } from './compose.ts'
import { POLICY_NAMES, policyNamed, unfitHere } from './policies.ts'
import { policyFromSettings } from './policies/policy-for.ts'
import { type PolicyPin, requirePin } from './policies/pins.ts'
import { storedPolicies } from './policies/stored-policies.ts'
import type { StatisticsStores } from './statistics/stores.ts'

const LIMITS = { maxBytes: 10_000, timeoutMs: 10_000 }

/** Chooses for one collection; `null` leaves it to the tenant. */
export async function putCollectionPolicy(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const { ingest, ...composition } = compositionFor(c.env)
  const { tenant, id: by } = await requireScope(composition, c.req.raw, 'admin')
  const id = checkCollectionId(c.req.param('id'))
  const asked = await readChoice(c, tenant, async (pin) => {
    const found = (await ingest.collections.list(tenant)).find((collection) => collection.id === id)
    if (found === undefined) throw collectionNotFound()
    requirePin(pin, found, 'embedding')
  })
  const { policy } = asked
  if (!(await ingest.collections.choosePolicy(tenant, id, policy))) throw collectionNotFound()
  await recordChoice(composition.statistics, c.env.DB, { tenant, by, collection: id, ...asked })
  return c.json({ collection: id, policy })
}

/** Chooses for the collections of the caller's tenant that have none of their own; `null` leaves it to the deployment. */
export async function putTenantPolicy(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const { ingest, ...composition } = compositionFor(c.env)
  const { tenant, id: by } = await requireScope(composition, c.req.raw, 'admin')
  const asked = await readChoice(c, tenant, async () => {
    throw new RagGateError('policy_pin_mismatch', 'This policy is for the collection it was calibrated on alone', {
      param: 'policy',
    })
  })
  const { policy } = asked
  await ingest.collections.chooseTenantPolicy(tenant, policy)
  await recordChoice(composition.statistics, c.env.DB, { tenant, by, collection: null, ...asked })
  return c.json({ tenant, policy })
}

/** What the body asks for, and why, where it says so. */
interface AskedPolicy {
  readonly policy: string | null
  /** What the name stands for. */
  readonly chosen: Policy
  readonly why: string | null
}

const MAX_WHY_CHARACTERS = 1_000

/** @param checkPin throws where a pushed policy does not belong */
async function readChoice(
  c: Context<{ Bindings: GateBindings }>,
  tenant: string,
  checkPin: (pin: PolicyPin) => Promise<void>,
): Promise<AskedPolicy> {
  const { policy, why = null, ...others } = await readJsonObject(c.req, LIMITS)
  if (Object.keys(withoutOwnTenant(others, tenant)).length > 0) {
    throw new RagGateError('unknown_field', 'The body may have only policy and why')
  }
  if (why !== null && (typeof why !== 'string' || why.length > MAX_WHY_CHARACTERS)) {
    throw new RagGateError('why', `why must be a string of at most ${MAX_WHY_CHARACTERS} characters`, { param: 'why' })
  }
  if (policy === null) return { policy, chosen: policyNamed(policy), why }
  if (typeof policy === 'string' && POLICY_NAMES.includes(policy)) {
    const unfit = unfitHere(policy, c.env)
    if (unfit === undefined) return { policy, chosen: policyNamed(policy), why }
    throw new RagGateError('policy_unknown', `${policy} cannot judge anything here: ${unfit}`, { param: 'policy' })
  }
  const pushed = typeof policy === 'string' ? await storedPolicies(c.env.DB).find(tenant, policy) : undefined
  if (pushed === undefined) {
    const names = POLICY_NAMES.join(', ')
    throw new RagGateError('policy_unknown', `policy must be null, the id of a pushed policy or one of ${names}`, {
      param: 'policy',
    })
  }
  if (pushed.pin !== null) await checkPin(pushed.pin)
  return { policy: pushed.id, chosen: policyFromSettings(pushed.settings), why }
}

interface Choice extends AskedPolicy {
  readonly tenant: string
  readonly by: string
  /** `null` for the tenant as a whole. */
  readonly collection: string | null
}

/** Keeps the policy itself and who chose it, when and why. */
async function recordChoice(
  { audit }: StatisticsStores,
  db: D1Database,
  { tenant, by, collection, policy, chosen, why }: Choice,
): Promise<void> {
  await audit.keepPolicy(chosen)
  await audit.record({
    tenant,
    type: 'POLICY_CHOSEN',
    by,
    payload: { collection, policy, policy_id: chosen.id, why },
  })
  await storedPolicies(db).noteChoice({
    tenant,
    collection: collection ?? '',
    policy,
    atMs: Date.now(),
    by,
    why: why ?? '',
  })
}
