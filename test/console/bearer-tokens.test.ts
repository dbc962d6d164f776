import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createBearerAuthenticator } from '../../packages/console/src/keys/bearer-tokens.ts'
import { RagGateError } from '../../src/errors.ts'
import type { Principal } from '../../src/ports/authenticator.ts'
import { examples } from '../properties.ts'

const TOKEN = 'a-token-of-more-than-thirty-two-characters'
const OTHER = 'another-token-of-more-than-32-characters/+='
const ADMIN: Principal = { tenant: 'acme', id: 'root', scopes: ['ask', 'ingest', 'admin'] }
const READER: Principal = { tenant: 'acme', id: 'reader', scopes: ['ask'] }
const ANYONE: Principal = { tenant: 'default', id: 'anyone', scopes: ['ask'] }
const tokens = [
  { token: TOKEN, principal: ADMIN },
  { token: OTHER, principal: READER },
]

const requestWith = (authorization?: string): Request =>
  new Request('https://example.com/ask', { headers: authorization === undefined ? {} : { authorization } })

describe('createBearerAuthenticator', () => {
  const authenticate = createBearerAuthenticator({ tokens, anonymous: null })

  it('finds the holder of a token with the scheme in any letter case', async () => {
    expect(await authenticate(requestWith(`Bearer ${TOKEN}`))).toBe(ADMIN)
    expect(await authenticate(requestWith(`bearer ${OTHER}`))).toBe(READER)
  })

  it('treats a request without credentials as the anonymous principal, or as none', async () => {
    expect(await authenticate(requestWith())).toBeNull()
    expect(await createBearerAuthenticator({ tokens, anonymous: ANYONE })(requestWith())).toBe(ANYONE)
  })

  it.each([
    ['another token', `Bearer ${TOKEN}x`],
    ['a truncated token', `Bearer ${TOKEN.slice(0, -1)}`],
    ['a token in other case', `Bearer ${TOKEN.toUpperCase()}`],
    ['another scheme', `Basic ${TOKEN}`],
    ['no scheme', TOKEN],
    ['a scheme that runs into the token', `Bearer${TOKEN}`],
    ['no token', 'Bearer'],
    ['an empty token', 'Bearer '],
    ['two tokens', `Bearer ${TOKEN} ${TOKEN}`],
    ['two headers', `Bearer ${TOKEN}, Bearer ${TOKEN}`],
    ['letters beyond ASCII', 'Bearer \u00e9\u00e9\u00e9'],
    ['a token of ten kilobytes', `Bearer ${'x'.repeat(10_240)}`],
    ['an empty header', ''],
  ])('rejects %s, and never treats it as missing credentials', async (_, header) => {
    for (const anonymous of [null, ANYONE]) {
      const rejected = createBearerAuthenticator({ tokens, anonymous })(requestWith(header))
      await expect(rejected).rejects.toMatchObject({ code: 'unauthorized', message: 'The credentials are not valid' })
    }
  })

  it.each([
    `Basic ${TOKEN}`,
    TOKEN,
    'Bearer ',
    `Bearer ${TOKEN} ${TOKEN}`,
    'Bearer \u00e9',
    `Bearer ${'x'.repeat(513)}`,
  ])('looks up no key for the header %j, which holds no token', async (header) => {
    const principalOf = vi.fn<(token: string) => Promise<Principal | null>>()
    const looking = createBearerAuthenticator({ tokens, keys: { principalOf }, anonymous: ANYONE })
    await expect(looking(requestWith(header))).rejects.toMatchObject({ code: 'unauthorized' })
    expect(principalOf).not.toHaveBeenCalled()
  })

  it('rejects every token but its own', async () => {
    const token = fc.string({ unit: fc.constantFrom(...'abcXYZ019-._~+/='), minLength: 1, maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(token, async (made) => {
        await expect(authenticate(requestWith(`Bearer ${made}`))).rejects.toMatchObject({ code: 'unauthorized' })
      }),
      { numRuns: examples(200) },
    )
  })

  it('rejects every token when there are none', async () => {
    const none = createBearerAuthenticator({ tokens: [], anonymous: null })
    await expect(none(requestWith(`Bearer ${TOKEN}`))).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('rejects a configured token of 31 characters', () => {
    const make = (token: string) => () =>
      createBearerAuthenticator({ tokens: [{ token, principal: ADMIN }], anonymous: null })
    expect(make('x'.repeat(31))).toThrow(expect.objectContaining({ code: 'secret_too_short', param: 'tokens' }))
    expect(make('x'.repeat(31))).toThrow('Tokens need at least 32 characters')
    expect(make(' '.repeat(32))).toThrow(expect.objectContaining({ code: 'config_invalid' }))
    expect(make('')).toThrow(expect.objectContaining({ code: 'secret_too_short' }))
    expect(make('x'.repeat(32))).not.toThrow()
  })

  it.each([`${TOKEN} `, `${TOKEN}\u00e9`, 'x y'.repeat(20), 'x'.repeat(513)])(
    'rejects the configured token %j, which no header can hold',
    (token) => {
      expect(() => createBearerAuthenticator({ tokens: [{ token, principal: ADMIN }], anonymous: null })).toThrow(
        expect.objectContaining({
          code: 'config_invalid',
          param: 'tokens',
          message: 'Tokens may only contain letters, digits and . _ ~ + / = -',
        }),
      )
    },
  )

  it('asks for the variable of a token that is undefined, as an unset one is in a Worker', () => {
    const unset = undefined as unknown as string
    const make = () => createBearerAuthenticator({ tokens: [{ token: unset, principal: ADMIN }], anonymous: null })
    expect(make).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        message: expect.stringContaining('is the variable of each set?'),
      }),
    )
  })

  it('looks up keys only when the token is not one of its own', async () => {
    const asked: string[] = []
    const keys = {
      principalOf: async (token: string) => {
        asked.push(token)
        return token === 'rg_known' ? READER : null
      },
    }
    const withKeys = createBearerAuthenticator({ tokens, keys, anonymous: ANYONE })
    expect(await withKeys(requestWith(`Bearer ${TOKEN}`))).toBe(ADMIN)
    expect(await withKeys(requestWith())).toBe(ANYONE)
    expect(asked).toEqual([])
    expect(await withKeys(requestWith('Bearer rg_known'))).toBe(READER)
    await expect(withKeys(requestWith('Bearer rg_other'))).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('waits for keys up to its deadline, and never accepts a late one', async () => {
    const hanging = {
      principalOf: () => new Promise<Principal>((resolve) => setTimeout(resolve, 5000, READER).unref()),
    }
    const late = createBearerAuthenticator({ tokens, keys: hanging, timeoutMs: 20, anonymous: ANYONE })
    const startedMs = performance.now()
    await expect(late(requestWith('Bearer rg_known'))).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(performance.now() - startedMs).toBeLessThan(4000)
    // The deployment's own tokens need no database.
    expect(await late(requestWith(`Bearer ${TOKEN}`))).toBe(ADMIN)
    expect(await late(requestWith())).toBe(ANYONE)
  })

  it('passes on an error of the key lookup, thrown or rejected', async () => {
    const broken = new RagGateError('schema_outdated', 'The database lacks a table')
    for (const principalOf of [
      () => Promise.reject(broken),
      () => {
        throw broken
      },
    ]) {
      const failing = createBearerAuthenticator({ tokens, keys: { principalOf }, anonymous: null })
      await expect(failing(requestWith('Bearer rg_known'))).rejects.toBe(broken)
    }
  })

  it.each([0, -1, Number.NaN, Infinity])('rejects a deadline of %d ms', (timeoutMs) => {
    expect(() => createBearerAuthenticator({ tokens, timeoutMs, anonymous: null })).toThrow(
      expect.objectContaining({ code: 'config_invalid', param: 'timeoutMs' }),
    )
  })
})
