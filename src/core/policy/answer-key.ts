/** What must be equal for a cached answer to be reused. */
import { lengthPrefixed } from '../lib/canonical.ts'

/** Everything that an answer depends on. A new dependency is a new member here, and old entries are never found again. */
export interface AnswerKeyParts {
  /** Names the deployment, so that two Workers can share a store. */
  readonly deployment: string
  readonly tenant: string
  readonly collection: string
  /** Server-side metadata filter; empty for none. */
  readonly filter: string
  /** Who may share the answer: a principal's id, or a fixed word for all of a tenant, or for everyone. */
  readonly partition: string
  readonly route: string
  /** Whether the answer shows figures (`operator`) or not (`public`). */
  readonly audience: string
  readonly model: string
  /** Hash or version of the prompt; empty when there is none. */
  readonly prompt: string
  readonly policyId: string
  readonly mode: string
  readonly corpusVersion: number
  /** Which lexicon the corpus has at that version: a digest of its content. Empty for none. */
  readonly lexiconId: string
  /** How the evidence is retrieved and cut, as canonical JSON. */
  readonly retrieval: string
  /** Values of the request headers that the response may vary on, in a fixed order. */
  readonly vary: readonly string[]
  /** Normalised. */
  readonly question: string
  /** Generation and retrieval options that the request chose, by name. */
  readonly options: Readonly<Record<string, string>>
}

/** Form of the key; raised when its members change. */
const SCHEMA = 'answer-key/1'

/**
 * The canonical text of a key: injective, so that two requests share an answer only when every part is equal. A shared
 * store hashes it. The question must be well-formed Unicode: lone surrogates hash alike.
 */
export function answerKey(parts: AnswerKeyParts): string {
  const options = Object.entries(parts.options)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flat()
  return lengthPrefixed([
    SCHEMA,
    parts.deployment,
    parts.tenant,
    parts.collection,
    parts.filter,
    parts.partition,
    parts.route,
    parts.audience,
    parts.model,
    parts.prompt,
    parts.policyId,
    parts.mode,
    String(parts.corpusVersion),
    parts.lexiconId,
    parts.retrieval,
    lengthPrefixed(parts.vary),
    parts.question,
    lengthPrefixed(options),
  ])
}
