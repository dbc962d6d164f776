import { required, requireMembers, strings, text } from '../core/lib/options.ts'
import { RagGateError } from '../errors.ts'
import { type Faults, inTime } from '../pipeline/within-deadline.ts'
import type { Authenticate, Principal } from '../ports/authenticator.ts'

/** The principal of callers without authentication. */
export const ANONYMOUS: Principal = { tenant: 'default', id: 'anonymous', scopes: ['ask'] }

/** Callers without an id would share each other's answers; `scopes` as a string would match substrings. */
const PRINCIPAL = { tenant: required(text), id: required(text), scopes: required(strings) }

/** @param name name of the function that returned it. @throws `config_invalid` for an invalid principal, such as `undefined` */
export function requirePrincipal(given: Principal, name: string): void {
  requireMembers(given, PRINCIPAL, name)
}

/** Error when authentication times out. */
export const IDENTIFY_FAULTS: Faults = { late: 'store_unavailable', what: 'Authentication' }

/**
 * Identifies the caller. Anything that `authenticate` throws is rethrown, including Hono's exceptions; it has a deadline.
 *
 * @param authenticate if absent, every caller is the anonymous principal
 * @throws `unauthorized`, `forbidden`; `config_invalid` for an invalid principal; `store_unavailable` after the deadline
 */
export async function identified(
  authenticate: Authenticate | undefined,
  request: Request,
  timeoutMs: number,
): Promise<Principal> {
  if (authenticate === undefined) return ANONYMOUS
  const principal = await inTime(timeoutMs, IDENTIFY_FAULTS, () => authenticate(request))
  if (principal === null) throw new RagGateError('unauthorized', 'Credentials are needed')
  requirePrincipal(principal, 'authenticate')
  if (!principal.scopes.includes('ask')) throw new RagGateError('forbidden', 'These credentials need the scope ask')
  return principal
}
