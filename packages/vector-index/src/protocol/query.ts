/** Searches: parses queries, and finds the rows that match. */
import { LIMITS } from '../limits.ts'
import { invalid } from '../protocol-error.ts'
import { AnswerRoom } from './answer-room.ts'
import { answeredRow, parseIncludes, type AnsweredRow, type Includes } from './answered-row.ts'
import type { Command, EmbeddedIndex } from './embedded-index.ts'
import { questionVectors, requireModel, type QuestionVectors } from '../embed/embedding.ts'
import { explicitVectors, requiresDense, requiresSparse } from './explicit-vectors.ts'
import * as field from './fields.ts'
import { filterCondition } from '../filter/filter-condition.ts'
import { shortestFloat32, withinFloat32 } from '../search/float32.ts'
import { searchDense } from '../search/dense.ts'
import { fuseRankings, type FusionAlgorithm } from '../search/hybrid.ts'
import type { RowFilter, ScoredRow } from '../search/best.ts'
import { kindOf, type IndexKind, type IndexSettings } from '../settings.ts'
import { idfs, searchSparse, type SparseRows, type Weighting } from '../search/sparse.ts'

/** Query commands; the second has a text instead of vectors. */
export type QueryCommand = 'query' | 'query-data'

/** A validated query. */
export interface Query {
  /** Vectors to search with, or the text to embed. */
  readonly question: QuestionVectors | { readonly text: string }
  /** Which parts of the index to search. */
  readonly mode: IndexKind
  /** An SQL condition; only matching rows are searched. */
  readonly filter?: string
  readonly topK: number
  readonly weighting: Weighting
  readonly fusion: FusionAlgorithm
  readonly includes: Includes
}

/** Options of running a query. */
export interface QueryRun {
  /** Positions of rows to leave out. */
  readonly without?: ReadonlySet<number>
  /**
   * Number of rows from each part before fusion: `topK`, or more, as the service does for non-resumable queries. How
   * many more is not published.
   */
  readonly candidates: 'topK' | 'more'
  /** Remaining size of the answer, which several queries may share. */
  readonly room: AnswerRoom
}

const MIN_CANDIDATES = 100

/** `query`: finds rows similar to vectors. */
export const query: Command = (index, { body }) => answerQueries(index, body, 'query')

/** `query-data`: finds rows similar to a text. */
export const queryData: Command = (index, { body }) => answerQueries(index, body, 'query-data')

/** One result list for a single query, even if given in a list; a list of result lists for several. */
function answerQueries(
  index: EmbeddedIndex,
  body: unknown,
  command: QueryCommand,
): readonly AnsweredRow[] | readonly (readonly AnsweredRow[])[] {
  const queries = field.objects(body).map((fields) => parseQuery(index.settings, fields, command))
  const room = new AnswerRoom()
  const answers = queries.map((asked) => answerQuery(index, asked, { candidates: 'more', room }))
  const [only] = answers
  return answers.length === 1 && only !== undefined ? only : answers
}

/**
 * Parses a query.
 *
 * @throws `ProtocolError` for a malformed query, or one that this kind of index cannot answer
 */
export function parseQuery(settings: IndexSettings, fields: field.Fields, command: QueryCommand): Query {
  const filter = field.filterText(fields['filter'] ?? '')
  const asked = field.oneOf(fields['queryMode'], 'queryMode', ['DENSE', 'SPARSE', 'HYBRID'], 'HYBRID')
  return {
    ...(command === 'query' ? explicitQuestion(settings, fields, asked) : textQuestion(settings, fields, asked)),
    ...(filter !== '' && { filter: filterCondition(filter) }),
    topK: field.whole(fields['topK'], 'topK', { min: 1, max: LIMITS.topK }, 10),
    weighting: field.oneOf(fields['weightingStrategy'], 'weightingStrategy', ['IDF'], undefined) ?? 'none',
    fusion: field.oneOf(fields['fusionAlgorithm'], 'fusionAlgorithm', ['RRF', 'DBSF'], 'RRF'),
    includes: parseIncludes(fields),
  }
}

/**
 * Answers a query, best first.
 *
 * @throws `ProtocolError` 422 if the rows do not fit in the answer
 */
export function answerQuery(index: EmbeddedIndex, query: Query, run: QueryRun): readonly AnsweredRow[] {
  const { settings, store } = index
  const searched = store.searchable()
  const selected = query.filter === undefined ? undefined : store.selected(query.filter)
  const question =
    'text' in query.question
      ? questionVectors(settings, (dimensions) => idfs(dimensions, searched), query.question.text)
      : query.question
  const found = search(index, searched, { ...query, question }, run.candidates, (position) => {
    return selected?.has(position) !== false && run.without?.has(position) !== true
  })
  const rows = new Map<number, AnsweredRow>()
  for (const row of store.at(found.map(({ position }) => position))) {
    rows.set(row.position, run.room.take(answeredRow(settings, row, query.includes)))
  }
  return found.map(({ position, score }) => {
    const { id, ...others } = rows.get(position)!
    return { id, score: shortestFloat32(withinFloat32(score)), ...others }
  })
}

type Question = Pick<Query, 'question' | 'mode'>

/** Searches the given parts, restricted to those requested. */
function explicitQuestion(settings: IndexSettings, fields: field.Fields, asked: IndexKind): Question {
  const question = explicitVectors(settings, fields)
  const dense = question.dense !== undefined && asked !== 'SPARSE'
  const sparse = question.sparse !== undefined && asked !== 'DENSE'
  if (dense || sparse) return { question, mode: modeOf(dense, sparse) }
  if (asked === 'DENSE' || settings.sparse === undefined) throw requiresDense()
  if (asked === 'SPARSE' || settings.dense === undefined) throw requiresSparse()
  throw invalid('Either vector or sparseVector must be given')
}

/** Searches the parts of the index, restricted to those requested. */
function textQuestion(settings: IndexSettings, fields: field.Fields, asked: IndexKind): Question {
  requireModel(settings)
  const kind = kindOf(settings)
  if (kind === 'DENSE' && asked === 'SPARSE') throw requiresDense()
  if (kind === 'SPARSE' && asked === 'DENSE') throw requiresSparse()
  return { question: { text: field.data(fields['data']) }, mode: kind === 'HYBRID' ? asked : kind }
}

function modeOf(dense: boolean, sparse: boolean): IndexKind {
  if (dense && sparse) return 'HYBRID'
  return dense ? 'DENSE' : 'SPARSE'
}

function search(
  { settings, store, platform }: EmbeddedIndex,
  searched: SparseRows,
  query: Query & { readonly question: QuestionVectors },
  candidates: QueryRun['candidates'],
  isFound: RowFilter,
): readonly ScoredRow[] {
  const { question: vectors, mode, weighting, fusion } = query
  const topK = mode === 'HYBRID' && candidates === 'more' ? Math.max(2 * query.topK, MIN_CANDIDATES) : query.topK
  const rankings: (readonly ScoredRow[])[] = []
  if (mode !== 'SPARSE' && vectors.dense !== undefined && settings.dense !== undefined) {
    rankings.push(
      searchDense(vectors.dense, {
        similarity: settings.dense.similarity,
        topK,
        blocks: searched.blocks,
        isFound,
        read: (positions) => store.denseAt(positions),
        kernel: platform.kernel,
      }),
    )
  }
  if (mode !== 'DENSE' && vectors.sparse !== undefined) {
    rankings.push(searchSparse(vectors.sparse, searched, { topK, weighting, isFound }))
  }
  return mode === 'HYBRID' ? fuseRankings(rankings, fusion, query.topK) : (rankings[0] ?? [])
}
