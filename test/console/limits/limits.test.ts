import { Hono } from 'hono'
import { expect, test, vi } from 'vitest'
import { addressOf, limitRequests } from '../../../packages/console/src/limits/limit-requests.ts'
import {
  createBindingRateLimiter,
  createMemoryRateLimiter,
  type RateLimiter,
} from '../../../packages/console/src/limits/rate-limiter.ts'
import { limitWrongTokens } from '../../../packages/console/src/limits/wrong-tokens.ts'
import { CONSOLE_STATUS } from '../../../packages/console/src/errors.ts'
import { RagGateError, respondWithError } from '../../../src/index.ts'
import type { Authenticate } from '../../../src/ports/authenticator.ts'

function aClock() {
  const clock = { atMs: 1_000_000, nowMs: () => clock.atMs }
  return clock
}

test('the limiter in memory counts each key separately, and returns the time to wait', () => {
  const clock = aClock()
  const limiter = createMemoryRateLimiter({ limit: 2, periodSeconds: 60, clock })
  expect([limiter.take('a'), limiter.take('a'), limiter.take('a'), limiter.take('b')]).toEqual([0, 0, 60, 0])
  clock.atMs += 59_500
  expect([limiter.peek('a'), limiter.take('a'), limiter.peek('b')]).toEqual([1, 1, 0])
  clock.atMs += 500
  expect([limiter.peek('a'), limiter.take('a'), limiter.take('a'), limiter.take('a')]).toEqual([0, 0, 0, 60])
})

test('a clock set back locks out no caller, and at most ten thousand keys are held', () => {
  const clock = aClock()
  const limiter = createMemoryRateLimiter({ limit: 1, clock })
  limiter.take('a')
  clock.atMs -= 3_600_000
  expect(limiter.take('a')).toBe(0)
  for (let at = 0; at < 10_001; at++) limiter.take(`key ${at}`)
  expect([limiter.peek('key 0'), limiter.peek('key 10000')]).toEqual([0, 60])
})

test("the platform's binding is asked by key, and requests continue when it fails", async () => {
  const asked: string[] = []
  const binding = {
    limit: async ({ key }: { readonly key: string }) => {
      asked.push(key)
      if (key === 'broken') throw new Error('away')
      return { success: key !== 'full' }
    },
  }
  const limiter = createBindingRateLimiter({ binding, periodSeconds: 10 })
  expect([await limiter.take('free'), await limiter.take('full'), await limiter.take('broken')]).toEqual([0, 10, 0])
  expect(asked).toEqual(['free', 'full', 'broken'])
})

test.each([
  ['', ''],
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::FFFF:cb00:7109', '203.0.113.9'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:0DB8:0000:0000:ffff::9', '2001:db8:0:0'],
  ['2001:db8:0:1::1', '2001:db8:0:1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['a::b:c:d:e:f', 'a:0:0:b'],
  // Not mapped: IPv4 stands behind 80 zeros and 16 ones alone.
  ['1::ffff:cb00:7109', '1:0:0:0'],
  ['::ffff:cb00:7109:1', ':0:0:0'],
  ['not:an:address', 'not:an:address'],
])('the address %s counts as %s', (given, counts) => {
  expect(
    addressOf(new Request('https://a.example', { headers: given === '' ? {} : { 'cf-connecting-ip': given } })),
  ).toBe(counts)
})

test('addresses reported by other proxies are ignored', () => {
  const headers = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' }
  expect(addressOf(new Request('https://a.example', { headers }))).toBe('')
})

/** An app whose callers are who their header says. */
function anApp(limiter: RateLimiter | undefined, tenantLimiter?: RateLimiter) {
  const app = new Hono()
  const authenticate = (request: Request) => {
    if (request.headers.get('x-caller') === 'unknown') return null
    const [tenant = 'default', id = 'anonymous'] = (request.headers.get('x-caller') ?? 'default/anonymous').split('/')
    return { tenant, id, scopes: ['ask'] as const }
  }
  app.use(limitRequests({ authenticate, limiter, tenantLimiter }))
  app.get('/', (c) => c.text('answer'))
  app.onError((thrown, c) => respondWithError(c, thrown, CONSOLE_STATUS))
  return (headers: Record<string, string> = {}) => app.request('/', { headers })
}

