/** Every gate, by name. A new gate is a file beside this one and a line here; its codes join `ReasonCode`. */
import { RagGateError } from '../../errors.ts'
import { isRecord } from '../lib/guards.ts'
import type { Gate } from './gate.ts'
import { advisoryConfidenceGate } from './advisory-confidence.ts'
import { confidenceRangeGate } from './confidence-range.ts'
import { evidenceShareGate } from './evidence-share.ts'
import { generationConfidenceGate } from './generation-confidence.ts'
import { gradedRelevanceGate } from './graded-relevance.ts'
import { groundingGate } from './grounding.ts'
import { keywordCoverageGate } from './keyword-coverage.ts'
import { minTopCosineGate } from './min-top-cosine.ts'
import { responseQualityGate } from './response-quality.ts'
import { retrievalScoreGate } from './retrieval-score.ts'

/** By name, as settings name them. */
export const GATES = {
  'advisory-confidence': advisoryConfidenceGate,
  'confidence-range': confidenceRangeGate,
  'evidence-share': evidenceShareGate,
  'generation-confidence': generationConfidenceGate,
  'graded-relevance': gradedRelevanceGate,
  grounding: groundingGate,
  'keyword-coverage': keywordCoverageGate,
  'min-top-cosine': minTopCosineGate,
  'response-quality': responseQualityGate,
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
export type ReasonCode =
  | ReturnType<AnyGate['check']>['code']
  | 'no_evidence'
  | 'nothing_judged'
  | 'judged_with_answer'
  | 'answer_unreadable'
  | 'gate_disabled'
  | 'context_cut'
  | 'context_empty'
  | 'rule_advised'
  | 'rule_failed'
  | 'rule_refused'

/**
 * The gate that settings name.
 *
 * @throws `policy_invalid` when they name none
 */
export function gateFor(settings: GateSettings): Gate<GateSettings, ReasonCode> {
  // Read from a file it may be anything.
  const given: unknown = settings
  if (!isRecord(given) || typeof given['gate'] !== 'string' || !Object.hasOwn(GATES, given['gate'])) {
    throw new RagGateError('policy_invalid', 'A gate of this policy is not known here', { param: 'gates' })
  }
  // A gate is listed under the name that its own settings carry, so it takes these settings.
  return GATES[settings.gate] as unknown as Gate<GateSettings, ReasonCode>
}
