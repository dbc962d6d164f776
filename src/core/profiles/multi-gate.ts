import { minTopCosine, type MinTopCosineOptions } from '../gates/min-top-cosine.ts'
import { definePolicy, type Policy } from '../policy.ts'

/** Settings of `multiGate`. */
export type MultiGateOptions = MinTopCosineOptions

/**
 * Reference document 002. Its first gate, which judges the retrieval before anything is generated: the best chunk's
 * cosine.
 *
 * @throws `policy_invalid` when a setting is out of range
 */
export function multiGate(options: MultiGateOptions = {}): Policy {
  return definePolicy({
    name: 'multi-gate',
    confidence: { kind: 'top-cosine' },
    bands: { high: 0.85, medium: 0.7, low: 0.5 },
    gates: [minTopCosine(options)],
  })
}
