/** The one catalogue of texts that people read. */
import type { Band } from '../policy/decision.ts'
import type { ReasonCode } from '../gates/finding.ts'

/** What is said about a reason. No figures: figures are in the findings, for operators. */
export interface Message {
  /** Stands where the answer would. */
  readonly answer: string
  /** Why, in one sentence. */
  readonly reason: string
  readonly suggestions: readonly string[]
}

const CANNOT = 'I cannot answer this question based on the available documents.'
/** Reference document 002: one text for all of its gates. */
const NOT_VERIFIED = 'This information cannot be verified from the book content.'

const REPHRASE = 'Rephrase the question with the words that the documents use'
const NARROW = 'Ask about one thing at a time'
const SPECIFY = 'Name the product, version, person or place that the question is about'
const ADD = 'Add documents that cover this topic'

const message = (answer: string, reason: string, ...suggestions: string[]): Message => ({ answer, reason, suggestions })

const weak = message(
  `${CANNOT} The retrieved information is not sufficiently relevant.`,
  'Retrieved information not sufficiently relevant',
  REPHRASE,
  SPECIFY,
  ADD,
)

const unmeasured = message(
  `${CANNOT} The evidence could not be judged.`,
  'The retrieved information carries no usable score',
  'Try again later',
)

const unsure = message(NOT_VERIFIED, 'Nobody knows how sure the model was of its answer', 'Try again later')

/** Reference document 004. */
const CANNOT_CONFIDENTLY = 'I cannot answer with confidence.'
const insufficient = message(
  CANNOT_CONFIDENTLY,
  'No single passage supports the answer sufficiently',
  'Rephrase your query to be more specific',
  'Expand the legal corpus with more relevant statutes',
  'Break down complex questions into simpler sub-questions',
  'Provide additional context about jurisdiction or relevant laws',
)

/** What is said for each reason. */
export const MESSAGES: Readonly<Record<ReasonCode, Message>> = {
  passed: message('', 'The evidence supports an answer'),
  not_graded: message('', 'No reranker graded the evidence'),
  graded_already: message('', 'The reranker graded the evidence'),
  no_evidence: message(
    `${CANNOT} No relevant information was found.`,
    'No relevant information found in documents',
    REPHRASE,
    ADD,
  ),
  nothing_judged: unmeasured,
  relevance_low: weak,
  relevant_chunks_few: message(
    `${CANNOT} There is not enough evidence.`,
    'Insufficient high-confidence chunks',
    NARROW,
    REPHRASE,
    ADD,
  ),
  score_low: message(
    `${CANNOT} The retrieved information is not sufficiently relevant.`,
    'All retrieval scores too low',
    REPHRASE,
    SPECIFY,
    ADD,
  ),
  score_missing: unmeasured,
  no_clear_winner: message(
    `${CANNOT} No clear best match among retrieved results.`,
    'No clear winner among results',
    SPECIFY,
    NARROW,
  ),
  similarity_low: message(NOT_VERIFIED, 'No passage is similar enough to the question', REPHRASE, SPECIFY, ADD),
  similarity_missing: message(NOT_VERIFIED, 'The retrieved information carries no similarity', 'Try again later'),
  confidence_low: weak,
  confidence_moderate: message(
    '',
    'The evidence is limited: review recommended',
    'Verify the answer against the sources given with it',
  ),
  confidence_unavailable: unmeasured,
  no_keywords: message('', 'The question has no keywords'),
  keywords_missing: message(
    '',
    'The passages hold few of the keywords of the question',
    'Verify that the answer speaks of what was asked',
  ),
  keyword_coverage_missing: unmeasured,
  generation_confidence_low: message(
    NOT_VERIFIED,
    'The model was not sure enough of its answer',
    REPHRASE,
    NARROW,
    SPECIFY,
  ),
  generation_confidence_missing: unsure,
  generation_confidence_invalid: unsure,
  answer_unsupported: message(
    NOT_VERIFIED,
    'The answer said something that the documents do not',
    REPHRASE,
    NARROW,
    ADD,
  ),
  answer_uncheckable: message(NOT_VERIFIED, 'The answer said nothing that could be checked', REPHRASE, SPECIFY),
  answer_unreadable: message(NOT_VERIFIED, 'The answer could not be judged', 'Try again later'),
  share_low: insufficient,
  overlap_low: insufficient,
  shares_missing: message(CANNOT_CONFIDENTLY, 'The support of the answer could not be judged', 'Try again later'),
  shares_invalid: message(CANNOT_CONFIDENTLY, 'The support of the answer could not be judged', 'Try again later'),
  response_incomplete: message(`${CANNOT} The answer was incomplete.`, 'The answer was incomplete', REPHRASE, NARROW),
  response_partial: message('', 'The answer lacks optional parts', 'Verify the answer with primary sources'),
  response_quality_missing: message(
    `${CANNOT} The answer could not be judged.`,
    'The answer could not be judged',
    'Try again later',
  ),
  advisory_only: message('', 'Advisory only', 'Verify information with primary sources'),
  advisory_unusable: message('', 'Advisory only: do not use', 'Verify information with primary sources'),
  judged_with_answer: message('', 'The evidence is judged together with the answer'),
  context_cut: message('', 'Not all of the evidence fits into the context'),
  context_empty: message(
    `${CANNOT} The retrieved passages are too long to be read.`,
    'No retrieved passage fits into the context',
    NARROW,
    REPHRASE,
  ),
  gate_disabled: message('', 'The gate is disabled: nothing was checked', 'Verify the answer with primary sources'),
  rule_refused: message(
    `${CANNOT} A rule of this service excludes it.`,
    'Excluded by a rule of this service',
    REPHRASE,
    NARROW,
  ),
  rule_advised: message('', 'A rule of this service asks for care', 'Verify the answer with primary sources'),
  rule_failed: message(`${CANNOT} It could not be judged.`, 'The question could not be judged', 'Try again later'),
}

