/**
 * What must be equal for a cached answer to be reused: by the question, before anything is retrieved, and by the evidence,
 * after it was. Both keys share one list of parts.
 */
import { lengthPrefixed } from '../lib/canonical.ts'
import type { Band } from './decision.ts'
import type { ReasonCode, Verdict } from '../gates/finding.ts'

/** What an answer depends on beside the corpus. A new dependency is a new member here, and old entries are never found again. */
export interface SharedKeyParts {
  /** What else answers depend on: deployment, model, prompt. */
  readonly version: string
  readonly tenant: string
  readonly collection: string
  /** Server-side metadata filter; empty for none. */
  readonly filter: string
  /** Who may share the answer: a principal's id, or a fixed word for all of a tenant, or for everyone. */
  readonly partition: string
  readonly route: string
  /** Whether the answer shows figures (`operator`) or not (`public`). */
  readonly audience: string
  readonly policyId: string
  readonly mode: string
  /** How the evidence is retrieved and cut, as one canonical text. */
  readonly retrieval: string
  /** Values of the request headers that the response may vary on, in a fixed order. */
  readonly vary: readonly string[]
  /** Normalised; in an evidence key its stems where other wordings share the answer. */
  readonly question: string
  /** Generation and retrieval options that the request chose, by name. */
  readonly options: Readonly<Record<string, string>>
}

/** Beside them, what the question key says of the corpus. */
export interface CorpusKeyParts {
  readonly corpusVersion: number
  /** Which lexicon the corpus has at that version: a digest of its content. Empty for none. */
  readonly lexiconId: string
}

/** Beside them, what the evidence key holds: the evidence, and no version of the corpus. */
export interface EvidenceKeyParts {
  /** Digest of everything that the handler reads of the evidence: ids in order, texts, titles, sections, sources. */
  readonly fingerprint: string
  /** An answer tells its reader how it was judged, so it is another one when it is judged otherwise. */
  readonly verdict: Verdict
  readonly band: Band
  readonly reason: ReasonCode
}

/** Everything in a question key. */
export type QuestionKeyParts = SharedKeyParts & CorpusKeyParts

/** Form of the keys; raised when their members change. */
const SCHEMA = 'answer-key/4'

/**
 * The canonical text of a question key: injective, so that two requests share an answer only when every part is equal. A
 * shared store hashes it. The question must be well-formed Unicode: lone surrogates hash alike.
 */
export function questionKey(parts: QuestionKeyParts): string {
  return lengthPrefixed([SCHEMA, 'question', ...shared(parts), String(parts.corpusVersion), parts.lexiconId])
}

/** The canonical text of an evidence key: injective, and never equal to a question key. */
export function evidenceKey(parts: SharedKeyParts & EvidenceKeyParts): string {
  return lengthPrefixed([
    SCHEMA,
    'evidence',
    ...shared(parts),
    parts.fingerprint,
    parts.verdict,
    parts.band,
    parts.reason,
  ])
}

/** The shared parts as they are written, in this order. One that is missing here does not compile. */
function shared(parts: SharedKeyParts): string[] {
  const { options } = parts
  let chosen = ''
  // Each of these names is there.
  for (const name of Object.keys(options).sort()) chosen += lengthPrefixed([name, options[name]!])
  const written: Readonly<Record<keyof SharedKeyParts, string>> = {
    version: parts.version,
    tenant: parts.tenant,
    collection: parts.collection,
    filter: parts.filter,
    partition: parts.partition,
    route: parts.route,
    audience: parts.audience,
    policyId: parts.policyId,
    mode: parts.mode,
    retrieval: parts.retrieval,
    vary: lengthPrefixed(parts.vary),
    question: parts.question,
    options: chosen,
  }
  return Object.values(written)
}
