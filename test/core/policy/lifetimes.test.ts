import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type CacheLifetimes,
  DEFAULT_LIFETIMES,
  type FreshnessPolicy,
  handlerFreshness,
  lifetimeSeconds,
  validateLifetimes,
} from '../../../src/core/policy/lifetimes.ts'
import { examples } from '../../properties.ts'

const POLICY: FreshnessPolicy = { bands: { high: 0.85, medium: 0.7, low: 0.5 }, cacheLifetimes: DEFAULT_LIFETIMES }
const share = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.5, 0.7, 0.85, 1))
const policies: fc.Arbitrary<FreshnessPolicy> = fc
  .tuple(
    fc.tuple(share, share, share),
    fc.array(fc.nat({ max: 100_000 }), { minLength: 6, maxLength: 6 }),
    fc.nat({ max: 9000 }),
    fc.nat({ max: 90 }),
  )
  .map(([cuts, seconds, adviseAtMostSeconds, refusalSeconds]) => {
    const [low, medium, high] = cuts.sort((a, b) => a - b) as [number, number, number]
    const [a, b, c, d, e, f] = seconds.sort((x, y) => x - y) as [number, number, number, number, number, number]
    const cacheLifetimes: CacheLifetimes = {
      low: { fromSeconds: a, toSeconds: b },
      medium: { fromSeconds: c, toSeconds: d },
      high: { fromSeconds: e, toSeconds: f },
      adviseAtMostSeconds,
      refusalSeconds,
    }
    return { bands: { high, medium, low }, cacheLifetimes }
  })
const bound = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined })

describe('lifetimeSeconds', () => {
  it.each([
    [0, 0],
    [0.4999, 0],
    [0.5, 300],
    [0.6, 1950],
    [0.7, 3600],
    [0.775, 12_600],
    [0.85, 21_600],
    [0.925, 54_000],
    [1, 86_400],
  ])('gives a pass of confidence %d %d seconds', (confidence, seconds) => {
    expect(lifetimeSeconds(POLICY, { verdict: 'pass', confidence })).toBeCloseTo(seconds, -0.5)
  })

  it('never falls as confidence rises, within a band or across bands', () => {
    fc.assert(
      fc.property(
        policies,
        share,
        share,
        fc.constantFrom('pass', 'advise'),
        bound,
        (policy, a, b, verdict, handler) => {
          const low = lifetimeSeconds(policy, { verdict, confidence: Math.min(a, b) }, handler)
          const high = lifetimeSeconds(policy, { verdict, confidence: Math.max(a, b) }, handler)
          expect(high).toBeGreaterThanOrEqual(low)
        },
      ),
      { numRuns: examples(2000) },
    )
  })

  it("is whole seconds, never above the handler's bound or the verdict's ceiling", () => {
    fc.assert(
      fc.property(
        policies,
        share,
        fc.constantFrom('pass', 'advise', 'refuse'),
        bound,
        (policy, confidence, verdict, handler) => {
          const seconds = lifetimeSeconds(policy, { verdict, confidence }, handler)
          const { adviseAtMostSeconds, refusalSeconds, high } = policy.cacheLifetimes
          const ceiling = { pass: high.toSeconds, advise: adviseAtMostSeconds, refuse: refusalSeconds }[verdict]
          expect(Number.isInteger(seconds) && seconds >= 0).toBe(true)
          expect(seconds).toBeLessThanOrEqual(Math.min(ceiling, handler ?? Infinity))
        },
      ),
      { numRuns: examples(2000) },
    )
  })

  it('is 0 below the low band', () => {
    fc.assert(
      fc.property(policies, share, (policy, confidence) => {
        fc.pre(confidence < policy.bands.low)
        expect(lifetimeSeconds(policy, { verdict: 'pass', confidence })).toBe(0)
      }),
    )
    expect(lifetimeSeconds(POLICY, { verdict: 'pass', confidence: NaN })).toBe(0)
  })

  it('gives the whole of a band that is one point its longest lifetime', () => {
    const bands = { high: 1, medium: 0.5, low: 0.5 }
    const seconds = (confidence: number) => lifetimeSeconds({ ...POLICY, bands }, { verdict: 'pass', confidence })
    expect([seconds(1), seconds(0.5)]).toEqual([24 * 3600, 3600])
  })

  it('lets an advised answer live an hour at most, and never longer than a pass', () => {
    expect(lifetimeSeconds(POLICY, { verdict: 'advise', confidence: 1 })).toBe(3600)
    expect(lifetimeSeconds(POLICY, { verdict: 'advise', confidence: 0.5 })).toBe(300)
  })

  it('gives a refusal a short lifetime of its own, whatever the confidence', () => {
    for (const confidence of [0, 0.6, 1]) expect(lifetimeSeconds(POLICY, { verdict: 'refuse', confidence })).toBe(30)
    expect(lifetimeSeconds(POLICY, { verdict: 'refuse', confidence: 1 }, 10)).toBe(10)
    expect(lifetimeSeconds(POLICY, { verdict: 'refuse', confidence: 1 }, 0)).toBe(0)
  })
})

