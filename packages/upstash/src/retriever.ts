/** Reading from an Upstash index of any kind, filled by the gate or by others. */
import {
  callable,
  group,
  methods,
  namespaceOf,
  number,
  oneOf,
  type OptionKinds,
  reciprocalRanks,
  requireOptions,
  RRF_K,
} from 'hono-rag-gate/core/lib'
import { onceEach } from '@hono-rag-gate/upstream/rows'
import { Index } from '@upstash/vector'
import {
  FIELDS_OPTION,
  NAMESPACE_OPTIONS,
  namespaceChoice,
  type NamespaceOptions,
  namespaceShared,
  type PassageFields,
  placesOf,
  questionVector,
  requireDimension,
  type RetrieverWarning,
  rowsWithoutText,
} from '@hono-rag-gate/upstream/rows'
import { embedsWords, type Ranking, rankRows, type RetrievedRow, type ScoreMeaning } from 'hono-rag-gate/core/evidence'
import { isRagGateError, RagGateError } from 'hono-rag-gate/errors'
import type { Clock, Embedder, RetrievalRequest, Retriever } from 'hono-rag-gate/ports'
import { cosineReader, needsVectors } from './cosines.ts'
import { filterText } from './filter.ts'
import { misconfigured } from './misconfigured.ts'
import { GATE_INDEX, type IndexKind, partsOf, requireCosine, INDEX_KIND_OPTIONS } from './index-kind.ts'
import { createInfoReader } from './info-reader.ts'
import { encodedNamespace } from './namespaces.ts'
import { queriesOf, type Rows, send, type SparseVector } from './queries.ts'
import { rowsOfGate, rowsOfOthers } from './rows.ts'
import { planOf, type SearchPlan } from './search-plan.ts'
import { transportOver, type UpstashOptions, WIDE_BYTES, UPSTASH_OPTIONS } from './transport.ts'
import { namespaceEmpty, sparseLeftOut } from './warnings.ts'

/** Converts a row from the service to a score. */
type ScoreOf = (row: Readonly<Record<string, unknown>>) => unknown

/** Options of a retriever. */
export interface UpstashRetrieverOptions extends UpstashOptions, NamespaceOptions {
  /**
   * Who filled the index. `others`: any kind of index, with rows in any shape. `gate`: `createUpstashChunkIndex`, whose
   * rows, namespaces and kind of index are known; options about those are then rejected.
   *
   * @default 'others'
   */
  readonly filledBy?: 'others' | 'gate'
  /**
   * Where rows store their text, title, section, source, document id and version.
   *
   * @default the names of `USUAL_FIELDS`, tried in turn: `data`, then `metadata.text`, `content`, `chunk` …
   */
  readonly fields?: PassageFields
  /**
   * The kind of the index.
   *
   * @default requested with the first search (`info`), and cached
   */
  readonly index?: IndexKind
  /** Makes the dense vectors of questions, for an index without hosted embeddings. */
  readonly embedder?: Embedder
  /** Makes the sparse vectors of questions, for an index without a hosted sparse model. */
  readonly sparseEmbedder?: (question: string, signal: AbortSignal) => Promise<SparseVector> | SparseVector
  /**
   * Which methods to query. `hybrid`: both in parallel, each with its own scores instead of the service's fused ones.
   *
   * @default every part of the index whose scores have a known meaning: cosines, and BM25
   */
  readonly methods?: 'hybrid' | 'dense' | 'sparse'
  /**
   * The kind of the sparse part's scores. `bm25`: Okapi BM25, with IDF weighting by the index. `ranks`: inner products
   * of an unknown scale, so that only their order is used, as reciprocal ranks.
   *
   * @default 'bm25' for the hosted model BM25, 'ranks' for any other and for sparse vectors of your own
   */
  readonly sparseScores?: 'bm25' | 'ranks'
  /**
   * How long an isolate caches the index's model and dimension, milliseconds: the time that a changed model may go
   * unnoticed, or one changed back be rejected. Requested in parallel to a search. 0..60,000; 0 requests them every
   * time.
   *
   * @default 60_000
   */
  readonly embeddingMaxAgeMs?: number
  /** @default the platform's clock */
  readonly clock?: Clock
  /**
   * Called once per problem that gives empty results, not errors: an empty namespace, rows without text, a part not
   * queried.
   *
   * @default console.warn
   */
  readonly onWarning?: (warning: RetrieverWarning) => void
}

