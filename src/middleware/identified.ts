import { required, requireMembers, strings, text } from '../core/lib/options.ts'
import { RagGateError } from '../errors.ts'
import { type Faults, inTime } from '../pipeline/within-deadline.ts'
import type { Authenticate, Principal } from '../ports/authenticator.ts'

/** Who asks where nothing says it. */
export const ANONYMOUS: Principal = { tenant: 'default', id: 'anonymous', scopes: ['ask'] }

/** Callers without an id would share what is kept for one, and a text may hold the name of a scope. */
const PRINCIPAL = { tenant: required(text), id: required(text), scopes: required(strings) }

/** @param name of what gave it. @throws `config_invalid` for what is no principal, such as `undefined` */
export function requirePrincipal(given: Principal, name: string): void {
  requireMembers(given, PRINCIPAL, name)
}

/** What it is called when it cannot be said in time who asks. */
export const IDENTIFY_FAULTS: Faults = { late: 'store_unavailable', what: 'Authentication' }

/**
 * Who asks. What `authenticate` throws is passed on as it is, Hono's exceptions too; one that hangs holds no request.
 *
 * @param authenticate without one every caller is the anonymous principal
 * @throws `unauthorized`, `forbidden`; `config_invalid` for what is no principal; `store_unavailable` when it is not known in time
 */
export async function identified(
  authenticate: Authenticate | undefined,
  request: Request,
  timeoutMs: number,
): Promise<Principal> {
  if (authenticate === undefined) return ANONYMOUS
  const principal = await inTime(timeoutMs, IDENTIFY_FAULTS, () => authenticate(request))
  if (principal === null) throw new RagGateError('unauthorized', 'Credentials are needed to ask')
  requirePrincipal(principal, 'authenticate')
  if (!principal.scopes.includes('ask')) throw new RagGateError('forbidden', 'These credentials may not ask')
  return principal
}
