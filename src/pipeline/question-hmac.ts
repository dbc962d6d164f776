/** Records questions as HMACs, so that equal ones can be counted but none can be read. */
import { lengthPrefixed } from '../core/lib/canonical.ts'
import type { Tenant } from '../core/lib/ids.ts'
import { keepNewest } from '../core/lib/keep-newest.ts'
import { hex } from '../core/lib/sha256.ts'
import { number, oneOf, required, requireOptions, string } from '../core/lib/options.ts'
import { RagGateError } from '../errors.ts'
import type { DecisionEvent } from '../ports/decision-log.ts'

/** Options of `questionHmac`. */
export interface QuestionHmacOptions {
  /** Secret of the deployment, at least 32 characters. */
  readonly key: string
  /** Id of the secret, recorded with each HMAC, so that the secret can be changed. */
  readonly keyId: string
  /**
   * Number of days after which another key is used, 1 and up. Equal questions of different periods have different HMACs.
   *
   * @default 90
   */
  readonly rotateAfterDays?: number
  /** Whether the log also gets the question itself, which it must delete in time. @default 'dropped' */
  readonly text?: 'dropped' | 'kept'
}

/** Computes what is recorded of a question. `keyId` is the id of the secret and the number of the period, as in `2.226`. */
export type QuestionHmac = (
  tenant: Tenant,
  question: string,
  atMs: number,
) => Promise<NonNullable<DecisionEvent['question']>>

const MIN_KEY_LENGTH = 32
const DAY_MS = 86_400_000
/** Most derived keys kept; the least recently used is dropped first. */
const MOST_KEYS = 500
/** Half of the digest, as RFC 2104 allows, to save space in every row. */
const HMAC_BYTES = 16
const HMAC = { name: 'HMAC', hash: 'SHA-256' }

/**
 * Records questions as HMAC-SHA-256 under a key derived for each tenant and period, so that equal questions cannot be linked
 * across tenants or periods.
 *
 * @returns the dependency `questionHmac` of `ragGate`
 * @throws `secret_too_short`; `config_invalid` when an option is missing or out of range
 */
export function questionHmac(options: QuestionHmacOptions): QuestionHmac {
  requireOptions(options, {
    key: required(string),
    keyId: required(string),
    rotateAfterDays: number(1),
    text: oneOf('dropped', 'kept'),
  })
  const { key, keyId, rotateAfterDays = 90, text } = options
  if (key.length < MIN_KEY_LENGTH) {
    throw new RagGateError('secret_too_short', `The key for questions needs ${MIN_KEY_LENGTH} characters`, {
      param: 'key',
    })
  }
  const encoder = new TextEncoder()
  // Stores keys, not promises: on Workers a request must not await a promise of another.
  const keys = new Map<string, CryptoKey>()

  async function keyFor(tenant: Tenant, period: number): Promise<CryptoKey> {
    const name = lengthPrefixed([tenant, `${period}`])
    const made = keys.get(name) ?? (await derive(tenant, period))
    keepNewest(keys, name, made, MOST_KEYS)
    return made
  }

  async function derive(tenant: Tenant, period: number): Promise<CryptoKey> {
    const master = await crypto.subtle.importKey('raw', encoder.encode(key), HMAC, false, ['sign'])
    const label = lengthPrefixed(['rag-gate question', keyId, `${period}`, tenant])
    const bytes = await crypto.subtle.sign('HMAC', master, encoder.encode(label))
    return crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign'])
  }

  return async function hashQuestion(tenant, question, atMs) {
    const period = Math.floor(atMs / (rotateAfterDays * DAY_MS))
    const mac = await crypto.subtle.sign('HMAC', await keyFor(tenant, period), encoder.encode(question))
    return {
      hmac: hex(new Uint8Array(mac, 0, HMAC_BYTES)),
      keyId: `${keyId}.${period}`,
      ...(text === 'kept' && { text: question }),
    }
  }
}
