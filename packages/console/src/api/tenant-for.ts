/** Whose data a request is about. */
import type { Tenant } from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import type { Principal } from 'hono-rag-gate/ports'
import { ConsoleError } from '../errors.ts'

const TENANT = /^[\w.-]{1,64}$/

/**
 * The tenant that is meant: the caller's own, unless an operator names another.
 *
 * @throws `tenant_mismatch` where a key names another, `tenant_id` for what no tenant can be called
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