/** Reference document 004: what a refusal offers that a person should look at. */
export const ESCALATION = 'This question can be passed on to a human expert.'

/** What a model is told when the evidence is weak but sufficient to try. */
export const CAUTION =
  'The evidence for this question is only moderately strong. Answer only what the passages state, and say plainly what they leave open.'

/** Reference document 001: what each band means. */
export const INTERPRETATIONS: Readonly<Record<Band, string>> = {
  high: 'HIGH - Strong retrieval confidence',
  medium: 'MEDIUM - Moderate confidence, review recommended',
  low: 'LOW - Weak retrieval, mandatory review',
  'very-low': 'VERY LOW - Poor retrieval, expert review required',
}

/** Reference document 001: what a badge says around its number, and how it looks. */
export const BADGES: Readonly<
  Record<Band, { readonly look: string; readonly before: string; readonly after: string }>
> = {
  high: { look: 'success', before: '🟢 High', after: '' },
  medium: { look: 'warning', before: '🟡 Medium', after: ' - Review Recommended' },
  low: { look: 'danger', before: '🔴 Low', after: ' - Mandatory Review' },
  'very-low': { look: 'danger', before: '🔴 Low', after: ' - Expert Review Required' },
}

/** Reference document 001: what is said where nothing was retrieved. */
export const NO_RESULTS = 'NO RESULTS - No relevant chunks found'

/** Reference document 001: what can be done about a weak retrieval. */
export const RECOMMENDATIONS = {
  very_low: 'VERY LOW: The retrieval is poor. Have an expert review it before any use.',
  try_expansion: 'Try query expansion: `search(query="...", num_expands=3-5)`',
  try_exact_match: 'Try exact match: `exact_match_search(query="...", search_type="keywords")`',
  try_graph_search: 'Try graph search: `multi_hop_search(query="...", max_hops=2)`',
  low: 'LOW: The retrieval is weak. A person must review the answer.',
  moderate: 'MODERATE: Medium confidence. Review recommended for critical use cases.',
  bm25_dense_disagree: 'Keyword and semantic search disagree. Rephrase the question, or search in each way alone.',
  high_diversity: 'The results are scattered over many documents. Name the document or topic that is meant.',
  no_graph: 'No knowledge graph support. Consider using multi_hop_search for graph-based retrieval.',
} as const

/** Why something is recommended. Stable. */
export type RecommendationCode = keyof typeof RECOMMENDATIONS
