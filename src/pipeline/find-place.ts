/** Finds the collection, policy and filter for a question. */
import type { Policy } from '../core/policy/policy.ts'
import { number, required, requireMembers, string, strings } from '../core/lib/options.ts'
import { checkPassageFilter, type PassageFilter } from '../core/evidence/passage-filter.ts'
import { appliedScale, type AppliedScale } from '../core/scale/collection-scale.ts'
import { type Language, nameOfLanguage } from '../core/text/language.ts'
import { EMPTY_LEXICON, type Lexicon } from '../core/text/lexicon.ts'
import { RagGateError } from '../errors.ts'
import type { Collection } from '../ports/collections.ts'
import type { QuestionPorts, QuestionRequest, QuestionSettings } from './question-settings.ts'
import { requireSameEmbedding } from './same-embedding.ts'
import { inTime, storeFaults } from './within-deadline.ts'

/** Collection, policy and filter for a question. */
export interface QuestionPlace {
  readonly collection: Collection
  readonly policy: Policy
  /** The collection's scale for this policy, if any. */
  readonly scale: AppliedScale | undefined
  /** `undefined` for all passages of the collection. */
  readonly filter: PassageFilter | undefined
}

const STORE_FAULTS = storeFaults('The database')

/**
 * @throws `collection_not_found`, `embedding_mismatch`, `store_unavailable`; `config_invalid` for an invalid filter or
 *   collection record, and for a policy that cannot use the retriever's scores
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
  // Checked for every question, because a function's result may depend on the caller.
  const asked = settings.retrieval.filter?.(principal, collection.id)
  const { scale, embeddingModel } = collection
  const model = embeddingModel || retriever.embedding?.model
  return {
    collection,
    policy,
    scale: appliedScale(scale, policy, model),
    filter: asked === undefined ? asked : checkPassageFilter(asked),
  }
}

/**
 * Rejects a policy that cannot use the retriever's scores, since its verdicts would be meaningless.
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
  // A policy that reads scores would also read unusable ones.
  if (!needs || !given || (needs.some((need) => given.includes(need)) && !given.includes('none'))) return
  throw new RagGateError(
    'config_invalid',
    `${name} needs only ${needs.join(' or ')}, but the retriever's scores are ${given.join(', ')}`,
    { param: 'policy' },
  )
}

const COLLECTION = { id: required(string), corpusVersion: required(number(0)), unpublishedChunkIds: required(strings) }

/** The same error for a collection that does not exist and one that the caller may not see. */
export function collectionNotFound(): RagGateError {
  return new RagGateError('collection_not_found', 'There is no such collection, or nothing in it')
}

/**
 * The lexicon of a collection, or the empty one. A lexicon in another language than the policy's is not used, because its
 * terms differ; `onWarning` then gets `lexicon_language`.
 *
 * @throws `store_unavailable`; the errors of `collections`
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
    throw new RagGateError('lexicon_unreadable', 'There is no such lexicon')
  }
  const wanted = nameOfLanguage(language)
  if (lexicon.language === wanted || lexicon.chunkCount === 0) return lexicon
  const message = `The lexicon is ${lexicon.language}, the policy ${wanted}: not used`
  onWarning?.({ code: 'lexicon_language', message })
  return EMPTY_LEXICON
}