test('a caller over the limit gets status, headers and code, and others are not limited', async () => {
  const get = anApp(createMemoryRateLimiter({ limit: 2, clock: aClock() }))
  const caller = { 'x-caller': 'acme/one' }
  expect([(await get(caller)).status, (await get(caller)).status]).toEqual([200, 200])
  const refused = await get(caller)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('60')
  expect(refused.headers.get('ratelimit')).toBe('"requests";r=0;t=60')
  expect(await refused.json()).toMatchObject({ error: { code: 'rate_limited', message: 'Too many requests' } })
  for (const other of ['acme/two', 'globex/one']) expect((await get({ 'x-caller': other })).status).toBe(200)
})

test('the settings may be made from the bindings of a request', async () => {
  interface Bindings {
    readonly limiter: RateLimiter
  }
  const authenticate = () => null
  const app = new Hono<{ Bindings: Bindings }>()
  app.use(limitRequests<Bindings>(({ limiter }) => ({ authenticate, limiter })))
  app.get('/', (c) => c.text('answer'))
  app.onError((thrown, c) => respondWithError(c, thrown, CONSOLE_STATUS))
  const env = { limiter: createMemoryRateLimiter({ limit: 1 }) }
  const statuses: number[] = []
  for (let at = 0; at < 2; at++) statuses.push((await app.request('/', {}, env)).status)
  expect(statuses).toEqual([200, 429])
  expect(() => limitRequests({ authenticate: 'none' as never })).toThrow('authenticate must be a function')
})

test('callers of a tenant are limited together by its own limiter, and others are not', async () => {
  const get = anApp(undefined, createMemoryRateLimiter({ limit: 2, clock: aClock() }))
  const statuses: number[] = []
  for (const caller of ['acme/one', 'acme/two', 'acme/three', 'globex/one']) {
    statuses.push((await get({ 'x-caller': caller })).status)
  }
  expect(statuses).toEqual([200, 200, 429, 200])
})

test.each([{}, { 'x-caller': 'unknown' }])('callers without credentials are counted by address: %j', async (who) => {
  const get = anApp(createMemoryRateLimiter({ limit: 1, clock: aClock() }))
  const from = (address: string) => get({ 'cf-connecting-ip': address, ...who })
  expect([(await from('203.0.113.1')).status, (await from('203.0.113.1')).status]).toEqual([200, 429])
  expect((await from('203.0.113.2')).status).toBe(200)
})

test('no request is counted without a limiter', async () => {
  const get = anApp(undefined)
  for (let at = 0; at < 5; at++) expect((await get()).status).toBe(200)
})

test('after ten wrong tokens of an address within a minute no token of it is checked', async () => {
  const clock = aClock()
  let looked = 0
  const authenticate = limitWrongTokens(
    (request) => {
      looked++
      const isRight = request.headers.get('authorization') === 'Bearer right'
      if (request.headers.has('authorization') && !isRight) throw new RagGateError('unauthorized', 'wrong')
      return { tenant: 'default', id: 'anonymous', scopes: ['ask'] }
    },
    createMemoryRateLimiter({ limit: 10, clock }),
  )
  const from = async (address: string, token?: string) =>
    authenticate(
      new Request('https://a.example', {
        headers: { 'cf-connecting-ip': address, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      }),
    )
  const WRONG = { code: 'unauthorized', message: 'wrong' }
  // Right ones do not count, and one that is sent again counts once.
  for (let at = 0; at < 20; at++) await from('203.0.113.1', 'right')
  for (let at = 0; at < 20; at++) await expect(from('203.0.113.1', 'wrong-0')).rejects.toMatchObject(WRONG)
  for (let at = 0; at < 10; at++) await expect(from('203.0.113.1', `wrong-${at}`)).rejects.toMatchObject(WRONG)
  const before = looked
  for (const token of ['wrong-10', 'right']) {
    await expect(from('203.0.113.1', token)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 60 })
  }
  expect(looked).toBe(before)
  await expect(from('203.0.113.1')).resolves.toMatchObject({ id: 'anonymous' })
  await expect(from('203.0.113.2', 'right')).resolves.toBeTruthy()
  clock.atMs += 60_000
  await expect(from('203.0.113.1', 'right')).resolves.toBeTruthy()
})

