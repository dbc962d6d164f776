/** Texts for a weighted confidence. */
import type { Band } from 'hono-rag-gate/core/policy'

/** Meaning of each band. */
export const INTERPRETATIONS: Readonly<Record<Band, string>> = {
  high: 'HIGH - Strong retrieval confidence',
  medium: 'MEDIUM - Moderate confidence, review recommended',
  low: 'LOW - Weak retrieval, mandatory review',
  'very-low': 'VERY LOW - Poor retrieval, expert review required',
}

/** Text around a badge's number, and its style. */
export const BADGES: Readonly<
  Record<Band, { readonly look: string; readonly before: string; readonly after: string }>
> = {
  high: { look: 'success', before: '🟢 High', after: '' },
  medium: { look: 'warning', before: '🟡 Medium', after: ' - Review Recommended' },
  low: { look: 'danger', before: '🔴 Low', after: ' - Mandatory Review' },
  'very-low': { look: 'danger', before: '🔴 Low', after: ' - Expert Review Required' },
}

/** Shown if nothing was retrieved. */
export const NO_RESULTS = 'NO RESULTS - No relevant chunks found'

/** Recommendations for a weak retrieval. */
export const RECOMMENDATIONS = {
  very_low: 'VERY LOW: The retrieval is poor. Have an expert review it before any use.',
  try_expansion: 'Search again with the question in other words',
  try_exact_match: 'Search for the exact words of the question',
  try_graph_search: 'Search the knowledge graph',
  low: 'LOW: The retrieval is weak. A person must review the answer.',
  moderate: 'MODERATE: Medium confidence. Review recommended for critical use cases.',
  bm25_dense_disagree: 'Keyword and semantic search disagree. Rephrase the question, or search in each way alone.',
  high_diversity: 'The results are scattered over many documents. Name the document or topic that is meant.',
  no_graph: 'No knowledge graph support. Consider a search of the knowledge graph.',
} as const

/** Stable code of a recommendation. */
export type RecommendationCode = keyof typeof RECOMMENDATIONS

/** The same, with the search tools of the specification's product. */
export const SPECIFICATION_RECOMMENDATIONS: Readonly<Record<RecommendationCode, string>> = {
  ...RECOMMENDATIONS,
  try_expansion: 'Try query expansion: `search(query="...", num_expands=3-5)`',
  try_exact_match: 'Try exact match: `exact_match_search(query="...", search_type="keywords")`',
  try_graph_search: 'Try graph search: `multi_hop_search(query="...", max_hops=2)`',
  no_graph: 'No knowledge graph support. Consider using multi_hop_search for graph-based retrieval.',
}
