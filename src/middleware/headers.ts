/** The headers in which the gate speaks. */
import { calibrationOf } from '../core/policy/confidence.ts'
import type { Decision, Timings } from '../core/policy/decision.ts'
import type { Policy } from '../core/policy/policy.ts'

/**
 * The `RAG-Gate` field: a structured item with parameters.
 *
 * @example `refuse;band=very-low;reason=confidence_low;policy="balanced@0123456789abcdef";id="0190…";calibration=scaled`
 * @see RFC 9651
 */
export function ragGateHeader(
  decision: Decision,
  policy: Policy,
  eventId: string,
  mode: 'enforce' | 'observe',
): string {
  const observed = mode === 'observe' ? ';mode=observe' : ''
  const { verdict, band, reason, policyId, signals } = decision
  const calibration = calibrationOf(policy.confidence, signals)
  const rests = calibration ? `;calibration=${calibration}` : ''
  return `${verdict};band=${band};reason=${reason};policy="${policyId}";id="${eventId}"${rests}${observed}`
}

/** Phases that wait for something else; clocks on Workers do not advance while code runs. */
export function serverTimingHeader({ retrievalMs, rerankMs, generationMs, totalMs }: Timings): string {
  const phase = (name: string, ms: number | undefined): string =>
    ms === undefined ? '' : `${name};dur=${Math.max(0, ms)}, `
  const before = phase('retrieval', retrievalMs) + phase('rerank', rerankMs) + phase('generation', generationMs)
  return (before + phase('total', totalMs)).slice(0, -2)
}
