/** Looks for stored answers, stage by stage; each takes the result of the one before. */
import type { Decision } from '../core/policy/decision.ts'
import { isRagGateError, RagGateError } from '../errors.ts'
import type { AssessedEvidence } from '../pipeline/assess-evidence.ts'
import type { QuestionPlace } from '../pipeline/find-place.ts'
import type { Failure, FoundAnswer, Lookup } from '../pipeline/gate-cache.ts'
import type { KnownPurges } from '../ports/answer-purges.ts'
import type { CacheParts, CacheRequest } from './cache-request.ts'
import { joinOthers } from './coalesce.ts'
import { evidenceKeyOf, questionKeyOf, sharedParts } from './keys.ts'
import { storedUnderQuestionKey } from './store.ts'
import { findStored, foundAs, isOutage, isSendable, mayStandIn } from './stored-answer.ts'

/** Looks up the question key. */
export async function lookUp(
  parts: CacheParts,
  asked: CacheRequest,
  purges: KnownPurges,
  place: QuestionPlace,
): Promise<Lookup> {
  const shared = sharedParts(parts, asked, place)
  const questionKey = questionKeyOf(shared, place)
  const stored = await findStored(parts, asked, purges, questionKey)
  const lookup = { place, purges, shared, questionKey }
  if (isSendable(stored, asked)) return { ...lookup, found: foundAs('hit', stored) }
  return stored === null ? lookup : { ...lookup, older: stored }
}

/** Waits for the answer of a simultaneous caller with the same question, if there is one. */
export async function join(
  parts: CacheParts,
  asked: CacheRequest,
  lookup: Lookup | undefined,
): Promise<Lookup | undefined> {
  if (asked.use.only !== undefined) {
    throw new RagGateError('not_cached', 'No answer is stored, and only a stored one was requested')
  }
  return lookup && { ...lookup, ...(await joinOthers(parts, asked, lookup)) }
}

/** Version of a collection that was published once, or never changes; then no older answer can exist under the evidence key. */
const FIRST_VERSION = 1

/** Looks up the evidence key. Refused questions have none, because their answers are never stored. */
export async function lookUpEvidence(
  parts: CacheParts,
  asked: CacheRequest,
  lookup: Lookup,
  assessed: AssessedEvidence,
  decision: Decision,
): Promise<Lookup> {
  if (assessed.judgement.verdict === 'refuse') return lookup
  const { stems } = parts.settings
  let evidenceKey: string
  try {
    evidenceKey = await evidenceKeyOf(lookup.shared, assessed, stems)
  } catch (cause) {
    // Metadata that JSON cannot represent, such as a `bigint`, or an error in `stems`.
    parts.ports.onWarning({ code: 'answer_not_kept', message: 'Answers are not cached under their evidence', cause })
    return lookup
  }
  const { collection } = lookup.place
  if (collection.corpusVersion === FIRST_VERSION && stems === undefined) return { ...lookup, evidenceKey }
  const named = await findStored(parts, asked, lookup.purges, evidenceKey)
  const { sameAs } = named?.answer ?? {}
  const same = sameAs === undefined ? named : await findStored(parts, asked, lookup.purges, sameAs)
  // Two answers from different evidence may succeed each other under one question key.
  const isNamed = same?.answer.decision.id === named?.answer.decision.id
  if (!isNamed || !isSendable(same, asked)) return { ...lookup, evidenceKey }
  return {
    ...lookup,
    found: foundAs('evidence-hit', same),
    storedUnderQuestionKey: storedUnderQuestionKey(lookup, same, decision),
  }
}

/** Returns an expired answer to send after a failure, if allowed, and warns. */
export function standIn({ settings, ports }: CacheParts, { older }: Lookup, failure: Failure): FoundAnswer | undefined {
  if (!mayStandIn(older, settings.staleIfErrorSeconds) || !isOutage(failure)) return undefined
  const { thrown, by } = failure
  const what = by === 'retriever' ? 'The retriever failed' : `The handler answered ${failure.status}`
  ports.onWarning({
    code: isRagGateError(thrown) ? thrown.code : 'handler_failed',
    message: `${what}: an expired answer is sent`,
    ...(thrown === undefined ? {} : { cause: thrown }),
  })
  return foundAs('stale', older)
}
