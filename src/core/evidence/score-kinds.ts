/** Score kinds: their ranges, their meaning, and their order of precedence. */
import { clamp01, finite, recordedNumber } from '../lib/numbers.ts'
import { BM25_K1 } from '../text/bm25.ts'
import type { ScoreKind, Scores } from './chunk.ts'

/**
 * What a retriever's scores measure: shared words, similarity of meaning, only the order, or nothing usable. Cosines of hashed
 * words count as nothing.
 */
export type ScoreMeaning = 'words' | 'meaning' | 'ranks' | 'none'

/** Whether an embedding represents words only, as hashed words and word indexes do, so that its cosines add nothing. */
export function embedsWords(model: string): boolean {
  return /^(hashed-)?words-/.test(model)
}

/** Properties of a score kind. */
interface ScoreKindFacts {
  /** Lowest and highest possible score. */
  readonly range: readonly [low: number, high: number]
  /** Highest score, for kinds that are comparable between questions, so that scores can be normalised by it. */
  readonly full?: number
}

const UNBOUNDED = [-Infinity, Infinity] as const
const POSITIVE = [0, Infinity] as const

/** The table. */
const SCORE_KINDS: Readonly<Record<ScoreKind, ScoreKindFacts>> = {
  cosine: { range: [-1, 1], full: 1 },
  bm25: { range: POSITIVE },
  rrf: { range: POSITIVE },
  dbsf: { range: UNBOUNDED },
  convex: { range: [0, 1], full: 1 },
  'cross-encoder': { range: [0, 1], full: 1 },
  grade: { range: [0, 3], full: 3 },
  boosted: { range: UNBOUNDED },
  'graph-boost': { range: POSITIVE },
}

/** Names of all score kinds. */
export const SCORE_KIND_NAMES: readonly string[] = /* @__PURE__ */ Object.keys(SCORE_KINDS)

/** Kinds of a reranker, by precedence. The lists below repeat them, because bundlers cannot leave out unused spreads. */
const RERANKER_KINDS = ['cross-encoder', 'grade'] as const

/** Kinds of fused scores. */
export const FUSED_KINDS = ['rrf', 'dbsf', 'convex'] as const

/**
 * Scores by which chunks are compared, by precedence: a reranker's, then one boosted by a knowledge graph, then a fused one.
 * The convex combination is comparable between questions; ranks and distribution-based scores only order the chunks of one
 * question, so they come last.
 */
const RANKING_KINDS = ['cross-encoder', 'grade', 'boosted', 'convex', 'rrf', 'dbsf'] as const

/** Scores of a chunk's relevance, by precedence; all are comparable between questions. */
export const RELEVANCE_KINDS = ['cross-encoder', 'grade', 'cosine', 'convex'] as const

/** Scores of retrieval methods that policies read, by precedence. */
export const METHOD_KINDS = ['bm25', 'cosine'] as const

/** Tolerance for float32 errors beyond a range. */
const TOLERANCE = 1e-6

/**
 * Checks a score against the range of its kind: cosine −1..1; convex and cross-encoder 0..1; grade 0..3; bm25, rrf and
 * graph-boost 0 and up; any finite number for the others. Values up to 1e-6 beyond it, from 32-bit floats, are clipped.
 *
 * @returns `NaN` for a value that is not a finite number, of an unknown kind, or out of range, such as a distance, a logit or
 *   a percentage with the wrong kind
 */
export function scoreWithinRange(kind: ScoreKind, score: unknown): number {
  const value = recordedNumber(score)
  const [low, high] = Object.hasOwn(SCORE_KINDS, kind) ? SCORE_KINDS[kind].range : [NaN, NaN]
  return value < low - TOLERANCE || value > high + TOLERANCE ? NaN : Math.min(high, Math.max(low, value))
}

/**
 * Whether fusion can use a score: any finite number, except a cosine beyond −1..1, which is a distance or an inner product
 * with the wrong kind. Scores of retrievers were checked against the ranges of all kinds before.
 */
export function isScore(kind: ScoreKind, score: number): boolean {
  return Number.isFinite(kind === 'cosine' ? scoreWithinRange(kind, score) : score)
}

/** Highest score of a reranker kind; the lowest is 0. */
export function fullScore(kind: (typeof RERANKER_KINDS)[number]): number {
  return SCORE_KINDS[kind].full ?? 1
}

/** A score divided by the highest of its kind; unchanged for kinds without one. */
export function scoreShare(kind: ScoreKind, score: number): number {
  return score / (SCORE_KINDS[kind].full ?? 1)
}

/** The reranker's score scaled to 0..1; `undefined` if no reranker scored the chunk. */
export function rerankerScore(scores: Scores): number | undefined {
  return firstShare(RERANKER_KINDS, scores)
}

/** The score by which a chunk is compared with others, scaled if its kind has a maximum; `undefined` for none. */
export function rankingScore(scores: Scores): number | undefined {
  return firstShare(RANKING_KINDS, scores)
}

/** Relevance of a chunk by the first available score that is comparable between questions, 0..1; `undefined` for none. */
export function relevanceShare(scores: Scores): number | undefined {
  const share = firstShare(RELEVANCE_KINDS, scores)
  return share === undefined ? undefined : clamp01(share)
}

function firstShare(kinds: readonly ScoreKind[], scores: Scores): number | undefined {
  for (const kind of kinds) {
    const score = finite(scores[kind])
    if (score !== undefined) return scoreShare(kind, score)
  }
  return undefined
}

/**
 * The score of one method, BM25 or cosine, scaled to 0..1 by a bound that does not depend on other results: BM25 by its
 * maximum for the question, idf mass · (k1 + 1); cosine clipped.
 *
 * @returns `undefined` for other kinds, and without a score
 */
export function scaledMethodScore(kind: ScoreKind, scores: Scores, idfMass: number): number | undefined {
  const score = kind === 'bm25' || kind === 'cosine' ? finite(scores[kind]) : undefined
  if (score === undefined) return undefined
  if (kind === 'cosine') return clamp01(score)
  return idfMass > 0 ? clamp01(score / (idfMass * (BM25_K1 + 1))) : 0
}
