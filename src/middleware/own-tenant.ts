import { RagGateError } from '../errors.ts'

/**
 * Returns the members of a body without `tenant`, which may only repeat the caller's own tenant. Another tenant, or a
 * namespace of the index, is an error.
 *
 * @throws `tenant_mismatch`
 */
export function withoutOwnTenant(
  members: Readonly<Record<string, unknown>>,
  tenant: string,
  at?: string,
): Readonly<Record<string, unknown>> {
  const { tenant: named, ...others } = members
  const foreign = 'tenant' in members && named !== tenant ? 'tenant' : 'namespace' in members ? 'namespace' : undefined
  if (foreign === undefined) return others
  throw new RagGateError('tenant_mismatch', 'A request reaches only its own tenant', {
    param: at === undefined ? foreign : `${at}.${foreign}`,
  })
}
