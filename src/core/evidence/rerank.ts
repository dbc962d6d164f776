/** A reranker's scores into the evidence. */
import { fullScore } from './score-kinds.ts'
import { RagGateError } from '../../errors.ts'
import type { ScoreKind } from './chunk.ts'
import { type Evidence, rankBy } from './evidence.ts'

/**
 * What became of the reranker: `off` when there is none, `spared` when the question was sure enough without it. Only after
 * `ok` do chunks carry its scores.
 */
export type RerankerOutcome = 'ok' | 'failed' | 'timeout' | 'spared' | 'off'

/** The kinds of score that rerankers give. */
export type RerankerKind = Extract<ScoreKind, 'cross-encoder' | 'grade'>

/**
 * Evidence in order of a reranker's scores, every chunk with its own beside those it had; ties keep the order they came
 * in.
 *
 * @param scores one for each chunk, in the order of `evidence.chunks`
 * @throws `reranker_bad_response` when a chunk has no score, or one outside the range of its kind: a reranker that fails
 *   in part has failed
 */
export function reranked(evidence: Evidence, kind: RerankerKind, scores: readonly number[]): Evidence {
  const { chunks, kinds, dropped } = evidence
  // With what is missing in between: a list may have holes, and `every` passes them over.
  const given: readonly unknown[] = Array.isArray(scores) ? Array.from(scores as readonly unknown[]) : []
  const isScore = (score: unknown): boolean => typeof score === 'number' && score >= 0 && score <= fullScore(kind)
  if (given.length !== chunks.length || !given.every(isScore)) {
    throw new RagGateError('reranker_bad_response', 'The reranker gave no usable score for every passage')
  }
  // One score a chunk: counted above.
  const collected = chunks.map((chunk, at) => ({ passage: chunk, scores: { ...chunk.scores, [kind]: scores[at]! } }))
  return rankBy(kind, collected, { kinds: [...kinds, kind], dropped, topK: chunks.length })
}
