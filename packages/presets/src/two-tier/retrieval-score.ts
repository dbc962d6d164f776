import { METHOD_KINDS } from 'hono-rag-gate/core/evidence'
import {
  CANNOT_ANSWER,
  defineGate,
  gateWith,
  GRADED_ALREADY,
  type PolicyGate,
  refusalText,
  SUGGEST,
  UNMEASURED,
} from 'hono-rag-gate/core/gates'
import {
  anything,
  floored,
  group,
  isRecord,
  meets,
  number,
  oneOf,
  type OptionKinds,
  RATIO_TOLERANCE,
  recordedFlag,
  required,
  requireOptions,
  string,
} from 'hono-rag-gate/core/lib'
import { curves, type Signals } from 'hono-rag-gate/core/signals'

/** Minimum scores by score kind. */
export type MinScores = Readonly<Partial<Record<ScoreReadKind, number>>>

type ScoreReadKind = (typeof METHOD_KINDS)[number]

/** Settings of `retrievalScore`. */
export interface RetrievalScoreOptions {
  /**
   * Score of the best chunk below which the question is refused, −1 and up: one number for all kinds, or one per kind
   * in its own unit. Equality passes. Kinds without a value have .05.
   *
   * @default 0.05
   */
  readonly minScore?: number | MinScores
  /**
   * Minimum ratio of the best score to the second best, 0 and up. Equality passes.
   *
   * @default 1.2
   */
  readonly minRatio?: number
  /**
   * Whether the ratio is checked if the two best chunks come from one document, whose passages need not compete.
   *
   * @default 'asked'
   */
  readonly ratioWithinDocument?: 'asked' | 'skipped'
}

/** The settings as stored in a policy. */
export interface RetrievalScoreSettings {
  readonly gate: 'retrieval-score'
  readonly minScore: number | MinScores
  readonly minRatio: number
  /** Absent for `asked`. */
  readonly ratioWithinDocument?: 'skipped'
}

const MIN_SCORE = 0.05

/** Only names are checked here; the gate validates the values. */
export const RETRIEVAL_SCORE_OPTIONS: OptionKinds<RetrievalScoreOptions> = {
  minScore: anything,
  minRatio: anything,
  ratioWithinDocument: oneOf('asked', 'skipped'),
}

const SCORE = number(-1)
const SCORE_BY_KIND: OptionKinds<MinScores> = { bm25: SCORE, cosine: SCORE }

/**
 * Requires a high enough best score and a clear lead. Reads BM25, else raw cosine, and refuses if there is neither,
 * because fused scores do not measure how good the best chunk is. Skips if a reranker graded the chunks. The ratio is
 * not checked for a single chunk, and is met if the second score is 0 or below.
 *
 * @throws `policy_invalid` when a setting is out of range
 * @see the specification of two-tier, "Retrieval Score Gating"
 */
export function retrievalScore(options: RetrievalScoreOptions = {}): PolicyGate {
  requireOptions(options, RETRIEVAL_SCORE_OPTIONS, 'policy_invalid')
  return gateWith(retrievalScoreGate, {
    gate: 'retrieval-score',
    minScore: options.minScore ?? MIN_SCORE,
    minRatio: options.minRatio ?? 1.2,
    ...(options.ratioWithinDocument === undefined || options.ratioWithinDocument === 'asked'
      ? {}
      : { ratioWithinDocument: options.ratioWithinDocument }),
  })
}

/** The gate behind `retrievalScore`. */
export const retrievalScoreGate = defineGate({
  name: 'retrieval-score',
  stage: 'pre-generation',
  texts: {
    graded_already: GRADED_ALREADY,
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
  reads: () => [curves],
  validate: (settings: RetrievalScoreSettings) => {
    const kinds: OptionKinds<RetrievalScoreSettings> = {
      gate: required(string),
      minScore: required(isRecord(settings.minScore) ? group(SCORE_BY_KIND) : SCORE),
      minRatio: required(number(0)),
      ratioWithinDocument: oneOf('skipped'),
    }
    requireOptions(settings, kinds, 'policy_invalid')
  },
  check: (settings, { signals }) => {
    if (signals.curves?.grade !== undefined) {
      return { outcome: 'skip', code: 'graded_already', message: 'The reranker graded the chunks' }
    }
    return checkScores(settings, signals)
  },
})

/** The scores that the gate reads. */
export interface ScoresRead {
  /** Their score kind; absent if no chunk carries such a score. */
  readonly kind?: ScoreReadKind
  /** The best score; absent if no chunk carries one, `NaN` if the record is damaged. */
  readonly top?: number
  /** The second best score; absent for a single chunk. */
  readonly second?: number
  /** Best score divided by the second; absent if the ratio is not checked. */
  readonly ratio?: number
}

/** Reads the recorded scores: BM25, else raw cosine. */
export function scoresRead(
  { curves: found = {} }: Signals,
  { ratioWithinDocument }: Pick<RetrievalScoreSettings, 'ratioWithinDocument'>,
): ScoresRead {
  const kind = METHOD_KINDS.find((each) => found[each] !== undefined)
  const curve = kind === undefined ? undefined : found[kind]
  const [top, second] = curve?.scores ?? []
  if (kind === undefined || curve === undefined || top === undefined) return {}
  if (second === undefined) return { kind, top }
  const areNumbers = Number.isFinite(top) && Number.isFinite(second)
  const isSkipped = ratioWithinDocument === 'skipped' && recordedFlag(curve.topPairSharesDocument)
  if (!areNumbers || second <= 0 || isSkipped) return { kind, top, second }
  // Dividing by a very small second score may overflow to infinity.
  return { kind, top, second, ratio: Math.min(top / second, Number.MAX_VALUE) }
}

/** The minimum score of a kind under these settings. */
export function minScoreOf({ minScore }: Pick<RetrievalScoreSettings, 'minScore'>, kind: ScoreReadKind): number {
  return typeof minScore === 'number' ? minScore : (minScore[kind] ?? MIN_SCORE)
}

function checkScores(settings: RetrievalScoreSettings, signals: Signals) {
  const { minRatio } = settings
  const { kind, top, second = 0, ratio } = scoresRead(signals, settings)
  if (kind === undefined || top === undefined) {
    return {
      outcome: 'refuse',
      code: 'score_missing',
      message: 'No chunk carries a BM25 or cosine score',
    } as const
  }
  const minScore = minScoreOf(settings, kind)
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
    message:
      ratio === undefined
        ? `Top chunk retrieval score (${top}) meets minimum (${minScore})`
        : `Top chunk retrieval score (${top}) is a clear winner`,
    actual: top,
    threshold: minScore,
  } as const
}
