/** The queries of one search. */
import { Index, QueryMode, WeightingStrategy } from '@upstash/vector'
import { badResponse } from '@hono-rag-gate/upstream/http'
import { needsVectors } from './cosines.ts'
import type { SearchPlan } from './search-plan.ts'
import { INDEX } from './transport.ts'

/** A sparse vector: indices of dimensions, and their values. */
export interface SparseVector {
  readonly indices: readonly number[]
  readonly values: readonly number[]
}

/** The client's type of a query, which differs by kind of index. */
type Query = Parameters<Index['query']>[0]

/** The rows of one query as the service sent them. */
export type Rows = readonly unknown[]

/** The queries of a plan. For a zero vector there is no query: it has no direction, so no row is similar to it. */
export function queriesOf(
  { dense, sparse, hybrid }: SearchPlan,
  question: string,
  common: { readonly topK: number },
  vector: readonly number[] | undefined,
  sparseVector: SparseVector | undefined,
): { readonly dense?: Query; readonly sparse?: Query } {
  const asksDense = dense !== undefined && (vector === undefined || vector.some((value) => value !== 0))
  const asksSparse = sparse !== undefined && (sparseVector === undefined || sparseVector.indices.length > 0)
  const mode = (queryMode: QueryMode) => hybrid && { queryMode }
  return {
    ...(asksDense && {
      dense: {
        ...common,
        ...(vector === undefined ? { data: question, ...mode(QueryMode.DENSE) } : { vector: [...vector] }),
        ...(needsVectors(dense.similarity) && { includeVectors: true }),
      },
    }),
    ...(asksSparse && {
      sparse: {
        ...common,
        ...(sparseVector === undefined
          ? { data: question, ...mode(QueryMode.SPARSE) }
          : { sparseVector: { indices: [...sparseVector.indices], values: [...sparseVector.values] } }),
        ...(sparse.scores === 'bm25' && { weightingStrategy: WeightingStrategy.IDF }),
      },
    }),
  }
}

/** Sends the queries. Queries of one type share a request, since a request has either texts or vectors. */
export async function send(
  index: Index,
  { dense, sparse }: { readonly dense?: Query; readonly sparse?: Query },
  namespace: string,
): Promise<readonly [dense: Rows, sparse: Rows]> {
  if (dense !== undefined && sparse !== undefined && 'data' in dense === 'data' in sparse) {
    const [denseRows, sparseRows] = listOf(await index.queryMany([dense, sparse], { namespace }))
    return [listOf(denseRows), listOf(sparseRows)]
  }
  // A batch of one query is returned without its outer list, and an empty result would be ambiguous.
  const one = async (query: Query | undefined): Promise<Rows> =>
    query === undefined ? [] : listOf(await index.query(query, { namespace }))
  return Promise.all([one(dense), one(sparse)])
}

function listOf(rows: unknown): Rows {
  if (!Array.isArray(rows)) throw badResponse(INDEX, 'not a list')
  return rows
}
