import { RagGateError } from '../errors.ts'

/**
 * The members of a body without `tenant`, which may say what the credentials say anyway. Nothing else that names whose
 * corpus is meant is let through: not another tenant, and no namespace of the index, which callers never learn.
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
