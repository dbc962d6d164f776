/** `GET /v1/policies` and `GET /v1/audit`: policies, and the audit trail. */
import { defined } from 'hono-rag-gate/core/lib'
import type { ConsoleContext } from './context.ts'
import { requireAdmin } from './require-admin.ts'
import { DAY_MS } from '../durations.ts'
import { readPeriod, readTenant } from './parameters.ts'
import { json, onTheWire } from './wire.ts'
import { readLimit } from './read-limit.ts'

const LONGEST_MS = 3 * 366 * DAY_MS

/** The policies that can be chosen, those that decided, and choices with author, time and reason. */
export async function getPolicies(c: ConsoleContext): Promise<Response> {
  const { parts, principal } = await requireAdmin(c)
  const tenant = readTenant(c, principal)
  await parts.flush()
  const { policies } = parts
  const [known, changes, choices] = await Promise.all([
    policies.known(tenant),
    policies.choices(tenant),
    Promise.all(
      parts.policyNames.map(async (name) => {
        const policy = await parts.policyOf(tenant, name)
        return policy === undefined ? [] : [{ name, id: policy.id }]
      }),
    ),
  ])
  return json(c, {
    choices: choices.flat(),
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

/** The audit trail, latest first: reports of gates and changes by operators. */
export async function getAuditTrail(c: ConsoleContext): Promise<Response> {
  const { parts, principal } = await requireAdmin(c, ['from', 'to', 'type', 'limit'])
  const type = c.req.query('type')
  const query = {
    tenant: readTenant(c, principal),
    ...readPeriod(c, LONGEST_MS, 31 * DAY_MS),
    limit: readLimit(c, 100),
    ...defined({ type }),
  }
  await parts.flush()
  const entries = await parts.audit.list(query)
  return json(c, {
    events: entries.map(({ payload, ...entry }) => ({ ...(onTheWire(entry) as object), payload })),
  })
}
