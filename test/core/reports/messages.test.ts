import { describe, expect, it } from 'vitest'
import { BADGES, CAUTION, ESCALATION, MESSAGES, NO_RESULTS, RECOMMENDATIONS } from '../../../src/core/reports/messages.ts'
import { INTERPRETATIONS } from '../../../src/presets/weighted-signals/texts.ts'

/** People and programs read these texts: a change of one is seen here, and belongs into the changelog. */
describe('the texts', () => {
  it('of each reason', () => {
    const lines = Object.entries(MESSAGES).map(([code, { answer, reason, suggestions }]) =>
      [code, answer, reason, ...suggestions].join(' | '),
    )
    expect(lines).toMatchInlineSnapshot(`
      [
        "passed |  | The evidence supports an answer",
        "not_graded |  | No reranker graded the evidence",
        "graded_already |  | The reranker graded the evidence",
        "no_evidence | I cannot answer this question based on the available documents. No relevant information was found. | No relevant information found in documents | Rephrase the question with the words that the documents use | Add documents that cover this topic",
        "nothing_judged | I cannot answer this question based on the available documents. The evidence could not be judged. | The retrieved information carries no usable score | Try again later",
        "relevance_low | I cannot answer this question based on the available documents. The retrieved information is not sufficiently relevant. | Retrieved information not sufficiently relevant | Rephrase the question with the words that the documents use | Name the product, version, person or place that the question is about | Add documents that cover this topic",
        "relevant_chunks_few | I cannot answer this question based on the available documents. There is not enough evidence. | Insufficient high-confidence chunks | Ask about one thing at a time | Rephrase the question with the words that the documents use | Add documents that cover this topic",
        "score_low | I cannot answer this question based on the available documents. The retrieved information is not sufficiently relevant. | All retrieval scores too low | Rephrase the question with the words that the documents use | Name the product, version, person or place that the question is about | Add documents that cover this topic",
        "score_missing | I cannot answer this question based on the available documents. The evidence could not be judged. | The retrieved information carries no usable score | Try again later",
        "no_clear_winner | I cannot answer this question based on the available documents. No clear best match among retrieved results. | No clear winner among results | Name the product, version, person or place that the question is about | Ask about one thing at a time",
        "similarity_low | This information cannot be verified from the book content. | No passage is similar enough to the question | Rephrase the question with the words that the documents use | Name the product, version, person or place that the question is about | Add documents that cover this topic",
        "similarity_missing | This information cannot be verified from the book content. | The retrieved information carries no similarity | Try again later",
        "confidence_low | I cannot answer this question based on the available documents. The retrieved information is not sufficiently relevant. | Retrieved information not sufficiently relevant | Rephrase the question with the words that the documents use | Name the product, version, person or place that the question is about | Add documents that cover this topic",
        "confidence_moderate |  | The evidence is limited: review recommended | Verify the answer against the sources given with it",
        "confidence_unavailable | I cannot answer this question based on the available documents. The evidence could not be judged. | The retrieved information carries no usable score | Try again later",
        "no_keywords |  | The question has no keywords",
        "keywords_missing |  | The passages hold few of the keywords of the question | Verify that the answer speaks of what was asked",
        "keyword_coverage_missing | I cannot answer this question based on the available documents. The evidence could not be judged. | The retrieved information carries no usable score | Try again later",
        "generation_confidence_low | This information cannot be verified from the book content. | The model was not sure enough of its answer | Rephrase the question with the words that the documents use | Ask about one thing at a time | Name the product, version, person or place that the question is about",
        "generation_confidence_missing | This information cannot be verified from the book content. | Nobody knows how sure the model was of its answer | Try again later",
        "generation_confidence_invalid | This information cannot be verified from the book content. | Nobody knows how sure the model was of its answer | Try again later",
        "answer_unsupported | This information cannot be verified from the book content. | The answer said something that the documents do not | Rephrase the question with the words that the documents use | Ask about one thing at a time | Add documents that cover this topic",
        "answer_uncheckable | This information cannot be verified from the book content. | The answer said nothing that could be checked | Rephrase the question with the words that the documents use | Name the product, version, person or place that the question is about",
        "answer_unreadable | This information cannot be verified from the book content. | The answer could not be judged | Try again later",
        "share_low | I cannot answer with confidence. | No single passage supports the answer sufficiently | Rephrase your query to be more specific | Expand the legal corpus with more relevant statutes | Break down complex questions into simpler sub-questions | Provide additional context about jurisdiction or relevant laws",
        "overlap_low | I cannot answer with confidence. | No single passage supports the answer sufficiently | Rephrase your query to be more specific | Expand the legal corpus with more relevant statutes | Break down complex questions into simpler sub-questions | Provide additional context about jurisdiction or relevant laws",
        "shares_missing | I cannot answer with confidence. | The support of the answer could not be judged | Try again later",
        "shares_invalid | I cannot answer with confidence. | The support of the answer could not be judged | Try again later",
        "response_incomplete | I cannot answer this question based on the available documents. The answer was incomplete. | The answer was incomplete | Rephrase the question with the words that the documents use | Ask about one thing at a time",
        "response_partial |  | The answer lacks optional parts | Verify the answer with primary sources",
        "response_quality_missing | I cannot answer this question based on the available documents. The answer could not be judged. | The answer could not be judged | Try again later",
        "advisory_only |  | Advisory only | Verify information with primary sources",
        "advisory_unusable |  | Advisory only: do not use | Verify information with primary sources",
        "judged_with_answer |  | The evidence is judged together with the answer",
        "context_cut |  | Not all of the evidence fits into the context",
        "context_empty | I cannot answer this question based on the available documents. The retrieved passages are too long to be read. | No retrieved passage fits into the context | Ask about one thing at a time | Rephrase the question with the words that the documents use",
        "gate_disabled |  | The gate is disabled: nothing was checked | Verify the answer with primary sources",
        "rule_refused | I cannot answer this question based on the available documents. A rule of this service excludes it. | Excluded by a rule of this service | Rephrase the question with the words that the documents use | Ask about one thing at a time",
        "rule_advised |  | A rule of this service asks for care | Verify the answer with primary sources",
        "rule_failed | I cannot answer this question based on the available documents. It could not be judged. | The question could not be judged | Try again later",
      ]
    `)
  })

  it('of a caution', () => {
    expect(CAUTION).toMatchInlineSnapshot(
      `"The evidence for this question is only moderately strong. Answer only what the passages state, and say plainly what they leave open."`,
    )
  })

  it('of an offer to ask a person', () => {
    expect(ESCALATION).toBe('This question can be passed on to a human expert.')
  })

  it('of each band', () => {
    expect([INTERPRETATIONS, BADGES, NO_RESULTS]).toMatchInlineSnapshot(`
      [
        {
          "high": "HIGH - Strong retrieval confidence",
          "low": "LOW - Weak retrieval, mandatory review",
          "medium": "MEDIUM - Moderate confidence, review recommended",
          "very-low": "VERY LOW - Poor retrieval, expert review required",
        },
        {
          "high": {
            "after": "",
            "before": "🟢 High",
            "look": "success",
          },
          "low": {
            "after": " - Mandatory Review",
            "before": "🔴 Low",
            "look": "danger",
          },
          "medium": {
            "after": " - Review Recommended",
            "before": "🟡 Medium",
            "look": "warning",
          },
          "very-low": {
            "after": " - Expert Review Required",
            "before": "🔴 Low",
            "look": "danger",
          },
        },
        "NO RESULTS - No relevant chunks found",
      ]
    `)
  })

  it('of each recommendation', () => {
    expect(RECOMMENDATIONS).toMatchInlineSnapshot(`
      {
        "bm25_dense_disagree": "Keyword and semantic search disagree. Rephrase the question, or search in each way alone.",
        "high_diversity": "The results are scattered over many documents. Name the document or topic that is meant.",
        "low": "LOW: The retrieval is weak. A person must review the answer.",
        "moderate": "MODERATE: Medium confidence. Review recommended for critical use cases.",
        "no_graph": "No knowledge graph support. Consider using multi_hop_search for graph-based retrieval.",
        "try_exact_match": "Try exact match: \`exact_match_search(query="...", search_type="keywords")\`",
        "try_expansion": "Try query expansion: \`search(query="...", num_expands=3-5)\`",
        "try_graph_search": "Try graph search: \`multi_hop_search(query="...", max_hops=2)\`",
        "very_low": "VERY LOW: The retrieval is poor. Have an expert review it before any use.",
      }
    `)
  })

  it('belong to reasons that refuse: those that do not refuse say nothing in place of an answer', () => {
    const silent = Object.entries(MESSAGES).flatMap(([code, { answer }]) => (answer === '' ? [code] : []))
    expect(silent).toEqual([
      'passed',
      'not_graded',
      'graded_already',
      'confidence_moderate',
      'no_keywords',
      'keywords_missing',
      'response_partial',
      'advisory_only',
      'advisory_unusable',
      'judged_with_answer',
      'context_cut',
      'gate_disabled',
      'rule_advised',
    ])
  })
})
