/** Computes the confidence of a retrieval from its chunks in one call. */
import { type Chunk, collect, rankBy, type ScoreKind } from 'hono-rag-gate/core/evidence'
import { type Assessment, confidenceRecord, type ConfidenceRecord } from './confidence-record.ts'
import { judge, measure } from 'hono-rag-gate/core/policy'
import { assessRetrieval, type RecommendOptions, type RetrievalAssessment } from './recommendations.ts'
import { weightedSignals, type WeightedSignalsOptions } from './weighted-signals.ts'

/**
 * Scores a retrieval by the seven signals of `weightedSignals`. They use scores, not texts, so the question is
 * optional, except that BM25 alone is divided by its maximum for the question. Without chunks, or without ranking
 * scores, the confidence is 0 and flagged for review.
 *
 * @param chunks in any order
 * @throws `retriever_bad_response` if more than a fifth of the scores are not finite; `policy_invalid` if an option is
 *   out of range
 */
export function scoreRetrieval(
  chunks: readonly Chunk[],
  question = '',
  options: WeightedSignalsOptions = {},
): ConfidenceRecord {
  return confidenceRecord(assessmentOf(chunks, question, options), options)
}

/** Settings of `assessChunks`. */
export interface AssessChunksOptions extends WeightedSignalsOptions, RecommendOptions {}

/**
 * A short assessment of retrieved chunks, with recommendations: the specification's tool takes chunk ids, this takes
 * the chunks.
 *
 * @param chunks in any order, with their retrieval scores
 * @throws as `scoreRetrieval`
 * @see the specification of weighted-signals, "Dedicated Tool"
 */
export function assessChunks(chunks: readonly Chunk[], options: AssessChunksOptions = {}): RetrievalAssessment {
  const { graph, wording, ...policy } = options
  const recommending = { ...(graph === undefined ? {} : { graph }), ...(wording === undefined ? {} : { wording }) }
  return assessRetrieval(assessmentOf(chunks, '', policy), recommending)
}

function assessmentOf(chunks: readonly Chunk[], question: string, options: WeightedSignalsOptions): Assessment {
  // The keys of `Scores` are score kinds.
  const kinds = [...new Set(chunks.flatMap(({ scores }) => Object.keys(scores) as ScoreKind[]))]
  const { collected, dropped } = collect(
    kinds.map((kind) => ({
      kind,
      entries: chunks.flatMap((passage) => {
        const score = passage.scores[kind]
        return score === undefined ? [] : [{ passage, score }]
      }),
    })),
  )
  const unscored = chunks
    .filter(({ scores }) => Object.keys(scores).length === 0)
    .map((passage) => ({ passage, scores: {} }))
  // A single ranking is not fused: its own score counts.
  const rankedBy = kinds.length === 1 ? kinds[0]! : 'convex'
  const evidence = rankBy(rankedBy, [...collected, ...unscored], { kinds, dropped, topK: chunks.length })
  const policy = weightedSignals(options)
  const signals = measure(policy, { question, evidence })
  const { confidence, band } = judge(policy, signals)
  return { signals, confidence, band }
}
