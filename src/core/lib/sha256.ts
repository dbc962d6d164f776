/**
 * SHA-256 without platform APIs, for policy ids and chunk ids, which are computed synchronously in pure code. Small inputs
 * only; cache keys and HMACs use WebCrypto in the adapters.
 *
 * @see FIPS 180-4, section 6.2
 */

/** Fractional bits of the roots of the first 64 primes (FIPS 180-4, sections 4.2.2 and 5.3.3), computed once. */
const [INITIAL_STATE, ROUND_CONSTANTS] = [Math.sqrt, Math.cbrt].map((root) =>
  Int32Array.from(firstPrimes(64), (prime) => (root(prime) % 1) * 0x1_0000_0000),
) as [Int32Array, Int32Array]

function firstPrimes(count: number): number[] {
  const primes: number[] = []
  for (let candidate = 2; primes.length < count; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate)
  }
  return primes
}

/** Not part of the language, but pure and present in every runtime. */
declare const TextEncoder: new () => { encode(text: string): Uint8Array }

/** UTF-8 bytes of a text. A lone surrogate becomes U+FFFD. */
export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

const rotate = (x: number, by: number): number => (x >>> by) | (x << (32 - by))

/** The 32 bytes of SHA-256 over `message` (a text is hashed as UTF-8). */
export function sha256(message: string | Uint8Array): Uint8Array {
  const bytes = typeof message === 'string' ? utf8(message) : message
  const padded = new Uint8Array(((bytes.length + 72) >> 6) << 6)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(padded.length - 8, BigInt(bytes.length * 8))

  const w = new Int32Array(64)
  let state: readonly number[] = Array.from(INITIAL_STATE.subarray(0, 8))
  for (let block = 0; block < padded.length; block += 64) {
    let worked = state
    for (let t = 0; t < 64; t++) {
      const [early, late] = [w[t - 15]!, w[t - 2]!]
      w[t] =
        t < 16
          ? view.getInt32(block + t * 4)
          : w[t - 16]! +
            (rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)) +
            w[t - 7]! +
            (rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10))
      worked = round(worked, ROUND_CONSTANTS[t]! + w[t]!)
    }
    state = state.map((word, at) => (word + worked[at]!) | 0)
  }
  return Uint8Array.from({ length: 32 }, (_, at) => state[at >> 2]! >> (24 - (at & 3) * 8))
}

function round(state: readonly number[], added: number): number[] {
  // The cast is safe: a state has eight numbers.
  const [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number]
  const t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + added
  const t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
  return [(t1 + t2) | 0, a, b, c, (d + t1) | 0, e, f, g]
}

/** Lower-case hexadecimal. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * RFC 4648 base32 in lower case, without padding: safe in a path, an id and a namespace.
 *
 * @param characters how many characters to keep (5 bits each)
 */
export function base32(bytes: Uint8Array, characters: number): string {
  // Only the last twelve bits of `held` are read, so higher ones may overflow.
  let [text, held, bits] = ['', 0, 0]
  for (const byte of bytes) {
    held = (held << 8) | byte
    for (bits += 8; bits >= 5;) text += 'abcdefghijklmnopqrstuvwxyz234567'[(held >> (bits -= 5)) & 31]
  }
  return text.slice(0, characters)
}
