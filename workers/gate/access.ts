import { RagGateError } from '../../src/errors.ts'
import type { Principal, Scope } from '../../src/ports/authenticator.ts'
import type { Composition } from './compose.ts'

/**
 * Lets a request through only with a scope.
 *
 * @throws `unauthorized` without credentials, or with wrong ones; `forbidden` when they do not reach that far
 */
export async function requireScope(
  composition: Pick<Composition, 'authenticate'>,
  request: Request,
  scope: Scope,
): Promise<Principal> {
  const principal = await composition.authenticate(request)
  if (principal === null || !request.headers.has('authorization')) {
    throw new RagGateError('unauthorized', 'A bearer token is needed')
  }
  if (!principal.scopes.includes(scope)) throw new RagGateError('forbidden', `The token lacks the scope ${scope}`)
  return principal
}
