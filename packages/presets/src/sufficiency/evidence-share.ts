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

/** Settings of `evidenceShare`. */
export interface EvidenceShareOptions {
  /**
   * Largest share of support, τ, below which the answer is refused, 0..1.
   *
   * @default 0.5
   */
  readonly threshold?: number
  /**
   * What a share of exactly the threshold does; `refuses` is the specification's strict mode.
   *
   * @default 'passes'
   */
  readonly equality?: 'passes' | 'refuses'
  /**
   * How many of the largest shares are added up. Whole, 1..100.
   *
   * @default 1
   */
  readonly largest?: number
  /**
   * Whether a share counts in full, or in proportion to how sure retrieval was of its chunk.
   *
   * @default 'none'
   */
  readonly weighting?: 'none' | 'chunk-confidence'
  /**
   * What shares are derived from when the route reports none: words with a meaning (`terms`) or all words that the answer
   * has in common with each chunk; or `citations`: of each sentence, the terms that the chunks it cites hold. What no
   * citation carries is then not supported.
   *
   * @default 'terms'
   */
  readonly overlap?: 'terms' | 'words' | 'citations'
  /**
   * Whether what no chunk supports takes part of the whole. `ignored` lets a single chunk have all of it, for any
   * answer says.
   *
   * @default 'counted'
   */
  readonly noSupport?: 'counted' | 'ignored'
  /**
   * Share of the answer's terms that the chunks must hold together, 0..1. Shares that the route reports stand for
   * themselves: it is asked of derived ones.
   *
   * @default 0.25
   */
  readonly minOverlap?: number
}

/** `evidenceShare` as a policy holds it. */
export interface EvidenceShareSettings extends Required<EvidenceShareOptions> {
  readonly gate: 'evidence-share'
}

/** Their values are checked as settings. */
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
  // In the specification's own words: see below.
  threshold: required(anything),
  equality: required(oneOf('passes', 'refuses')),
  largest: required(whole(1, 100)),
  weighting: required(oneOf('none', 'chunk-confidence')),
  overlap: required(oneOf('terms', 'words', 'citations')),
  noSupport: required(oneOf('counted', 'ignored')),
  minOverlap: required(number(0, 1)),
}

/**
 * Refuses an answer that no single chunk carries: S, the largest share of its support, must reach τ. Shares are those
 * that the route reports (of attention, or of an attribution); else they are derived from the words that answer and
 * chunks have in common. Shares that do not add up, that are no numbers, or that name unknown chunks refuse.
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

/** S, and whose it is. */
export interface LargestShare {
  /** Not rounded. */
  readonly share: number
  /** The first chunk with the largest share. */
  readonly chunkId: string
}

/** S under these settings; `undefined` when there are no shares, or a chunk lacks the confidence to weigh it by. */
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
  // Added up, parts of a whole may come out a hair above it.
  return { chunkId: top.chunkId, share: Math.min(1, sum) }
}

/** Share of the answer's terms that the chunks hold together; `NaN` where it was not recorded. */
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
  // The specification shares alike where nothing is held; with the rest counted, nothing is held by anyone.
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

/** The check behind `evidenceShare`. */
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
        message: 'The reported shares do not add up to 1, are no numbers, or name chunks that were not retrieved',
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
      return {
        outcome: 'refuse',
        code: 'share_low',
        message: `${REFUSED} The largest share is ${percent(found.share)} but the threshold is ${percent(threshold)}.`,
        ...figures,
      }
    }
    if (!meets(held, minOverlap, RATIO_TOLERANCE)) {
      return {
        outcome: 'refuse',
        code: 'overlap_low',
        message: `${REFUSED} The chunks hold ${percent(held)} of the answer's words but ${percent(minOverlap)} are required.`,
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
