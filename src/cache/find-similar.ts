/** Looking for the answer to another wording of the question. */
import { type Faults, withinDeadline } from '../pipeline/within-deadline.ts'
import type { KnownPurges } from '../ports/answer-purges.ts'
import type { CacheableQuestion, QuestionCacheParts } from './cacheable-question.ts'
import { findStored, isSendable, type StoredAnswer } from './stored-answer.ts'

const FAULTS: Faults = {
  late: 'retriever_timeout',
  failed: 'retriever_unavailable',
  what: 'The comparison of questions',
}

/**
 * Looks whether the last answer from the same evidence was given to the same question in other words. A comparison that
 * fails says that it was not.
 *
 * @param key of the last answer from the evidence, whatever was asked
 */
export async function findSimilar(
  parts: QuestionCacheParts,
  question: CacheableQuestion,
  purges: KnownPurges,
  key: string,
): Promise<StoredAnswer | undefined> {
  const { reuse } = parts.settings
  const stored = await findStored(parts, question, purges, key)
  const answered = stored?.answer.question
  if (reuse === undefined || answered === undefined || !isSendable(stored, question)) return undefined
  try {
    const isSame = await withinDeadline(parts.route.retrieval.timeoutMs, FAULTS, (signal) =>
      reuse.isSameQuestion(question.request.question, answered, signal),
    )
    return isSame ? stored : undefined
  } catch (cause) {
    const message = 'Questions could not be compared: this one is answered anew'
    parts.ports.onWarning?.({ code: 'reuse_failed', message, cause })
    return undefined
  }
}
