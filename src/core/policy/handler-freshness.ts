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
}

/** Fields for caches at the edge, as this one is: the first that can be read replaces `Cache-Control` and `Expires`. */
const TARGETED_FIELDS = ['cloudflare-cdn-cache-control', 'cdn-cache-control']

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
  return { directives: cacheDirectives(header('cache-control') ?? ''), targeted: false }
}

/**
 * What a handler's own response allows. What cannot be read allows nothing: not storing is never wrong.
 *
 * @param nowMs milliseconds since 1970, for an `Expires` without a `Date`
 * @param keyedHeaders request headers, in lower case, that the answer key holds: a response may vary on these
 * @see RFC 9111, sections 3, 4.1, 4.2.1, 5.1 and 5.2.2
 */
export function handlerFreshness(
  status: number,
  header: HeaderReader,
  nowMs: number,
  keyedHeaders: readonly string[] = [],
): HandlerFreshness {
  return { lifetimeSeconds: allowedSeconds(status, header, nowMs, keyedHeaders), ageSeconds: ageOf(header('age')) }
}

function allowedSeconds(
  status: number,
  header: HeaderReader,
  nowMs: number,
  keyedHeaders: readonly string[],
): number | undefined {
  if (status !== 200 || header('set-cookie') !== null) return 0
  const varying = (header('vary') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  if (varying.some((name) => name !== '' && name !== 'accept-encoding' && !keyedHeaders.includes(name))) return 0
  const { directives, targeted } = directivesOf(header)
  if (directives === undefined || ['no-store', 'private', 'no-cache'].some((name) => directives.has(name))) return 0
  const seconds = directiveSeconds(directives, 's-maxage') ?? directiveSeconds(directives, 'max-age')
  if (seconds !== undefined) return Number.isNaN(seconds) ? 0 : seconds
  const expires = targeted ? null : header('expires')
  return expires === null ? undefined : secondsUntil(expires, header('date'), nowMs)
}

/** @see RFC 9111, section 5.3: what is no date has expired */
function secondsUntil(expires: string, date: string | null, nowMs: number): number {
  const endMs = httpDateMs(expires, nowMs) ?? -Infinity
  const madeMs = httpDateMs(date ?? '', nowMs) ?? nowMs
  return Math.max(0, Math.floor((endMs - madeMs) / 1000))
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
  const { directives } = directivesOf(header)
  return ['must-revalidate', 'proxy-revalidate', 's-maxage', 'no-cache'].some((name) => directives?.has(name) ?? true)
}
