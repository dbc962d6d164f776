/** `PUT /v1/collections/{id}/policy` and `PUT /v1/policy`: by which policy a collection, or a tenant, is judged. */
import type { Context } from 'hono'
import { RagGateError } from '../../src/errors.ts'
import { withoutOwnTenant } from '../../src/middleware/own-tenant.ts'
import { readJsonObject } from '../../src/middleware/read-body.ts'
import { checkCollectionId } from '../../src/middleware/read-question.ts'
import { collectionNotFound } from '../../src/pipeline/gate-question.ts'
import { requireScope } from './access.ts'
import type { GateBindings } from './bindings.ts'
import { compositionFor } from './compose.ts'
import { POLICY_NAMES } from './policies.ts'
import { checkWhy, type PolicyPin, requirePin } from './policies/pins.ts'
import { storedPolicies } from './policies/stored-policies.ts'

const LIMITS = { maxBytes: 10_000, timeoutMs: 10_000 }

/** Chooses for one collection; `null` leaves it to the tenant. */
export async function putCollectionPolicy(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const { ingest, ...composition } = compositionFor(c.env)
  const { tenant, id: by } = await requireScope(composition, c.req.raw, 'admin')
  const id = checkCollectionId(c.req.param('id'))
  const { policy, why } = await readChoice(c, tenant, async (pin) => {
    const found = (await ingest.collections.list(tenant)).find((collection) => collection.id === id)
    if (found === undefined) throw collectionNotFound()
    requirePin(pin, found, 'embedding')
  })
  if (!(await ingest.collections.choosePolicy(tenant, id, policy))) throw collectionNotFound()
  await storedPolicies(c.env.DB).noteChoice({ tenant, collection: id, policy, atMs: Date.now(), by, why })
  return c.json({ collection: id, policy })
}

/** Chooses for the collections of the caller's tenant that have none of their own; `null` leaves it to the deployment. */
export async function putTenantPolicy(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const { ingest, ...composition } = compositionFor(c.env)
  const { tenant, id: by } = await requireScope(composition, c.req.raw, 'admin')
  const { policy, why } = await readChoice(c, tenant, async () => {
    throw new RagGateError('policy_pin_mismatch', 'This policy is for the collection it was calibrated on alone', {
      param: 'policy',
    })
  })
  await ingest.collections.chooseTenantPolicy(tenant, policy)
  await storedPolicies(c.env.DB).noteChoice({ tenant, collection: '', policy, atMs: Date.now(), by, why })
  return c.json({ tenant, policy })
}

/** @param checkPin throws where a pushed policy does not belong */
async function readChoice(
  c: Context<{ Bindings: GateBindings }>,
  tenant: string,
  checkPin: (pin: PolicyPin) => Promise<void>,
): Promise<{ readonly policy: string | null; readonly why: string }> {
  const { policy, why: given = '', ...others } = await readJsonObject(c.req, LIMITS)
  if (Object.keys(withoutOwnTenant(others, tenant)).length > 0) {
    throw new RagGateError('unknown_field', 'The body may have only policy and why')
  }
  const why = checkWhy(given)
  if (policy === null || (typeof policy === 'string' && POLICY_NAMES.includes(policy))) return { policy, why }
  const pushed = typeof policy === 'string' ? await storedPolicies(c.env.DB).find(tenant, policy) : undefined
  if (pushed === undefined) {
    throw new RagGateError(
      'policy_unknown',
      `policy must be null, the id of a pushed policy or one of ${POLICY_NAMES.join(', ')}`,
      {
        param: 'policy',
      },
    )
  }
  if (pushed.pin !== null) await checkPin(pushed.pin)
  return { policy: pushed.id, why }
}
