/** Looking for the answer to another wording of the question. */
import type { AssessedEvidence } from './assess-evidence.ts'
import type { QuestionPlace } from './find-place.ts'
import { type AnswerKeys, keyOfAnyQuestion } from './question-key.ts'
import type { QuestionPorts, QuestionRequest, QuestionSettings } from './question-settings.ts'
import { findStored, isSendable, type StoredAnswer } from './stored-answer.ts'
import { type Faults, withinDeadline } from './within-deadline.ts'

/** What is known of other wordings. */
export interface SimilarAnswer {
  /** Where the answer to this question may be kept for them; absent where there is no part in that. */
  readonly key?: string
  /** The answer to one that asks the same. */
  readonly stored?: StoredAnswer
}

const FAULTS: Faults = {
  late: 'retriever_timeout',
  failed: 'retriever_unavailable',
  what: 'The comparison of questions',
}

/**
 * Looks whether the last answer from the same evidence was given to the same question in other words. What is refused has
 * no part in that, and a comparison that fails is none.
 */
export async function findSimilar(
  ports: QuestionPorts,
  { retrieval }: Pick<QuestionSettings, 'retrieval'>,
  request: QuestionRequest,
  place: QuestionPlace & { readonly keys: AnswerKeys | undefined },
  assessed: AssessedEvidence,
): Promise<SimilarAnswer> {
  const { reuse, onWarning } = ports
  if (reuse === undefined || place.keys === undefined || assessed.judgement.verdict === 'refuse') return {}
  const key = await keyOfAnyQuestion(place.keys.shared, assessed)
  const stored = await findStored(ports, request, place, key)
  const answered = stored?.answer.question
  if (answered === undefined || !isSendable(stored, request)) return { key }
  try {
    const isSame = await withinDeadline(retrieval.timeoutMs, FAULTS, (signal) =>
      reuse.isSameQuestion(request.question, answered, signal),
    )
    return isSame ? { key, stored } : { key }
  } catch (cause) {
    onWarning?.({ code: 'reuse_failed', message: 'Questions could not be compared: this one is answered anew', cause })
    return { key }
  }
}
