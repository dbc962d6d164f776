/** The two keys of an answer: everything that it depends on. */
import { evidenceKey, questionKey, type SharedKeyParts } from '../core/policy/answer-key.ts'
import { canonicalJson, lengthPrefixed } from '../core/lib/canonical.ts'
import type { Chunk } from '../core/evidence/chunk.ts'
import { filterKey } from '../core/evidence/passage-filter.ts'
import type { Json } from '../core/lib/json.ts'
import { sha256Hex } from '../http/sha256-hex.ts'
import type { Policy } from '../core/policy/policy.ts'
import type { Rule } from '../core/policy/rules.ts'
import type { AppliedScale } from '../core/scale/collection-scale.ts'
import { contentStems, type WordReader } from '../core/text/content-stems.ts'
import type { AssessedEvidence } from '../pipeline/assess-evidence.ts'
import type { QuestionPlace } from '../pipeline/find-place.ts'
import type { CachedRoute } from '../pipeline/gate-cache.ts'
import type { CacheParts, CacheRequest } from './cache-request.ts'

/** What both keys of a question at a place are made of. */
export function sharedParts(
  { settings, route, retrieval }: CacheParts,
  { request, partition, path, vary, options }: CacheRequest,
  { collection: { tenant, id }, policy, scale, filter }: QuestionPlace,
): SharedKeyParts {
  return {
    version: settings.version,
    tenant,
    collection: id,
    filter: filterKey(filter),
    partition,
    route: path,
    audience: request.audience,
    policyId: judgedBy(policy, route.rules, scale),
    mode: route.mode,
    retrieval,
    vary,
    question: request.question,
    options,
  }
}

/** How evidence is retrieved and cut on a route. */
export function retrievalText({ settings: { retrieval, context }, ports: { reranker } }: CachedRoute): string {
  // Functions cannot be compared: an app that changes `lengthOf` changes the cache's `version`.
  const counts = context.lengthOf === undefined ? 'characters' : 'by lengthOf'
  const { maxLength } = context
  return lengthPrefixed([canonicalJson({ topK: retrieval.topK, maxLength, counts }), reranker?.key ?? ''])
}

/** The key that is known before anything is retrieved: it names the version of the corpus. */
export function questionKeyOf(
  shared: SharedKeyParts,
  { collection: { corpusVersion, lexiconId } }: QuestionPlace,
): string {
  return questionKey({ ...shared, corpusVersion, lexiconId: lexiconId ?? '' })
}

/**
 * The key that is known once the evidence is judged. It names what the handler reads of the evidence and not the version
 * of the corpus: an answer outlives every change of the documents that does not reach its evidence.
 *
 * @param stems where other wordings of the question share its answer, what of each word counts
 */
export async function evidenceKeyOf(
  shared: SharedKeyParts,
  { evidence, context, judgement }: AssessedEvidence,
  stems?: WordReader,
): Promise<string> {
  const question = stems === undefined ? shared.question : lengthPrefixed(contentStems(shared.question, stems))
  const { verdict, band, reason } = judgement
  // Texts, not ids: in an index that others fill, a text may change under its id.
  // Without scores: they change with every document of the collection, and the answer is not made from them.
  // As JSON, which dates and the like become that a search of the application's own may find.
  const plain = (chunk: Chunk): Json => JSON.parse(JSON.stringify({ ...chunk, scores: null })) as Json
  const read = [context.text, ...evidence.chunks.map((chunk) => canonicalJson(plain(chunk)))]
  return evidenceKey({ ...shared, question, fingerprint: await sha256Hex(lengthPrefixed(read)), verdict, band, reason })
}

/** Rules decide beside the policy, and its scale is the collection's: an answer given under others is another answer. */
function judgedBy(policy: Policy, rules: readonly Rule[], scale: AppliedScale | undefined): string {
  const ids = [policy.id, ...rules.map(({ id }) => id)]
  if (scale !== undefined) ids.push(canonicalJson({ ...scale, meaning: { ...scale.meaning } }))
  return ids.length === 1 ? policy.id : lengthPrefixed(ids)
}
