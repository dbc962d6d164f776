/** Every gate, by name. A new gate is a file beside this one and a line here; its codes join `ReasonCode`. */
import type { Gate } from './gate.ts'
import { confidenceRangeGate } from './confidence-range.ts'
import { gradedRelevanceGate } from './graded-relevance.ts'
import { minTopCosineGate } from './min-top-cosine.ts'
import { retrievalScoreGate } from './retrieval-score.ts'

export const GATES = {
  'confidence-range': confidenceRangeGate,
  'graded-relevance': gradedRelevanceGate,
  'min-top-cosine': minTopCosineGate,
  'retrieval-score': retrievalScoreGate,
}

/** Name of a gate. */
export type GateName = keyof typeof GATES

type AnyGate = (typeof GATES)[GateName]

/** A gate with its settings, as a policy holds it: plain data. */
export type GateSettings = AnyGate extends infer Each
  ? Each extends Gate<infer Settings, string>
    ? Settings
    : never
  : never

/** Why a question was refused, advised or passed. Stable: callers and dashboards compare it. */
export type ReasonCode = ReturnType<AnyGate['check']>['code'] | 'no_evidence' | 'nothing_judged'
