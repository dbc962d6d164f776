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

  const state = INITIAL_STATE.slice(0, 8)
  const w = new Int32Array(64)
  for (let block = 0; block < padded.length; block += 64) {
    for (let t = 0; t < 16; t++) w[t] = view.getInt32(block + t * 4)
    for (let t = 16; t < 64; t++) {
      const early = w[t - 15]!
      const late = w[t - 2]!
      const s0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
      const s1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
      w[t] = w[t - 16]! + s0 + w[t - 7]! + s1
    }
    compress(state, w)
  }

  const digest = new DataView(new ArrayBuffer(32))
  state.forEach((word, at) => digest.setInt32(at * 4, word))
  return new Uint8Array(digest.buffer)
}

function compress(state: Int32Array, w: Int32Array): void {
  // The cast is safe: the Int32Array has eight numbers.
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
  for (let t = 0; t < 64; t++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = h + s1 + ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[t]! + w[t]!
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = s0 + ((a & b) ^ (a & c) ^ (b & c))
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  const worked = [a, b, c, d, e, f, g, h]
  worked.forEach((word, at) => (state[at]! += word))
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
