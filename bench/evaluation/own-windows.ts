/** Asks a question set windows of its own passages, as for learning a scale. */
import type { AskWindow } from '../../packages/calibration/src/scale/learn-from-windows.ts'
import { confidenceOfWindow } from '../../packages/ingest/src/learn-scale.ts'
import type { Policy } from '../../src/core/policy/policy.ts'
import { type BenchGate, benchGate, type Searched } from './bench-gate.ts'

/** The gate's result. */
export type Asked = Awaited<ReturnType<BenchGate>>

/** Asks a set under a policy. */
export function askWithout(set: Searched, policy: Policy): AskWindow<Asked> {
  return {
    retrieve: benchGate(set, { policy }),
    confidence: ({ decision }) => confidenceOfWindow(policy, decision),
    meaning: ({ decision }) => decision.signals.curves?.cosine?.scores[0],
  }
}
