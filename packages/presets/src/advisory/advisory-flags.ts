/** Flags, log warnings, audit events, badges and banners for an advisory confidence. */
import { floored } from 'hono-rag-gate/core/lib'

/** Confidence from which an answer is more than advisory. */
export const ADVISORY_THRESHOLD = 0.7

/** How an answer may be used, by its confidence. */
export type AdvisoryFlag = 'HIGH_CONFIDENCE' | 'MEDIUM_CONFIDENCE' | 'LOW_CONFIDENCE' | 'VERY_LOW_CONFIDENCE'

/** Instructions to the reader for each flag. */
export const ADVISORY_USAGE: Readonly<Record<AdvisoryFlag, string>> = /* @__PURE__ */ Object.freeze({
  HIGH_CONFIDENCE: 'Use directly, cite sources',
  MEDIUM_CONFIDENCE: 'Use with caution, verify',
  LOW_CONFIDENCE: 'Advisory only, verify required',
  VERY_LOW_CONFIDENCE: 'Do not use, flag for review',
})

/** The flag for a confidence, unrounded. A non-finite number gets the lowest. */
export function getAdvisoryFlag(confidence: number): AdvisoryFlag {
  if (!Number.isFinite(confidence)) return 'VERY_LOW_CONFIDENCE'
  if (confidence >= 0.9) return 'HIGH_CONFIDENCE'
  if (confidence >= ADVISORY_THRESHOLD) return 'MEDIUM_CONFIDENCE'
  return confidence >= 0.5 ? 'LOW_CONFIDENCE' : 'VERY_LOW_CONFIDENCE'
}

/** Whether an answer may be used as context for a decision: `confidence >= threshold`; `false` for `NaN`. */
export function shouldUseAdvisory(confidence: number, threshold = ADVISORY_THRESHOLD): boolean {
  return Number.isFinite(confidence) && confidence >= threshold
}

/** The warning for the service's log; `undefined` if the confidence reaches the threshold. */
export function advisoryWarning(confidence: number | undefined, threshold = ADVISORY_THRESHOLD): string | undefined {
  const given = confidence ?? NaN
  if (shouldUseAdvisory(given, threshold)) return undefined
  const shown = Number.isFinite(given) ? floored(given) : 'unknown'
  return `[RAG Adapter] Low confidence (${shown} < ${threshold}). Advisory-only.`
}

/** An event for the audit trail. */
export interface LowConfidenceEvent {
  readonly eventType: 'RAG_ADVISORY_LOW_CONFIDENCE'
  /** Confidence 0..1 (0 if it was not a finite number), the threshold, and the advisory's own summary. */
  readonly payload: { readonly confidence: number; readonly threshold: number; readonly summary: string }
}

/** An advisory as handed to the person who decides. */
export interface AdvisoryHandover<Advisory> {
  /** Always present, also at low confidence. */
  readonly ragAdvisory: Advisory
  /** Present at low confidence. */
  readonly ragAdvisoryFlag?: 'LOW_CONFIDENCE'
  /** The audit event, at low confidence. */
  readonly event?: LowConfidenceEvent
}

/** Hands an advisory over; at low confidence with a flag and an event. A non-finite confidence counts as 0. */
export function handOverAdvisory<Advisory extends { readonly confidence: number; readonly summary: string }>(
  advisory: Advisory,
  threshold = ADVISORY_THRESHOLD,
): AdvisoryHandover<Advisory> {
  if (shouldUseAdvisory(advisory.confidence, threshold)) return { ragAdvisory: advisory }
  const confidence = Number.isFinite(advisory.confidence) ? advisory.confidence : 0
  return {
    ragAdvisory: advisory,
    ragAdvisoryFlag: 'LOW_CONFIDENCE',
    event: {
      eventType: 'RAG_ADVISORY_LOW_CONFIDENCE',
      payload: { confidence, threshold, summary: advisory.summary },
    },
  }
}

/** The market context of a usable advisory, otherwise nothing and a warning. */
export function marketContextFrom<Context>(advisory: {
  readonly confidence: number
  readonly market_context?: Context
}): { readonly marketInfo?: Context; readonly warning?: string } {
  if (!shouldUseAdvisory(advisory.confidence)) {
    return { warning: '[Decision Engine] RAG advisory has low confidence, using engine-only logic' }
  }
  return advisory.market_context === undefined ? {} : { marketInfo: advisory.market_context }
}

