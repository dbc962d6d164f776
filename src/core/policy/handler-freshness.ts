/** What a handler's own response says about being stored: its status and headers, read as an HTTP cache reads them. */
import { cacheDirectives, type CacheDirectives, directiveSeconds, targetedDirectives } from './cache-control.ts'
import { httpDateMs } from './http-date.ts'

/** Reads a header, `null` when it is absent; fields that stand more than once joined by commas. */
export type HeaderReader = (name: string) => string | null

/** What a handler's response allows. */
export interface HandlerFreshness {
  /** How long it stays fresh from when it was made, seconds; `undefined` when it leaves that open; 0: it is not stored. */
  readonly lifetimeSeconds: number | undefined
  /** How old it was when the handler gave it, seconds, 0 and up. */
  readonly ageSeconds: number
  /** The header for which it is not stored, where the handler may not have meant that: it said neither `no-store` nor `private`. */
  readonly whyNotStored?: string
}

/** Fields for caches at the edge, as this one is: the first that can be read replaces `Cache-Control` and `Expires`. */
const TARGETED_FIELDS = ['cloudflare-cdn-cache-control', 'cdn-cache-control']

/**
 * Statuses other than 200 that may be kept, where the handler says for how long: no confidence says how long a redirect or
 * an absence holds. Errors, parts and what has no content never are.
 *
 * @see RFC 9111, section 3
 */
const KEPT_IF_SAID: ReadonlySet<number> = new Set([203, 301, 302, 303, 307, 308, 404, 410])

/** Headers that are for one caller alone, so the whole response is. */
const OF_ONE_CALLER = ['set-cookie', 'set-cookie2', 'clear-site-data']

/** What a response says to this cache. */
interface Directives {
  /** `undefined` when it cannot be read. */
  readonly directives: CacheDirectives | undefined
  readonly targeted: boolean
}

/** @see RFC 9213, section 2.2 */
function directivesOf(header: HeaderReader): Directives {
  for (const name of TARGETED_FIELDS) {
    const directives = targetedDirectives(header(name) ?? '')
    if (directives !== undefined) return { directives, targeted: true }
  }
  const directives = cacheDirectives(header('cache-control') ?? '')
  // Frameworks set a bare `no-cache` on every event stream, so that proxies pass it on at once: it says nothing of the answer.
  const isStream = /^text\/event-stream\b/i.test(header('content-type') ?? '')
  if (isStream && directives?.get('no-cache')?.every((fields) => fields === '')) directives.delete('no-cache')
  return { directives, targeted: false }
}

/**
 * What a handler's own response allows. What cannot be read allows nothing: not storing is never wrong.
 *
 * @param nowMs milliseconds since 1970 when it was asked for, to hold its dates against
 * @param keyedHeaders request headers, in lower case, that the answer key holds: a response may vary on these
 * @see RFC 9111, sections 3, 4.1, 4.2, 5.1 and 5.2.2
 */
export function handlerFreshness(
  status: number,
  header: HeaderReader,
  nowMs: number,
  keyedHeaders: readonly string[] = [],
): HandlerFreshness {
  const ageSeconds = ageOf(header, nowMs)
  if (status !== 200 && !KEPT_IF_SAID.has(status)) return { lifetimeSeconds: 0, ageSeconds }
  const read = directivesOf(header)
  const { directives } = read
  if (directives?.has('no-store') || directives?.has('private')) return { lifetimeSeconds: 0, ageSeconds }
  const whyNotStored = reasonNotToStore(header, directives, keyedHeaders)
  if (whyNotStored !== undefined) return { lifetimeSeconds: 0, ageSeconds, whyNotStored }
  return { lifetimeSeconds: allowedSeconds(status, header, nowMs, read), ageSeconds }
}

/** What keeps a response out of the cache that its handler may have wanted there. */
function reasonNotToStore(
  header: HeaderReader,
  directives: CacheDirectives | undefined,
  keyedHeaders: readonly string[],
): string | undefined {
  const own = OF_ONE_CALLER.find((name) => header(name) !== null)
  if (own !== undefined) return own
  const varying = (header('vary') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .find((name) => name !== '' && name !== 'accept-encoding' && !keyedHeaders.includes(name))
  if (varying !== undefined) return `vary: ${varying}`
  return directives?.has('no-cache') === false ? undefined : 'cache-control'
}

function allowedSeconds(
  status: number,
  header: HeaderReader,
  nowMs: number,
  { directives = new Map(), targeted }: Directives,
): number | undefined {
  const seconds = directiveSeconds(directives, 's-maxage') ?? directiveSeconds(directives, 'max-age')
  if (seconds !== undefined) return Number.isNaN(seconds) ? 0 : seconds
  const expires = targeted ? null : header('expires')
  if (expires !== null) return secondsUntil(expires, header('date'), nowMs)
  return status === 200 ? undefined : 0
}

/** @see RFC 9111, section 5.3: what is no date has expired */
function secondsUntil(expires: string, date: string | null, nowMs: number): number {
  const endMs = httpDateMs(expires, nowMs) ?? -Infinity
  const madeMs = httpDateMs(date ?? '', nowMs) ?? nowMs
  return Math.max(0, Math.floor((endMs - madeMs) / 1000))
}

/**
 * How old a response was when it came: by its `Age`, of which the largest member counts and one that is not a whole number
 * is passed over, and by its `Date`, whichever says more.
 *
 * @see RFC 9111, section 4.2.3; section 5.1, where the first member counts: the largest is never fresher
 */
function ageOf(header: HeaderReader, nowMs: number): number {
  const members = (header('age') ?? '').split(',').map((member) => member.trim())
  const apparentSeconds = Math.floor((nowMs - (httpDateMs(header('date') ?? '', nowMs) ?? nowMs)) / 1000)
  return Math.max(0, apparentSeconds, ...members.flatMap((member) => (/^\d+$/.test(member) ? [Number(member)] : [])))
}

/**
 * How long past its lifetime a handler's response may stand in for one that cannot be made, seconds: not at all where it forbids that, or cannot be
 * read, and no longer than it says itself.
 *
 * @param atMostSeconds window of the route
 * @see RFC 9111, section 4.2.4; RFC 5861, section 4
 */
export function staleIfErrorSeconds(header: HeaderReader, atMostSeconds: number): number {
  const { directives } = directivesOf(header)
  if (directives === undefined || FORBIDS_STALE.some((name) => directives.has(name))) return 0
  const own = directiveSeconds(directives, 'stale-if-error') ?? atMostSeconds
  return Number.isNaN(own) ? 0 : Math.min(own, atMostSeconds)
}

const FORBIDS_STALE = ['must-revalidate', 'proxy-revalidate', 's-maxage', 'no-cache']
