/** Applies a reranker's scores to evidence. */
import { fullScore } from './score-kinds.ts'
import { RagGateError } from '../../errors.ts'
import type { ScoreKind } from './chunk.ts'
import { type Evidence, rankBy } from './evidence.ts'

/**
 * Outcome of the reranker: `off` if there is none, `spared` if it was not called because the confidence was outside its
 * bounds. Chunks carry its scores only after `ok`.
 */
export type RerankerOutcome = 'ok' | 'failed' | 'timeout' | 'spared' | 'off'

/** Kinds of rerankers' scores. */
export type RerankerKind = Extract<ScoreKind, 'cross-encoder' | 'grade'>

/**
 * Orders evidence by a reranker's scores and adds them to the chunks; ties keep their order.
 *
 * @param scores one per chunk, in the order of `evidence.chunks`
 * @throws `reranker_bad_response` when a chunk has no score, or one outside the range of its kind: a partial failure is a
 *   failure
 */
export function reranked(evidence: Evidence, kind: RerankerKind, scores: readonly number[]): Evidence {
  const { chunks, kinds, dropped } = evidence
  // `Array.from` turns holes into `undefined`, because `every` skips holes.
  const given: readonly unknown[] = Array.isArray(scores) ? Array.from(scores as readonly unknown[]) : []
  const isScore = (score: unknown): boolean => typeof score === 'number' && score >= 0 && score <= fullScore(kind)
  if (given.length !== chunks.length || !given.every(isScore)) {
    throw new RagGateError('reranker_bad_response', 'The reranker gave no usable score for some passages')
  }
  // Non-null: the number of scores was checked above.
  const collected = chunks.map((chunk, at) => ({ passage: chunk, scores: { ...chunk.scores, [kind]: scores[at]! } }))
  return rankBy(kind, collected, { kinds: [...kinds, kind], dropped, topK: chunks.length })
}
