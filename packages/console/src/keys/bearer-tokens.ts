/** Authentication by a bearer token that the deployment holds. */
import { isRecord, methods, number, object, required, requireOptions, string } from 'hono-rag-gate/core/lib'
import { sameText } from '../same-text.ts'
import { RagGateError } from 'hono-rag-gate/errors'
import { type Faults, inTime } from 'hono-rag-gate/pipeline'
import type { ApiKeys } from './api-keys.ts'
import { tokenHash } from './token-hash.ts'
import type { Authenticate, Principal } from 'hono-rag-gate/ports'

/** Shortest token accepted, characters. */
const MIN_TOKEN_LENGTH = 32

/** What RFC 6750 allows in a token, within reason. */
const TOKEN = /^[\w.~+/=-]{1,512}$/

/** Settings of `createBearerAuthenticator`. */
export interface BearerAuthenticatorOptions {
  /** Tokens of 32 characters and up, with who holds each. */
  readonly tokens: readonly { readonly token: string; readonly principal: Principal }[]
  /** Keys that are made and revoked while the deployment runs; asked for tokens that are none of the fixed ones. */
  readonly keys?: Pick<ApiKeys, 'principalOf'>
  /**
   * Milliseconds that a look-up among the keys may take; 1 and up.
   *
   * @default 2000
   */
  readonly timeoutMs?: number
  /** Who a request without credentials is; `null` to turn it away. */
  readonly anonymous: Principal | null
}

/**
 * Makes an authenticator over fixed tokens, and over keys where there are any. Both sides are hashed before they are
 * compared, so the time taken says nothing about the token. Wrong credentials are turned away, never taken for none.
 *
 * @throws `secret_too_short` when a token has fewer than 32 characters, `config_invalid` when it could never be sent; the
 *   authenticator `store_unavailable` when the keys cannot be looked up in time
 */
export function createBearerAuthenticator(options: BearerAuthenticatorOptions): Authenticate {
  requireOptions(options, {
    tokens: required({
      words: 'a list of tokens, with the principal that holds each',
      holds: (tokens) => Array.isArray(tokens) && tokens.every(isHeldToken),
    }),
    anonymous: required({ words: 'a principal, or null', holds: (value) => value === null || object.holds(value) }),
    keys: methods('principalOf'),
    timeoutMs: number(1),
  })
  const { tokens, keys, timeoutMs = 2000, anonymous } = options
  if (tokens.some(({ token }) => token.length >= MIN_TOKEN_LENGTH && !TOKEN.test(token))) {
    throw new RagGateError('config_invalid', 'Tokens may have letters, digits and . _ ~ + / = -', { param: 'tokens' })
  }
  if (tokens.some(({ token }) => token.length < MIN_TOKEN_LENGTH)) {
    throw new RagGateError('secret_too_short', `Tokens need at least ${MIN_TOKEN_LENGTH} characters`, {
      param: 'tokens',
    })
  }
  let digests: readonly string[] | undefined
  return async function authenticateBearer(request) {
    const header = request.headers.get('authorization')
    if (header === null) return anonymous
    const presented = /^Bearer (\S+)$/i.exec(header)?.[1]
    if (presented === undefined || !TOKEN.test(presented)) throw wrongCredentials()
    const asked = await tokenHash(presented)
    const known = (digests ??= await Promise.all(tokens.map(({ token }) => tokenHash(token))))
    // Every token is compared, so that the time taken does not tell which one came close.
    const [holder] = tokens.filter((_, at) => sameText(known[at] ?? '', asked))
    const principal = holder?.principal ?? (await lookUp(keys, presented, timeoutMs))
    if (principal === null) throw wrongCredentials()
    return principal
  }
}

function isHeldToken(value: unknown): boolean {
  return isRecord(value) && string.holds(value['token']) && isRecord(value['principal'])
}

const KEY_FAULTS: Faults = { late: 'store_unavailable', failed: 'store_unavailable', what: 'The look-up of the key' }

/** Whose key it is. A database that hangs must not hold the request. */
async function lookUp(
  keys: BearerAuthenticatorOptions['keys'],
  token: string,
  timeoutMs: number,
): Promise<Principal | null> {
  return keys === undefined ? null : inTime(timeoutMs, KEY_FAULTS, () => keys.principalOf(token))
}

function wrongCredentials(): RagGateError {
  return new RagGateError('unauthorized', 'The credentials are not valid')
}
