/** The policies that the ready Worker and the CLI know by name, and the parts of stored policies. */
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

/** Name of the policy used if none is chosen. */
export const DEFAULT_POLICY = 'balanced'

/** Makers of the policies, by name. */
export const NAMED_POLICIES: Readonly<Record<string, () => Policy>> = {
  [DEFAULT_POLICY]: () => balanced(),
  'balanced-strict': () => balanced({ refuseBelow: 0.75, adviseBelow: 0.85 }),
  'balanced-graded': () => balancedGraded(),
  'two-tier': () => twoTier(),
  'weighted-signals': () => weightedSignals(),
  // Without a reranker and a graph, half of the specification's weight is on signals that do not exist.
  'weighted-signals-renormalised': () => weightedSignals({ renormalise: true }),
  // These deployments have no source of generation confidence, so that gate is left out.
  'multi-gate': () => multiGate({ refuseBelowConfidence: 'off' }),
  'legal-review': () => legalReview(),
  advisory: () => advisory(),
  // Words that an answer shares with one passage usually occur in others too; its citations tell them apart.
  sufficiency: () => sufficiency({ overlap: 'citations' }),
}

/** Parts from which a policy stored as plain data is rebuilt. */
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

/** All signals that any of these policies measures. If all are recorded, each policy can be replayed on the records. */
export function allSignals(): readonly Signal[] {
  return Object.values(NAMED_POLICIES).flatMap((make) => make().signals)
}
