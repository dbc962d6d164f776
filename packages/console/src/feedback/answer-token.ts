/** Signed ids of answers, so that only the caller who got an answer can rate it. */
import { hex, lengthPrefixed, type Tenant } from 'hono-rag-gate/core/lib'
import { sameText } from '../same-text.ts'
import { RagGateError } from 'hono-rag-gate/errors'

/** Signs ids of events, and verifies them. */
export interface AnswerTokens {
  /** The signed id, for the caller who got the answer. */
  sign(tenant: Tenant, eventId: string): Promise<string>
  /** @returns the event's id; `undefined` if the token was not made here for this tenant */
  read(tenant: Tenant, token: string): Promise<string | undefined>
}

const MIN_KEY_LENGTH = 32
/** Length of the truncated signature: 128 bits cannot be guessed. */
const SIGNATURE_BYTES = 16
const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([0-9a-f]{32})$/
const HMAC = { name: 'HMAC', hash: 'SHA-256' }

/**
 * Tokens signed with HMAC-SHA-256 over tenant and event.
 *
 * @param key secret of the deployment, at least 32 characters
 * @param keyBefore the previous secret, whose tokens are still accepted
 * @throws `secret_too_short`
 */
export function createAnswerTokens(key: string, keyBefore?: string): AnswerTokens {
  const sign = signer(key)
  const signers = keyBefore === undefined ? [sign] : [sign, signer(keyBefore)]
  return {
    async sign(tenant, eventId) {
      return `${eventId}.${await sign(tenant, eventId)}`
    },
    async read(tenant, token) {
      const [, eventId, found] = TOKEN.exec(token) ?? []
      if (eventId === undefined || found === undefined) return undefined
      const known = await Promise.all(signers.map((signed) => signed(tenant, eventId)))
      return known.some((signature) => sameText(found, signature)) ? eventId : undefined
    },
  }
}

function signer(key: string): (tenant: Tenant, eventId: string) => Promise<string> {
  // An unset variable is `undefined`, despite its type.
  if (!(key?.length >= MIN_KEY_LENGTH)) {
    throw new RagGateError('secret_too_short', `The key for feedback needs ${MIN_KEY_LENGTH} characters`, {
      param: 'key',
    })
  }
  const encoder = new TextEncoder()
  // Stores the key instead of its promise, because one request must not await a promise of another.
  let imported: CryptoKey | undefined
  return async (tenant, eventId) => {
    imported ??= await crypto.subtle.importKey('raw', encoder.encode(key), HMAC, false, ['sign'])
    const signed = encoder.encode(lengthPrefixed(['rag-gate answer', tenant, eventId]))
    const mac = await crypto.subtle.sign('HMAC', imported, signed)
    return hex(new Uint8Array(mac).slice(0, SIGNATURE_BYTES))
  }
}
