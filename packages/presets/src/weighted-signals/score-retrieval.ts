/** One call from retrieved chunks to the confidence of the retrieval. */
import { type Chunk, collect, rankBy, type ScoreKind } from 'hono-rag-gate/core/evidence'
import { type Assessment, confidenceRecord, type ConfidenceRecord } from './confidence-record.ts'
import { judge, measure } from 'hono-rag-gate/core/policy'
import { assessRetrieval, type RecommendOptions, type RetrievalAssessment } from './recommendations.ts'
import { weightedSignals, type WeightedSignalsOptions } from './weighted-signals.ts'

/**
 * Scores a retrieval by the seven signals of `weightedSignals`. They read scores, not texts, so that the question is
 * not needed. No chunks, or none with a ranking score, have the confidence 0 and are flagged for review.
 *
 * @param chunks in any order
 * @throws `retriever_bad_response` when more than a fifth of the scores are no numbers; `policy_invalid` when an option
 *   is out of range
 * @see the specification of weighted-signals, "score_retrieval"
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
 * The confidence of chunks that a search found, in short, with what to do about it: what the tool of the specification
 * answers for the ids of chunks, for those who hold the chunks.
 *
 * @param chunks in any order, with the scores that they were found by
 * @throws as `scoreRetrieval`
 * @see the specification of weighted-signals, "Dedicated Tool"
 */
export function assessChunks(chunks: readonly Chunk[], options: AssessChunksOptions = {}): RetrievalAssessment {
  const { graph, wording, ...policy } = options
  const recommending = { ...(graph === undefined ? {} : { graph }), ...(wording === undefined ? {} : { wording }) }
  return assessRetrieval(assessmentOf(chunks, '', policy), recommending)
}

function assessmentOf(chunks: readonly Chunk[], question: string, options: WeightedSignalsOptions): Assessment {
  // A score's key is its kind, by the type of `Scores`.
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
  const evidence = rankBy('convex', [...collected, ...unscored], { kinds, dropped, topK: chunks.length })
  const policy = weightedSignals(options)
  const signals = measure(policy, { question, evidence })
  const { confidence, band } = judge(policy, signals)
  return { signals, confidence, band }
}
