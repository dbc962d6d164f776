/** The answer key of a question: everything that its answer depends on. */
import { answerKey } from '../core/policy/answer-key.ts'
import { canonicalJson, lengthPrefixed } from '../core/lib/canonical.ts'
import { filterKey, type PassageFilter } from '../core/evidence/passage-filter.ts'
import type { Policy } from '../core/policy/policy.ts'
import type { Rule } from '../core/policy/rules.ts'
import type { Collection } from '../ports/collections.ts'
import type { QuestionRequest, QuestionPorts, QuestionSettings } from './question-settings.ts'

/** The key under which an answer to this question is kept. */
export function questionKey(
  { reranker, rewriter }: Pick<QuestionPorts, 'reranker' | 'rewriter'>,
  settings: QuestionSettings,
  request: QuestionRequest,
  collection: Collection,
  policy: Policy,
  filter: PassageFilter | undefined,
): string {
  const { topK, candidates, fusion, fusionWeights, rrfK, expandBelow } = settings.retrieval
  const { maxCharacters, maxTokens } = settings.context
  return answerKey({
    deployment: request.deployment,
    tenant: collection.tenant,
    collection: collection.id,
    filter: filterKey(filter),
    partition: request.partition,
    route: request.path,
    audience: request.audience,
    model: request.model,
    prompt: settings.prompt,
    policyId: ruledPolicyId(policy, settings.rules),
    mode: settings.mode,
    corpusVersion: collection.corpusVersion,
    lexiconId: collection.lexiconId ?? '',
    retrieval: canonicalJson({
      topK,
      candidates,
      fusion,
      fusionWeights: { ...fusionWeights },
      rrfK,
      maxCharacters,
      maxTokens: maxTokens ?? null,
      searchMode: request.searchMode ?? 'hybrid',
      reranker: reranker?.model ?? '',
      expandBelow: expandBelow ?? 0,
      rewriter: expandBelow === undefined ? '' : (rewriter?.model ?? ''),
    }),
    vary: request.vary,
    question: request.question,
    options: request.options,
  })
}

/** Rules decide beside the policy, so an answer given under other rules is another answer. */
function ruledPolicyId(policy: Policy, rules: readonly Rule[]): string {
  return rules.length === 0 ? policy.id : lengthPrefixed([policy.id, ...rules.map(({ id }) => id)])
}
