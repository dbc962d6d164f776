/**
 * Answer keys: everything that must be equal for a cached answer to be reused. The question key is used before retrieval,
 * the evidence key after it; both share one list of parts.
 */
import { lengthPrefixed } from '../lib/canonical.ts'
import type { Band } from './decision.ts'
import type { ReasonCode, Verdict } from '../gates/finding.ts'

/** Everything except the corpus that an answer depends on. A new member invalidates all stored answers. */
export interface SharedKeyParts {
  /** The application's version string: deployment, model, prompt. */
  readonly version: string
  readonly tenant: string
  readonly collection: string
  /** Server-side metadata filter; empty for none. */
  readonly filter: string
  /** Who may share the answer: a principal's id, or a fixed word for a tenant or for everyone. */
  readonly partition: string
  readonly route: string
  /** Whether the answer shows figures (`operator`) or not (`public`). */
  readonly audience: string
  readonly policyId: string
  readonly mode: string
  /** Retrieval and context settings, as one canonical text. */
  readonly retrieval: string
  /** Values of the request headers that the response may vary on, in a fixed order. */
  readonly vary: readonly string[]
  /** Normalised; in an evidence key its stems, if other wordings share the answer. */
  readonly question: string
  /** Generation and retrieval options that the request chose, by name. */
  readonly options: Readonly<Record<string, string>>
}

/** Parts of the question key only: the corpus. */
export interface CorpusKeyParts {
  readonly corpusVersion: number
  /** Id of the lexicon: a digest of its content. Empty for none. */
  readonly lexiconId: string
}

/** Parts of the evidence key only: the evidence, and not the corpus version. */
export interface EvidenceKeyParts {
  /** Digest of the evidence as the handler reads it: ids in order, texts, titles, sections, sources. */
  readonly fingerprint: string
  /** Part of the key because answers contain their verdict, band and reason. */
  readonly verdict: Verdict
  readonly band: Band
  readonly reason: ReasonCode
}

/** Everything in a question key. */
export type QuestionKeyParts = SharedKeyParts & CorpusKeyParts

/** Version of the keys' format; raised when their members change. */
const SCHEMA = 'answer-key/4'

/**
 * The canonical text of a question key. It is injective, so two requests share an answer only if all parts are equal. Shared
 * stores hash it. The question must be well-formed Unicode, because lone surrogates would hash alike.
 */
export function questionKey(parts: QuestionKeyParts): string {
  return lengthPrefixed([SCHEMA, 'question', ...shared(parts), String(parts.corpusVersion), parts.lexiconId])
}

/** The canonical text of an evidence key. It is injective, and never equal to a question key. */
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

/** The shared parts in order. If one were missing here, this would not compile. */
function shared(parts: SharedKeyParts): string[] {
  const { options } = parts
  let chosen = ''
  // The cast is safe: the names come from the object.
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
