import { ANY_POLICY } from '../../fixtures/policy.ts'
import { ESCALATION } from '../../../packages/presets/src/sufficiency/texts.ts'
import { CAUTION_FOR_MODEL } from '../../../src/core/reports/caution.ts'
import { describe, expect, it } from 'vitest'
import {
  INTERPRETATIONS,
  BADGES,
  NO_RESULTS,
  RECOMMENDATIONS,
} from '../../../packages/presets/src/weighted-signals/texts.ts'

/** People and programs read these texts: a change of one is seen here, and belongs into the changelog. */
describe('the texts', () => {
  it('of each reason', () => {
    const lines = Object.entries(ANY_POLICY.texts).map(([code, { answer, reason, suggestions }]) =>
      [code, answer, reason, ...suggestions].join(' | '),
    )
    expect(lines).toMatchInlineSnapshot(`
      [
        "passed |  | The evidence supports an answer",
        "no_evidence | I cannot answer this question based on the available documents. No relevant information was found. | No relevant information found in documents | Use the words of the documents | Add documents about it",
        "nothing_judged | I cannot answer this question based on the available documents. The evidence could not be judged. | The evidence could not be judged | Try again later",
        "judged_with_answer |  | The evidence is judged with the answer",
        "answer_unreadable | I cannot give an answer that the available documents confirm. | The answer could not be judged | Try again later",
        "gate_disabled |  | The gate is disabled: nothing was checked | Verify it against its sources",
        "context_cut |  | Not all passages fit into the context",
        "context_empty | I cannot answer this question based on the available documents. The passages are too long. | No passage fits into the context | Ask about one thing at a time | Use the words of the documents",
        "reader_failed | I cannot answer this question based on the available documents. The question could not be judged. | The question could not be judged | Try again later",
        "rule_refused | I cannot answer this question based on the available documents. A rule of this service excludes it. | A rule of this service excludes it | Ask about one thing at a time",
        "rule_advised |  | A rule of this service advises care | Verify it against its sources",
        "rule_failed | I cannot answer this question based on the available documents. The question could not be judged. | The question could not be judged | Try again later",
        "question_unreadable | The question cannot be read. | The question cannot be read | Write it in words with spaces",
        "question_too_short | The question is too short. | The question is too short | Ask in a sentence",
        "not_graded |  | No reranker graded the evidence",
        "relevance_low | I cannot answer this question based on the available documents. The retrieved information is not sufficiently relevant. | Retrieved information not sufficiently relevant | Use the words of the documents | Ask about one thing at a time | Name the product or place | Add documents about it",
        "relevant_chunks_few | I cannot answer this question based on the available documents. There is not enough evidence. | Insufficient high-confidence chunks | Ask about one thing at a time | Use the words of the documents | Add documents about it",
        "graded_already |  | The reranker graded the evidence",
        "score_low | I cannot answer this question based on the available documents. The retrieved information is not sufficiently relevant. | All retrieval scores too low | Use the words of the documents | Name the product or place | Add documents about it",
        "score_missing | I cannot answer this question based on the available documents. The evidence could not be judged. | The evidence could not be judged | Try again later",
        "no_clear_winner | I cannot answer this question based on the available documents. No clear best match among retrieved results. | No clear winner among results | Name the product or place | Ask about one thing at a time",
        "confidence_low | I cannot answer this question based on the available documents. The retrieved information is not sufficiently relevant. | Retrieved information not sufficiently relevant | Use the words of the documents | Ask about one thing at a time | Name the product or place | Add documents about it",
        "confidence_moderate |  | The evidence is limited: review recommended | Verify it against its sources",
        "confidence_unavailable | I cannot answer this question based on the available documents. The evidence could not be judged. | The evidence could not be judged | Try again later",
        "similarity_low | I cannot answer this question based on the available documents. No passage is similar enough to the question. | No passage is similar enough to the question | Use the words of the documents | Name the product or place | Add documents about it",
        "similarity_missing | I cannot answer this question based on the available documents. The evidence could not be judged. | The retrieved information carries no similarity | Try again later",
        "no_keywords |  | The question has no keywords",
        "keywords_missing |  | The passages hold few of the keywords of the question | Verify that the answer speaks of what was asked",
        "keyword_coverage_missing | I cannot answer this question based on the available documents. The evidence could not be judged. | The evidence could not be judged | Try again later",
        "generation_confidence_low | I cannot give an answer that the available documents confirm. | The model was not sure enough of its answer | Use the words of the documents | Ask about one thing at a time | Name the product or place",
        "generation_confidence_missing | I cannot give an answer that the available documents confirm. | It is not known how sure the model was of its answer | Try again later",
        "generation_confidence_invalid | I cannot give an answer that the available documents confirm. | It is not known how sure the model was of its answer | Try again later",
        "answer_unsupported | I cannot give an answer that the available documents confirm. | The answer said something that the documents do not | Use the words of the documents | Ask about one thing at a time | Add documents about it",
        "answer_uncheckable | I cannot give an answer that the available documents confirm. | The answer said nothing that could be checked | Use the words of the documents | Name the product or place",
        "share_low | I cannot give an answer that the available documents confirm. | No single passage supports the answer sufficiently | Rephrase the question to be more specific | Add documents about it | Break a complex question into simpler ones | Say more about the context of the question",
        "overlap_low | I cannot give an answer that the available documents confirm. | No single passage supports the answer sufficiently | Rephrase the question to be more specific | Add documents about it | Break a complex question into simpler ones | Say more about the context of the question",
        "shares_missing | I cannot give an answer that the available documents confirm. | The support of the answer could not be judged | Try again later",
        "shares_invalid | I cannot give an answer that the available documents confirm. | The support of the answer could not be judged | Try again later",
        "response_incomplete | I cannot answer this question based on the available documents. The answer was incomplete. | The answer was incomplete | Use the words of the documents | Ask about one thing at a time",
        "response_partial |  | The answer lacks optional parts | Verify the answer with primary sources",
        "response_quality_missing | I cannot answer this question based on the available documents. The answer could not be judged. | The answer could not be judged | Try again later",
        "advisory_only |  | Advisory only | Verify information with primary sources",
        "advisory_unusable |  | Advisory only: do not use | Verify information with primary sources",
      ]
    `)
  })

  it('of a caution', () => {
    expect(CAUTION_FOR_MODEL).toMatchInlineSnapshot(
      `"The evidence is limited: answer only what the passages state, and say what they leave open."`,
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
        "no_graph": "No knowledge graph support. Consider a search of the knowledge graph.",
        "try_exact_match": "Search for the exact words of the question",
        "try_expansion": "Search again with the question in other words",
        "try_graph_search": "Search the knowledge graph",
        "very_low": "VERY LOW: The retrieval is poor. Have an expert review it before any use.",
      }
    `)
  })

  it('are empty for reasons that do not refuse', () => {
    const silent = Object.entries(ANY_POLICY.texts).flatMap(([code, { answer }]) => (answer === '' ? [code] : []))
    expect(silent.sort()).toEqual([
      'advisory_only',
      'advisory_unusable',
      'confidence_moderate',
      'context_cut',
      'gate_disabled',
      'graded_already',
      'judged_with_answer',
      'keywords_missing',
      'no_keywords',
      'not_graded',
      'passed',
      'response_partial',
      'rule_advised',
    ])
  })
})
