/** Authentication by bearer tokens: fixed ones, and API keys. */
import { deadline, isRecord, methods, object, required, requireOptions, string } from 'hono-rag-gate/core/lib'
import { sameText } from '../same-text.ts'
import { RagGateError } from 'hono-rag-gate/errors'
import { type Faults, inTime } from 'hono-rag-gate/pipeline'
import type { ApiKeys } from './api-keys.ts'
import { tokenHash } from './token-hash.ts'
import type { Authenticate, Principal } from 'hono-rag-gate/ports'

/** Minimum length of a token, characters. */
const MIN_TOKEN_LENGTH = 32

/** Characters that RFC 6750 allows in a token, with a maximum length. */
const TOKEN = /^[\w.~+/=-]{1,512}$/

/** Settings of `createBearerAuthenticator`. */
export interface BearerAuthenticatorOptions {
  /** Tokens of at least 32 characters, with their principals. */
  readonly tokens: readonly { readonly token: string; readonly principal: Principal }[]
  /** API keys, looked up for tokens that are not among the fixed ones. */
  readonly keys?: Pick<ApiKeys, 'principalOf'>
  /**
   * Deadline of a key lookup, milliseconds; 1 to 2,000,000,000.
   *
   * @default 2000
   */
  readonly timeoutMs?: number
  /** Principal of requests without credentials; `null` to reject them. */
  readonly anonymous: Principal | null
}

/**
 * Makes an authenticator for fixed tokens, and for API keys if given. Both sides are hashed before the comparison, so
 * that timing reveals nothing about a token. Wrong credentials are rejected, never treated as anonymous.
 *
 * @throws `secret_too_short` for a token of less than 32 characters, `config_invalid` for one that cannot be sent in a
 *   header; the authenticator throws `store_unavailable` if a key cannot be looked up in time
 */
export function createBearerAuthenticator(options: BearerAuthenticatorOptions): Authenticate {
  requireOptions(options, {
    tokens: required({
      words: 'a list of tokens with their principals: is the variable of each set?',
      holds: (tokens) => Array.isArray(tokens) && tokens.every(isHeldToken),
    }),
    anonymous: required({ words: 'a principal, or null', holds: (value) => value === null || object.holds(value) }),
    keys: methods('principalOf'),
    timeoutMs: deadline,
  })
  const { tokens, keys, timeoutMs = 2000, anonymous } = options
  if (tokens.some(({ token }) => token.length >= MIN_TOKEN_LENGTH && !TOKEN.test(token))) {
    throw new RagGateError('config_invalid', 'Tokens may only contain letters, digits and . _ ~ + / = -', {
      param: 'tokens',
    })
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
    // Every token is compared, so that timing does not reveal which one was similar.
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

/** The principal of a key. An unresponsive database must not block the request. */
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
