/** What the cache did for a response, for statistics and for the caller. */
import type { Audience } from '../core/policy/preset.ts'
import type { CacheOutcome, FoundAnswer, Lookup } from '../pipeline/gate-cache.ts'
import type { CacheParts, CacheRequest } from './cache-request.ts'

/**
 * The outcome of the cache. If callers share answers, a hit reveals what another asked, so only operators are told; and if
 * hits are not shown, misses must not be either.
 */
export function outcome(
  { sharesAnswers }: CacheParts,
  { use, request: { principal, audience } }: CacheRequest,
  lookup: Lookup | undefined,
  found: FoundAnswer | undefined,
): CacheOutcome {
  const showsStatus = !sharesAnswers || audience === 'operator'
  if (found !== undefined) {
    // For a collapsed one neither retriever nor model was called.
    const state = found.kind === 'collapsed' ? 'hit' : found.kind
    if (!showsStatus && found.answer.principalId !== principal.id) return { state }
    return { state, status: foundStatus(found, audience), ageSeconds: found.ageSeconds }
  }
  if (lookup === undefined || !use.read) {
    const detail = use.why === 'credentials' ? '; detail=credentials' : ''
    if (use.why !== 'request') return { state: 'bypass', status: `rag-gate; fwd=bypass${detail}` }
    return { state: 'bypass', ...(showsStatus ? { status: 'rag-gate; fwd=request' } : {}) }
  }
  const why = lookup.older === undefined ? 'miss' : 'stale'
  const collapsed = lookup.isSeparate === true ? '; collapsed=?0' : ''
  return { state: 'miss', ...(showsStatus ? { status: `rag-gate; fwd=${why}${collapsed}` } : {}) }
}

/**
 * `Cache-Status` of a stored answer. The remaining lifetime would reveal the confidence, so only operators see it; it is
 * negative after expiry.
 *
 * @see RFC 9211
 */
function foundStatus({ kind, ttlSeconds }: FoundAnswer, audience: Audience): string {
  const ttl = audience === 'operator' ? `; ttl=${ttlSeconds}` : ''
  switch (kind) {
    case 'stale':
      return `rag-gate; fwd=stale${ttl}; detail=stale-if-error`
    case 'collapsed':
      return `rag-gate; fwd=miss${ttl}; collapsed`
    case 'evidence-hit':
      return `rag-gate; hit${ttl}; detail=same-evidence`
    case 'hit':
      return `rag-gate; hit${ttl}`
  }
}
