/** What a handler's own response says about being stored: its status and headers, read as an HTTP cache reads them. */
import { cacheDirectives, directiveSeconds } from './cache-control.ts'

/** Reads a header, `null` when it is absent; fields that stand more than once joined by commas. */
export type HeaderReader = (name: string) => string | null

/** What a handler's response allows. */
export interface HandlerFreshness {
  /** How long it stays fresh from when it was made, seconds; `undefined` when it leaves that open; 0: it is not stored. */
  readonly lifetimeSeconds: number | undefined
  /** How old it was when the handler gave it, seconds, 0 and up. */
  readonly ageSeconds: number
}

/** Fields that speak to other caches than this one, and override `Cache-Control` there. */
const OF_OTHER_CACHES = ['expires', 'cdn-cache-control', 'cloudflare-cdn-cache-control']

/**
 * What a handler's own response allows. What cannot be read allows nothing: not storing is never wrong.
 *
 * @param keyedHeaders request headers, in lower case, that the answer key holds: a response may vary on these
 * @see RFC 9111, sections 3, 4.1, 4.2.1, 5.1 and 5.2.2
 */
export function handlerFreshness(
  status: number,
  header: HeaderReader,
  keyedHeaders: readonly string[] = [],
): HandlerFreshness {
  return { lifetimeSeconds: allowedSeconds(status, header, keyedHeaders), ageSeconds: ageOf(header('age')) }
}

function allowedSeconds(status: number, header: HeaderReader, keyedHeaders: readonly string[]): number | undefined {
  if (status !== 200 || header('set-cookie') !== null) return 0
  const varying = (header('vary') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  if (varying.some((name) => name !== '' && name !== 'accept-encoding' && !keyedHeaders.includes(name))) return 0
  if (OF_OTHER_CACHES.some((name) => header(name) !== null)) return 0
  const directives = cacheDirectives(header('cache-control') ?? '')
  if (directives === undefined || ['no-store', 'private', 'no-cache'].some((name) => directives.has(name))) return 0
  const seconds = directiveSeconds(directives, 's-maxage') ?? directiveSeconds(directives, 'max-age')
  return Number.isNaN(seconds) ? 0 : seconds
}

/**
 * The `Age` that a response came with. Of several the largest counts; a member that is not a whole number is passed over.
 *
 * @see RFC 9111, section 5.1, where the first counts: the largest is never fresher
 */
function ageOf(field: string | null): number {
  const members = (field ?? '').split(',').map((member) => member.trim())
  return Math.max(0, ...members.flatMap((member) => (/^\d+$/.test(member) ? [Number(member)] : [])))
}

/**
 * Whether a handler's response forbids that it is served past its lifetime. One that cannot be read does.
 *
 * @see RFC 9111, section 4.2.4
 */
export function forbidsStale(header: HeaderReader): boolean {
  const directives = cacheDirectives(header('cache-control') ?? '')
  return ['must-revalidate', 'proxy-revalidate', 's-maxage', 'no-cache'].some((name) => directives?.has(name) ?? true)
}
