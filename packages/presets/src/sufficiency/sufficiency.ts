import { anything, type Json, object, type OptionKinds, required, requireOptions } from 'hono-rag-gate/core/lib'
import { gatingReport, insufficientEvidence } from './gating-report.ts'
import { rejectionRecord } from './rejection-record.ts'
import {
  type AuditEvent,
  type Decision,
  definePolicy,
  type FurtherMembers,
  type Policy,
  type Preset,
  type ReportedDecision,
  type Wording,
} from 'hono-rag-gate/core/policy'
import { type Finding } from 'hono-rag-gate/core/gates'
import { english } from 'hono-rag-gate/language/english'
import { SPECIFICATION_TEXTS, specificationReason } from './texts.ts'
import { topRelevance, topRelevanceModel } from '../two-tier/top-relevance.ts'
import {
  EVIDENCE_SHARE_OPTIONS,
  evidenceShare,
  evidenceShareGate,
  type EvidenceShareOptions,
} from './evidence-share.ts'

/** Adds the `gating` object to passes and refusals, audit records of refusals, and the specification's wording. */
export const sufficiencyPreset: Preset = Object.freeze<Preset>({
  name: 'sufficiency',
  gates: [evidenceShareGate],
  confidenceModels: [topRelevanceModel],
  languages: [english],
  specificationTexts: SPECIFICATION_TEXTS,
  operatorReason: (finding: Finding, _decision: Decision, wording: Wording) =>
    wording === 'specification' ? specificationReason(finding) : undefined,
  summary: ({ decision, audience }: ReportedDecision): FurtherMembers => {
    const gating = audience === 'operator' ? gatingReport(decision) : undefined
    return gating === undefined ? {} : { gating }
  },
  refusal: ({ decision, chunks, audience }: ReportedDecision, wording: Wording): FurtherMembers => {
    const members = insufficientEvidence(decision, chunks, wording)
    const deciding = decision.findings.find(({ outcome }) => outcome === 'refuse')
    if (members === undefined || deciding?.gate !== evidenceShareGate.name) return {}
    const { status, explanation } = members
    return audience === 'operator' ? { ...members } : { status, explanation }
  },
  auditEvents: (decision: Decision, atMs: number): readonly AuditEvent[] => {
    const record = rejectionRecord(decision, { atMs })
    // The record has only strings, numbers and `true`; absent fields are omitted.
    const payload = record as unknown as Json
    return record === undefined ? [] : [{ type: 'RAG_EVIDENCE_INSUFFICIENT', payload }]
  },
})

/** The specification's named thresholds. */
export const SUFFICIENCY_THRESHOLDS = Object.freeze({
  /** For experiments. */
  loose: 0.3,
  /** For production. */
  moderate: 0.5,
  /** For high stakes. */
  strict: 0.7,
  /** For special cases. */
  'very-strict': 0.9,
})

/** Settings of `sufficiency`. */
export interface SufficiencyOptions extends Omit<EvidenceShareOptions, 'threshold'> {
  /**
   * Threshold τ for the best chunk's share of support: 0..1, or a name for .3, .5, .7 or .9.
   *
   * @default 'moderate'
   */
  readonly threshold?: number | keyof typeof SUFFICIENCY_THRESHOLDS
  /** DANGEROUS: answers everything. Signals are still measured and recorded, with `gating_bypassed`. */
  readonly dangerouslyDisableGates?: true
  /** Marks every refusal for human review: for high stakes, with the threshold `strict`. */
  readonly escalateRefusals?: true
  /** Wording of refusals. @default 'neutral' */
  readonly wording?: Wording
}

/** Only names are checked here; the policy and its gate validate the values. */
const OPTIONS: OptionKinds<SufficiencyOptions> = {
  ...EVIDENCE_SHARE_OPTIONS,
  dangerouslyDisableGates: anything,
  escalateRefusals: anything,
  wording: anything,
}

/**
 * Answers only if one chunk supports a large enough share of the answer.
 *
 * @throws `policy_invalid` when a setting is out of range
 */
export function sufficiency(options: SufficiencyOptions = {}): Policy {
  requireOptions(options, OPTIONS, 'policy_invalid')
  const { dangerouslyDisableGates, escalateRefusals, threshold = 'moderate', wording, ...rest } = options
  const share = typeof threshold === 'string' ? (SUFFICIENCY_THRESHOLDS[threshold] ?? NaN) : threshold
  return definePolicy({
    name: 'sufficiency',
    confidence: topRelevance(),
    preset: sufficiencyPreset,
    ...(wording === undefined ? {} : { wording }),
    bands: { high: 0.85, medium: 0.6, low: 0 },
    language: english,
    gates: [evidenceShare({ ...rest, threshold: share })],
    ...(dangerouslyDisableGates === undefined ? {} : { dangerouslyDisableGates }),
    ...(escalateRefusals === undefined ? {} : { escalateRefusals }),
  })
}

/** Settings of `sufficiencyByCollection`. */
export interface SufficiencyByCollectionOptions extends SufficiencyOptions {
  /** Thresholds by collection id; other collections use `threshold`. */
  readonly byCollection: Readonly<Record<string, NonNullable<SufficiencyOptions['threshold']>>>
}

/**
 * Makes a policy for each collection, for the `policy` option of `ragGate`.
 *
 * @throws `policy_invalid` when a setting is out of range
 */
export function sufficiencyByCollection(
  options: SufficiencyByCollectionOptions,
): (tenant: string, collection: string) => Policy {
  requireOptions(options, { ...OPTIONS, byCollection: required(object) }, 'policy_invalid')
  const { byCollection, ...rest } = options
  const common = sufficiency(rest)
  const own = new Map(
    Object.entries(byCollection).map(([collection, threshold]) => [collection, sufficiency({ ...rest, threshold })]),
  )
  return function sufficiencyOfCollection(_tenant, collection) {
    return own.get(collection) ?? common
  }
}

/** A threshold that can be changed at run time; each change makes a new policy with its own id. */
export interface SufficiencyThreshold {
  readonly getThreshold: () => number
  /** @throws `policy_invalid` if outside 0..1; the threshold is then unchanged */
  readonly setThreshold: (threshold: number) => void
  /** The policy with the current threshold, for the `policy` option of `ragGate`. */
  readonly policy: () => Policy
}

/** Makes a sufficiency policy with a threshold that an operator can change. */
export function sufficiencyThreshold(options: SufficiencyOptions = {}): SufficiencyThreshold {
  let current = sufficiency(options)
  return Object.freeze({
    getThreshold: () => thresholdOf(current),
    setThreshold: (threshold: number) => {
      current = sufficiency({ ...options, threshold: typeof threshold === 'number' ? threshold : NaN })
    },
    policy: () => current,
  })
}

function thresholdOf({ gates }: Policy): number {
  const share = gates.find(({ gate }) => gate === evidenceShareGate)
  return share?.gate.threshold?.of(share.settings) ?? NaN
}
