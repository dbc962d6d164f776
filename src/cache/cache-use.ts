/** How a request wants the cache to take part. */
import { cacheDirectives, directiveSeconds } from '../core/policy/cache-control.ts'

/** How the cache may take part in one question. */
export interface CacheUse {
  /** Whether a stored answer may be sent. */
  readonly read: boolean
  /** Whether the answer may be stored. */
  readonly store: boolean
  /** Oldest answer that the caller takes, seconds. @default any that is fresh */
  readonly maxAgeSeconds?: number
  /** Nothing but a stored answer is wanted: any, or only one that the same principal asked for. */
  readonly only?: 'any' | 'own'
}

/** How the cache takes part where nothing else is said. */
export const FULL_USE: CacheUse = { read: true, store: true }

/**
 * In the names of request headers by which applications, and the proxies in front of them, tell callers apart. Others that
 * are no secret and no name may hold one of them: a request more passes by the cache. What browsers send about themselves,
 * and Vercel and Netlify with every request about the deployment, tells of no caller.
 */
const CREDENTIAL =
  /^(?!sec-|x-(?:vercel|nf)-).*(?:auth|token|cookie|(?<!idempotency-)key|secret|cert|credential|signature|user(?!-agent)|email|session|principal|tenant|account|customer|consumer|jwt|oidc|role|group|(?:ssl|tls)-client)/

/** @param name of a request header, in lower case */
export function isCredential(name: string): boolean {
  return CREDENTIAL.test(name)
}

/** What decides about the use of the cache beside the request. */
export interface CacheUseRules {
  /** Credentials that are in the key or named as meaningless: a request with others has no part in the cache. @default any */
  readonly allowedCredentials?: readonly string[] | undefined
  /** Whether a stored answer may be sent on demand only to who asked for it first. */
  readonly ownAnswersOnly: boolean
}

/** The use of the cache for one request, and why it is none. */
export interface RequestedCacheUse extends CacheUse {
  readonly why?: 'credentials' | 'request'
}

/**
 * The part of the cache in one request, by its `Cache-Control` and its credentials. A field that does not follow the grammar
 * is passed over: it asks for nothing.
 *
 * @see RFC 9111, sections 3.5 and 5.2.1
 */
export function cacheUseOf(headers: Headers, rules: CacheUseRules): RequestedCacheUse {
  const { allowedCredentials: allowed } = rules
  if (allowed !== undefined) {
    for (const name of headers.keys())
      if (isCredential(name) && !allowed.includes(name)) return { read: false, store: false, why: 'credentials' }
  }
  const field = headers.get('cache-control')
  const directives = field === null ? undefined : cacheDirectives(field)
  if (directives === undefined) return FULL_USE
  const store = !directives.has('no-store')
  const maxAgeSeconds = directiveSeconds(directives, 'max-age')
  const young = maxAgeSeconds === undefined || Number.isNaN(maxAgeSeconds) ? {} : { maxAgeSeconds }
  const noCache = directives.has('no-cache')
  if (directives.has('only-if-cached')) {
    // `only-if-cached` calls no model, other directives or not.
    const only = rules.ownAnswersOnly ? 'own' : 'any'
    return noCache ? { read: false, store, only, why: 'request' } : { read: true, store, only, ...young }
  }
  return noCache || !store ? { read: false, store, why: 'request' } : { read: true, store, ...young }
}
