import { floored } from '../lib/rounding.ts'
import { METHOD_KINDS } from '../evidence/score-kinds.ts'
import { noteText, refusalText, CANNOT_ANSWER, SUGGEST, UNMEASURED } from './text.ts'
import type { Signals } from '../signals/measure.ts'
import { defineGate, requireWithin, type PolicyGate, gateWith } from './gate.ts'
import { meets, RATIO_TOLERANCE, recordedFlag } from '../lib/numbers.ts'

/** Settings of `retrievalScore`. */
export interface RetrievalScoreOptions {
  /**
   * Score of the best chunk below which the question is refused, in the units of the score read, −1 and up. Equality
   * passes.
   *
   * @default 0.05
   */
  readonly minScore?: number
  /**
   * How many times the runner-up's score the best one must reach, 0 and up. Equality passes.
   *
   * @default 1.2
   */
  readonly minRatio?: number
}

/** `retrievalScore` as a policy holds it. */
export interface RetrievalScoreSettings {
  readonly gate: 'retrieval-score'
  readonly minScore: number
  readonly minRatio: number
}

/**
 * Judges the retrieval scores: high enough, and a clear winner. Reads BM25, else raw cosine, never a fused score, whose
 * ratios mean nothing. Skips when a reranker graded the chunks. The ratio is not asked for when there is one chunk, or
 * when the two best come from one document; a runner-up at or below 0 meets it.
 *
 * @throws `policy_invalid` when a setting is out of range
 * @see the specification of two-tier, "Retrieval Score Gating"
 */
export function retrievalScore(options: RetrievalScoreOptions = {}): PolicyGate {
  return gateWith(retrievalScoreGate, {
    gate: 'retrieval-score',
    minScore: options.minScore ?? 0.05,
    minRatio: options.minRatio ?? 1.2,
  })
}

/** The check behind `retrievalScore`. */
export const retrievalScoreGate = defineGate({
  name: 'retrieval-score',
  stage: 'pre-generation',
  texts: {
    graded_already: noteText('The reranker graded the evidence'),
    score_low: refusalText(
      `${CANNOT_ANSWER} The retrieved information is not sufficiently relevant.`,
      'All retrieval scores too low',
      SUGGEST.rephrase,
      SUGGEST.specify,
      SUGGEST.addDocuments,
    ),
    score_missing: UNMEASURED,
    no_clear_winner: refusalText(
      `${CANNOT_ANSWER} No clear best match among retrieved results.`,
      'No clear winner among results',
      SUGGEST.specify,
      SUGGEST.narrow,
    ),
  },
  validate: (settings: RetrievalScoreSettings) => {
    requireWithin('minScore', settings.minScore, -1, Number.MAX_VALUE)
    requireWithin('minRatio', settings.minRatio, 0, Number.MAX_VALUE)
  },
  check: (settings, { signals }) => {
    if (signals.curves.grade !== undefined) {
      return { outcome: 'skip', code: 'graded_already', message: 'The reranker graded the chunks' }
    }
    return checkScores(settings, signals)
  },
})

/** The scores that the gate reads. */
export interface ScoresRead {
  /** The best; absent when no chunk carries such a score. Not a number where the record is broken. */
  readonly top?: number
  /** The runner-up; absent for a single chunk. */
  readonly second?: number
  /** How many times the second the best is; absent where nobody asks for it. */
  readonly ratio?: number
}

/** BM25, else raw cosine, as recorded. */
export function scoresRead({ curves }: Signals): ScoresRead {
  const curve = METHOD_KINDS.flatMap((kind) => curves[kind] ?? [])[0]
  const [top, second] = curve?.scores ?? []
  if (curve === undefined || top === undefined) return {}
  if (second === undefined) return { top }
  const areNumbers = Number.isFinite(top) && Number.isFinite(second)
  if (!areNumbers || second <= 0 || recordedFlag(curve.topPairSharesDocument)) return { top, second }
  // Over next to nothing the lead is larger than any number.
  return { top, second, ratio: Math.min(top / second, Number.MAX_VALUE) }
}

function checkScores({ minScore, minRatio }: RetrievalScoreSettings, signals: Signals) {
  const { top, second = 0, ratio } = scoresRead(signals)
  if (top === undefined) {
    return { outcome: 'refuse', code: 'score_missing', message: 'No chunk carries a BM25 or cosine score' } as const
  }
  if (!Number.isFinite(top) || !Number.isFinite(second)) {
    return { outcome: 'refuse', code: 'score_missing', message: 'One of the two best scores is no number' } as const
  }
  if (!meets(top, minScore, RATIO_TOLERANCE)) {
    return {
      outcome: 'refuse',
      code: 'score_low',
      message: `Top chunk retrieval score (${top}) below minimum (${minScore})`,
      actual: top,
      threshold: minScore,
    } as const
  }
  if (ratio !== undefined && !meets(ratio, minRatio, RATIO_TOLERANCE)) {
    return {
      outcome: 'refuse',
      code: 'no_clear_winner',
      message: `Top-1/Top-2 ratio (${floored(ratio)}) below threshold (${minRatio})`,
      actual: ratio,
      threshold: minRatio,
    } as const
  }
  return {
    outcome: 'pass',
    code: 'passed',
    message: `Top chunk retrieval score (${top}) is a clear winner`,
    actual: top,
    threshold: minScore,
  } as const
}
