/** The tenant of a request. */
import type { Tenant } from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import type { Principal } from 'hono-rag-gate/ports'
import { ConsoleError } from '../errors.ts'

const TENANT = /^[\w.-]{1,64}$/

/**
 * The caller's own tenant, or the one that an operator names.
 *
 * @throws `tenant_mismatch` if a caller who is not an operator names another tenant, `tenant_id` for an invalid name
 */
export function tenantFor(principal: Principal, asked: unknown, isOperator: (principal: Principal) => boolean): Tenant {
  if (asked === undefined || asked === principal.tenant) return principal.tenant
  if (!isOperator(principal)) {
    throw new RagGateError('tenant_mismatch', 'A key reaches only its own tenant', { param: 'tenant' })
  }
  if (typeof asked !== 'string' || !TENANT.test(asked)) {
    throw new ConsoleError('tenant_id', 'tenant must be 1 to 64 of letters, digits, point, hyphen, underscore', {
      param: 'tenant',
    })
  }
  return asked
}
