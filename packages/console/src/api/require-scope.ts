import { RagGateError } from 'hono-rag-gate/errors'
import { IDENTIFY_FAULTS } from 'hono-rag-gate/middleware'
import { type Faults, inTime } from 'hono-rag-gate/pipeline'
import type { Authenticate, Principal, Scope } from 'hono-rag-gate/ports'

const FAULTS: Faults = { ...IDENTIFY_FAULTS, failed: 'store_unavailable' }

/** Deadline of the key lookup. */
const IDENTIFY_TIMEOUT_MS = 3000

/**
 * Requires a scope.
 *
 * @throws `unauthorized` without valid credentials; `forbidden` if they lack the scope; `store_unavailable` if they
 *   could not be looked up in time
 */
export async function requireScope(
  { authenticate }: { readonly authenticate: Authenticate },
  request: Request,
  scope: Scope,
): Promise<Principal> {
  const principal = await inTime(IDENTIFY_TIMEOUT_MS, FAULTS, () => authenticate(request))
  if (principal === null || !request.headers.has('authorization')) {
    throw new RagGateError('unauthorized', 'A bearer token is needed')
  }
  if (!principal.scopes.includes(scope)) throw new RagGateError('forbidden', `The token lacks the scope ${scope}`)
  return principal
}
