/** How the cache took part in a response, as it is counted and as the caller is told. */
import type { Audience } from '../core/policy/preset.ts'
import type { CacheOutcome, FoundAnswer, Lookup } from '../pipeline/gate-cache.ts'
import type { CacheParts, CacheRequest } from './cache-request.ts'

/**
 * How the cache took part. Where callers share answers, a hit tells one what another asked, so that only operators are
 * told; and where a hit is not told, neither may a miss be.
 */
export function outcome(
  { sharesAnswers }: CacheParts,
  { use, request: { principal, audience } }: CacheRequest,
  lookup: Lookup | undefined,
  found: FoundAnswer | undefined,
): CacheOutcome {
  const showsStatus = !sharesAnswers || audience === 'operator'
  if (found !== undefined) {
    const state = STATES[found.kind]
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

/** As which state each is counted. */
const STATES: Readonly<Record<FoundAnswer['kind'], CacheOutcome['state']>> = {
  hit: 'hit',
  // Neither the retriever nor the model was asked for it.
  collapsed: 'hit',
  'evidence-hit': 'evidence-hit',
  stale: 'stale',
}

/**
 * `Cache-Status` of a stored answer. The remaining lifetime follows from the confidence, so only operators see it; of an
 * answer past it, it is negative.
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
