/** `GET /v1/policies` and `GET /v1/audit`: what is decided by, since when, and what was changed by whom. */
import type { Context } from 'hono'
import { requireScope } from '../access.ts'
import type { GateBindings } from '../bindings.ts'
import { compositionFor } from '../compose.ts'
import { checkNames, DAY_MS, readPeriod, readTenant } from './parameters.ts'
import { json, onTheWire } from './wire.ts'
import { POLICY_NAMES, policyNamed } from '../policies/policy-named.ts'
import { readLimit } from '../read-limit.ts'

const LONGEST_MS = 3 * 366 * DAY_MS

/** The policies that can be chosen, those that decided, and who chose which, when and why. */
export async function getPolicies(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const composition = compositionFor(c.env)
  const principal = await requireScope(composition, c.req.raw, 'admin')
  checkNames(c, [])
  const tenant = readTenant(c, principal)
  await composition.log.flush()
  const { policies } = composition
  const [known, changes] = await Promise.all([policies.known(tenant), policies.choices(tenant)])
  return json(c, {
    choices: POLICY_NAMES.map((name) => ({ name, id: policyNamed(name).id })),
    policies: known.map(({ id, name, firstMs, body }) => ({
      id,
      name,
      first_seen: new Date(firstMs).toISOString(),
      policy: body,
    })),
    changes: changes.map(({ atMs, by, collection, policy, policyId, why }) => ({
      at: new Date(atMs).toISOString(),
      by,
      collection,
      policy,
      policy_id: policyId,
      why,
    })),
  })
}

/** The audit trail, the latest first: what gates reported, and what operators changed. */
export async function getAuditTrail(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const composition = compositionFor(c.env)
  const principal = await requireScope(composition, c.req.raw, 'admin')
  checkNames(c, ['from', 'to', 'type', 'limit'])
  const type = c.req.query('type')
  const query = {
    tenant: readTenant(c, principal),
    ...readPeriod(c, LONGEST_MS, 31 * DAY_MS),
    limit: readLimit(c, 100),
    ...(type === undefined ? {} : { type }),
  }
  await composition.log.flush()
  const entries = await composition.statistics.audit.list(query)
  return json(c, {
    events: entries.map(({ payload, ...entry }) => ({ ...(onTheWire(entry) as object), payload })),
  })
}
