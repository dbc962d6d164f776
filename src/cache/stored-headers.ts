/** Which headers of an answer are kept with it. */

/** About one connection, or one exchange over it. @see RFC 9110, section 7.6.1; RFC 9111, section 3.1 */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Made anew for every response, or for one caller: sent from the cache they would tell the next caller of another. */
const OF_ONE_EXCHANGE = [
  'age',
  'authentication-info',
  'cache-status',
  'cf-ray',
  // Of the bytes on the wire: what is stored is the text, and the runtime counts it again.
  'content-length',
  'rag-gate',
  'ratelimit',
  'ratelimit-limit',
  'ratelimit-policy',
  'ratelimit-remaining',
  'ratelimit-reset',
  'request-id',
  'server-timing',
  'traceparent',
  'tracestate',
  'www-authenticate',
  'x-amzn-requestid',
  'x-correlation-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
]

const NEVER_STORED: ReadonlySet<string> = new Set([...HOP_BY_HOP, ...OF_ONE_EXCHANGE])

/** Codings that the runtime unpacks on reading, and packs again as the next caller accepts. @see RFC 9110, section 8.4.1 */
const UNPACKED: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'br', 'deflate', 'zstd', 'identity'])

/**
 * The end-to-end headers of an answer that belong to it and not to one caller.
 *
 * @param others names in lower case that are left out as well
 */
export function storedHeaders(headers: Headers, others: readonly string[]): (readonly [string, string])[] {
  const connection = (headers.get('connection') ?? '').toLowerCase().split(',')
  const left = new Set([...NEVER_STORED, ...connection.map((name) => name.trim()), ...others])
  const codings = (headers.get('content-encoding') ?? '').toLowerCase().split(',')
  // Any other coding is still on what is stored.
  if (codings.every((coding) => UNPACKED.has(coding.trim()))) left.add('content-encoding')
  return [...headers].filter(([name]) => !left.has(name))
}
