import { hex, utf8 } from '../core/lib/sha256.ts'

/** SHA-256 of a text's UTF-8 by WebCrypto, as 64 hexadecimal characters; for secrets and for texts of any length. */
export async function sha256Hex(text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(text))))
}
