import { describe, expect, it } from 'vitest'
import { RagGateError } from '../../src/errors.ts'
import type { Principal } from '../../src/ports/authenticator.ts'
import { aGate, type AnswerBody, bodyOf, QUESTION, STRONG } from '../fixtures/gate.ts'
import { quietErrors } from '../fixtures/quiet-console.ts'

quietErrors()

/** Authenticates by a header that names the principal as `tenant/id/scopes`. */
const authenticate = (request: Request): Principal | null => {
  const [tenant, id, scopes] = (request.headers.get('x-principal') ?? '').split('/')
  if (tenant === undefined || id === undefined || scopes === undefined) return null
  return { tenant, id, scopes: scopes.split('+') as Principal['scopes'] }
}
const as = (principal: string): Record<string, string> => ({ 'x-principal': principal })

describe('tenants and principals', () => {
  it('never share an answer by default, even within a tenant', async () => {
    const { ask, journal } = aGate({ cache: { scope: undefined }, dependencies: { authenticate } })
    for (const principal of ['acme/ann/ask', 'acme/bob/ask', 'globex/ann/ask']) await ask(undefined, as(principal))
    expect(journal.handled.map(({ principal }) => `${principal.tenant}/${principal.id}`)).toEqual([
      'acme/ann',
      'acme/bob',
      'globex/ann',
    ])
    await ask(undefined, as('acme/ann/ask'))
    expect(journal.handled).toHaveLength(3)
    expect(new Set(journal.retrievals.map(({ namespace }) => namespace)).size).toBe(2)
  })

  it.each([
    { scope: 'tenant' },
    // Their header says nothing that an answer depends on.
    { scope: 'public', ignoredCredentials: ['x-principal'] },
  ] as const)('share answers within a tenant, never across tenants, with %j', async (cache) => {
    const { ask, journal } = aGate({ cache, dependencies: { authenticate } })
    for (const principal of ['acme/ann/ask', 'acme/bob/ask', 'globex/ann/ask']) await ask(undefined, as(principal))
    expect(journal.handled).toHaveLength(2)
  })

  it('see figures only with the admin scope, and use separate entries from others', async () => {
    for (const finds of [[STRONG], []]) {
      const cache = { scope: 'public', ignoredCredentials: ['x-principal'] } as const
      const { ask, journal } = aGate({ finds, cache, dependencies: { authenticate } })
      const asked = async (principal: string): Promise<AnswerBody> => bodyOf(await ask(undefined, as(principal)))
      expect(await asked('acme/ann/ask')).not.toHaveProperty('detail')
      expect((await asked('acme/ann/ask+admin')).detail?.confidence).toBeTypeOf('number')
      expect(await asked('acme/bob/ask')).not.toHaveProperty('detail')
      expect((await asked('acme/root/admin+ask')).detail?.confidence).toBeTypeOf('number')
      expect(journal.retrievals).toHaveLength(2)
    }
  })

  it('do not find a collection of another tenant', async () => {
    const { ask, journal } = aGate({ dependencies: { authenticate } })
    const response = await ask({ question: QUESTION, collection: 'other' }, as('acme/ann/ask'))
    expect(response.status).toBe(404)
    expect((await bodyOf(response)).error?.code).toBe('collection_not_found')
    expect(journal.retrievals).toEqual([])
  })

  it.each<[string, () => Principal | null | Promise<Principal>, number, string, string?]>([
    ['no credentials', () => null, 401, 'unauthorized', 'Credentials are needed'],
    [
      'wrong credentials',
      () => Promise.reject(new RagGateError('unauthorized', 'The credentials are not valid')),
      401,
      'unauthorized',
    ],
    [
      'no scope to ask',
      () => ({ tenant: 'acme', id: 'ann', scopes: ['ingest', 'admin'] }),
      403,
      'forbidden',
      'These credentials need the scope ask',
    ],
    ['an authenticator that fails', () => Promise.reject(new Error('secret detail')), 500, 'internal'],
  ])('are rejected with %s', async (_, answer, status, code, message = expect.any(String)) => {
    const { ask, journal } = aGate({ dependencies: { authenticate: answer } })
    const response = await ask()
    const text = await response.text()
    expect([response.status, (JSON.parse(text) as AnswerBody).error]).toMatchObject([status, { code, message }])
    expect(response.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(text).not.toContain('secret')
    expect(journal).toMatchObject({ retrievals: [], handled: [], stored: [], events: [] })
  })

  it.each<[what: string, returned: unknown, at: string]>([
    ['nothing', undefined, 'tenant'],
    ['a string', 'ann', 'tenant'],
    ['no tenant', { id: 'ann', scopes: ['ask'] }, 'tenant'],
    ['an empty tenant', { tenant: '', id: 'ann', scopes: ['ask'] }, 'tenant'],
    ['no id', { tenant: 'acme', scopes: ['ask'] }, 'id'],
    ['an empty id', { tenant: 'acme', id: '', scopes: ['ask'] }, 'id'],
    ['a number as id', { tenant: 'acme', id: 7, scopes: ['ask'] }, 'id'],
    ['no scopes', { tenant: 'acme', id: 'ann' }, 'scopes'],
    ['scopes as one string', { tenant: 'acme', id: 'ann', scopes: 'task non-admin' }, 'scopes'],
    ['scopes as a Set', { tenant: 'acme', id: 'ann', scopes: new Set(['ask']) }, 'scopes'],
    ['a scope that is not a string', { tenant: 'acme', id: 'ann', scopes: ['ask', 7] }, 'scopes'],
  ])('are rejected with %s, before any retrieval', async (_, returned, at) => {
    const { ask, journal } = aGate({
      cache: { scope: 'principal' },
      dependencies: { authenticate: () => returned as Principal },
    })
    const response = await ask()
    expect([response.status, (await bodyOf(response)).error]).toEqual([
      500,
      expect.objectContaining({ code: 'config_invalid', param: `authenticate.${at}` }),
    ])
    expect(journal).toMatchObject({ retrievals: [], handled: [], stored: [], events: [] })
  })

  it('require authenticate, or a public scope, before a cache is shared', async () => {
    for (const cacheScope of [undefined, 'tenant', 'principal'] as const) {
      const { ask, journal } = aGate({ cache: { scope: cacheScope as 'tenant' } })
      const response = await ask()
      expect([response.status, (await bodyOf(response)).error?.code]).toEqual([500, 'cache_scope_required'])
      expect(journal).toMatchObject({ retrievals: [], handled: [] })
    }
    const { ask } = aGate({ cache: { store: undefined } })
    expect((await ask()).status).toBe(200)
  })
})
