import { type AnswerSignals } from 'hono-rag-gate/core/answer'
import { measureAnswer } from '../answers/index.ts'
import { defineGate, gateWith, NOT_CONFIRMED, type PolicyGate, refusalText, SUGGEST } from 'hono-rag-gate/core/gates'
import {
  anything,
  meets,
  number,
  oneOf,
  type OptionKinds,
  percent,
  RATIO_TOLERANCE,
  recordedFlag,
  recordedNumber,
  required,
  requireOptions,
  string,
  whole,
} from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import { percentsOf } from './texts.ts'

/** Settings of `evidenceShare`. */
export interface EvidenceShareOptions {
  /**
   * Threshold τ: the largest share of support below which the answer is refused, 0..1.
   *
   * @default 0.5
   */
  readonly threshold?: number
  /**
   * Result if the share equals the threshold; `refuses` is the specification's strict mode.
   *
   * @default 'passes'
   */
  readonly equality?: 'passes' | 'refuses'
  /**
   * How many of the largest shares are summed. Whole, 1..100.
   *
   * @default 1
   */
  readonly largest?: number
  /**
   * Whether a share is multiplied by the retrieval confidence of its chunk.
   *
   * @default 'none'
   */
  readonly weighting?: 'none' | 'chunk-confidence'
  /**
   * How shares are derived if the route reports none: from the content words (`terms`) or all `words` that the answer
   * shares with each chunk, or from `citations`: for each sentence, the terms that it shares with the chunks that it
   * cites. Terms that no citation covers then count as unsupported.
   *
   * @default 'terms'
   */
  readonly overlap?: 'terms' | 'words' | 'citations'
  /**
   * Whether unsupported terms are part of the total. With `ignored`, a single chunk gets a share of 1 whatever the
   * answer says.
   *
   * @default 'counted'
   */
  readonly noSupport?: 'counted' | 'ignored'
  /**
   * Share of the answer's terms that the chunks together must contain, 0..1. Applies to derived shares only, not to
   * reported ones.
   *
   * @default 0.25
   */
  readonly minOverlap?: number
}

/** The settings as stored in a policy. */
export interface EvidenceShareSettings extends Required<EvidenceShareOptions> {
  readonly gate: 'evidence-share'
}

/** Only names are checked here; the gate validates the values. */
export const EVIDENCE_SHARE_OPTIONS: OptionKinds<EvidenceShareOptions> = {
  threshold: anything,
  equality: anything,
  largest: anything,
  weighting: anything,
  overlap: anything,
  noSupport: anything,
  minOverlap: anything,
}

const SETTINGS: OptionKinds<EvidenceShareSettings> = {
  gate: required(string),
  // A missing threshold has the specification's own message; see below.
  threshold: required(anything),
  equality: required(oneOf('passes', 'refuses')),
  largest: required(whole(1, 100)),
  weighting: required(oneOf('none', 'chunk-confidence')),
  overlap: required(oneOf('terms', 'words', 'citations')),
  noSupport: required(oneOf('counted', 'ignored')),
  minOverlap: required(number(0, 1)),
}

/**
 * Refuses an answer that is not carried by a single chunk: S, the largest share of its support, must reach τ. The route
 * reports the shares (attention or attribution); otherwise they are derived from the words that answer and chunks have
 * in common. Shares that do not sum to 1, are not finite, or name unknown chunks refuse.
 *
 * @throws `policy_invalid` when a setting is out of range
 * @see the specification of sufficiency
 */
export function evidenceShare(options: EvidenceShareOptions = {}): PolicyGate {
  requireOptions(options, EVIDENCE_SHARE_OPTIONS, 'policy_invalid')
  return gateWith(evidenceShareGate, {
    gate: 'evidence-share',
    threshold: options.threshold ?? 0.5,
    equality: options.equality ?? 'passes',
    largest: options.largest ?? 1,
    weighting: options.weighting ?? 'none',
    overlap: options.overlap ?? 'terms',
    noSupport: options.noSupport ?? 'counted',
    minOverlap: options.minOverlap ?? 0.25,
  })
}

/** S and its chunk. */
export interface LargestShare {
  /** Unrounded. */
  readonly share: number
  /** The first chunk with the largest share. */
  readonly chunkId: string
}

/** S under these settings; `undefined` without shares, or if a chunk lacks the confidence for weighting. */
export function largestShare(settings: EvidenceShareSettings, answer: AnswerSignals): LargestShare | undefined {
  const shares = answer.reportedShares ?? derivedShares(settings, answer)
  const weighted = shares.map(({ chunkId, share }) => ({
    chunkId,
    share: recordedNumber(share) * weightOf(chunkId, settings, answer),
  }))
  const [first, ...rest] = weighted
  if (first === undefined || !weighted.every(({ share }) => Number.isFinite(share))) return undefined
  const top = rest.reduce((best, entry) => (entry.share > best.share ? entry : best), first)
  const sum = weighted
    .map(({ share }) => share)
    .sort((a, b) => b - a)
    .slice(0, settings.largest)
    .reduce((total, share) => total + share, 0)
  // The sum of shares may exceed 1 by a rounding error.
  return { chunkId: top.chunkId, share: Math.min(1, sum) }
}

