/** Decides which queries a search of an index sends. */
import { type IndexParts, isBm25, type Similarity } from './index-kind.ts'
import { EMBEDS_NOTHING, misconfigured } from './misconfigured.ts'

/** The queries for one question; at least one is present. */
export interface SearchPlan {
  readonly dense?: { readonly similarity: Similarity }
  readonly sparse?: { readonly scores: 'bm25' | 'ranks' }
  /** Whether the index has both parts, so that a text query must name the part. */
  readonly hybrid: boolean
  /** Why an existing sparse part is not queried although no option excludes it. */
  readonly leftOut?: string
}

/** Options of the search. */
export interface PlanOptions {
  readonly methods?: 'hybrid' | 'dense' | 'sparse' | undefined
  readonly sparseScores?: 'bm25' | 'ranks' | undefined
  /** Makes the vectors of a question. @default the index does */
  readonly embedder?: unknown
  readonly sparseEmbedder?: unknown
}

/**
 * Plans the search: the requested `methods`; by default every part that can be queried and has scores of known meaning.
 * A sparse part with unknown scores is used only if there is no other.
 *
 * @throws `retriever_misconfigured` if the index lacks a requested part, or an embedder for it is missing
 */
export function planOf(parts: IndexParts, options: PlanOptions): SearchPlan {
  const { methods } = options
  const dense = planDense(parts, options)
  const sparse = planSparse(parts, options)
  const hybrid = !!(parts.dense && parts.sparse)
  const takesDense = methods === undefined ? typeof dense !== 'string' : methods !== 'sparse'
  const takesSparse =
    methods === undefined
      ? typeof sparse !== 'string' && (sparse.scores === 'bm25' || !takesDense)
      : methods !== 'dense'
  // Neither can be queried, so both are reasons; the more relevant one is thrown.
  if (!takesDense && !takesSparse) required(parts.dense === undefined ? sparse : dense)
  const leftOut = typeof sparse === 'string' ? sparse : 'its scores are not BM25'
  return {
    ...(takesDense && { dense: required(dense) }),
    ...(takesSparse && { sparse: required(sparse) }),
    hybrid,
    ...(hybrid && methods === undefined && !takesSparse && { leftOut }),
  }
}

/** The query, or the reason why there is none. */
function planDense({ dense }: IndexParts, { embedder }: PlanOptions): NonNullable<SearchPlan['dense']> | string {
  if (dense === undefined) return 'the index has no dense part'
  const { similarity } = dense
  if (embedder !== undefined || dense.model !== '') return { similarity }
  return EMBEDS_NOTHING
}

function planSparse(
  { sparse }: IndexParts,
  { sparseScores, sparseEmbedder }: PlanOptions,
): NonNullable<SearchPlan['sparse']> | string {
  if (sparse === undefined) return 'the index has no sparse part'
  if (sparseEmbedder !== undefined || sparse.model !== '')
    return { scores: sparseScores ?? (sparseEmbedder === undefined && isBm25(sparse) ? 'bm25' : 'ranks') }
  return 'the index embeds no sparse texts, and the retriever has no sparseEmbedder'
}

function required<Query extends object>(query: Query | string): Query {
  if (typeof query === 'string') throw misconfigured(query)
  return query
}
