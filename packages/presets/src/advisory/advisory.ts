import { type OptionKinds, requireOptions } from 'hono-rag-gate/core/lib'
import {
  type Audience,
  type AuditEvent,
  type Decision,
  definePolicy,
  type FurtherMembers,
  type Policy,
  type Preset,
  type ReportedDecision,
} from 'hono-rag-gate/core/policy'
import { type Finding } from 'hono-rag-gate/core/gates'
import { english } from 'hono-rag-gate/language/english'
import { advisoryFactorsConfidence, advisoryFactorsModel } from './advisory-factors.ts'
import {
  ADVISORY_CONFIDENCE_OPTIONS,
  advisoryConfidence,
  type AdvisoryConfidenceOptions,
  advisoryConfidenceGate,
} from './advisory-confidence.ts'
import {
  ADVISORY_BANNER_FOR_PUBLIC,
  ADVISORY_THRESHOLD,
  advisoryBadge,
  advisoryBanner,
  advisoryLook,
  advisoryWarning,
  handOverAdvisory,
} from './advisory-flags.ts'
import { FIELD_NAMES, responseQuality, responseQualityGate } from './response-quality.ts'

/** Badge and banner; marks an answer that is too weak to be used, warns of a weak one, and puts it on record. */
export const advisoryPreset: Preset = Object.freeze<Preset>({
  name: 'advisory',
  needsOneOf: ['reranker', 'meaning'],
  gates: [responseQualityGate, advisoryConfidenceGate],
  confidenceModels: [advisoryFactorsModel],
  languages: [english],
  summary: ({ decision, audience }: ReportedDecision): FurtherMembers => ({
    ...(decision.verdict === 'advise' && decision.findings.some(({ code }) => code === 'advisory_unusable')
      ? { usable: false }
      : {}),
    ...shownAdvisory(decision, audience),
  }),
  auditEvents: (decision: Decision): readonly AuditEvent[] => {
    const weak = weakAdvisory(decision)
    if (weak === undefined) return []
    // No text of an answer is recorded: the finding sums it up.
    const advisory = { confidence: decision.confidence, summary: weak.message }
    const { event } = handOverAdvisory(advisory, weak.threshold)
    return event === undefined ? [] : [{ type: event.eventType, payload: event.payload }]
  },
  warning: (decision: Decision) => {
    const weak = weakAdvisory(decision)
    const message = weak && advisoryWarning(decision.confidence, weak.threshold)
    return message === undefined ? undefined : { code: 'advisory_low_confidence', message }
  },
})

/** Badge and banner of a judged answer; before it is judged its confidence is not whole. The public sees no figure. */
function shownAdvisory({ confidence, findings }: Decision, audience: Audience): FurtherMembers {
  if (!findings.some(({ gate }) => gate === advisoryConfidenceGate.name)) return {}
  const banner = advisoryBanner(confidence)
  return {
    badge: { look: advisoryLook(confidence), text: advisoryBadge(confidence).text },
    ...(banner === undefined ? {} : { banner: audience === 'operator' ? banner.text : ADVISORY_BANNER_FOR_PUBLIC }),
  }
}

/** The finding by which an answer is advisory only, with the threshold that it was held against. */
function weakAdvisory({ findings }: Decision): (Finding & { readonly threshold: number }) | undefined {
  const weak = findings.find(({ gate, outcome }) => gate === advisoryConfidenceGate.name && outcome === 'advise')
  return weak && { ...weak, threshold: weak.threshold ?? ADVISORY_THRESHOLD }
}

/** Settings of `advisory`. */
export interface AdvisoryOptions extends AdvisoryConfidenceOptions {
  /** Fields that a structured answer must have. @default none */
  readonly requiredFields?: readonly string[]
  /** Fields that it should have. @default none */
  readonly optionalFields?: readonly string[]
}

const OPTIONS: OptionKinds<AdvisoryOptions> = {
  ...ADVISORY_CONFIDENCE_OPTIONS,
  requiredFields: FIELD_NAMES,
  optionalFields: FIELD_NAMES,
}

/**
 * Retrieval, source and response quality added up. Never refuses what could be judged: below .7
 * an answer is advisory only, below .5 it is passed on with `usable: false`.
 *
 * Sources tell their kind by `source_kind` among their metadata: `government`, `regulatory`, `market-data` or
 * `third-party`.
 *
 * @throws `policy_invalid` when a setting is out of range
 */
export function advisory(options: AdvisoryOptions = {}): Policy {
  requireOptions(options, OPTIONS, 'policy_invalid')
  const { requiredFields = [], optionalFields = [], ...confidence } = options
  const fields = { requiredFields, optionalFields }
  return definePolicy({
    name: 'advisory',
    confidence: advisoryFactorsConfidence(fields),
    preset: advisoryPreset,
    bands: { high: 0.9, medium: 0.7, low: 0.5 },
    language: english,
    gates: [responseQuality({ ...fields, refuseBelow: 0, adviseBelow: 0 }), advisoryConfidence(confidence)],
  })
}
