/** Cache lifetimes: the higher the confidence, the longer an answer is cached. */
import { RagGateError } from '../../errors.ts'
import type { Band, Judgement } from './decision.ts'
import { clamp01, meets, RATIO_TOLERANCE } from '../lib/numbers.ts'
import { isRecord } from '../lib/guards.ts'

/** Shortest and longest lifetime within a band, seconds. */
export interface LifetimeRange {
  readonly fromSeconds: number
  readonly toSeconds: number
}

/** Lifetimes of a policy. A band's range must not begin below the end of the next lower band's. */
export interface CacheLifetimes {
  readonly high: LifetimeRange
  readonly medium: LifetimeRange
  readonly low: LifetimeRange
  /** Longest lifetime of an answer with a caution, seconds. */
  readonly adviseAtMostSeconds: number
  /**
   * How long a refusal is cached, seconds; 0 for not at all. It becomes invalid when the collection's version rises. If the
   * collection has no version, or a model's answer was refused, it is cached for thirty seconds at most.
   */
  readonly refusalSeconds: number
}

const MINUTE = 60
const HOUR = 3600

/** Six hours to a day, one to six hours, five minutes to an hour; refusals a day, or until documents change. */
export const DEFAULT_LIFETIMES: CacheLifetimes = Object.freeze({
  high: { fromSeconds: 6 * HOUR, toSeconds: 24 * HOUR },
  medium: { fromSeconds: HOUR, toSeconds: 6 * HOUR },
  low: { fromSeconds: 5 * MINUTE, toSeconds: HOUR },
  adviseAtMostSeconds: HOUR,
  refusalSeconds: 24 * HOUR,
})

/**
 * @throws `policy_invalid` when a lifetime is missing, negative or not finite, or the ranges do not rise with the band
 */
export function validateLifetimes(lifetimes: CacheLifetimes): void {
  // A file may hold anything; missing members fail the number check below.
  const { high, medium, low, adviseAtMostSeconds, refusalSeconds }: Partial<CacheLifetimes> = isRecord(lifetimes)
    ? lifetimes
    : {}
  const rising = [0, ...[low, medium, high].flatMap((range) => [range?.fromSeconds, range?.toSeconds])]
  const ordered = rising.every((seconds, at) => Number.isFinite(seconds) && seconds! >= (rising[at - 1] ?? 0))
  const whole = [adviseAtMostSeconds, refusalSeconds].every((seconds) => Number.isFinite(seconds) && seconds! >= 0)
  if (!ordered || !whole) {
    throw new RagGateError('policy_invalid', 'cacheLifetimes must rise from low to high', {
      param: 'cacheLifetimes',
    })
  }
}

/** The parts of a policy that determine lifetimes. */
export interface FreshnessPolicy {
  readonly bands: { readonly high: number; readonly medium: number; readonly low: number }
  readonly cacheLifetimes: CacheLifetimes
}

/** Further limits of a lifetime. */
export interface LifetimeBounds {
  /** How long the handler's own response stays fresh, seconds; absent if it does not say. */
  readonly handlerSeconds?: number | undefined
  /** Initial age of the handler's response, seconds. @default 0 */
  readonly ageSeconds?: number
  /** Share of the largest jitter to apply, 0..1: see `jitterOf`. @default 0, the full lifetime */
  readonly jitter?: number
}

/** Largest share of a lifetime that jitter takes away. */
const JITTER = 0.1

/**
 * Lifetime of a new answer, whole seconds; 0 means that it is not stored. For one key it never decreases with rising
 * confidence, never leaves the range of its band, and never exceeds what the handler allows. Jitter shortens the policy's
 * lifetime by up to a tenth, so that answers stored together do not expire together; it does not apply to a handler's own
 * limit and to refusals.
 */
export function lifetimeSeconds(
  policy: FreshnessPolicy,
  { verdict, confidence }: Pick<Judgement, 'verdict' | 'confidence'>,
  { handlerSeconds = Infinity, ageSeconds = 0, jitter = 0 }: LifetimeBounds = {},
): number {
  const { refusalSeconds, adviseAtMostSeconds } = policy.cacheLifetimes
  const kept = 1 - JITTER * clamp01(jitter)
  const ceiling = verdict === 'advise' ? adviseAtMostSeconds * kept : Infinity
  const allowed = verdict === 'refuse' ? refusalSeconds : Math.min(byConfidence(policy, confidence, kept), ceiling)
  return Math.max(0, Math.floor(Math.min(allowed, handlerSeconds) - ageSeconds))
}

/**
 * The jitter for a key, 0..1; a deterministic hash.
 *
 * @see http://www.isthe.com/chongo/tech/comp/fnv/ FNV-1a over UTF-16 code units, mixed once more for short keys
 */
export function jitterOf(key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000
}

/** Interpolates linearly from a band's shortest to its longest lifetime across its range of confidence; 0 below `low`. */
function byConfidence({ bands, cacheLifetimes }: FreshnessPolicy, confidence: number, kept: number): number {
  const spans: readonly (readonly [Exclude<Band, 'very-low'>, number, number])[] = [
    ['high', bands.high, 1],
    ['medium', bands.medium, bands.high],
    ['low', bands.low, bands.medium],
  ]
  for (const [band, from, to] of spans) {
    if (!meets(confidence, from, RATIO_TOLERANCE)) continue
    const { fromSeconds, toSeconds } = cacheLifetimes[band]
    const seconds =
      fromSeconds + (to > from ? clamp01((confidence - from) / (to - from)) : 1) * (toSeconds - fromSeconds)
    return Math.max(fromSeconds, seconds * kept)
  }
  return 0
}