describe('handlerFreshness', () => {
  const fresh = (headers: Record<string, string>, status = 200, keyed: readonly string[] = []): number | undefined => {
    const response = new Headers(headers)
    return handlerFreshness(status, (name) => response.get(name), keyed)
  }

  it.each<[string, Record<string, string>, number | undefined]>([
    ['nothing said', {}, undefined],
    ['public alone', { 'cache-control': 'public' }, undefined],
    ['max-age', { 'cache-control': 'public, max-age=60' }, 60],
    ['max-age in capitals', { 'cache-control': 'Public, MAX-AGE=60' }, 60],
    ['max-age quoted', { 'cache-control': 'max-age="60"' }, 60],
    ['max-age without spaces', { 'cache-control': 'public,max-age=60' }, 60],
    ['max-age of 0', { 'cache-control': 'max-age=0' }, 0],
    ['s-maxage before max-age', { 'cache-control': 'max-age=600, s-maxage=60' }, 60],
    ['s-maxage after max-age', { 'cache-control': 's-maxage=60, max-age=600' }, 60],
    ['age off', { 'cache-control': 'max-age=60', age: '20' }, 40],
    ['age beyond', { 'cache-control': 'max-age=60', age: '90' }, 0],
    ['age malformed', { 'cache-control': 'max-age=60', age: 'old' }, 60],
    ['age below 0', { 'cache-control': 'max-age=60', age: '-20' }, 60],
    ['max-age twice', { 'cache-control': 'max-age=60, Max-Age=600' }, 60],
    ['max-age after a space', { 'cache-control': 'max-age= 60' }, 60],
    ['a comma too much', { 'cache-control': ', max-age=60,,' }, 60],
    ['Expires', { expires: 'Thu, 01 Jan 2099 00:00:00 GMT', 'cache-control': 'max-age=60' }, 0],
    ['CDN-Cache-Control', { 'cdn-cache-control': 'max-age=60', 'cache-control': 'max-age=60' }, 0],
    ['Cloudflare-CDN-Cache-Control', { 'cloudflare-cdn-cache-control': 'max-age=60' }, 0],
    ['no-store', { 'cache-control': 'no-store' }, 0],
    ['no-store beside max-age', { 'cache-control': 'max-age=60, no-store' }, 0],
    ['No-Store in capitals', { 'cache-control': 'No-Store' }, 0],
    ['private', { 'cache-control': 'private, max-age=60' }, 0],
    ['private with fields', { 'cache-control': 'private="set-cookie", max-age=60' }, 0],
    ['no-cache', { 'cache-control': 'no-cache' }, 0],
    ['no-cache with fields', { 'cache-control': 'no-cache="x-a, x-b"' }, 0],
    ['max-age negative', { 'cache-control': 'max-age=-1' }, 0],
    ['max-age empty', { 'cache-control': 'max-age=' }, 0],
    ['max-age without a value', { 'cache-control': 'max-age' }, 0],
    ['max-age a fraction', { 'cache-control': 'max-age=1.5' }, 0],
    ['max-age text', { 'cache-control': 'max-age=forever' }, 0],
    ['max-age exponent', { 'cache-control': 'max-age=1e9' }, 0],
    ['an unknown directive', { 'cache-control': 'immutable, x-y=3' }, undefined],
    ['a name that only looks like one', { 'cache-control': 'x-no-store, max-age=60' }, 60],
    ['a cookie', { 'set-cookie': 'session=1', 'cache-control': 'max-age=60' }, 0],
    ['Vary: *', { vary: '*', 'cache-control': 'max-age=60' }, 0],
    ['Vary on what is not keyed', { vary: 'Accept-Language' }, 0],
    ['Vary: Authorization', { vary: 'Authorization' }, 0],
    ['Vary: Cookie', { vary: 'cookie' }, 0],
    ['Vary on the encoding only', { vary: 'Accept-Encoding', 'cache-control': 'max-age=60' }, 60],
    ['Vary of nothing', { vary: ' , ' }, undefined],
  ])('with %s allows %j → %s', (_, headers, expected) => {
    expect(fresh(headers)).toBe(expected)
  })

  it('lets a response vary on what the key holds, and on nothing more', () => {
    expect(fresh({ vary: 'Accept-Language, X-Plan' }, 200, ['accept-language', 'x-plan'])).toBeUndefined()
    expect(fresh({ vary: 'Accept-Language, X-Other' }, 200, ['accept-language'])).toBe(0)
    expect(fresh({ vary: '*' }, 200, ['accept-language'])).toBe(0)
  })

  it.each([201, 204, 206, 301, 304, 400, 404, 410, 500, 503])('never lets a %d be stored', (status) => {
    expect(fresh({ 'cache-control': 'public, max-age=600' }, status)).toBe(0)
  })
})

describe('validateLifetimes', () => {
  it('takes the defaults, and ranges that touch', () => {
    expect(() => validateLifetimes(DEFAULT_LIFETIMES)).not.toThrow()
    const none = { fromSeconds: 0, toSeconds: 0 }
    expect(() =>
      validateLifetimes({ high: none, medium: none, low: none, adviseAtMostSeconds: 0, refusalSeconds: 0 }),
    ).not.toThrow()
  })
})
