/** Whether a handler's response may be stored, by its status and headers, as an HTTP cache interprets them. */
import { cacheDirectives, type CacheDirectives, directiveSeconds, targetedDirectives } from './cache-control.ts'
import { httpDateMs } from './http-date.ts'

/** Reads a header, `null` when it is absent; repeated fields are joined by commas. */
export type HeaderReader = (name: string) => string | null

/** How a handler's response may be stored. */
export interface HandlerFreshness {
  /** How long it stays fresh from when it was made, seconds; `undefined` if it does not say; 0: it is not stored. */
  readonly lifetimeSeconds: number | undefined
  /** Its initial age, seconds, 0 and up. */
  readonly ageSeconds: number
  /** The header that prevents storing, if this may be unintended: not for `no-store` and `private`. */
  readonly whyNotStored?: string
}

/** Fields for edge caches such as this one: the first valid one replaces `Cache-Control` and `Expires`. */
const TARGETED_FIELDS = ['cloudflare-cdn-cache-control', 'cdn-cache-control']

/**
 * Statuses other than 200 that may be stored if the handler says for how long, since confidence says nothing about how long a
 * redirect or an absence is valid. Errors, partial and empty responses are never stored.
 *
 * @see RFC 9111, section 3
 */
const KEPT_IF_SAID: ReadonlySet<number> = new Set([203, 301, 302, 303, 307, 308, 404, 410])

/** Headers that make a response specific to one caller. */
const OF_ONE_CALLER = ['set-cookie', 'set-cookie2', 'clear-site-data']

/** Directives of a response for this cache. */
interface Directives {
  /** `undefined` if malformed. */
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
  // Frameworks set a bare `no-cache` on every event stream so that proxies do not buffer; it does not concern the answer.
  const isStream = /^text\/event-stream\b/i.test(header('content-type') ?? '')
  if (isStream && directives?.get('no-cache')?.every((fields) => fields === '')) directives.delete('no-cache')
  return { directives, targeted: false }
}

/**
 * Determines how a handler's response may be stored. Malformed headers prevent storing, which is always safe.
 *
 * @param nowMs time of the request, milliseconds since 1970, with which dates are compared
 * @param keyedHeaders request headers in the answer key, in lower case: a response may vary on these
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

/** Why a response is not stored although its handler may have wanted it. */
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

/** @see RFC 9111, section 5.3: an invalid date counts as expired */
function secondsUntil(expires: string, date: string | null, nowMs: number): number {
  const endMs = httpDateMs(expires, nowMs) ?? -Infinity
  const madeMs = httpDateMs(date ?? '', nowMs) ?? nowMs
  return Math.max(0, Math.floor((endMs - madeMs) / 1000))
}

/**
 * Initial age of a response: the larger of `Age` (its largest member; members that are not whole numbers are ignored) and
 * the age according to `Date`.
 *
 * @see RFC 9111, section 4.2.3; section 5.1, where the first member counts: the largest is never fresher
 */
function ageOf(header: HeaderReader, nowMs: number): number {
  const members = (header('age') ?? '').split(',').map((member) => member.trim())
  const apparentSeconds = Math.floor((nowMs - (httpDateMs(header('date') ?? '', nowMs) ?? nowMs)) / 1000)
  return Math.max(0, apparentSeconds, ...members.flatMap((member) => (/^\d+$/.test(member) ? [Number(member)] : [])))
}

/**
 * How long after expiry a handler's response may be sent on errors, seconds: 0 if its headers forbid that or are malformed,
 * and no longer than its own `stale-if-error`.
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
