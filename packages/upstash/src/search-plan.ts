/** Which queries a search over an index consists of. */
import { type IndexParts, isBm25, type Similarity } from './index-kind.ts'
import { EMBEDS_NOTHING, misconfigured } from './misconfigured.ts'

/** What is asked of an index for one question. At least one query is there. */
export interface SearchPlan {
  readonly dense?: { readonly similarity: Similarity }
  readonly sparse?: { readonly scores: 'bm25' | 'ranks' }
  /** Whether the index has both parts, so that a query of texts must say which it means. */
  readonly hybrid: boolean
  /** Why the sparse part is not asked though the index has one, and no option excludes it. */
  readonly leftOut?: string
}

/** What the options say of it. */
export interface PlanOptions {
  readonly methods?: 'hybrid' | 'dense' | 'sparse' | undefined
  readonly sparseScores?: 'bm25' | 'ranks' | undefined
  /** What makes the vectors of a question. @default the index does */
  readonly embedder?: unknown
  readonly sparseEmbedder?: unknown
}

/**
 * Plans the search: what was asked for by `methods`; else every part that can be asked and whose scores have a known
 * meaning, and a sparse part without one only where there is nothing else.
 *
 * @throws `retriever_misconfigured` when the index lacks a part that was asked for, or there is no embedder for it
 */
export function planOf(parts: IndexParts, options: PlanOptions): SearchPlan {
  const { methods } = options
  const dense = planDense(parts, options)
  const sparse = planSparse(parts, options)
  const hybrid = parts.dense !== undefined && parts.sparse !== undefined
  const takesDense = methods === undefined ? typeof dense !== 'string' : methods !== 'sparse'
  const takesSparse =
    methods === undefined
      ? typeof sparse !== 'string' && (sparse.scores === 'bm25' || !takesDense)
      : methods !== 'dense'
  // Both are reasons then, and the one that is told is thrown.
  if (!takesDense && !takesSparse) required(parts.dense === undefined ? sparse : dense)
  const leftOut = typeof sparse === 'string' ? sparse : 'its scores are not BM25'
  return {
    ...(takesDense && { dense: required(dense) }),
    ...(takesSparse && { sparse: required(sparse) }),
    hybrid,
    ...(hybrid && methods === undefined && !takesSparse && { leftOut }),
  }
}

/** The query, or why there is none. */
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
  return 'the index makes no sparse vectors, and the retriever has no sparseEmbedder'
}

function required<Query extends object>(query: Query | string): Query {
  if (typeof query === 'string') throw misconfigured(query)
  return query
}
