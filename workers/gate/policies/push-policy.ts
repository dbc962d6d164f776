/** `PUT /v1/policies/pushed` and `GET /v1/policies/pushed`: a tenant's own policies, such as calibrated ones. */
import { checkMembers, checkNames, requireScope } from '@hono-rag-gate/console/http'
import type { Context } from 'hono'
import type { PushedPolicy } from '@hono-rag-gate/console'
import type { Json } from 'hono-rag-gate/core/lib'
import { policySettings } from 'hono-rag-gate/core/policy'
import { readJsonObject, withoutOwnTenant } from 'hono-rag-gate/middleware'
import { collectionNotFound } from 'hono-rag-gate/pipeline'
import type { GateBindings } from '../bindings.ts'
import { compositionFor } from '../compose.ts'
import { WorkerError } from '../errors.ts'
import { checkPin, requirePin } from './pins.ts'
import { policyFromSettings } from './policy-for.ts'
import { POLICY_NAMES } from './policy-named.ts'
import { readWhy } from './read-why.ts'
import { requireFit } from './require-fit.ts'

const LIMITS = { maxBytes: 200_000, timeoutMs: 10_000 }

/**
 * Stores a policy under the id of its settings. It has no effect until it is chosen. A pinned one is only accepted if
 * its collection is in the state it was calibrated on.
 */
export async function pushPolicy(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const { ingest, ...composition } = compositionFor(c.env)
  const { tenant, id: createdBy } = await requireScope(composition, c.req.raw, 'admin')
  const { settings, pin: sentPin, evidence = null, why, ...others } = await readJsonObject(c.req, LIMITS)
  checkMembers(withoutOwnTenant(others, tenant), 'settings, pin, evidence, why')
  const policy = policyFromSettings(settings)
  await requireFit(policy, composition)
  const pin = checkPin(sentPin)
  if (pin === null && policy.confidence.settings.kind === 'adjusted') {
    throw new WorkerError('policy_pin_mismatch', 'A calibrated policy needs its pin', { param: 'pin' })
  }
  if (pin !== null) {
    const collection = (await ingest.collections.list(tenant)).find(({ id }) => id === pin.collection)
    if (collection === undefined) throw collectionNotFound()
    requirePin(pin, collection, composition.reader, 'all')
  }
  const stored = await composition.policies.push({
    tenant,
    id: policy.id,
    name: policy.name,
    // Both are plain data.
    settings: policySettings(policy) as unknown as Json,
    pin,
    evidence: evidence as Json,
    createdBy,
    why: readWhy(why),
  })
  if (stored.pin?.collection !== pin?.collection) {
    const whose = stored.pin?.collection ?? 'any collection'
    const message = `The same policy is stored for ${whose}: give this one another name`
    throw new WorkerError('policy_pin_mismatch', message, { param: 'settings' })
  }
  return c.json(onTheWire(stored))
}

/** The tenant's policies and latest choices, newest first, and the named policies. */
export async function listPolicies(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const composition = compositionFor(c.env)
  const { tenant } = await requireScope(composition, c.req.raw, 'admin')
  checkNames(c, [], [])
  const [pushed, choices] = await Promise.all([
    composition.policies.listPushed(tenant),
    composition.policies.choices(tenant),
  ])
  return c.json({
    named: POLICY_NAMES,
    policies: pushed.map(onTheWire),
    choices: choices.map(({ collection, policy, atMs, by, why }) => ({
      collection,
      policy,
      at: new Date(atMs).toISOString(),
      by,
      why,
    })),
  })
}

function onTheWire({ tenant: _tenant, createdAtMs, createdBy, ...policy }: PushedPolicy) {
  return { ...policy, created_at: new Date(createdAtMs).toISOString(), created_by: createdBy }
}
