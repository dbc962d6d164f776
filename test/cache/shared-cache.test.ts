import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { cacheUseOf } from '../../src/cache/cache-use.ts'
import type { RagGateEnv } from '../../src/middleware/gate-context.ts'
import type { Principal } from '../../src/ports/authenticator.ts'
import { aGate, POLICY, QUESTION } from '../fixtures/gate.ts'

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
    ...['X-API-Key', 'X-Forwarded-User'].map((name): [string, Record<string, string>, Record<string, string>] => [
      name,
      { [name]: 'one' },
      { [name]: 'two' },
    ]),
  ])('neither stores nor sends answers for requests with %s', async (_, ann, bob) => {
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

  // Of proxies, gateways and platforms that sign callers in.
  it.each(
    `proxy-authorization api-key apikey x-auth-token x-access-token x-id-token x-session-token cf-access-jwt-assertion
     cf-access-authenticated-user-email x-forwarded-email x-forwarded-access-token x-auth-request-user x-remote-user
     remote-user x-user-id x-userinfo x-webauth-user x-authentik-username x-pomerium-jwt-assertion tailscale-user-login
     x-amzn-oidc-data x-amzn-oidc-identity x-goog-iap-jwt-assertion x-goog-authenticated-user-email x-ms-client-principal
     x-ms-token-aad-id-token ocp-apim-subscription-key x-functions-key x-hasura-user-id x-amz-security-token
     x-secret-key x-access-key client-cert x-forwarded-client-cert x-amzn-mtls-clientcert-subject x-consumer-custom-id
     x-hasura-role x-forwarded-groups remote-groups x-ssl-client-s-dn ssl-client-subject-dn x-ssl-client-cn
     x-credential-identifier x-tenant-id x-account-id x-customer-id x-api-secret signature iv-creds x-password
     x-client-identity x-login x-passcode x-passphrase x-github-otp x-hmac-sha256 dpop x-bearer x-scope-orgid x-org-id
     x-organization x-workspace-id x-team-id x-member-id x-scopes x-permissions x-pomerium-claim-sub
     x-vouch-idp-claims-groups x-subject x-impersonate x-on-behalf-of`.split(/\s+/),
  )('is not used for a request with %s', (name) => {
    const headers = new Headers({ [name]: 'x' })
    expect(cacheUseOf(headers, { ownAnswersOnly: false, allowedCredentials: [] }).why).toBe('credentials')
  })

  it.each(
    `accept accept-language user-agent sec-fetch-user content-type idempotency-key traceparent baggage cf-connecting-ip
     cf-ray origin x-forwarded-for x-real-ip x-request-id x-stainless-lang openai-organization upgrade-insecure-requests
     x-vercel-oidc-token x-vercel-proxy-signature x-nf-account-id x-nf-account-tier`.split(/\s+/),
  )('is used for a request with %s', (name) => {
    const headers = new Headers({ [name]: 'x' })
    expect(cacheUseOf(headers, { ownAnswersOnly: false, allowedCredentials: [] })).toEqual({ read: true, store: true })
  })

  it('stores separate answers when the header is in the key', async () => {
    const { ask, journal } = aGate({ cache: { vary: { headers: ['Authorization'] } } })
    for (const token of ['one', 'two', 'one']) await ask(undefined, { authorization: `Bearer ${token}` })
    expect(journal.handled).toHaveLength(2)
  })

  it('stores separate answers for each query string, unless the route names the parameters that count', async () => {
    const { ask, journal } = aGate()
    for (const query of ['?key=one', '?key=two', '?key=one', '']) await ask(undefined, {}, `/ask${query}`)
    expect(journal.handled).toHaveLength(3)
    const named = aGate({ cache: { vary: { query: [] } } })
    for (const query of ['?utm=one', '?utm=two']) await named.ask(undefined, {}, `/ask${query}`)
    expect(named.journal.handled).toHaveLength(1)
  })

  it('stores one answer for all query strings and origins of a question that is itself in the query', async () => {
    const { gate, journal } = aGate({ question: { read: () => ({ question: QUESTION, vary: [] }) } })
    const app = new Hono<RagGateEnv>()
    app.on(['GET', 'HEAD', 'POST'], '/ask', gate, (c) => {
      journal.handled.push(c.var.ragGate)
      return c.json({ answer: 'Turn it.' })
    })
    const ask = async (method: string, url: string): Promise<string | null> => {
      const response = await app.request(url, { method })
      await response.text()
      await new Promise((resolve) => setTimeout(resolve, 5))
      return response.headers.get('cache-status')
    }
    await ask('GET', 'https://a.example/ask?q=one')
    for (const method of ['GET', 'HEAD']) expect(await ask(method, 'https://b.example/ask?q=two')).toBe('rag-gate; hit')
    expect(await ask('POST', 'https://a.example/ask?q=one')).toBe('rag-gate; fwd=miss')
    expect(await ask('POST', 'https://b.example/ask?q=one')).toBe('rag-gate; hit')
    expect(await ask('POST', 'https://a.example/ask')).toBe('rag-gate; hit')
    expect(await ask('POST', 'https://b.example/ask')).toBe('rag-gate; hit')
  })

  it('ignores a header that the route lists in ignoredCredentials', async () => {
    const { ask, journal } = aGate({ cache: { ignoredCredentials: ['cookie'] } })
    await ask(undefined, { cookie: 'a=1' })
    await ask(undefined, { cookie: 'a=2' })
    expect(journal.handled).toHaveLength(1)
    await ask(undefined, { authorization: 'Bearer x' })
    expect(journal.handled).toHaveLength(2)
  })

  it('rejects a name in ignoredCredentials that is not a credential header', () => {
    expect(() => aGate({ cache: { ignoredCredentials: ['x-real-ip'] } })).toThrow(/cache\.ignoredCredentials/)
  })
})

describe('callers who share answers', () => {
  it('see no sign that another caller asked before, in a hit or a miss', async () => {
    const { ask, journal, clock } = aGate({
      cache: { scope: 'tenant' },
      dependencies: { authenticate },
      handler: (c) => c.json({ answer: 'Turn the red key.' }, 200, { 'server-timing': 'model;dur=9' }),
    })
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
    expect(journal.events.map(({ cache }) => cache)).toEqual(['miss', 'hit', 'hit'])
  })

  it('see Cache-Status when they are operators, or when the cache does not distinguish callers', async () => {
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
