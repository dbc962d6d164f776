/** Stored answers with a digest, which detects damage and changes in stores that others may write to. */
import { isRecord } from '../../core/lib/guards.ts'
import { keepNewest } from '../../core/lib/keep-newest.ts'
import { hex } from '../../core/lib/sha256.ts'
import { RagGateError } from '../../errors.ts'
import type { StoredAnswer } from '../../ports/answer-cache.ts'
import { sha256Hex } from '../../http/sha256-hex.ts'

const LEAST_SECRET_BYTES = 32
/** Prefix of an address in place of a key. No key begins with it, because keys begin with a length. */
const SEALED = 'sealed:'
/** Most addresses remembered, so that finding an answer, checking its key and later requests need one digest. */
const MOST_ADDRESSES = 100
const UTF8 = new TextEncoder()

/** Seals answers for a store, and opens and checks what was stored. */
export interface Sealer {
  /** Address of a key in the store: 64 hexadecimal characters. */
  readonly address: (key: string) => Promise<string>
  /** @param at address of its key */
  readonly seal: (answer: StoredAnswer, at: string) => Promise<string>
  /** @returns with the address as its key; `null` if damaged, foreign, of another format, or stored under another key */
  readonly open: (text: string, at: string) => Promise<StoredAnswer | null>
}

/**
 * @param hmacKey secret for a store that others can write to or list; without one, digests are plain SHA-256
 * @throws `secret_too_short` if `hmacKey` has fewer than 32 bytes
 */
export function createSealer(hmacKey: Uint8Array | undefined): Sealer {
  if (hmacKey !== undefined && !(hmacKey.byteLength >= LEAST_SECRET_BYTES)) {
    throw new RagGateError('secret_too_short', `hmacKey needs ${LEAST_SECRET_BYTES} bytes`, { param: 'hmacKey' })
  }
  const secret = hmacKey?.slice()
  // The key itself, not a promise of it, because in Workers a request must not await a promise of another.
  let signingKey: CryptoKey | undefined

  async function digest(text: string): Promise<string> {
    if (secret === undefined) return sha256Hex(text)
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    signingKey ??= await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
    return hex(new Uint8Array(await crypto.subtle.sign('HMAC', signingKey, UTF8.encode(text))))
  }

  const addresses = new Map<string, string>()
  async function address(key: string): Promise<string> {
    if (key.startsWith(SEALED)) return key.slice(SEALED.length)
    const known = addresses.get(key) ?? (await digest(key))
    keepNewest(addresses, key, known, MOST_ADDRESSES)
    return known
  }

  return {
    address,
    async seal({ sameAs, ...answer }, at) {
      // Keys contain the question. Their digests also suffice to compare keys and to find the other entry.
      const other = sameAs === undefined ? {} : { sameAs: SEALED + (await address(sameAs)) }
      const text = JSON.stringify({ ...answer, ...other, key: at })
      return JSON.stringify({ digest: await digest(text), answer: text })
    },
    async open(text, at) {
      const envelope = parseEnvelope(text)
      if (envelope === null || (await digest(envelope.answer)) !== envelope.digest) return null
      // The cast is safe: by the digest, `seal` wrote this text. The next line checks the version of the format.
      const answer = JSON.parse(envelope.answer) as StoredAnswer
      return answer.schema === 2 && answer.key === at ? answer : null
    },
  }
}

/** @returns `null` if the text is not an envelope */
function parseEnvelope(text: string): { readonly digest: string; readonly answer: string } | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (!isRecord(value)) return null
  const { digest, answer } = value
  return typeof digest === 'string' && typeof answer === 'string' ? { digest, answer } : null
}
