/** Which headers of an answer are kept with it: by a list, as one that is not known may tell of one caller. */

/**
 * What is sent, how long it may be kept, and what a browser may do with it. The length is of the bytes on the wire: what is
 * stored is the text, and the runtime counts it again.
 */
const KEPT =
  /^(?:content-(?!length).*|.*cache-control|date|etag|expires|last-modified|vary|referrer-policy|x-(?:content-type-options|vercel-ai-.*))$/

/** Codings that the runtime unpacks before it is read, and packs again as the next caller likes. @see RFC 9110, section 8.4.1 */
const UNPACKED = /^\s*(?:(?:x-)?gzip|br|deflate|zstd)?\s*$/i

/**
 * The headers of an answer that belong to it and not to one caller: those of the list, where a redirect leads, and that every origin
 * may read it.
 *
 * @param others names in lower case that are left out
 */
export function storedHeaders(
  status: number,
  headers: Headers,
  others: readonly string[],
): (readonly [string, string])[] {
  const isKept = (name: string, value: string): boolean =>
    // Any other coding is still on what is stored.
    name === 'content-encoding'
      ? !value.split(',').every((coding) => UNPACKED.test(coding))
      : KEPT.test(name) ||
        (name === 'location' && status >= 300) ||
        (name === 'access-control-allow-origin' && value === '*')
  return [...headers].filter(([name, value]) => !others.includes(name) && isKept(name, value))
}
