/** From confidence to lifetime: the stronger the evidence, the longer an answer lives. */
import { RagGateError } from '../../errors.ts'
import type { Band, Judgement } from './decision.ts'
import { clamp01 } from '../lib/numbers.ts'
import { isRecord } from '../lib/guards.ts'

/** Shortest and longest lifetime within a band, seconds. */
export interface LifetimeRange {
  readonly fromSeconds: number
  readonly toSeconds: number
}

/** Lifetimes of a policy. Ranges of better bands must not begin below the end of worse ones. */
export interface CacheLifetimes {
  readonly high: LifetimeRange
  readonly medium: LifetimeRange
  readonly low: LifetimeRange
  /** An answer that carries a caution never lives longer than this, seconds. */
  readonly adviseAtMostSeconds: number
  /** How long a refusal is remembered, seconds; 0 for not at all. */
  readonly refusalSeconds: number
}

const MINUTE = 60
const HOUR = 3600

/** Six hours to a day, an hour to six, five minutes to an hour; refusals half a minute. */
export const DEFAULT_LIFETIMES: CacheLifetimes = Object.freeze({
  high: { fromSeconds: 6 * HOUR, toSeconds: 24 * HOUR },
  medium: { fromSeconds: HOUR, toSeconds: 6 * HOUR },
  low: { fromSeconds: 5 * MINUTE, toSeconds: HOUR },
  adviseAtMostSeconds: HOUR,
  refusalSeconds: 30,
})

/**
 * @throws `policy_invalid` when a lifetime is missing, negative or not finite, or the ranges do not rise with the band
 */
export function validateLifetimes(lifetimes: CacheLifetimes): void {
  // Read from a file it may be anything: what is not there is no number.
  const { high, medium, low, adviseAtMostSeconds, refusalSeconds }: Partial<CacheLifetimes> = isRecord(lifetimes)
    ? lifetimes
    : {}
  const rising = [0, ...[low, medium, high].flatMap((range) => [range?.fromSeconds ?? NaN, range?.toSeconds ?? NaN])]
  const ordered = rising.every((seconds, at) => Number.isFinite(seconds) && seconds >= (rising[at - 1] ?? 0))
  const whole = [adviseAtMostSeconds, refusalSeconds].every((seconds) => Number.isFinite(seconds) && seconds! >= 0)
  if (!ordered || !whole) {
    throw new RagGateError('policy_invalid', 'cacheLifetimes must be 0 and up, and rise from low over medium to high', {
      param: 'cacheLifetimes',
    })
  }
}

/** What freshness depends on: the judgement and the policy's bands and lifetimes. */
export interface FreshnessPolicy {
  readonly bands: { readonly high: number; readonly medium: number; readonly low: number }
  readonly cacheLifetimes: CacheLifetimes
}

/**
 * How long an answer may live, whole seconds; 0 means that it is not stored. Never falls when the confidence rises.
 *
 * @param handlerSeconds what the handler's own response allows; `undefined` when it says nothing
 */
export function lifetimeSeconds(
  policy: FreshnessPolicy,
  { verdict, confidence }: Pick<Judgement, 'verdict' | 'confidence'>,
  handlerSeconds?: number,
): number {
  const bound = handlerSeconds ?? Infinity
  if (verdict === 'refuse') return Math.floor(Math.min(policy.cacheLifetimes.refusalSeconds, bound))
  const ceiling = verdict === 'advise' ? policy.cacheLifetimes.adviseAtMostSeconds : Infinity
  return Math.max(0, Math.floor(Math.min(byConfidence(policy, confidence), ceiling, bound)))
}

/** Straight lines from a band's shortest to its longest lifetime across its span of confidence; 0 below `low`. */
function byConfidence({ bands, cacheLifetimes }: FreshnessPolicy, confidence: number): number {
  const spans: readonly (readonly [Exclude<Band, 'very-low'>, number, number])[] = [
    ['high', bands.high, 1],
    ['medium', bands.medium, bands.high],
    ['low', bands.low, bands.medium],
  ]
  for (const [band, from, to] of spans) {
    // A confidence that is not a number reaches no band.
    if (!(confidence >= from)) continue
    const { fromSeconds, toSeconds } = cacheLifetimes[band]
    return fromSeconds + (to > from ? clamp01((confidence - from) / (to - from)) : 1) * (toSeconds - fromSeconds)
  }
  return 0
}

/**
 * What a handler's own response allows: `0` when it must not be stored, a number of seconds when it names one,
 * `undefined` when it leaves the matter open.
 *
 * @param header reads a response header, `null` when absent
 * @param keyedHeaders request headers, in lower case, that the answer key holds: a response may vary on these
 * @see RFC 9111, sections 3, 4.1, 4.2.1 and 5.2.2
 */
export function handlerFreshness(
  status: number,
  header: (name: string) => string | null,
  keyedHeaders: readonly string[] = [],
): number | undefined {
  if (status !== 200 || header('set-cookie') !== null) return 0
  const varying = (header('vary') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  if (varying.some((name) => name !== '' && name !== 'accept-encoding' && !keyedHeaders.includes(name))) return 0
  // Whoever speaks to caches in these ways means something; not storing is never wrong.
  if (['expires', 'cdn-cache-control', 'cloudflare-cdn-cache-control'].some((name) => header(name) !== null)) return 0
  const directives = parseDirectives(header('cache-control') ?? '')
  if (['no-store', 'private', 'no-cache'].some((name) => directives.has(name))) return 0
  const maxAge = directives.get('s-maxage') ?? directives.get('max-age')
  if (maxAge === undefined) return undefined
  const seconds = /^"?\d+"?$/.test(maxAge) ? Number(maxAge.replaceAll('"', '')) : 0
  const age = Number(header('age') ?? 0)
  return Math.max(0, seconds - (Number.isFinite(age) && age > 0 ? age : 0))
}

/**
 * Whether a handler's response forbids that it is served past its lifetime.
 *
 * @param header reads a response header, `null` when absent
 * @see RFC 9111, section 4.2.4
 */
export function forbidsStale(header: (name: string) => string | null): boolean {
  const directives = parseDirectives(header('cache-control') ?? '')
  return ['must-revalidate', 'proxy-revalidate', 's-maxage', 'no-cache'].some((name) => directives.has(name))
}

function parseDirectives(cacheControl: string): Map<string, string> {
  const directives = new Map<string, string>()
  for (const directive of cacheControl.split(',')) {
    const [name = '', value = ''] = directive.trim().split('=', 2)
    const key = name.toLowerCase()
    if (!directives.has(key)) directives.set(key, value.trim())
  }
  return directives
}
