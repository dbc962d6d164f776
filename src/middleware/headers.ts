/** The headers in which the gate and its cache speak. */
import type { Decision, Timings } from '../core/policy/decision.ts'
import type { Audience } from '../core/policy/preset.ts'

/** How the cache took part in one response. */
export type CacheOutcome =
  | {
      /**
       * `similar`: made for another wording of the question. `stale`: past its lifetime, sent because the retriever or the
       * handler failed. `refreshed`: past its lifetime, and a new one is made. `collapsed`: made for somebody else meanwhile.
       */
      readonly kind: 'hit' | 'evidence-hit' | 'similar' | 'stale' | 'refreshed' | 'collapsed'
      readonly ageSeconds: number
      readonly ttlSeconds: number
      /** Who asked the question that was answered then. */
      readonly principalId: string
    }
  | {
      readonly kind: 'forwarded'
      /** `request`: the caller wanted a new answer. */
      readonly why: 'miss' | 'stale' | 'bypass' | 'request'
      readonly detail?: 'credentials'
      /** Present where an answer was to be shared with others who asked the same, and was not. */
      readonly collapsed?: false
    }

/**
 * The `RAG-Gate` field: a structured item with parameters.
 *
 * @example `refuse;band=very-low;reason=confidence_low;policy="balanced@0123456789abcdef";id="0190…"`
 * @see RFC 9651
 */
export function ragGateHeader(decision: Decision, eventId: string, mode: 'enforce' | 'observe'): string {
  const observed = mode === 'observe' ? ';mode=observe' : ''
  const { verdict, band, reason, policyId } = decision
  return `${verdict};band=${band};reason=${reason};policy="${policyId}";id="${eventId}"${observed}`
}

/**
 * The `Cache-Status` field. The remaining lifetime follows from the confidence, so only operators see it; of an answer
 * past it, it is negative.
 *
 * @see RFC 9211
 */
export function cacheStatusHeader(outcome: CacheOutcome, audience: Audience): string {
  if (outcome.kind === 'forwarded') {
    const collapsed = outcome.collapsed === undefined ? '' : '; collapsed=?0'
    return `rag-gate; fwd=${outcome.why}${collapsed}${outcome.detail === undefined ? '' : `; detail=${outcome.detail}`}`
  }
  const ttl = audience === 'operator' ? `; ttl=${outcome.ttlSeconds}` : ''
  switch (outcome.kind) {
    case 'stale':
      return `rag-gate; fwd=stale${ttl}; detail=stale-if-error`
    case 'refreshed':
      return `rag-gate; hit${ttl}; detail=stale-while-revalidate`
    case 'collapsed':
      return `rag-gate; fwd=miss${ttl}; collapsed`
    case 'evidence-hit':
      return `rag-gate; hit${ttl}; detail=same-evidence`
    case 'similar':
      return `rag-gate; hit${ttl}; detail=semantic`
    case 'hit':
      return `rag-gate; hit${ttl}`
  }
}

/** Phases that wait for something else; clocks on Workers do not advance while code runs. */
export function serverTimingHeader({ retrievalMs, rerankMs, generationMs, totalMs }: Timings): string {
  const phases = { retrieval: retrievalMs, rerank: rerankMs, generation: generationMs, total: totalMs }
  return Object.entries(phases)
    .flatMap(([name, ms]) => (ms === undefined ? [] : [`${name};dur=${Math.max(0, ms)}`]))
    .join(', ')
}