test('only wrong tokens count as such: no outage, no missing token, and none without an address', async () => {
  let thrown = new RagGateError('store_unavailable', 'away')
  const authenticate = vi.fn<Authenticate>(() => {
    throw thrown
  })
  const limited = limitWrongTokens(authenticate)
  const ask = async (token: string | undefined, address: string | undefined) =>
    limited(
      new Request('https://a.example', {
        headers: {
          ...(address !== undefined && { 'cf-connecting-ip': address }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
      }),
    )
  for (let at = 0; at < 11; at++) await expect(ask(`outage-${at}`, '203.0.113.1')).rejects.toBe(thrown)
  thrown = new RagGateError('unauthorized', 'wrong')
  for (let at = 0; at < 11; at++) await expect(ask(undefined, '203.0.113.1')).rejects.toBe(thrown)
  for (let at = 0; at < 11; at++) await expect(ask(`unplaced-${at}`, undefined)).rejects.toBe(thrown)
  for (let at = 0; at < 10; at++) await expect(ask(`wrong-${at}`, '203.0.113.1')).rejects.toBe(thrown)
  await expect(ask('wrong-10', '203.0.113.1')).rejects.toMatchObject({
    code: 'rate_limited',
    message: 'Too many wrong tokens',
  })
  // The same token from elsewhere counts there.
  for (let at = 0; at < 10; at++) await expect(ask(`wrong-${at}`, '203.0.113.2')).rejects.toBe(thrown)
  await expect(ask('wrong-10', '203.0.113.2')).rejects.toMatchObject({ code: 'rate_limited' })
})

test('a request that is authenticated again is looked up once', async () => {
  const authenticate = vi.fn<Authenticate>(async () => null)
  const limited = limitWrongTokens(authenticate)
  const request = new Request('https://a.example', { headers: { 'cf-connecting-ip': '203.0.113.1' } })
  expect([await limited(request), await limited(request)]).toEqual([null, null])
  expect(authenticate).toHaveBeenCalledTimes(1)
})

test('a limit is a whole number from 1, and a period begins with its first request, by default of a minute', async () => {
  vi.useFakeTimers()
  try {
    const limiter = createMemoryRateLimiter({ limit: 1 })
    expect([limiter.take('a'), limiter.take('a')]).toEqual([0, 60])
    vi.setSystemTime(Date.now() + 59_999)
    expect([limiter.peek('a'), limiter.take('b')]).toEqual([1, 0])
    vi.setSystemTime(Date.now() + 1)
    expect([limiter.take('a'), limiter.peek('b')]).toEqual([0, 60])
  } finally {
    vi.useRealTimers()
  }
  const binding = createBindingRateLimiter({ binding: { limit: async () => ({ success: false }) } })
  expect(await binding.take('a')).toBe(60)
  for (const limit of [0, 1.5]) expect(() => createMemoryRateLimiter({ limit })).toThrow('limit')
})

test('the ten-thousandth key is held beside all others', () => {
  const limiter = createMemoryRateLimiter({ limit: 1, clock: aClock() })
  for (let at = 0; at < 10_000; at++) limiter.take(`key ${at}`)
  expect(limiter.peek('key 0')).toBe(60)
  // A request beyond a limit takes no place.
  expect(limiter.take('key 9999')).toBe(60)
  expect(limiter.peek('key 0')).toBe(60)
})