/** The banner for the public audience, without a confidence value. */
export const ADVISORY_BANNER_FOR_PUBLIC = '⚠️ Advisory only. Verify information with primary sources.'

/** A badge or banner as a page shows it. */
export interface ShownAdvisory {
  readonly text: string
  readonly style: Readonly<Record<string, string | number>>
}

/** Which of the three badges applies. */
export type AdvisoryLook = 'success' | 'warning' | 'danger'

const BADGE = { padding: '4px 8px', borderRadius: 4, fontSize: 11 }

/** The badge for each look. */
export const ADVISORY_BADGES: Readonly<Record<AdvisoryLook, ShownAdvisory>> = {
  success: { text: '✓ High Confidence', style: { ...BADGE, backgroundColor: '#E8F5E9', color: '#2E7D32' } },
  warning: { text: '⚠ Medium Confidence', style: { ...BADGE, backgroundColor: '#FFF3E0', color: '#E65100' } },
  danger: {
    text: '⚠ Low Confidence - Verify Required',
    style: { ...BADGE, backgroundColor: '#FFEBEE', color: '#C62828' },
  },
}

/** `success`: may be used; `warning`: must be verified; `danger`: too weak, or not a finite number. */
export function advisoryLook(confidence: number): AdvisoryLook {
  if (shouldUseAdvisory(confidence)) return 'success'
  return Number.isFinite(confidence) && confidence >= 0.5 ? 'warning' : 'danger'
}

/** The badge of an answer. */
export function advisoryBadge(confidence: number): ShownAdvisory {
  return ADVISORY_BADGES[advisoryLook(confidence)]
}

/** The banner over an advisory answer; `undefined` if the confidence reaches the threshold. */
export function advisoryBanner(confidence: number, threshold = ADVISORY_THRESHOLD): ShownAdvisory | undefined {
  if (shouldUseAdvisory(confidence, threshold)) return undefined
  // Rounded down, so that a value below the threshold is never displayed as the threshold.
  const share = Math.round(Number(floored(confidence)) * 100)
  return {
    text: `⚠️ Advisory only — Confidence: ${share}%. Verify information with primary sources.`,
    style: {
      padding: '8px 12px',
      backgroundColor: '#FFF3E0',
      border: '1px solid #FFC107',
      borderRadius: 6,
      fontSize: 12,
      color: '#856404',
      marginTop: 8,
    },
  }
}

/** A model's own report on its answer. */
export interface SelfReport {
  readonly summary?: string
  /** 0..1; absent if missing or invalid. */
  readonly confidence?: number
  /** Why `confidence` is absent. */
  readonly fault?: 'no_json' | 'confidence_missing' | 'confidence_invalid'
}

/**
 * Parses a model's JSON reply. A number is clamped to 0..1, and 0 stays 0. A non-number (`"high"`, `true`, `"0.8"`) is
 * invalid; a missing confidence is reported as missing, never replaced by .5.
 */
export function readSelfReport(reply: unknown): SelfReport {
  const object = typeof reply === 'string' ? objectIn(reply) : undefined
  if (object === undefined) return { fault: 'no_json' }
  const { summary, confidence } = object
  const said = typeof summary === 'string' ? { summary } : {}
  if (confidence === undefined || confidence === null) return { ...said, fault: 'confidence_missing' }
  if (typeof confidence !== 'number' || !Number.isFinite(confidence)) return { ...said, fault: 'confidence_invalid' }
  return { ...said, confidence: Math.max(0, Math.min(1, confidence)) }
}

/** Parses the text from the first to the last brace; `undefined` if that is not JSON. */
function objectIn(reply: string): Readonly<Record<string, unknown>> | undefined {
  const from = reply.indexOf('{')
  const to = reply.lastIndexOf('}')
  try {
    const value: unknown = JSON.parse(reply.slice(from, to + 1))
    // The text starts with a brace (without one it is not JSON), so the parsed value is an object.
    return value as Readonly<Record<string, unknown>>
  } catch {
    return undefined
  }
}
