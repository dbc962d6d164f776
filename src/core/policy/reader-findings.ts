/** What is wrong where the reader failed whose scores a policy counts. */
import type { RerankerOutcome } from '../evidence/rerank.ts'
import type { Finding } from '../gates/finding.ts'
import { refusal } from './judge.ts'
import type { Policy } from './policy.ts'

/**
 * Refuses what was to be read and was not, under a policy whose confidence counts the scores of a reader where there are
 * any: thresholds that were found with them are none for words alone. What was spared needs no reader.
 */
export function readerFindings(
  { confidence: { model, settings } }: Policy,
  outcome: RerankerOutcome | undefined,
): Finding[] {
  if (outcome !== 'failed' && outcome !== 'timeout') return []
  if (model.countsReader?.(settings) !== true) return []
  return [refusal('reader_failed', { gate: 'reranker' })]
}
