/** An answer as a store that others may write to holds it: with a digest that shows whether it is whole and untouched. */
import { isRecord } from '../../core/lib/guards.ts'
import { keepNewest } from '../../core/lib/keep-newest.ts'
import { hex } from '../../core/lib/sha256.ts'
import { RagGateError } from '../../errors.ts'
import type { StoredAnswer } from '../../ports/answer-cache.ts'
import { sha256Hex } from '../../http/sha256-hex.ts'

const LEAST_SECRET_BYTES = 32
/** Before an address that stands for a key. No key begins so: they begin with a length. */
const SEALED = 'sealed:'
/** An answer is asked for by its key, and then held against it: one digest does for both, and for who asks again. */
const MOST_ADDRESSES = 100
const UTF8 = new TextEncoder()

/** Seals answers for a store, and opens what comes back. */
export interface Sealer {
  /** Address of a key in the store: 64 hexadecimal characters. */
  readonly address: (key: string) => Promise<string>
  /** @param at the address of its key */
  readonly seal: (answer: StoredAnswer, at: string) => Promise<string>
  /** @returns with the address for its key; `null` when it is damaged, not ours, of another form, or was stored under another key */
  readonly open: (text: string, at: string) => Promise<StoredAnswer | null>
}

/**
 * @param hmacKey secret for a store that others can write to or list; without one, digests are plain SHA-256
 * @throws `secret_too_short` when `hmacKey` is
 */
export function createSealer(hmacKey: Uint8Array | undefined): Sealer {
  if (hmacKey !== undefined && !(hmacKey.byteLength >= LEAST_SECRET_BYTES)) {
    throw new RagGateError('secret_too_short', `hmacKey needs ${LEAST_SECRET_BYTES} bytes`, { param: 'hmacKey' })
  }
  const secret = hmacKey?.slice()
  // A value, not a promise: a promise of one request must not be awaited by another.
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
      // A key holds the question: its digest tells as well whether it is the one that is asked for, and finds the other entry.
      const other = sameAs === undefined ? {} : { sameAs: SEALED + (await address(sameAs)) }
      const text = JSON.stringify({ ...answer, ...other, key: at })
      return JSON.stringify({ digest: await digest(text), answer: text })
    },
    async open(text, at) {
      const envelope = parseEnvelope(text)
      if (envelope === null || (await digest(envelope.answer)) !== envelope.digest) return null
      // True of the form: the digest says that `seal` wrote this text. Whether it is this version's form is asked next.
      const answer = JSON.parse(envelope.answer) as StoredAnswer
      return answer.schema === 2 && answer.key === at ? answer : null
    },
  }
}

/** @returns `null` when the text is no envelope */
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
