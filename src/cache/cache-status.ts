/** The field in which the cache says how it took part. */
import type { Audience } from '../core/policy/preset.ts'
import type { FoundAnswer } from '../pipeline/question-cache.ts'

/** How the cache took part in an answer that was not its own. */
export interface Forwarded {
  /** `request`: the caller wanted a new answer. */
  readonly why: 'miss' | 'stale' | 'bypass' | 'request'
  readonly detail?: 'credentials'
  /** Present where an answer was to be shared with others who asked the same, and was not. */
  readonly collapsed?: false
}

/**
 * `Cache-Status` of an answer that was made for its question.
 *
 * @see RFC 9211
 */
export function forwardedStatus({ why, detail, collapsed }: Forwarded): string {
  return `rag-gate; fwd=${why}${collapsed === undefined ? '' : '; collapsed=?0'}${detail === undefined ? '' : `; detail=${detail}`}`
}

/**
 * `Cache-Status` of a stored answer. The remaining lifetime follows from the confidence, so only operators see it; of an
 * answer past it, it is negative.
 *
 * @see RFC 9211
 */
export function foundStatus({ kind, ttlSeconds }: FoundAnswer, audience: Audience): string {
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
