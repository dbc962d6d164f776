/**
 * Callers with a JSON Web Token from Cloudflare Access or from any issuer that publishes its keys. Hono verifies the token;
 * without a valid one nothing is searched. The passages are those of own-passages.ts.
 */
import { Hono } from 'hono'
import { verifyWithJwks } from 'hono/jwt'
import { balanced, ragGate, RagGateError, type RagGateEnv, respondWithError } from 'hono-rag-gate'
import type { Authenticate } from 'hono-rag-gate/ports'
import { retriever } from './own-passages.ts'

interface Env {
  /** With Access: `https://<team>.cloudflareaccess.com`. */
  readonly ISSUER: string
  /** With Access: `https://<team>.cloudflareaccess.com/cdn-cgi/access/certs`. */
  readonly JWKS_URL: string
  /** With Access: the application's AUD tag. */
  readonly AUDIENCE: string
}

/** Time after which keys are read again; a new key may be unknown until then. */
const KEYS_MS = 60_000

type Keys = NonNullable<Parameters<typeof verifyWithJwks>[1]['keys']>

function tokensOf({ ISSUER: iss, JWKS_URL: jwksUrl, AUDIENCE: aud }: Env): Authenticate {
  let read: { readonly keys: Keys; readonly atMs: number } | undefined
  async function keysNow(): Promise<Keys> {
    if (read !== undefined && Date.now() - read.atMs < KEYS_MS) return read.keys
    const response = await fetch(jwksUrl).catch(() => undefined)
    if (response?.ok !== true) throw new RagGateError('store_unavailable', 'The keys of the issuer cannot be read')
    const { keys }: { keys: Keys } = await response.json()
    read = { keys, atMs: Date.now() }
    return keys
  }
  return async ({ headers }) => {
    const bearer = /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1]
    const token = headers.get('cf-access-jwt-assertion') ?? bearer
    if (token === undefined) return null
    const keys = await keysNow()
    const verification = { iss, aud }
    const claims = await verifyWithJwks(token, { keys, allowedAlgorithms: ['RS256', 'ES256'], verification }).catch(
      () => undefined,
    )
    // Hono accepts a token without an expiry time.
    if (typeof claims?.['sub'] !== 'string' || claims.exp === undefined) {
      throw new RagGateError('unauthorized', 'This token does not count')
    }
    return { tenant: 'default', id: claims['sub'], scopes: ['ask'] }
  }
}

const app = new Hono<RagGateEnv<Env>>()
app.onError((error, c) => respondWithError(c, error))
app.post(
  '/ask',
  ragGate<Env>({ policy: balanced(), dependencies: (env) => ({ retriever, authenticate: tokensOf(env) }) }),
  (c) => {
    const { evidence, citations, principal, summary } = c.var.ragGate
    return c.json({
      answer: evidence.chunks[0]?.text,
      asker: principal.id,
      sources: citations,
      refused: false,
      ...summary,
    })
  },
)

export default app
