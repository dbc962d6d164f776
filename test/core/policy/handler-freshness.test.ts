import { describe, expect, it } from 'vitest'
import { handlerFreshness, staleIfErrorSeconds } from '../../../src/core/policy/handler-freshness.ts'

const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5)
const STREAM = 'text/event-stream; charset=utf-8'

describe('handlerFreshness', () => {
  const fresh = (headers: Record<string, string>, status = 200, keyed: readonly string[] = []): number | undefined => {
    const response = new Headers(headers)
    return handlerFreshness(status, (name) => response.get(name), NOW_MS, keyed).lifetimeSeconds
  }

  it.each<[string, Record<string, string>, number | undefined]>([
    ['no header', {}, undefined],
    ['only public', { 'cache-control': 'public' }, undefined],
    ['max-age', { 'cache-control': 'public, max-age=60' }, 60],
    ['max-age in capitals', { 'cache-control': 'Public, MAX-AGE=60' }, 60],
    ['max-age quoted', { 'cache-control': 'max-age="60"' }, 60],
    ['max-age without spaces', { 'cache-control': 'public,max-age=60' }, 60],
    ['max-age of 0', { 'cache-control': 'max-age=0' }, 0],
    ['s-maxage before max-age', { 'cache-control': 'max-age=600, s-maxage=60' }, 60],
    ['s-maxage after max-age', { 'cache-control': 's-maxage=60, max-age=600' }, 60],
    ['max-age twice', { 'cache-control': 'max-age=60, Max-Age=600' }, 60],
    ['max-age after a space', { 'cache-control': 'max-age= 60' }, 60],
    ['a trailing comma', { 'cache-control': ', max-age=60,,' }, 60],
    ['Expires', { expires: 'Fri, 02 Jan 2026 03:05:05 GMT' }, 60],
    ['Expires and Date', { expires: 'Fri, 02 Jan 2026 03:05:05 GMT', date: 'Fri, 02 Jan 2026 03:05:00 GMT' }, 5],
    ['Expires of RFC 850', { expires: 'Friday, 02-Jan-26 03:05:05 GMT' }, 60],
    ['Expires of asctime', { expires: 'Fri Jan  2 03:05:05 2026' }, 60],
    ['Expires in the past', { expires: 'Fri, 02 Jan 2026 03:04:04 GMT' }, 0],
    ['Expires 0', { expires: '0' }, 0],
    ['Expires in another zone', { expires: 'Fri, 02 Jan 2026 03:05:05 CET' }, 0],
    ['Expires with an impossible day', { expires: 'Fri, 31 Feb 2026 03:05:05 GMT' }, 0],
    ['Expires twice', { expires: 'Fri, 02 Jan 2026 03:05:05 GMT, Fri, 02 Jan 2026 03:05:05 GMT' }, 0],
    ['Expires beside max-age', { expires: 'Fri, 02 Jan 2026 03:05:05 GMT', 'cache-control': 'max-age=600' }, 600],
    ['CDN-Cache-Control', { 'cdn-cache-control': 'max-age=60', 'cache-control': 'no-store' }, 60],
    [
      'Cloudflare-CDN-Cache-Control first',
      { 'cloudflare-cdn-cache-control': 'max-age=6', 'cdn-cache-control': 'max-age=60' },
      6,
    ],
    ['CDN-Cache-Control: no-store', { 'cdn-cache-control': 'no-store', 'cache-control': 'max-age=60' }, 0],
    ['CDN-Cache-Control with a parameter', { 'cdn-cache-control': 'max-age=60; x=1, no-store=?0' }, 60],
    ['CDN-Cache-Control twice', { 'cdn-cache-control': 'max-age=60, max-age=30' }, 30],
    ['CDN-Cache-Control as a string', { 'cdn-cache-control': 'max-age="60"' }, 0],
    ['CDN-Cache-Control below 0', { 'cdn-cache-control': 'max-age=-1' }, 0],
    [
      'CDN-Cache-Control that is no dictionary',
      { 'cdn-cache-control': 'max-age = 600', 'cache-control': 'max-age=60' },
      60,
    ],
    [
      'CDN-Cache-Control with a comma too much',
      { 'cdn-cache-control': 'max-age=600,', 'cache-control': 'max-age=60' },
      60,
    ],
    ['CDN-Cache-Control in capitals', { 'cdn-cache-control': 'MAX-AGE=600', 'cache-control': 'max-age=60' }, 60],
    ['an empty CDN-Cache-Control', { 'cdn-cache-control': '', 'cache-control': 'max-age=60' }, 60],
    ['CDN-Cache-Control and Expires', { 'cdn-cache-control': 'public', expires: '0' }, undefined],
    ['no-store', { 'cache-control': 'no-store' }, 0],
    ['no-store beside max-age', { 'cache-control': 'max-age=60, no-store' }, 0],
    ['No-Store in capitals', { 'cache-control': 'No-Store' }, 0],
    ['private', { 'cache-control': 'private, max-age=60' }, 0],
    ['private with fields', { 'cache-control': 'private="set-cookie", max-age=60' }, 0],
    ['no-cache', { 'cache-control': 'no-cache' }, 0],
    ['no-cache with fields', { 'cache-control': 'no-cache="x-a, x-b"' }, 0],
    ['no-cache of an event stream', { 'cache-control': 'no-cache', 'content-type': STREAM }, undefined],
    ['and no-transform', { 'cache-control': 'no-cache, no-transform', 'content-type': 'Text/Event-Stream' }, undefined],
    ['and a lifetime', { 'cache-control': 'no-cache, max-age=60', 'content-type': STREAM }, 60],
    ['its no-cache with fields', { 'cache-control': 'no-cache="x-a"', 'content-type': STREAM }, 0],
    ['its no-cache of both kinds', { 'cache-control': 'no-cache, no-cache="x-a"', 'content-type': STREAM }, 0],
    ['its no-store', { 'cache-control': 'no-cache, no-store', 'content-type': STREAM }, 0],
    ['its private', { 'cache-control': 'private, no-cache', 'content-type': STREAM }, 0],
    ['its no-cache for the edge', { 'cdn-cache-control': 'no-cache', 'content-type': STREAM }, 0],
    ['its lifetime alone', { 'cache-control': 'max-age=60', 'content-type': STREAM }, 60],
    ['what of it cannot be read', { 'cache-control': 'no-cache; max-age=60', 'content-type': STREAM }, 0],
    ['no-cache beside a stream', { 'cache-control': 'no-cache', 'content-type': 'a/b; c=text/event-stream' }, 0],
    ['no-cache of what only looks like one', { 'cache-control': 'no-cache', 'content-type': 'text/event-streams' }, 0],
    ['max-age negative', { 'cache-control': 'max-age=-1' }, 0],
    ['max-age empty', { 'cache-control': 'max-age=' }, 0],
    ['max-age without a value', { 'cache-control': 'max-age' }, 0],
    ['max-age a fraction', { 'cache-control': 'max-age=1.5' }, 0],
    ['max-age text', { 'cache-control': 'max-age=forever' }, 0],
    ['max-age exponent', { 'cache-control': 'max-age=1e9' }, 0],
    ['two of them apart', { 'cache-control': 'max-age=600, max-age=60' }, 60],
    ['one of two unreadable', { 'cache-control': 'max-age=60, max-age=x' }, 0],
    ['private and a semicolon', { 'cache-control': 'private; max-age=0' }, 0],
    ['no-store and a semicolon', { 'cache-control': 'no-store; max-age=0' }, 0],
    ['a space for a comma', { 'cache-control': 'max-age=60 no-store' }, 0],
    ['a quoted string without an end', { 'cache-control': 'max-age=60, x="no' }, 0],
    ['a comma in a quoted string', { 'cache-control': 'x="a, no-store, b", max-age=60' }, 60],
    ['a lifetime in a quoted string', { 'cache-control': 'x="a, max-age=600", max-age=60' }, 60],
    ['a quoted pair', { 'cache-control': 'x="\\", no-store, \\"", max-age=60' }, 60],
    ['an unknown directive', { 'cache-control': 'immutable, x-y=3' }, undefined],
    ['a name that only looks like one', { 'cache-control': 'x-no-store, max-age=60' }, 60],
    ['a cookie', { 'set-cookie': 'session=1', 'cache-control': 'max-age=60' }, 0],
    ['a cookie of old', { 'set-cookie2': 'session=1', 'cache-control': 'max-age=60' }, 0],
    ['data of its caller to clear', { 'clear-site-data': '"cookies"', 'cache-control': 'max-age=60' }, 0],
    ['Vary: *', { vary: '*', 'cache-control': 'max-age=60' }, 0],
    ['Vary on what is not keyed', { vary: 'Accept-Language' }, 0],
    ['Vary: Authorization', { vary: 'Authorization' }, 0],
    ['Vary: Cookie', { vary: 'cookie' }, 0],
    ['Vary on the encoding only', { vary: 'Accept-Encoding', 'cache-control': 'max-age=60' }, 60],
    ['Vary of nothing', { vary: ' , ' }, undefined],
  ])('with %s (%j) allows a lifetime of %s', (_, headers, expected) => {
    expect(fresh(headers)).toBe(expected)
  })

  it.each<[string, Record<string, string>, string | undefined]>([
    ['no-store', { 'cache-control': 'no-store, no-cache', 'set-cookie': 'a=1' }, undefined],
    ['private', { 'cache-control': 'private' }, undefined],
    ['a lifetime of 0', { 'cache-control': 'max-age=0' }, undefined],
    ['no-cache', { 'cache-control': 'no-cache' }, 'cache-control'],
    ['an unreadable Cache-Control', { 'cache-control': 'max-age=60; public' }, 'cache-control'],
    ['a cookie', { 'set-cookie': 'a=1' }, 'set-cookie'],
    ['Vary', { vary: 'X-Plan, Accept' }, 'vary: x-plan'],
  ])('names the reason why a response with %s is not stored when that may be unintended', (_, headers, unkept) => {
    const response = new Headers(headers)
    const read = handlerFreshness(200, (name) => response.get(name), NOW_MS)
    expect([read.lifetimeSeconds, read.whyNotStored]).toEqual([0, unkept])
  })

  it.each<[string, Record<string, string>, number]>([
    ['no Age', {}, 0],
    ['an Age', { age: '20' }, 20],
    ['an Age without max-age', { age: '7200' }, 7200],
    ['two Ages, the larger first', { age: '7200, 0' }, 7200],
    ['two Ages, the larger last', { age: '0, 7200' }, 7200],
    ['one of two unreadable', { age: 'old, 20' }, 20],
    ['an unreadable Age', { age: 'old' }, 0],
    ['an Age below 0', { age: '-20' }, 0],
    ['a fractional Age', { age: '20.5' }, 0],
    ['a Date half a minute ago', { date: 'Fri, 02 Jan 2026 03:03:35 GMT' }, 30],
    ['an Age larger than its Date says', { date: 'Fri, 02 Jan 2026 03:03:35 GMT', age: '40' }, 40],
    ['an Age smaller than its Date says', { date: 'Fri, 02 Jan 2026 03:03:35 GMT', age: '20' }, 30],
    ['a Date in the future', { date: 'Fri, 02 Jan 2026 03:05:35 GMT' }, 0],
    ['an invalid Date', { date: 'yesterday' }, 0],
  ])('computes the age from %s', (_, headers, seconds) => {
    const response = new Headers(headers)
    expect(handlerFreshness(200, (name) => response.get(name), NOW_MS).ageSeconds).toBe(seconds)
  })

  it('allows a response to vary on headers that are in the key, and on no others', () => {
    expect(fresh({ vary: 'Accept-Language, X-Plan' }, 200, ['accept-language', 'x-plan'])).toBeUndefined()
    expect(fresh({ vary: 'Accept-Language, X-Other' }, 200, ['accept-language'])).toBe(0)
    expect(fresh({ vary: '*' }, 200, ['accept-language'])).toBe(0)
  })

  it.each([100, 201, 202, 204, 206, 299, 300, 304, 400, 401, 403, 405, 414, 429, 499, 500, 501, 502, 503, 504, 599])(
    'never allows a response with status %d to be stored, whatever its headers',
    (status) => {
      expect(fresh({ 'cache-control': 'public, max-age=600' }, status)).toBe(0)
    },
  )

  it.each([203, 301, 302, 303, 307, 308, 404, 410])(
    'allows a response with status %d to be stored for the lifetime in its headers',
    (status) => {
      expect(fresh({ 'cache-control': 'max-age=600' }, status)).toBe(600)
      expect(fresh({ 'cdn-cache-control': 'max-age=60', 'cache-control': 'no-store' }, status)).toBe(60)
      expect(fresh({ expires: 'Fri, 02 Jan 2026 03:05:05 GMT' }, status)).toBe(60)
      expect(fresh({}, status)).toBe(0)
      expect(fresh({ 'cache-control': 'public' }, status)).toBe(0)
      expect(fresh({ 'cache-control': 'max-age=600, no-store' }, status)).toBe(0)
    },
  )
})

describe('staleIfErrorSeconds', () => {
  it.each<[string | null, number]>([
    [null, 600],
    ['max-age=60', 600],
    ['max-age=60, must-revalidate', 0],
    ['max-age=60, proxy-revalidate', 0],
    ['s-maxage=60', 0],
    ['no-cache', 0],
    ['max-age=60; must-revalidate', 0],
    ['x="must-revalidate, s-maxage=1"', 600],
    ['max-age=60, stale-if-error=30', 30],
    ['max-age=60, stale-while-revalidate=30', 600],
    ['max-age=60, stale-if-error=90000', 600],
    ['max-age=60, stale-if-error=soon', 0],
    ['stale-if-error=300, must-revalidate', 0],
  ])('for %j is %d of 600', (field, seconds) => {
    const header = (name: string): string | null => (name === 'cache-control' ? field : null)
    expect(staleIfErrorSeconds(header, 600)).toBe(seconds)
    expect(staleIfErrorSeconds(header, 0)).toBe(0)
  })
})
