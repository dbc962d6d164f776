/** Where a question is asked: the collection, who judges, and what may be found. */
import type { Policy } from '../core/policy/policy.ts'
import { number, required, requireMembers, string, strings } from '../core/lib/options.ts'
import { checkPassageFilter, type PassageFilter } from '../core/evidence/passage-filter.ts'
import { appliedScale } from '../core/scale/collection-scale.ts'
import type { AppliedScale } from '../core/scale/collection-scale.ts'
import { type Language, nameOfLanguage } from '../core/text/language.ts'
import { EMPTY_LEXICON, type Lexicon } from '../core/text/lexicon.ts'
import { RagGateError } from '../errors.ts'
import type { Collection } from '../ports/collections.ts'
import type { QuestionPorts, QuestionRequest, QuestionSettings } from './question-settings.ts'
import { requireSameEmbedding } from './same-embedding.ts'
import { inTime, storeFaults } from './within-deadline.ts'

/** Where a question is asked. */
export interface QuestionPlace {
  readonly collection: Collection
  readonly policy: Policy
  /** The collection's own for this policy, where there is one. */
  readonly scale: AppliedScale | undefined
  /** `undefined` for all passages of the collection. */
  readonly filter: PassageFilter | undefined
}

const STORE_FAULTS = storeFaults('The database')

/**
 * @throws `collection_not_found`, `embedding_mismatch`, `store_unavailable`; `config_invalid` for a filter or a collection that is
 *   none, and for a policy that cannot judge what the retriever's scores tell
 */
export async function findPlace(
  ports: QuestionPorts,
  settings: QuestionSettings,
  request: QuestionRequest,
): Promise<QuestionPlace> {
  const { collections, retriever } = ports
  const { principal, collection: id } = request
  const find = (): ReturnType<typeof collections.find> => collections.find(principal.tenant, id)
  const collection = await inTime(settings.retrieval.timeoutMs, STORE_FAULTS, find)
  if (!collection) throw collectionNotFound()
  requireMembers(collection, COLLECTION, 'collections.find')
  requireSameEmbedding(retriever, collection)
  const policy = settings.policy(principal.tenant, collection.id, collection.policyId, collection)
  requireScores(policy, ports)
  // Checked for every question: where it comes from a function, it may depend on who asks.
  const asked = settings.retrieval.filter?.(principal, collection.id)
  const { scale, embeddingModel } = collection
  const model = embeddingModel || retriever.embedding?.model
  return {
    collection,
    policy,
    scale: appliedScale(scale, policy.id, model),
    filter: asked === undefined ? asked : checkPassageFilter(asked),
  }
}

/**
 * A policy over scores that it cannot read would pass what it should refuse, or the other way round.
 *
 * @throws `config_invalid`
 */
export function requireScores(
  { name, preset }: Policy,
  { retriever: { scores }, reranker }: Pick<QuestionPorts, 'retriever' | 'reranker'>,
): void {
  const needs = preset?.needsOneOf
  const declared = typeof scores === 'function' ? scores() : scores
  const given: readonly string[] | undefined = reranker ? undefined : declared
  // A policy that reads scores would read those that tell nothing too.
  if (!needs || !given || (needs.some((need) => given.includes(need)) && !given.includes('none'))) return
  throw new RagGateError(
    'config_invalid',
    `${name} needs ${needs.join(' or ')} alone, and the retriever's scores tell ${given.join(', ')}`,
    { param: 'policy' },
  )
}

const COLLECTION = { id: required(string), corpusVersion: required(number(0)), unpublishedChunkIds: required(strings) }

/** The one answer for a collection that does not exist, or not for this caller. */
export function collectionNotFound(): RagGateError {
  return new RagGateError('collection_not_found', 'There is no such collection: ingest a document into it')
}

/**
 * The lexicon of a collection, the empty one where it has none. One that counts the terms of another language than the
 * policy's knows none of the question's: it is not used, and `onWarning` is told with `lexicon_language`.
 *
 * @throws `store_unavailable`; what the collections throw
 */
export async function findLexicon(
  { collections, onWarning }: QuestionPorts,
  { retrieval }: QuestionSettings,
  { lexiconId }: Collection,
  language: Language | undefined,
): Promise<Lexicon> {
  const lexicon = await inTime(retrieval.timeoutMs, STORE_FAULTS, async () =>
    lexiconId === null ? EMPTY_LEXICON : collections.lexicon(lexiconId),
  )
  if (typeof lexicon?.chunkCount !== 'number') {
    throw new RagGateError('lexicon_unreadable', 'There is no such collection lexicon')
  }
  const wanted = nameOfLanguage(language)
  if (lexicon.language === wanted || lexicon.chunkCount === 0) return lexicon
  const message = `The lexicon is ${lexicon.language}, the policy ${wanted}: not used`
  onWarning?.({ code: 'lexicon_language', message })
  return EMPTY_LEXICON
}
