/** Builds the two keys of an answer. */
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

/** The parts that both keys share. */
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

/** A route's retrieval and context settings, as a text for the key. */
export function retrievalText({ settings: { retrieval, context }, ports: { reranker } }: CachedRoute): string {
  // Functions cannot be compared, so an app that changes `lengthOf` must change the cache's `version`.
  const counts = context.lengthOf === undefined ? 'characters' : 'by lengthOf'
  const { maxLength } = context
  return lengthPrefixed([canonicalJson({ topK: retrieval.topK, maxLength, counts }), reranker?.key ?? ''])
}

/** The question key, known before retrieval; it contains the corpus version. */
export function questionKeyOf(
  shared: SharedKeyParts,
  { collection: { corpusVersion, lexiconId } }: QuestionPlace,
): string {
  return questionKey({ ...shared, corpusVersion, lexiconId: lexiconId ?? '' })
}

/**
 * The evidence key, known once the evidence is judged. It contains the evidence as the handler reads it, but not the corpus
 * version, so an answer survives changes of documents that do not affect its evidence.
 *
 * @param stems maps words to stems, if other wordings of the question share its answer
 */
export async function evidenceKeyOf(
  shared: SharedKeyParts,
  { evidence, context, judgement }: AssessedEvidence,
  stems?: WordReader,
): Promise<string> {
  const question = stems === undefined ? shared.question : lengthPrefixed(contentStems(shared.question, stems))
  const { verdict, band, reason } = judgement
  // Texts, not only ids: in an index that others fill, a text may change under the same id.
  // Without scores, which change with every document of the collection and do not affect the answer.
  // Through JSON, because a custom search may return dates and the like.
  const plain = (chunk: Chunk): Json => JSON.parse(JSON.stringify({ ...chunk, scores: null })) as Json
  const read = [context.text, ...evidence.chunks.map((chunk) => canonicalJson(plain(chunk)))]
  return evidenceKey({ ...shared, question, fingerprint: await sha256Hex(lengthPrefixed(read)), verdict, band, reason })
}

/** Everything that judged the answer: policy, rules and the collection's scale. */
function judgedBy(policy: Policy, rules: readonly Rule[], scale: AppliedScale | undefined): string {
  const ids = [policy.id, ...rules.map(({ id }) => id)]
  if (scale !== undefined) ids.push(canonicalJson({ ...scale, meaning: { ...scale.meaning } }))
  return ids.length === 1 ? policy.id : lengthPrefixed(ids)
}
