import { keepNewest } from 'hono-rag-gate/core/lib'
import { sha256Hex } from 'hono-rag-gate/http'

const MOST_HASHES = 200

/** Hashes of the latest tokens, because most requests repeat a token. */
const hashes = new Map<string, string>()

/** SHA-256 of a token, as 64 hexadecimal characters. */
export async function tokenHash(token: string): Promise<string> {
  const hash = hashes.get(token) ?? (await sha256Hex(token))
  keepNewest(hashes, token, hash, MOST_HASHES)
  return hash
}
