/** Whether and how the cache is used for a request. */
import { type CacheDirectives, cacheDirectives, directiveSeconds } from '../core/policy/cache-control.ts'

/** Permitted uses of the cache for one question. */
export interface CacheUse {
  /** Whether a stored answer may be sent. */
  readonly read: boolean
  /** Whether the answer may be stored. */
  readonly store: boolean
  /** Oldest answer that the caller accepts, seconds. @default any fresh answer */
  readonly maxAgeSeconds?: number
  /** Present if only a stored answer is wanted: any, or only one of the same principal. */
  readonly only?: 'any' | 'own'
  /** Why it is bypassed. */
  readonly why?: 'credentials' | 'request'
}

/**
 * Words in names of headers that identify callers to applications and proxies. A harmless header may contain one too; then
 * its request bypasses the cache needlessly. Headers about the browser, those that Vercel and Netlify add about the
 * deployment, and those that OpenAI's clients send beside their key are excluded.
 */
const CREDENTIAL =
  /^(?!sec-|openai-|x-(?:vercel|nf)-).*(?:auth|token|cookie|(?<!idempotency-)key|secret|cert|cred|pass[cpw]|login|identity|signature|user(?!-agent)|email|session|principal|tenant|account|customer|consumer|jwt|oidc|role|group|scope|claim|permission|subject|behalf|impersonat|bearer|hmac|dpop|\b(?:org|otp|team|workspace|member)|(?:ssl|tls)-client)/

/** @param name of a request header, in lower case */
export function isCredential(name: string): boolean {
  return CREDENTIAL.test(name)
}

/** The route's rules for using the cache. */
export interface CacheUseRules {
  /** Credential headers that are in the key or ignored; a request with others bypasses the cache. @default all */
  readonly allowedCredentials?: readonly string[] | undefined
  /** Whether `only-if-cached` may return only the caller's own answers. */
  readonly ownAnswersOnly: boolean
}

/**
 * Determines the use of the cache for a request from its `Cache-Control` and credentials. A malformed field is ignored.
 *
 * @see RFC 9111, sections 3.5 and 5.2.1
 */
export function cacheUseOf(headers: Headers, { allowedCredentials: allowed, ownAnswersOnly }: CacheUseRules): CacheUse {
  const directives: CacheDirectives = cacheDirectives(headers.get('cache-control') ?? '') ?? new Map()
  // `only-if-cached` never calls a model, whatever else there is.
  const only = directives.has('only-if-cached') && ({ only: ownAnswersOnly ? 'own' : 'any' } as const)
  if (allowed !== undefined) {
    for (const name of headers.keys())
      if (isCredential(name) && !allowed.includes(name))
        return { read: false, store: false, why: 'credentials', ...only }
  }
  const store = !directives.has('no-store')
  if (directives.has('no-cache') || !(store || only)) return { read: false, store, why: 'request', ...only }
  const maxAgeSeconds = directiveSeconds(directives, 'max-age') ?? NaN
  return { read: true, store, ...only, ...(maxAgeSeconds >= 0 && { maxAgeSeconds }) }
}
