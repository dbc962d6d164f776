import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type CacheLifetimes,
  DEFAULT_LIFETIMES,
  type FreshnessPolicy,
  jitterOf,
  type LifetimeBounds,
  lifetimeSeconds,
  validateLifetimes,
} from '../../../src/core/policy/lifetimes.ts'
import { bandOf } from '../../../src/core/policy/judge.ts'
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
const bounds: fc.Arbitrary<LifetimeBounds> = fc.record(
  {
    handlerSeconds: fc.double({ min: 0, max: 1e6, noNaN: true }),
    ageSeconds: fc.nat({ max: 100_000 }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  },
  { requiredKeys: [] },
)

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
  ])('gives a pass with confidence %d a lifetime of %d seconds', (confidence, seconds) => {
    expect(lifetimeSeconds(POLICY, { verdict: 'pass', confidence })).toBeCloseTo(seconds, -0.5)
  })

  it('never falls as the confidence rises, within a band or across bands', () => {
    fc.assert(
      fc.property(policies, share, share, fc.constantFrom('pass', 'advise'), bounds, (policy, a, b, verdict, given) => {
        const low = lifetimeSeconds(policy, { verdict, confidence: Math.min(a, b) }, given)
        const high = lifetimeSeconds(policy, { verdict, confidence: Math.max(a, b) }, given)
        expect(high).toBeGreaterThanOrEqual(low)
      }),
      { numRuns: examples(2000, 10_000) },
    )
  })

  it("is in whole seconds, at most the handler's bound and the verdict's ceiling", () => {
    fc.assert(
      fc.property(
        policies,
        share,
        fc.constantFrom('pass', 'advise', 'refuse'),
        bounds,
        (policy, confidence, verdict, given) => {
          const seconds = lifetimeSeconds(policy, { verdict, confidence }, given)
          const { handlerSeconds = Infinity, ageSeconds = 0 } = given
          const { adviseAtMostSeconds, refusalSeconds, high } = policy.cacheLifetimes
          const ceiling = { pass: high.toSeconds, advise: adviseAtMostSeconds, refuse: refusalSeconds }[verdict]
          expect(Number.isInteger(seconds) && seconds >= 0).toBe(true)
          expect(seconds).toBeLessThanOrEqual(Math.max(0, Math.min(ceiling, handlerSeconds) - ageSeconds))
        },
      ),
      { numRuns: examples(2000, 10_000) },
    )
  })

  it('is 0 below the low band', () => {
    fc.assert(
      fc.property(policies, share, (policy, confidence) => {
        fc.pre(bandOf(policy.bands, confidence) === 'very-low')
        expect(lifetimeSeconds(policy, { verdict: 'pass', confidence })).toBe(0)
      }),
    )
    expect(lifetimeSeconds(POLICY, { verdict: 'pass', confidence: NaN })).toBe(0)
  })

  it('uses the longest lifetime of a band that is a single point', () => {
    const bands = { high: 1, medium: 0.5, low: 0.5 }
    const seconds = (confidence: number) => lifetimeSeconds({ ...POLICY, bands }, { verdict: 'pass', confidence })
    expect([seconds(1), seconds(0.5)]).toEqual([24 * 3600, 3600])
  })

  it('limits an advised answer to an hour, and to the lifetime of a pass', () => {
    expect(lifetimeSeconds(POLICY, { verdict: 'advise', confidence: 1 })).toBe(3600)
    expect(lifetimeSeconds(POLICY, { verdict: 'advise', confidence: 0.5 })).toBe(300)
  })

  it('subtracts the age of the answer, and up to a tenth of the lifetime by the jitter of its key', () => {
    const given = (bounds: LifetimeBounds, confidence = 1) =>
      lifetimeSeconds(POLICY, { verdict: 'pass', confidence }, bounds)
    expect(given({ ageSeconds: 400 })).toBe(86_000)
    expect(given({ ageSeconds: 90_000 })).toBe(0)
    expect(given({ handlerSeconds: 60, ageSeconds: 20, jitter: 1 })).toBe(40)
    expect(given({ jitter: 1 })).toBe(77_760)
    expect(given({ jitter: 0.5 })).toBe(82_080)
    // Never below the band that it is in.
    expect(given({ jitter: 1 }, 0.855)).toBe(21_600)
    expect(lifetimeSeconds(POLICY, { verdict: 'advise', confidence: 1 }, { jitter: 1 })).toBe(3240)
    expect(lifetimeSeconds(POLICY, { verdict: 'refuse', confidence: 1 }, { jitter: 1 })).toBe(86_400)
  })

  it('stays within the range of its band for any jitter', () => {
    fc.assert(
      fc.property(policies, share, fc.double({ min: 0, max: 1, noNaN: true }), (policy, confidence, jitter) => {
        const { bands, cacheLifetimes } = policy
        fc.pre(confidence >= bands.low)
        const band = bandOf(bands, confidence)
        if (band === 'very-low') throw new Error('The confidence is at least that of the low band')
        const seconds = lifetimeSeconds(policy, { verdict: 'pass', confidence }, { jitter })
        expect(seconds).toBeGreaterThanOrEqual(cacheLifetimes[band].fromSeconds)
        expect(seconds).toBeLessThanOrEqual(cacheLifetimes[band].toSeconds)
      }),
      { numRuns: examples(2000, 10_000) },
    )
  })

  it('takes the band within the tolerance that the gates have', () => {
    // A weighted sum may be slightly below the decimal that it stands for.
    const at = (confidence: number, bounds?: LifetimeBounds) =>
      lifetimeSeconds(POLICY, { verdict: 'pass', confidence }, bounds)
    expect(bandOf(POLICY.bands, 0.85 - 1e-12)).toBe('high')
    expect(at(0.85 - 1e-12, { jitter: 1 })).toBe(21_600)
    expect(at(0.7 - 5e-10, { jitter: 1 })).toBe(3600)
    expect(at(0.5 - 1e-12)).toBe(300)
    expect(at(0.5 - 2e-9)).toBe(0)
  })

  it('gives a refusal its own lifetime at any confidence', () => {
    for (const confidence of [0, 0.6, 1])
      expect(lifetimeSeconds(POLICY, { verdict: 'refuse', confidence })).toBe(86_400)
    expect(lifetimeSeconds(POLICY, { verdict: 'refuse', confidence: 1 }, { handlerSeconds: 10 })).toBe(10)
    expect(lifetimeSeconds(POLICY, { verdict: 'refuse', confidence: 1 }, { handlerSeconds: 0 })).toBe(0)
  })
})

