/** The step between fusing and measuring: a reranker's scores, where there is one and it answers in time. */
import type { GateWarning } from './question-settings.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { reranked, type RerankerOutcome } from '../core/evidence/rerank.ts'
import { isRagGateError } from '../errors.ts'
import type { Reranker } from '../ports/reranker.ts'
import { type Faults, withinDeadline } from './within-deadline.ts'

/** Evidence, and what the reranker had to do with it. */
export interface RerankedEvidence {
  readonly evidence: Evidence
  readonly outcome: RerankerOutcome
}

const RERANKER_FAULTS: Faults = { late: 'reranker_timeout', failed: 'reranker_unavailable', what: 'The reranker' }

/**
 * Has the evidence reranked. A reranker that fails or takes too long leaves it as it was retrieved, without any of its
 * scores, and the outcome says so: no answer is not the answer that nothing is relevant. Without evidence it is not
 * asked, and nothing failed.
 *
 * @param timeoutMs milliseconds, 1 and up
 */
export async function rerankEvidence(
  reranker: Reranker | undefined,
  timeoutMs: number,
  question: string,
  evidence: Evidence,
  onWarning?: (warning: GateWarning) => void,
): Promise<RerankedEvidence> {
  if (reranker === undefined) return { evidence, outcome: 'off' }
  if (evidence.chunks.length === 0) return { evidence, outcome: 'ok' }
  try {
    const scores = await withinDeadline(timeoutMs, RERANKER_FAULTS, (signal) =>
      reranker.rerank({ question, passages: evidence.chunks, signal }),
    )
    return { evidence: reranked(evidence, reranker.kind, scores), outcome: 'ok' }
  } catch (thrown) {
    const code = isRagGateError(thrown) ? thrown.code : 'reranker_unavailable'
    onWarning?.({ code, message: 'The reranker failed: the evidence is judged as it was retrieved', cause: thrown })
    return { evidence, outcome: code === 'reranker_timeout' ? 'timeout' : 'failed' }
  }
}
