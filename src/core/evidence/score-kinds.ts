/** The one table of score kinds: which numbers each can be, what it is worth, and which of several counts. */
import { clamp01, finite } from '../lib/numbers.ts'
import { BM25_K1 } from '../text/bm25.ts'
import type { ScoreKind, Scores } from './chunk.ts'

/**
 * What the scores of a retriever tell: how many of the question's words a passage holds, how near it is in meaning, only which
 * is better than another, or nothing. Cosines of hashed words tell none of them.
 */
export type ScoreMeaning = 'words' | 'meaning' | 'ranks' | 'none'

/** Whether the cosines of an embedding only repeat what words tell: those of hashed words, and of indexes of words. */
export function embedsWords(model: string): boolean {
  return /^(hashed-)?words-/.test(model)
}

/** What is known of a kind of score. */
interface ScoreKindFacts {
  /** Lowest and highest score that there can be. */
  readonly range: readonly [low: number, high: number]
  /** Highest score of a kind that means the same in every question, so that a share of it does too. */
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

/** What a score can be of. */
export const SCORE_KIND_NAMES: readonly string[] = /* @__PURE__ */ Object.keys(SCORE_KINDS)

/** Scores of a reranker, the one that counts first. */
const RERANKER_KINDS = ['cross-encoder', 'grade'] as const

/** Scores of a fusion. */
export const FUSED_KINDS = ['rrf', 'dbsf', 'convex'] as const

/**
 * By which score chunks are compared, the one that counts first: a reranker's before what a knowledge graph raised, and
 * that before a fused one. The convex mix means the same in every question; ranks and distributions only order the chunks
 * of one, so they are read where nothing else is there.
 */
const RANKING_KINDS = [...RERANKER_KINDS, 'boosted', 'convex', 'rrf', 'dbsf'] as const

/** By which score a chunk's relevance is told, the one that counts first: all of them mean the same in every question. */
export const RELEVANCE_KINDS = [...RERANKER_KINDS, 'cosine', 'convex'] as const

/** Scores of a retrieval method, as policies read them, the one that counts first. */
export const METHOD_KINDS = ['bm25', 'cosine'] as const

/** How far float32 may take a score beyond its range. */
const TOLERANCE = 1e-6

/**
 * A score held within the range of its kind: cosine −1..1; convex and cross-encoder 0..1; grade 0..3; bm25, rrf and
 * graph-boost 0 and up; any finite number for the others. 32-bit floats may stray 1e-6 beyond it.
 *
 * @returns `NaN` for what is no finite number, of no known kind, or beyond its range: a distance, a logit or a percentage
 *   under a wrong name
 */
export function scoreWithinRange(kind: ScoreKind, score: unknown): number {
  if (typeof score !== 'number' || !Number.isFinite(score)) return Number.NaN
  const [low, high] = Object.hasOwn(SCORE_KINDS, kind) ? SCORE_KINDS[kind].range : [Number.NaN, Number.NaN]
  if (score < low - TOLERANCE || score > high + TOLERANCE) return Number.NaN
  return Math.min(high, Math.max(low, score))
}

/**
 * Whether fusion can use a score: any finite number, but for a cosine beyond −1..1, which is a distance or an inner
 * product under a wrong name. What a retriever gave is held to the ranges of all kinds before.
 */
export function isScore(kind: ScoreKind, score: number): boolean {
  return Number.isFinite(score) && (kind !== 'cosine' || !Number.isNaN(scoreWithinRange(kind, score)))
}

/** Highest score of a reranker's kind; the lowest is 0. */
export function fullScore(kind: (typeof RERANKER_KINDS)[number]): number {
  return SCORE_KINDS[kind].full ?? 1
}

/** A score as a share of the highest of its kind; as it is where the kind has none that means the same everywhere. */
export function scoreShare(kind: ScoreKind, score: number): number {
  return score / (SCORE_KINDS[kind].full ?? 1)
}

/** The reranker's score as a share of 1 at best; `undefined` when no reranker scored the chunk. */
export function rerankerScore(scores: Scores): number | undefined {
  return firstShare(RERANKER_KINDS, scores)
}

/** By which a chunk is compared with others, as a share where its kind has one; `undefined` for none. */
export function rankingScore(scores: Scores): number | undefined {
  return firstShare(RANKING_KINDS, scores)
}

/** How relevant a chunk is by the first of its scores that means the same in every question, 0..1; `undefined` for none. */
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
 * The score of one method, BM25 or cosine, scaled to 0..1 by a bound that does not depend on other results: BM25 by what
 * it can reach for the question, idf mass · (k1 + 1); cosine clipped.
 *
 * @returns `undefined` for other kinds, and without a score
 */
export function scaledMethodScore(kind: ScoreKind, scores: Scores, idfMass: number): number | undefined {
  const score = kind === 'bm25' || kind === 'cosine' ? finite(scores[kind]) : undefined
  if (score === undefined) return undefined
  if (kind === 'cosine') return clamp01(score)
  return idfMass > 0 ? clamp01(score / (idfMass * (BM25_K1 + 1))) : 0
}
