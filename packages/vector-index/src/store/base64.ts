/**
 * Base64 without a platform: vectors are stored as text, because SQLite in a Durable Object loads BLOBs slowly. Where the
 * language brings its own, as in workerd, that does the work.
 *
 * @see https://tc39.es/proposal-arraybuffer-base64/
 */

/** What newer engines have: `decode` takes texts without padding. */
interface NativeBase64 {
  readonly fromBase64?: (text: string) => Uint8Array<ArrayBuffer>
  readonly prototype: { readonly toBase64?: (this: Uint8Array, options: { omitPadding: boolean }) => string }
}

// The members are optional here, on every engine.
const NATIVE = Uint8Array as unknown as NativeBase64

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const CODES = Uint8Array.from(ALPHABET, (letter) => letter.charCodeAt(0))
const SEXTETS = new Uint8Array(128)
for (let at = 0; at < 64; at++) SEXTETS[CODES[at]!] = at

/** Code units handed to `String.fromCharCode` at once: well below every engine's limit on arguments. */
const PIECE = 8192

/** Bytes as base64 without padding. */
export function encodeBase64(bytes: Uint8Array): string {
  return NATIVE.prototype.toBase64?.call(bytes, { omitPadding: true }) ?? encodePlainly(bytes)
}

/** Bytes of what `encodeBase64` wrote. Its buffer holds nothing else, so it can be viewed as other numbers. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return NATIVE.fromBase64?.(text) ?? decodePlainly(text)
}

function encodePlainly(bytes: Uint8Array): string {
  const codes = new Uint8Array(Math.ceil((bytes.length * 4) / 3))
  let out = 0
  for (let at = 0; at < bytes.length; at += 3) {
    const triple = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    // Writes past the end of a typed array do nothing, which leaves the padding out.
    codes[out++] = CODES[triple >> 18]!
    codes[out++] = CODES[(triple >> 12) & 63]!
    codes[out++] = CODES[(triple >> 6) & 63]!
    codes[out++] = CODES[triple & 63]!
  }
  let text = ''
  for (let at = 0; at < codes.length; at += PIECE) text += String.fromCharCode(...codes.subarray(at, at + PIECE))
  return text
}

function decodePlainly(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4))
  // What is missing of the last four letters stands for nothing, and writes past the end do nothing.
  const whole = text.padEnd(Math.ceil(text.length / 4) * 4, 'A')
  let out = 0
  for (let at = 0; at < whole.length; at += 4) {
    const quad =
      (SEXTETS[whole.charCodeAt(at)]! << 18) |
      (SEXTETS[whole.charCodeAt(at + 1)]! << 12) |
      (SEXTETS[whole.charCodeAt(at + 2)]! << 6) |
      SEXTETS[whole.charCodeAt(at + 3)]!
    bytes[out++] = quad >> 16
    bytes[out++] = quad >> 8
    bytes[out++] = quad
  }
  return bytes
}
