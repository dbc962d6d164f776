/** Findings when a reader fails whose scores the policy uses. */
import type { RerankerOutcome } from '../evidence/rerank.ts'
import type { Finding } from '../gates/finding.ts'
import { refusal } from './judge.ts'
import type { Policy } from './policy.ts'

/**
 * Refuses if the reader failed and the policy's confidence uses its scores, because thresholds fitted with these scores are
 * not valid without them. Questions for which the reader was not called are unaffected.
 */
export function readerFindings(
  { confidence: { model, settings } }: Policy,
  outcome: RerankerOutcome | undefined,
): Finding[] {
  if (outcome !== 'failed' && outcome !== 'timeout') return []
  if (model.countsReader?.(settings) !== true) return []
  return [refusal('reader_failed', { gate: 'reranker' })]
}
