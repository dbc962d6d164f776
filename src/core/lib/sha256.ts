/**
 * SHA-256 without a platform: policy ids and chunk ids are computed where neither WebCrypto nor a promise is
 * welcome. Small inputs only; cache keys and HMACs use WebCrypto in the adapters.
 *
 * @see FIPS 180-4, section 6.2
 */

const fraction = (x: number): number => ((x - Math.floor(x)) * 0x1_0000_0000) | 0

const rotate = (x: number, by: number): number => (x >>> by) | (x << (32 - by))

function firstPrimes(): { roundConstants: Int32Array; initialState: Int32Array } {
  const round = new Int32Array(64)
  const initial = new Int32Array(8)
  let found = 0
  for (let candidate = 2; found < 64; candidate++) {
    let prime = true
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) {
      if (candidate % divisor === 0) prime = false
    }
    if (!prime) continue
    if (found < 8) initial[found] = fraction(Math.sqrt(candidate))
    round[found++] = fraction(Math.cbrt(candidate))
  }
  return { roundConstants: round, initialState: initial }
}

/** Fractional bits of the roots of the first primes (FIPS 180-4, sections 4.2.2 and 5.3.3), computed once. */
const { roundConstants, initialState } = firstPrimes()

/** UTF-8 bytes of a text. A lone surrogate becomes U+FFFD, as `TextEncoder` has it. */
export function utf8(text: string): Uint8Array {
  const bytes: number[] = []
  for (const character of text) {
    let point = character.codePointAt(0) ?? 0
    if (point >= 0xd800 && point <= 0xdfff) point = 0xfffd
    if (point < 0x80) bytes.push(point)
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 63))
    else if (point < 0x1_0000) bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63))
    else {
      bytes.push(0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63))
    }
  }
  return Uint8Array.from(bytes)
}

/** The 32 bytes of SHA-256 over `message` (a text is hashed as UTF-8). */
export function sha256(message: string | Uint8Array): Uint8Array {
  const bytes = typeof message === 'string' ? utf8(message) : message
  const padded = new Uint8Array(((bytes.length + 72) >> 6) << 6)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x2000_0000))
  view.setUint32(padded.length - 4, bytes.length << 3)

  const state = Int32Array.from(initialState)
  const words = new Int32Array(64)
  for (let block = 0; block < padded.length; block += 64) compress(state, words, view, block)

  const digest = new Uint8Array(32)
  const out = new DataView(digest.buffer)
  state.forEach((word, at) => out.setInt32(at * 4, word))
  return digest
}

function compress(state: Int32Array, w: Int32Array, view: DataView, block: number): void {
  for (let t = 0; t < 16; t++) w[t] = view.getInt32(block + t * 4)
  for (let t = 16; t < 64; t++) {
    const early = w[t - 15]!
    const late = w[t - 2]!
    const s0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
    const s1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
    w[t] = (w[t - 16]! + s0 + w[t - 7]! + s1) | 0
  }
  // An Int32Array destructures to numbers, eight of them here.
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
  for (let t = 0; t < 64; t++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + roundConstants[t]! + w[t]!) | 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
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
  worked.forEach((word, at) => (state[at] = (state[at]! + word) | 0))
}

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Lower-case hexadecimal. */
export function hex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += HEX[byte]
  return text
}

/**
 * RFC 4648 base32 in lower case, without padding: safe in a path, an id and a namespace.
 *
 * @param characters how many characters to keep (5 bits each)
 */
export function base32(bytes: Uint8Array, characters: number): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
  let text = ''
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xffff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(buffer >> bits) & 31]
    }
  }
  return text.slice(0, characters)
}
