import { describe, expect, it } from 'vitest'
import type { Principal } from '../../src/ports/authenticator.ts'
import { aGate, POLICY } from '../fixtures/gate.ts'

/** Authenticates by a header that names principal and scopes. */
const authenticate = (request: Request): Principal => {
  const [id = '', scopes = 'ask'] = (request.headers.get('x-principal') ?? 'anonymous').split('/')
  return { tenant: 'acme', id, scopes: scopes.split('+') as Principal['scopes'] }
}
const as = (principal: string): Record<string, string> => ({ 'x-principal': principal })

describe('a public cache', () => {
  it.each([
    ['Authorization', { authorization: 'Bearer one' }, { authorization: 'Bearer two' }],
    ['Cookie', { cookie: 'session=1' }, { cookie: 'session=2' }],
    ...['Proxy-Authorization', 'X-API-Key', 'Cf-Access-Jwt-Assertion', 'X-Forwarded-User', 'X-Forwarded-Email'].map(
      (name): [string, Record<string, string>, Record<string, string>] => [name, { [name]: 'one' }, { [name]: 'two' }],
    ),
  ])('neither takes nor gives answers of requests with %s', async (_, ann, bob) => {
    const { ask, journal } = aGate({ handler: (c) => c.json({ answer: JSON.stringify(c.req.header()) }) })
    const first = await ask(undefined, ann)
    expect(first.headers.get('cache-status')).toBe('rag-gate; fwd=bypass; detail=credentials')
    await ask(undefined, bob)
    expect(journal.stored).toEqual([])
    await ask()
    await ask(undefined, ann)
    expect(journal.handled).toHaveLength(4)
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; hit')
    expect(journal.events.map(({ cache }) => cache)).toEqual(['bypass', 'bypass', 'miss', 'bypass', 'hit'])
  })

  it('keeps them apart where the header is in the key', async () => {
    const { ask, journal } = aGate({ cache: { vary: { headers: ['Authorization'] } } })
    for (const token of ['one', 'two', 'one']) await ask(undefined, { authorization: `Bearer ${token}` })
    expect(journal.handled).toHaveLength(2)
  })

  it('shares them where the route says by name that the header means nothing', async () => {
    const { ask, journal } = aGate({ cache: { ignoredCredentials: ['cookie'] } })
    await ask(undefined, { cookie: 'a=1' })
    await ask(undefined, { cookie: 'a=2' })
    expect(journal.handled).toHaveLength(1)
    await ask(undefined, { authorization: 'Bearer x' })
    expect(journal.handled).toHaveLength(2)
  })

  it('refuses the name of a header that it does not know as credentials', () => {
    expect(() => aGate({ cache: { ignoredCredentials: ['x-user' as 'cookie'] } })).toThrow(/cache\.ignoredCredentials/)
  })
})

describe('callers who share answers', () => {
  it('are not told that another asked before, neither by a hit nor by a miss', async () => {
    const { ask, journal, clock } = aGate({ cache: { scope: 'tenant' }, dependencies: { authenticate } })
    const told = ({ headers }: Response) => [
      headers.get('cache-status'),
      headers.get('age'),
      headers.get('server-timing'),
    ]
    const miss = await ask(undefined, as('ann'))
    clock.atMs += 5000
    const othersHit = await ask(undefined, as('bob'))
    expect(journal.handled).toHaveLength(1)
    expect(told(othersHit)).toEqual(told(miss))
    expect(told(miss)).toEqual([null, null, 'total;dur=0'])
    const ownHit = await ask(undefined, as('ann'))
    expect(told(ownHit)).toEqual(['rag-gate; hit', '5', 'total;dur=0'])
  })

  it('are told when they are operators, and where callers are not told apart', async () => {
    const lifetimes = { ...POLICY.cacheLifetimes, high: { fromSeconds: 21_600, toSeconds: 21_600 } }
    const { ask } = aGate({
      cache: { scope: 'tenant' },
      policy: { ...POLICY, cacheLifetimes: lifetimes },
      dependencies: { authenticate },
    })
    expect((await ask(undefined, as('ann/ask+admin'))).headers.get('cache-status')).toBe('rag-gate; fwd=miss')
    expect((await ask(undefined, as('bob/ask+admin'))).headers.get('cache-status')).toBe('rag-gate; hit; ttl=21600')
    const open = aGate()
    expect((await open.ask()).headers.get('cache-status')).toBe('rag-gate; fwd=miss')
    expect((await open.ask()).headers.get('cache-status')).toBe('rag-gate; hit')
  })
})