/** Share of the answer's terms that the chunks together contain; `NaN` if it was not recorded. */
function heldShare({ termCount, unsupportedTermCount }: AnswerSignals): number {
  return termCount === 0 ? 0 : 1 - recordedNumber(unsupportedTermCount) / recordedNumber(termCount)
}

function derivedShares(
  { overlap, noSupport }: EvidenceShareSettings,
  { overlaps, sentences, unsupportedTermCount, readable }: AnswerSignals,
): readonly { readonly chunkId: string; readonly share: number }[] {
  if (!recordedFlag(readable)) return []
  const held = overlaps.map((entry) => recordedNumber(entry[overlap === 'citations' ? 'cited' : overlap]))
  const heldMass = held.reduce((sum, count) => sum + count, 0)
  const wholeMass =
    overlap === 'citations'
      ? sentences.reduce((sum, { termCount }) => sum + recordedNumber(termCount), 0)
      : heldMass + recordedNumber(unsupportedTermCount)
  const mass = noSupport === 'counted' ? wholeMass : heldMass
  // If no term is supported, the specification gives each chunk an equal share; with `counted`, each gets 0.
  if (mass === 0) {
    return overlaps.map(({ chunkId }) => ({ chunkId, share: noSupport === 'counted' ? 0 : 1 / overlaps.length }))
  }
  return overlaps.map(({ chunkId }, at) => ({ chunkId, share: (held[at] ?? NaN) / mass }))
}

function weightOf(chunkId: string, { weighting }: EvidenceShareSettings, { overlaps }: AnswerSignals): number {
  if (weighting === 'none') return 1
  return recordedNumber(overlaps.find((entry) => entry.chunkId === chunkId)?.confidence)
}

const REFUSED = 'No passage supports enough of the answer.'

const INSUFFICIENT = refusalText(
  NOT_CONFIRMED,
  'No single passage supports the answer sufficiently',
  'Rephrase the question to be more specific',
  SUGGEST.addDocuments,
  'Break a complex question into simpler ones',
  'Say more about the context of the question',
)

const UNJUDGED = refusalText(NOT_CONFIRMED, 'The support of the answer could not be judged', SUGGEST.tryLater)

/** The gate behind `evidenceShare`. */
export const evidenceShareGate = defineGate({
  name: 'evidence-share',
  stage: 'post-generation',
  measure: measureAnswer,
  texts: {
    share_low: INSUFFICIENT,
    overlap_low: INSUFFICIENT,
    shares_missing: UNJUDGED,
    shares_invalid: UNJUDGED,
  },
  threshold: {
    of: ({ threshold }) => threshold,
    moved: (settings, threshold) => ({ ...settings, threshold }),
  },
  validate: (settings: EvidenceShareSettings) => {
    requireOptions(settings, SETTINGS, 'policy_invalid')
    const { threshold } = settings
    if (!(typeof threshold === 'number' && threshold >= 0 && threshold <= 1)) {
      throw new RagGateError('policy_invalid', `Threshold must be in [0.0, 1.0], got ${String(threshold)}`, {
        param: 'threshold',
      })
    }
  },
  check: (settings, { answer }) => {
    if (answer?.unusable.includes('attribution') === true) {
      return {
        outcome: 'refuse',
        code: 'shares_invalid',
        message: 'The reported shares do not add up to 1, or name chunks that were not retrieved',
      }
    }
    const found = answer === undefined ? undefined : largestShare(settings, answer)
    const held = answer?.reportedShares === undefined && answer !== undefined ? heldShare(answer) : 1
    if (found === undefined || Number.isNaN(held)) {
      return { outcome: 'refuse', code: 'shares_missing', message: 'There are no shares of support to judge' }
    }
    const { threshold, equality, minOverlap } = settings
    const figures = { actual: found.share, threshold, subject: found.chunkId }
    const enough =
      equality === 'passes' ? meets(found.share, threshold, RATIO_TOLERANCE) : found.share > threshold + RATIO_TOLERANCE
    if (!enough) {
      const [share, least] = percentsOf(found.share, threshold)
      return {
        outcome: 'refuse',
        code: 'share_low',
        message: `${REFUSED} The largest share is ${share} but the threshold is ${least}.`,
        ...figures,
      }
    }
    if (!meets(held, minOverlap, RATIO_TOLERANCE)) {
      const [share, least] = percentsOf(held, minOverlap)
      return {
        outcome: 'refuse',
        code: 'overlap_low',
        message: `${REFUSED} The chunks hold ${share} of the answer's words but ${least} are required.`,
        ...figures,
      }
    }
    return {
      outcome: 'pass',
      code: 'passed',
      message: `The largest share is ${percent(found.share)} and the threshold is ${percent(threshold)}.`,
      ...figures,
    }
  },
})
