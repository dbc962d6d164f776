/** Searching: what a query body asks for, and the rows that answer it. */
import type { Json } from '../core/chunk.ts'
import { DIMENSION, embed, termFrequencies } from './embedder.ts'
import * as field from './fields.ts'
import { shortestFloat32 } from './float32.ts'
import { fuseRankings, type FusionAlgorithm } from './hybrid.ts'
import { notSupported } from './protocol-error.ts'
import type { ResidentNamespace } from './resident-namespace.ts'
import { vectorOf, type ScoredRow } from './scan.ts'
import { dimensionOf, questionVector, type SparseVector, type Weighting } from './sparse.ts'
import type { VectorStore } from './store.ts'
import type { Vectors } from './stored-vector.ts'

/** Which parts of a row a command gives back. */
export interface Includes {
  readonly vectors: boolean
  readonly metadata: boolean
  readonly data: boolean
}

/** A row as a client gets it. Parts that were not asked for, or are not there, are absent. */
export interface AnsweredRow {
  readonly id: string
  readonly score?: number
  readonly vector?: readonly number[]
  readonly sparseVector?: { readonly indices: readonly number[]; readonly values: readonly number[] }
  readonly metadata?: Readonly<Record<string, Json>>
  readonly data?: string
}

/** A query, checked. A side without a vector is not searched. */
interface Query {
  readonly text?: string
  readonly dense?: Float32Array
  readonly sparse?: SparseVector
  readonly mode: 'DENSE' | 'SPARSE' | 'HYBRID'
  readonly topK: number
  readonly weighting: Weighting
  readonly fusion: FusionAlgorithm
  readonly includes: Includes
}

/** Rows taken of each side before fusion: beyond `topK`, as the service does; how many it takes is not published. */
const MIN_CANDIDATES = 100

/** Answers `query` and `query-data`: a list for one query, a list of lists for several. */
export function answerQueries(
  store: VectorStore,
  namespace: string,
  body: unknown,
  command: 'query' | 'query-data',
): readonly AnsweredRow[] | readonly (readonly AnsweredRow[])[] {
  const queries = field.objects(body).map((fields) => parseQuery(fields, command))
  const answers = queries.map((query) => answerQuery(store, namespace, query))
  const [only] = answers
  return answers.length === 1 && only !== undefined ? only : answers
}

/** Reads the three include flags of a body. */
export function parseIncludes(fields: field.Fields): Includes {
  return {
    vectors: field.flag(fields['includeVectors'], 'includeVectors'),
    metadata: field.flag(fields['includeMetadata'], 'includeMetadata'),
    data: field.flag(fields['includeData'], 'includeData'),
  }
}

/** The vectors of a row as a client gets them. */
export function answeredVectors(row: Vectors): Pick<AnsweredRow, 'vector' | 'sparseVector'> {
  return {
    vector: Array.from(vectorOf(row.dense), shortestFloat32),
    sparseVector: {
      indices: Array.from(row.sparse.indices),
      values: Array.from(row.sparse.values, shortestFloat32),
    },
  }
}

function parseQuery(fields: field.Fields, command: 'query' | 'query-data'): Query {
  if ((fields['filter'] ?? '') !== '') throw notSupported('filter')
  return {
    ...(command === 'query' ? explicitVectors(fields) : { text: field.data(fields['data']) }),
    mode: field.oneOf(fields['queryMode'], 'queryMode', ['DENSE', 'SPARSE', 'HYBRID'], 'HYBRID'),
    topK: field.whole(fields['topK'], 'topK', { min: 1, max: field.LIMITS.topK }, 10),
    weighting: field.oneOf(fields['weightingStrategy'], 'weightingStrategy', ['IDF'], undefined) ?? 'none',
    fusion: field.oneOf(fields['fusionAlgorithm'], 'fusionAlgorithm', ['RRF', 'DBSF'], 'RRF'),
    includes: parseIncludes(fields),
  }
}

function explicitVectors(fields: field.Fields): Pick<Query, 'dense' | 'sparse'> {
  const { vector, sparseVector } = fields
  if (vector === undefined && sparseVector === undefined) {
    throw field.invalid('Either vector or sparseVector must be given')
  }
  return {
    ...(vector !== undefined && { dense: field.denseVector(vector, DIMENSION) }),
    ...(sparseVector !== undefined && { sparse: field.sparseVector(sparseVector) }),
  }
}

function answerQuery(store: VectorStore, namespace: string, query: Query): readonly AnsweredRow[] {
  const resident = store.resident(namespace)
  if (resident === undefined) return []
  const found = search(resident, query)
  const rows = found.map(({ slot }) => resident.rowAt(slot))
  const attached =
    query.includes.metadata || query.includes.data ? store.attachments(rows.map(({ position }) => position)) : []
  return rows.map((row, at) => {
    const { metadata, data } = attached[at] ?? {}
    return {
      id: row.id,
      score: shortestFloat32(found[at]!.score),
      ...(query.includes.vectors && answeredVectors(row)),
      ...(query.includes.metadata && metadata !== undefined && { metadata }),
      ...(query.includes.data && data !== undefined && { data }),
    }
  })
}

function search(resident: ResidentNamespace, query: Query): readonly ScoredRow[] {
  const { dense, sparse } = query.text === undefined ? query : questionVectors(resident, query.text)
  const wantsDense = query.mode !== 'SPARSE' && dense !== undefined
  const wantsSparse = query.mode !== 'DENSE' && sparse !== undefined
  const fused = wantsDense && wantsSparse
  const candidates = fused ? Math.max(2 * query.topK, MIN_CANDIDATES) : query.topK
  const rankings: (readonly ScoredRow[])[] = []
  if (wantsDense) rankings.push(resident.searchDense(dense, candidates))
  if (wantsSparse) rankings.push(resident.searchSparse(sparse, candidates, query.weighting))
  return fused ? fuseRankings(rankings, query.fusion, query.topK) : (rankings[0] ?? [])
}

function questionVectors(resident: ResidentNamespace, text: string): Required<Pick<Query, 'dense' | 'sparse'>> {
  const frequencies = termFrequencies(text)
  return {
    dense: embed(frequencies, (term) => resident.idf(dimensionOf(term))),
    sparse: questionVector(frequencies),
  }
}
