/**
 * Document 000 against its golden file: verdicts, reasons and texts of `twoTier`, the replies of a grading model, and
 * reciprocal rank fusion.
 */
import { textOf } from '../../fixtures/policy.ts'
import { fuse, fuseReciprocalRank } from '../../../src/core/evidence/fusion.ts'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { readGrade } from '../../../packages/models/src/grade.ts'
import type { ReasonCode } from '../../../src/core/gates/finding.ts'
import { judge } from '../../../src/core/policy/judge.ts'
import { twoTier, type TwoTierOptions } from '../../../packages/presets/src/two-tier/two-tier.ts'
import { isRagGateError } from '../../../src/errors.ts'
import { aRanking } from '../../fixtures/evidence.ts'
import { type Compared, compareAll, type Figure } from '../../golden/vectors.ts'
import { measure } from '../../fixtures/english.ts'

interface Vector {
  readonly id: string
  readonly scores: readonly (Figure | boolean | null)[]
  readonly shapes: string | readonly string[]
  readonly scores_are_reranked: boolean
  readonly params: Readonly<Record<string, number>>
  readonly expect: { readonly refuse?: boolean; readonly reason?: string | null; readonly throws?: string }
}

interface Golden {
  readonly vectors: readonly Vector[]
  readonly reason_messages: Readonly<Record<string, string>>
  readonly rerank_parse: readonly { readonly input: string; readonly score: number }[]
  readonly rrf: readonly RankedVector[]
}

/** Two rankings by their ids alone, best first, and what they become. */
interface RankedVector {
  readonly vector_ids: readonly string[]
  readonly bm25_ids: readonly string[]
  readonly k: number
  readonly expect: readonly (readonly [id: string, score: number])[]
}

const OPTIONS: Readonly<Record<string, keyof TwoTierOptions>> = {
  relevance_threshold: 'relevanceThreshold',
  min_chunks: 'minChunks',
  retrieval_min_score: 'minScore',
  retrieval_min_ratio: 'minRatio',
}

/** The reasons of the older code, as they are called here; the last three have no counterpart. */
const CODES: Readonly<Record<string, ReasonCode>> = {
  no_chunks_retrieved: 'no_evidence',
  no_relevance_scores_found: 'score_missing',
  all_chunks_below_threshold: 'relevance_low',
  insufficient_chunks_above_threshold: 'relevant_chunks_few',
  top_score_below_threshold: 'relevance_low',
  retrieval_score_too_low: 'score_low',
  retrieval_top_below_minimum: 'score_low',
  retrieval_insufficient_ratio: 'no_clear_winner',
  retrieval_top1_too_weak_with_negative_top2: 'score_low',
}

/** What the profile says of a vector: its verdict and reason, or the code of the error. */
function outcomeOf({ scores, shapes, scores_are_reranked, params }: Vector): string {
  const options = Object.fromEntries(Object.entries(params).map(([name, value]) => [OPTIONS[name] ?? name, value]))
  const missing = scores.map((_, at) => ['none', 'meta_missing', 'dict_other'].includes([shapes].flat()[at] ?? ''))
  // The gate sees what is left once unusable scores are dropped; that too many of them are a fault is tested elsewhere.
  const usable = scores.flatMap((score, at) => (typeof score === 'number' && !missing[at] ? [score] : []))
  try {
    const policy = twoTier(options)
    const evidence = fuse([aRanking(scores_are_reranked ? 'grade' : 'bm25', usable)], { idfMass: 1, topK: 100 })
    const { verdict, reason } = judge(policy, measure('question', evidence, EMPTY_LEXICON))
    return verdict === 'pass' ? 'pass' : `${verdict}, ${reason}`
  } catch (thrown) {
    return isRagGateError(thrown) ? thrown.code : 'unexpected'
  }
}

function expectedOf({ expect: { refuse, reason } }: Vector): string {
  if (refuse === undefined) return 'an error'
  return refuse ? `refuse, ${CODES[reason ?? ''] ?? 'no such reason'}` : 'pass'
}

/** The fused ids with their scores; falling scores stand for the ranks of the vector. */
function fusedOf({ vector_ids, bm25_ids, k }: RankedVector): RankedVector['expect'] {
  const rankings = [
    aRanking('cosine', fallingScores(vector_ids), vector_ids),
    aRanking('bm25', fallingScores(bm25_ids), bm25_ids),
  ]
  const { chunks } = fuseReciprocalRank(rankings, { k, idfMass: 1, topK: 100 })
  return chunks.map(({ id, scores }) => [id, scores.rrf ?? NaN])
}

const fallingScores = (ids: readonly string[]): number[] => ids.map((_, at) => 0.9 - at / 10)

/** Every section that is compared. */
export function compareDocument000(golden: Golden): Readonly<Record<string, readonly Compared[]>> {
  return {
    vectors: compareAll(golden.vectors, ({ id }) => id, expectedOf, outcomeOf, String),
    reason_messages: Object.entries(golden.reason_messages).map(([reason, text]) => {
      const code = CODES[reason]
      const said = code === undefined ? [] : [textOf(code).reason, textOf(code).answer]
      return { id: reason, agrees: said.includes(text), here: said[0] ?? 'no such reason' }
    }),
    rerank_parse: compareAll(
      golden.rerank_parse,
      ({ input }) => input,
      ({ score }) => score,
      ({ input }) => readGrade(input).grade,
    ),
    rrf: compareAll(
      golden.rrf,
      (_, at) => String(at),
      ({ expect: fused }) => fused,
      fusedOf,
    ),
  }
}
