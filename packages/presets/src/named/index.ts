/** The policies that have a name in the ready Worker and on the command line, and what stored ones may be made of. */
import { calibratedParts } from '@hono-rag-gate/calibration'
import type { Policy, PolicyParts } from 'hono-rag-gate/core/policy'
import type { Signal } from 'hono-rag-gate/core/signals'
import { advisory, advisoryPreset } from '../advisory/advisory.ts'
import { balanced, balancedGraded, balancedGradedPreset, balancedPreset } from 'hono-rag-gate/balanced'
import { multiGate, multiGatePreset } from '../multi-gate/multi-gate.ts'
import { sufficiency, sufficiencyPreset } from '../sufficiency/sufficiency.ts'
import { twoTier, twoTierPreset } from '../two-tier/two-tier.ts'
import { legalReview, legalReviewPreset } from '../weighted-signals/legal-review.ts'
import { weightedSignals, weightedSignalsPreset } from '../weighted-signals/weighted-signals.ts'

/** The name of the policy that judges where none is chosen. */
export const DEFAULT_POLICY = 'balanced'

/** Makers of the policies that can be chosen by name. */
export const NAMED_POLICIES: Readonly<Record<string, () => Policy>> = {
  [DEFAULT_POLICY]: () => balanced(),
  'balanced-strict': () => balanced({ refuseBelow: 0.75, adviseBelow: 0.85 }),
  'balanced-graded': () => balancedGraded(),
  'two-tier': () => twoTier(),
  'weighted-signals': () => weightedSignals(),
  // Without a reranker and a graph half of the specification's weights have nothing to weigh.
  'weighted-signals-renormalised': () => weightedSignals({ renormalise: true }),
  // No model says here how sure it is of its answer: the gate that asks for it is left out.
  'multi-gate': () => multiGate({ refuseBelowConfidence: 'off' }),
  'legal-review': () => legalReview(),
  advisory: () => advisory(),
  // Words that an answer has in common with one passage it has in common with others: what it cites tells them apart.
  sufficiency: () => sufficiency({ overlap: 'citations' }),
}

/** What a policy that comes as plain data may be made of. */
export const POLICY_PARTS: readonly PolicyParts[] = [
  balancedPreset,
  balancedGradedPreset,
  twoTierPreset,
  weightedSignalsPreset,
  legalReviewPreset,
  multiGatePreset,
  advisoryPreset,
  sufficiencyPreset,
  calibratedParts,
]

/** Every signal that one of them measures: where all are recorded, any of them can be tried on the records. */
export function allSignals(): readonly Signal[] {
  return Object.values(NAMED_POLICIES).flatMap((make) => make().signals)
}