const OPTIONS: OptionKinds<UpstashRetrieverOptions> = {
  ...UPSTASH_OPTIONS,
  ...NAMESPACE_OPTIONS,
  filledBy: oneOf('others', 'gate'),
  fields: FIELDS_OPTION,
  index: group(INDEX_KIND_OPTIONS),
  embedder: methods('embed'),
  sparseEmbedder: callable,
  methods: oneOf('dense', 'sparse', 'hybrid'),
  sparseScores: oneOf('bm25', 'ranks'),
  embeddingMaxAgeMs: number(0, 60_000),
  clock: methods('nowMs'),
  onWarning: callable,
}

/**
 * Retrieves with one query per part of the index, so that a chunk returned by both has both scores: raw cosine, and
 * BM25 or reciprocal rank. Queries of one type share a request; if the question is embedded here for only one part, two
 * requests are sent in parallel.
 *
 * A score that is not finite or out of range is returned as NaN, to be dropped and counted. A row without id makes the
 * whole response invalid. Rows without text are left out, with a warning; if all are, the error is
 * `retriever_misconfigured`.
 *
 * @throws `config_invalid` for invalid options
 */
export function createUpstashRetriever(options: UpstashRetrieverOptions): Retriever {
  requireOptions(options, OPTIONS)
  const {
    filledBy = 'others',
    fields = {},
    embedder,
    sparseEmbedder,
    embeddingMaxAgeMs = 60_000,
    clock = { nowMs: () => Date.now() },
    onWarning = ({ message }) => console.warn(`[rag-gate] ${message}`),
  } = options
  const isGate = filledBy === 'gate'
  if (isGate) requireNone(options)
  const isNew = onceEach()
  const warnOnce = (warning: RetrieverWarning, about = ''): void => {
    if (isNew(`${warning.code} ${about}`)) onWarning(warning)
  }
  const { timeoutMs = 1500, maxResponseBytes } = options
  const narrow = transportOver({ ...options, timeoutMs, maxResponseBytes: maxResponseBytes ?? 1024 * 1024 })
  const wide = transportOver({ ...options, timeoutMs, maxResponseBytes: WIDE_BYTES })
  const reader = createInfoReader(wide, { embeddingMaxAgeMs, clock }, ({ dense }) => {
    if (isGate && dense !== undefined) requireCosine(dense)
  })
  const namespaceFor = namespaceChoice(isGate ? { namespace: namespaceOf, ...options } : options, () =>
    warnOnce(namespaceShared(options.namespace ?? '')),
  )
  const said = isGate ? GATE_INDEX : options.index && partsOf(options.index, !!embedder)

  let plan: SearchPlan | undefined

  async function planFor(signal: AbortSignal): Promise<SearchPlan> {
    const parts = said ?? (await reader.parts(signal))
    if (embedder && parts.dense?.dimension) requireDimension(parts.dense.dimension, embedder.dimension)
    plan = planOf(parts, options)
    if (plan.leftOut !== undefined) warnOnce(sparseLeftOut(plan.leftOut))
    return plan
  }

  /** Parses the rows of a query; rows without text are left out, with a warning. */
  function readRows(rows: Rows, namespace: string, scoreOf: ScoreOf): RetrievedRow[] {
    if (isGate) return rowsOfGate(namespace, rows, scoreOf)
    return rowsOfOthers(rows, fields, scoreOf, (row) => warnOnce(rowsWithoutText(row, fields)))
  }

  /** Queries both parts; returns their rows, and the question's vector if it was made here. */
  async function ask(
    plan: SearchPlan,
    segment: string,
    filterOf: { readonly filter: string } | undefined,
    request: RetrievalRequest,
  ) {
    const { question, topK, signal } = request
    const [vector, sparseVector] = await Promise.all([
      plan.dense && embedder && embedOne(embedder, question, signal),
      plan.sparse && sparseEmbedder?.(question, signal),
    ])
    const common = { topK, includeData: true, includeMetadata: true, ...filterOf }
    const queries = queriesOf(plan, question, common, vector, sparseVector)
    const withVectors = plan.dense && needsVectors(plan.dense.similarity)
    const transport = withVectors && maxResponseBytes === undefined ? wide : narrow
    const [denseRows, sparseRows] = await send(new Index(transport(signal)), queries, segment)
    return { vector, denseRows, sparseRows }
  }

  async function search(request: RetrievalRequest): Promise<readonly Ranking[]> {
    const { tenant, collection, topK, filter, signal } = request
    const namespace = namespaceFor(tenant, collection)
    const segment = encodedNamespace(namespace)
    const filterOf = filter && { filter: filterText(filter, isGate ? undefined : fields) }
    const plan = await planFor(signal)
    const { vector, denseRows, sparseRows } = await ask(plan, segment, filterOf, request)
    const rankings: Ranking[] = []
    if (plan.dense !== undefined) {
      const rows = readRows(denseRows, namespace, cosineReader(plan.dense.similarity, vector))
      rankings.push(rankRows('cosine', rows, topK))
    }
    if (plan.sparse !== undefined) {
      const rows = readRows(sparseRows, namespace, ({ score }) => score)
      rankings.push(rankSparse(plan.sparse.scores, rows, topK))
    }
    if (isGate || rankings.some(({ entries }) => entries.length > 0)) return rankings
    if (denseRows.length + sparseRows.length > 0) {
      throw misconfigured(`its rows have no text in ${placesOf(fields)}: set fields.text`)
    }
    if (filter === undefined && isNew(`looked ${namespace}`)) await warnIfEmpty(namespace, signal)
    return rankings
  }

  /** After an empty result, warns if the namespace is empty. */
  async function warnIfEmpty(namespace: string, signal: AbortSignal): Promise<void> {
    // The search already has its result; a failure here is ignored.
    const info = await reader.info(signal).catch(() => undefined)
    if (info === undefined || (info.counts.get(namespace) ?? 0) > 0) return
    warnOnce(namespaceEmpty(namespace, info.counts), namespace)
  }

  /** `undefined` until a search has determined the kind of the index. */
  function scores(): readonly ScoreMeaning[] | undefined {
    if (!plan) return undefined
    const { dense, sparse } = plan
    const told: ScoreMeaning[] = sparse ? [sparse.scores === 'bm25' ? 'words' : 'ranks'] : []
    if (!dense) return told
    const { model } = embedder ?? reader.known()?.dense ?? {}
    return model ? [embedsWords(model) ? 'none' : 'meaning', ...told] : undefined
  }

  return {
    scores,
    ...(embedder ? { embedding: embedder } : { embeddingNow: (signal: AbortSignal) => reader.embedding(signal) }),

    async retrieve(request: RetrievalRequest) {
      try {
        return await search(request)
      } catch (thrown) {
        // The URL may now point to another index.
        if (isRagGateError(thrown) && OF_ANOTHER_INDEX.includes(thrown.code)) reader.forget()
        throw thrown
      }
    },
  }
}

