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
import { POLICY_NAMES, unfitHere } from './policies.ts'

const LIMITS = { maxBytes: 10_000, timeoutMs: 10_000 }

/** Chooses for one collection; `null` leaves it to the tenant. */
export async function putCollectionPolicy(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const { ingest, ...composition } = compositionFor(c.env)
  const { tenant } = await requireScope(composition, c.req.raw, 'admin')
  const id = checkCollectionId(c.req.param('id'))
  const policy = await readPolicy(c, tenant)
  if (!(await ingest.collections.choosePolicy(tenant, id, policy))) throw collectionNotFound()
  return c.json({ collection: id, policy })
}

/** Chooses for the collections of the caller's tenant that have none of their own; `null` leaves it to the deployment. */
export async function putTenantPolicy(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const { ingest, ...composition } = compositionFor(c.env)
  const { tenant } = await requireScope(composition, c.req.raw, 'admin')
  const policy = await readPolicy(c, tenant)
  await ingest.collections.chooseTenantPolicy(tenant, policy)
  return c.json({ tenant, policy })
}

async function readPolicy(c: Context<{ Bindings: GateBindings }>, tenant: string): Promise<string | null> {
  const { policy, ...others } = await readJsonObject(c.req, LIMITS)
  if (Object.keys(withoutOwnTenant(others, tenant)).length > 0) {
    throw new RagGateError('unknown_field', 'The body may have only policy')
  }
  if (policy === null) return null
  if (typeof policy === 'string' && POLICY_NAMES.includes(policy)) {
    const unfit = unfitHere(policy, c.env)
    if (unfit === undefined) return policy
    throw new RagGateError('policy_unknown', `${policy} cannot judge anything here: ${unfit}`, { param: 'policy' })
  }
  throw new RagGateError('policy_unknown', `policy must be null or one of ${POLICY_NAMES.join(', ')}`, {
    param: 'policy',
  })
}
