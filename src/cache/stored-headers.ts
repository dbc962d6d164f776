/** The headers stored with an answer: only listed ones, as others may reveal something about one caller. */

/**
 * Headers about the content, its caching, and what a browser may do with it. Not `Content-Length`, which counts bytes on the
 * wire; the text is stored, and the runtime counts again.
 */
const KEPT =
  /^(?:content-(?!length).*|.*cache-control|date|etag|expires|last-modified|vary|referrer-policy|x-(?:content-type-options|vercel-ai-.*))$/

/** Content codings that the runtime decodes on reading and applies again for each client. @see RFC 9110, section 8.4.1 */
const UNPACKED = /^\s*(?:(?:x-)?gzip|br|deflate|zstd)?\s*$/i

/**
 * The headers of an answer that do not depend on the caller: listed ones, `Location` of a redirect, and
 * `Access-Control-Allow-Origin: *`.
 *
 * @param others names, in lower case, to leave out
 */
export function storedHeaders(
  status: number,
  headers: Headers,
  others: readonly string[],
): (readonly [string, string])[] {
  return [...headers].filter(([name, value]) => !others.includes(name) && isKept(status, name, value))
}

/** Whether a header is stored with an answer of this status. */
export function isKept(status: unknown, name: string, value: string): boolean {
  // With any other coding, the stored body is still encoded.
  return name === 'content-encoding'
    ? !value.split(',').every((coding) => UNPACKED.test(coding))
    : KEPT.test(name) ||
        (name === 'location' && Number(status) >= 300) ||
        (name === 'access-control-allow-origin' && value === '*')
}
