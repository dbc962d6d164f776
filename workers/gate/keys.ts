/** `/v1/keys`: creates, lists and revokes keys of a tenant. */
import { checkMembers, checkNames, readInstant, requireScope, tenantFor } from '@hono-rag-gate/console/http'
import type { Context } from 'hono'
import { readJsonObject } from 'hono-rag-gate/middleware'
import type { ApiKey } from '@hono-rag-gate/console'
import type { Scope } from 'hono-rag-gate/ports'
import type { GateBindings } from './bindings.ts'
import { compositionFor, isDeploymentAdmin } from './compose.ts'
import { WorkerError } from './errors.ts'

const LIMITS = { maxBytes: 10_000, timeoutMs: 10_000 }
const SCOPES: readonly Scope[] = ['ask', 'ingest', 'admin']
const MAX_NAME_CHARACTERS = 100

/**
 * Creates a key; only this response has its token. The deployment's own token creates keys for any tenant, including a
 * tenant's first; a key with the scope `admin` creates keys for its own tenant.
 */
export async function postKey(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const composition = compositionFor(c.env)
  const principal = await requireScope(composition, c.req.raw, 'admin')
  const { name, scopes, tenant, expires_at: expiresAt, ...others } = await readJsonObject(c.req, LIMITS)
  checkMembers(others, 'name, scopes, tenant, expires_at')
  const made = await composition.keys.make({
    name: checkName(name),
    scopes: checkScopes(scopes),
    tenant: tenantFor(principal, tenant, isDeploymentAdmin),
    expiresAtMs: checkExpiry(expiresAt),
  })
  return c.json({ ...onTheWire(made), token: made.token }, 201)
}

/** Lists keys without their secrets. */
export async function listKeys(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const composition = compositionFor(c.env)
  const principal = await requireScope(composition, c.req.raw, 'admin')
  checkNames(c, [])
  const keys = await composition.keys.list(tenantFor(principal, c.req.query('tenant'), isDeploymentAdmin))
  return c.json({ keys: keys.map(onTheWire) })
}

/** Revokes a key; 404 if the tenant has no valid key with this id. */
export async function deleteKey(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const composition = compositionFor(c.env)
  const principal = await requireScope(composition, c.req.raw, 'admin')
  checkNames(c, [])
  const id = c.req.param('id') ?? ''
  if (!(await composition.keys.revoke(tenantFor(principal, c.req.query('tenant'), isDeploymentAdmin), id))) {
    throw new WorkerError('key_not_found', 'There is no such key')
  }
  return c.body(null, 204)
}

function checkName(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '' || value.length > MAX_NAME_CHARACTERS || /\p{C}/u.test(value)) {
    throw new WorkerError('key_name', `name must be a string of 1 to ${MAX_NAME_CHARACTERS} characters`, {
      param: 'name',
    })
  }
  return value
}

function checkScopes(value: unknown): readonly Scope[] {
  const scopes = SCOPES.filter((scope) => Array.isArray(value) && value.includes(scope))
  if (!Array.isArray(value) || scopes.length === 0 || scopes.length !== value.length) {
    throw new WorkerError('key_scopes', `scopes must be a list of different ones of ${SCOPES.join(', ')}`, {
      param: 'scopes',
    })
  }
  return scopes
}

function checkExpiry(value: unknown): number | null {
  if (value === undefined || value === null) return null
  const atMs = typeof value === 'string' ? readInstant(value) : undefined
  if (atMs === undefined || !(atMs > Date.now())) {
    throw new WorkerError('key_expiry', 'expires_at must be a time to come, in ISO 8601', { param: 'expires_at' })
  }
  return atMs
}

function onTheWire({ id, tenant, name, scopes, createdAtMs, expiresAtMs, revokedAtMs }: ApiKey) {
  return {
    id,
    tenant,
    name,
    scopes,
    created_at: new Date(createdAtMs).toISOString(),
    expires_at: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
    revoked_at: revokedAtMs === null ? null : new Date(revokedAtMs).toISOString(),
  }
}