describe('jitterOf', () => {
  it.each([
    ['', 0.6689221884589642],
    ['a', 0.10352621669881046],
    ['answer', 0.36009644879959524],
  ])('for %j is %d', (key, jitter) => {
    expect(jitterOf(key)).toBe(jitter)
  })

  it('is the same for the same key, and spreads keys evenly', () => {
    const tenths = Array.from({ length: 10 }, () => 0)
    for (let at = 0; at < 10_000; at++) {
      const jitter = jitterOf(`18:How long are log ${at}`)
      expect(jitter).toBe(jitterOf(`18:How long are log ${at}`))
      tenths[Math.floor(jitter * 10)]! += 1
    }
    // 1,000 each; seven standard deviations of a binomial count are 210.
    for (const count of tenths) expect(Math.abs(count - 1000)).toBeLessThan(210)
  })
})

describe('validateLifetimes', () => {
  it('accepts the defaults, and ranges that touch', () => {
    expect(() => validateLifetimes(DEFAULT_LIFETIMES)).not.toThrow()
    const none = { fromSeconds: 0, toSeconds: 0 }
    expect(() =>
      validateLifetimes({ high: none, medium: none, low: none, adviseAtMostSeconds: 0, refusalSeconds: 0 }),
    ).not.toThrow()
  })
})
