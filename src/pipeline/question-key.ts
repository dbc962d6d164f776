/** The answer keys of a question: everything that its answer depends on. */
import { answerKey, anyQuestionKey, evidenceKey, type SharedKeyParts } from '../core/policy/answer-key.ts'
import { canonicalJson, lengthPrefixed } from '../core/lib/canonical.ts'
import { filterKey } from '../core/evidence/passage-filter.ts'
import { hex } from '../core/lib/sha256.ts'
import type { Policy } from '../core/policy/policy.ts'
import type { Rule } from '../core/policy/rules.ts'
import type { AssessedEvidence } from './assess-evidence.ts'
import type { QuestionPlace } from './find-place.ts'
import type { QuestionRequest, QuestionPorts, QuestionSettings } from './question-settings.ts'

/** Under what an answer is kept. */
export interface AnswerKeys {
  /** What the key by the evidence is made of, too. */
  readonly shared: SharedKeyParts
  /** Known before anything is retrieved: it names the version of the corpus. */
  readonly byQuestion: string
}

/** @returns `undefined` where the cache takes no part */
export function answerKeys(
  ports: Pick<QuestionPorts, 'reranker' | 'rewriter'>,
  settings: QuestionSettings,
  request: QuestionRequest,
  place: QuestionPlace,
): AnswerKeys | undefined {
  if (place.purges === undefined) return undefined
  const shared = sharedKeyParts(ports, settings, request, place)
  const { corpusVersion, lexiconId } = place.collection
  return { shared, byQuestion: answerKey({ ...shared, corpusVersion, lexiconId: lexiconId ?? '' }) }
}

/** What both keys of a question share. */
function sharedKeyParts(
  { reranker, rewriter }: Pick<QuestionPorts, 'reranker' | 'rewriter'>,
  settings: QuestionSettings,
  request: QuestionRequest,
  { collection: { tenant, id }, policy, filter }: QuestionPlace,
): SharedKeyParts {
  const rewriterModel = settings.retrieval.expansion === undefined ? '' : (rewriter?.model ?? '')
  return {
    deployment: request.deployment,
    tenant,
    collection: id,
    filter: filterKey(filter),
    partition: request.partition,
    route: request.path,
    audience: request.audience,
    model: request.model,
    prompt: settings.prompt,
    policyId: ruledPolicyId(policy, settings.rules),
    mode: settings.mode,
    retrieval: lengthPrefixed([
      retrievalText(settings),
      request.searchMode ?? 'hybrid',
      reranker?.model ?? '',
      rewriterModel,
    ]),
    vary: request.vary,
    question: request.question,
    options: request.options,
  }
}

/** By settings, which never change: every hit would write the same text anew. */
const RETRIEVAL_TEXTS = new WeakMap<QuestionSettings, string>()

function retrievalText(settings: QuestionSettings): string {
  const known = RETRIEVAL_TEXTS.get(settings)
  if (known !== undefined) return known
  const { topK, candidates, fusion, fusionWeights, rrfK, expansion, rerankFrom, rerankBelow } = settings.retrieval
  const { maxCharacters, maxTokens } = settings.context
  const text = canonicalJson({
    topK,
    candidates,
    fusion,
    fusionWeights: { ...fusionWeights },
    rrfK,
    maxCharacters,
    maxTokens: maxTokens ?? null,
    rerankFrom: rerankFrom ?? 0,
    rerankBelow: rerankBelow ?? null,
    expandBelow: expansion?.below ?? 0,
  })
  RETRIEVAL_TEXTS.set(settings, text)
  return text
}

/**
 * The key that is known once the evidence is judged. It names what the handler reads of the evidence and not the version
 * of the corpus: an answer outlives every change of the documents that does not reach its evidence.
 */
export async function keyOfEvidence(
  shared: SharedKeyParts,
  { evidence, context, judgement }: AssessedEvidence,
): Promise<string> {
  const { verdict, band, reason } = judgement
  // An id need not change with the text: the index may be somebody else's.
  // Scores change with every document of the collection, and no answer is made of them.
  const read = [context.text, ...evidence.chunks.map((chunk) => canonicalJson({ ...chunk, scores: null }))]
  return evidenceKey({ ...shared, fingerprint: await fingerprintOf(read), verdict, band, reason })
}

/**
 * The key of the last answer from some evidence, whatever was asked. The passages may stand in another order: another
 * wording finds them in another.
 */
export async function keyOfAnyQuestion(
  shared: SharedKeyParts,
  { evidence, judgement }: AssessedEvidence,
): Promise<string> {
  const { verdict, band, reason } = judgement
  const passages = evidence.chunks.map((chunk) => canonicalJson({ ...chunk, scores: null })).sort()
  return anyQuestionKey({ ...shared, fingerprint: await fingerprintOf(passages), verdict, band, reason })
}

async function fingerprintOf(read: readonly string[]): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(lengthPrefixed(read)))
  return hex(new Uint8Array(digest))
}

/** Rules decide beside the policy, so an answer given under other rules is another answer. */
function ruledPolicyId(policy: Policy, rules: readonly Rule[]): string {
  return rules.length === 0 ? policy.id : lengthPrefixed([policy.id, ...rules.map(({ id }) => id)])
}
