import { RagGateError } from 'hono-rag-gate/errors'
import { IDENTIFY_FAULTS } from 'hono-rag-gate/middleware'
import { type Faults, inTime } from 'hono-rag-gate/pipeline'
import type { Authenticate, Principal, Scope } from 'hono-rag-gate/ports'

const FAULTS: Faults = { ...IDENTIFY_FAULTS, failed: 'store_unavailable' }

/** How long the look-up of a key may take. */
const IDENTIFY_TIMEOUT_MS = 3000

/**
 * Lets a request through only with a scope.
 *
 * @throws `unauthorized` without credentials, or with wrong ones; `forbidden` when they do not reach that far;
 *   `store_unavailable` when whose they are is not known in time
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
