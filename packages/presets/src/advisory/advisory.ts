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
  ADVISORY_BADGES,
  ADVISORY_BANNER_FOR_PUBLIC,
  ADVISORY_THRESHOLD,
  advisoryBanner,
  type AdvisoryLook,
  advisoryWarning,
  handOverAdvisory,
} from './advisory-flags.ts'
import { FIELD_NAMES, responseQuality, responseQualityGate } from './response-quality.ts'

/** Adds a badge and a banner, marks unusable answers, and warns of and records low confidence. */
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
    // Answer text is never recorded; the finding's message takes the place of the summary.
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

/**
 * Badge and banner by the policy's thresholds, only after judging: before, the confidence is incomplete. The public sees
 * no value.
 */
function shownAdvisory({ confidence, findings }: Decision, audience: Audience): FurtherMembers {
  const judged = findings.find(({ gate }) => gate === advisoryConfidenceGate.name)
  if (judged === undefined) return {}
  const look = LOOKS[judged.code] ?? 'danger'
  const banner = advisoryBanner(confidence, judged.threshold)
  return {
    badge: { look, text: ADVISORY_BADGES[look].text },
    ...(banner === undefined ? {} : { banner: audience === 'operator' ? banner.text : ADVISORY_BANNER_FOR_PUBLIC }),
  }
}

/** How an answer looks by the gate's code; any other code means that the confidence is unknown. */
const LOOKS: Readonly<Partial<Record<string, AdvisoryLook>>> = { passed: 'success', advisory_only: 'warning' }

/** The finding that made the answer advisory, with the threshold that it applied. */
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
 * Judges by the sum of retrieval, source and response quality. Refuses only if the confidence cannot be computed: below
 * .7 an answer is advisory, below .5 it also carries `usable: false`.
 *
 * The kind of a source is `source_kind` in its metadata: `government`, `regulatory`, `market-data` or `third-party`.
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