/** Error codes of a search if the index has changed. */
const OF_ANOTHER_INDEX: readonly string[] = ['embedding_mismatch', 'retriever_misconfigured']

/** Ranks by BM25, or by reciprocal rank if only the order of the rows is meaningful; invalid scores stay invalid. */
function rankSparse(scores: 'bm25' | 'ranks', rows: readonly RetrievedRow[], topK: number): Ranking {
  if (scores === 'bm25') return rankRows('bm25', rows, topK)
  // The kind `dbsf` accepts any finite number.
  const { entries } = rankRows('dbsf', rows, topK)
  const worth = reciprocalRanks(entries.length, RRF_K, 1)
  return {
    kind: 'rrf',
    entries: entries.map(({ passage, score }, at) => ({ passage, score: Number.isNaN(score) ? score : worth[at]! })),
  }
}

function requireNone(options: UpstashRetrieverOptions): void {
  for (const name of ['fields', 'index', 'embedder', 'sparseEmbedder', 'sparseScores'] as const) {
    if (options[name] !== undefined) {
      throw new RagGateError('config_invalid', `${name} is not for filledBy: 'gate'`, {
        param: name,
      })
    }
  }
}

async function embedOne(embedder: Embedder, question: string, signal: AbortSignal): Promise<readonly number[]> {
  return questionVector(await embedder.embed({ texts: [question], purpose: 'question', signal }), embedder)
}
