/** Response headers of the gate. */
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

/** Phases that wait for I/O; on Workers the clock does not advance otherwise. */
const PHASES = ['retrieval', 'rerank', 'generation', 'total'] as const

/** Adds the phases that took place to `Server-Timing`, as one line; those during which the clock was set back are left out. */
export function addServerTiming(headers: Headers, timings: Timings): void {
  const took = PHASES.flatMap((phase) => {
    const ms = timings[`${phase}Ms`]
    // `undefined` for a phase that did not take place.
    return ms! >= 0 ? `${phase};dur=${ms}` : []
  })
  headers.append('server-timing', took.join(', '))
}
