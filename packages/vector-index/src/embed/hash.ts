/**
 * A 32-bit hash: FNV-1a over UTF-16 code units, then MurmurHash3's finaliser, so that each bit can be used separately.
 *
 * @param seed separates the hashes of different kinds of text
 * @returns a signed 32-bit integer
 */
export function hash32(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) | 0
}
