/** One call from retrieved chunks to the confidence of the retrieval. */
import type { Chunk, ScoreKind } from '../../core/evidence/chunk.ts'
import { confidenceRecord, type ConfidenceRecord } from './confidence-record.ts'
import { collect, rankBy } from '../../core/evidence/evidence.ts'
import { EMPTY_LEXICON } from '../../core/text/lexicon.ts'
import { measure } from '../../core/signals/measure.ts'
import { judge } from '../../core/policy/judge.ts'
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
  const signals = measure(question, evidence, EMPTY_LEXICON)
  const { confidence, band } = judge(weightedSignals(options), signals)
  return confidenceRecord({ signals, confidence, band }, options)
}
