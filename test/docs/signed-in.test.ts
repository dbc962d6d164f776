/** examples/signed-in.ts, with tokens that are signed here and keys served on loopback. */
import { createHmac, generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { sign } from 'hono/jwt'
import { beforeAll, describe, expect, test } from 'vitest'
import app from '../../examples/signed-in.ts'
import { answering, upstreamOfTests } from '../fixtures/scripted-upstream.ts'
import { quietErrors } from '../fixtures/quiet-console.ts'

quietErrors()

const ISSUER = 'https://team.cloudflareaccess.com'
const AUDIENCE = 'a-tag'
const issuer = upstreamOfTests()

const pair = (kid: string) => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const named = (key: JsonWebKey) => ({ ...key, kid, alg: 'RS256' })
  return { public: named(publicKey.export({ format: 'jwk' })), private: named(privateKey.export({ format: 'jwk' })) }
}
const [own, stranger] = [pair('k1'), pair('k1')]
const nowSeconds = Math.floor(Date.now() / 1000)
const CLAIMS = { iss: ISSUER, aud: [AUDIENCE], sub: 'ann', iat: nowSeconds, exp: nowSeconds + 60 }
const signed = (more: object = {}, key: object = own.private) => sign({ ...CLAIMS, ...more }, key as never, 'RS256')

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** What is answered to a question with these headers. */
async function ask(headers: Record<string, string>): Promise<{ status: number; body: Record<string, unknown> }> {
  const env = { ISSUER, AUDIENCE, JWKS_URL: `${issuer().url}/certs` }
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
  const body = JSON.stringify({ question: 'What does the warranty cover?' })
  const response = await app.request('/ask', { ...init, body }, env)
  return { status: response.status, body: await response.json() }
}

beforeAll(() => issuer().answerWith(answering(JSON.stringify({ keys: [own.public] }))))

test.each(['cf-access-jwt-assertion', 'authorization'])('a token in %s identifies the caller', async (name) => {
  const token = await signed()
  expect(await ask({ [name]: name === 'authorization' ? `Bearer ${token}` : token })).toMatchObject({
    status: 200,
    body: { asker: 'ann', refused: false },
  })
})

describe('a request is rejected as unauthorized with', () => {
  const TOKENS: Readonly<Record<string, () => Promise<string> | string>> = {
    'no token': () => '',
    'what is no token': () => 'a.b',
    'one that has ended': () => signed({ exp: nowSeconds - 1 }),
    'one without an end': () => signed({ exp: undefined }),
    'one that has not begun': () => signed({ nbf: nowSeconds + 600 }),
    'one for another audience': () => signed({ aud: ['another'] }),
    'one of another issuer': () => signed({ iss: 'https://evil.example' }),
    'one that names no caller': () => signed({ sub: undefined }),
    'one of another key': () => signed({}, stranger.private),
    'one of a key that is not published': () => signed({}, { ...own.private, kid: 'k2' }),
    'one without a signature': () => `${part({ alg: 'none', typ: 'JWT', kid: 'k1' })}.${part(CLAIMS)}.`,
    'one signed with the public key as a secret': () => {
      const unsigned = `${part({ alg: 'HS256', typ: 'JWT', kid: 'k1' })}.${part(CLAIMS)}`
      return `${unsigned}.${createHmac('sha256', JSON.stringify(own.public)).update(unsigned).digest('base64url')}`
    },
    'one whose claims were changed': async () => {
      const [head, , signature] = (await signed()).split('.')
      return `${head}.${part({ ...CLAIMS, sub: 'bob' })}.${signature}`
    },
  }
  test.each(Object.entries(TOKENS))('%s', async (_, make) => {
    const token = await make()
    const { status, body } = await ask(token === '' ? {} : { 'cf-access-jwt-assertion': token })
    expect([status, body]).toMatchObject([401, { error: { code: 'unauthorized' } }])
  })
})

test('nothing is answered when the keys cannot be read', async () => {
  issuer().answerWith(answering('', 500))
  const { status, body } = await ask({ 'cf-access-jwt-assertion': await signed() })
  expect([status, body]).toMatchObject([503, { error: { code: 'store_unavailable' } }])
})
