/** The reading side of an Upstash index: any kind of index, filled by the gate or by others. */
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
import { checkedNamespace, encodedNamespace } from './namespaces.ts'
import { queriesOf, type Rows, send, type SparseVector } from './queries.ts'
import { rowsOfGate, rowsOfOthers } from './rows.ts'
import { planOf, type SearchPlan } from './search-plan.ts'
import { transportOver, type UpstashOptions, WIDE_BYTES, UPSTASH_OPTIONS } from './transport.ts'
import { namespaceEmpty, sparseLeftOut } from './warnings.ts'

/** From a row as it came to our score. */
type ScoreOf = (row: Readonly<Record<string, unknown>>) => unknown

/** Options of a retriever. */
export interface UpstashRetrieverOptions extends UpstashOptions, NamespaceOptions {
  /**
   * Who filled the index. `others`: any kind of index, in the shape they chose. `gate`: `createUpstashChunkIndex`, whose
   * rows, namespaces and kind of index are known; options about those are refused then.
   *
   * @default 'others'
   */
  readonly filledBy?: 'others' | 'gate'
  /**
   * Where rows keep their text, title, section, source, document id and version.
   *
   * @default the names of `USUAL_FIELDS`, tried in turn: `data`, then `metadata.text`, `content`, `chunk` …
   */
  readonly fields?: PassageFields
  /**
   * What the index is, where it need not be asked.
   *
   * @default asked with the first search (`info`), and remembered
   */
  readonly index?: IndexKind
  /** What made the dense vectors, for an index without hosted embeddings. It embeds each question. */
  readonly embedder?: Embedder
  /** What made the sparse vectors, for an index without a hosted sparse model. It gets each question. */
  readonly sparseEmbedder?: (question: string, signal: AbortSignal) => Promise<SparseVector> | SparseVector
  /**
   * Which methods are asked. `hybrid`: both, at once, each with scores of its own instead of the service's fused ones.
   *
   * @default every part of the index whose scores have a known meaning: cosines, and BM25
   */
  readonly methods?: 'hybrid' | 'dense' | 'sparse'
  /**
   * What the scores of the sparse part are. `bm25`: Okapi BM25, once the index weighs the terms by IDF. `ranks`: inner
   * products of an unknown scale, so that only their order is taken, as reciprocal ranks.
   *
   * @default 'bm25' for the hosted model BM25, 'ranks' for any other and for sparse vectors of your own
   */
  readonly sparseScores?: 'bm25' | 'ranks'
  /**
   * How long the isolate takes the index's word for its model and dimension before it asks again, beside a search, in
   * milliseconds: how long a changed model may go unnoticed, or a changed back one be refused. 0..60,000; 0 asks every time.
   *
   * @default 60_000
   */
  readonly embeddingMaxAgeMs?: number
  /** @default the platform's clock */
  readonly clock?: Clock
  /**
   * Told once of what finds nothing and fails nothing: an empty namespace, rows without text, a part that is not asked.
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
 * Retrieves with a query for each part of the index, so that a chunk that both return carries both scores: raw cosines,
 * and BM25 or reciprocal ranks. Queries of one sort go in one request; a question that is embedded here for one part
 * only takes two, at once.
 *
 * A score that is not a finite number within its range is handed on as NaN, to be dropped and counted. An entry without
 * id is a fault of the whole response. Rows without text are left out, with a warning; when all are, that is
 * `retriever_misconfigured`.
 *
 * @throws `config_invalid` when the options make no sense
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
  const said = isGate ? GATE_INDEX : options.index && partsOf(options.index, embedder !== undefined)

  let plan: SearchPlan | undefined

  async function planFor(signal: AbortSignal): Promise<SearchPlan> {
    const parts = said ?? (await reader.parts(signal))
    if (embedder !== undefined && parts.dense !== undefined && parts.dense.dimension > 0) {
      requireDimension(parts.dense.dimension, embedder.dimension)
    }
    plan = planOf(parts, options)
    if (plan.leftOut !== undefined) warnOnce(sparseLeftOut(plan.leftOut))
    return plan
  }

  /** Reads the rows of a query; rows without a text are left out, with a warning. */
  function readRows(rows: Rows, namespace: string, scoreOf: ScoreOf): RetrievedRow[] {
    if (isGate) return rowsOfGate(namespace, rows, scoreOf)
    return rowsOfOthers(rows, fields, scoreOf, (row) => warnOnce(rowsWithoutText(row, fields)))
  }

  /** The rows of both parts, and the vector that the question got here, if it got one. */
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
    const withVectors = plan.dense !== undefined && needsVectors(plan.dense.similarity)
    const transport = withVectors && maxResponseBytes === undefined ? wide : narrow
    const [denseRows, sparseRows] = await send(new Index(transport(signal)), queries, segment)
    return { vector, denseRows, sparseRows }
  }

  async function search(request: RetrievalRequest): Promise<readonly Ranking[]> {
    const { tenant, collection, topK, filter, signal } = request
    const namespace = namespaceFor(tenant, collection)
    const segment = isGate ? checkedNamespace(namespace) : encodedNamespace(namespace)
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
      throw misconfigured(`its rows have no text where it was looked for (${placesOf(fields)}): set fields.text`)
    }
    if (filter === undefined && isNew(`looked ${namespace}`)) await warnIfEmpty(namespace, signal)
    return rankings
  }

  /** Nothing at all was found: whether there is anything. */
  async function warnIfEmpty(namespace: string, signal: AbortSignal): Promise<void> {
    // The search has its result already, even if this check fails.
    const info = await reader.info(signal).catch(() => undefined)
    if (info === undefined || (info.counts.get(namespace) ?? 0) > 0) return
    warnOnce(namespaceEmpty(namespace, info.counts), namespace)
  }

  /** `undefined` until a search has shown what the index is. */
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
    ...(embedder === undefined
      ? { embeddingNow: (signal: AbortSignal) => reader.embedding(signal) }
      : { embedding: { model: embedder.model, dimension: embedder.dimension } }),

    async retrieve(request: RetrievalRequest) {
      try {
        return await search(request)
      } catch (thrown) {
        // Another index may stand at this address by now.
        if (isRagGateError(thrown) && OF_ANOTHER_INDEX.includes(thrown.code)) reader.forget()
        throw thrown
      }
    },
  }
}

/** What a search ends in when the index is not what it was. */
const OF_ANOTHER_INDEX: readonly string[] = ['embedding_mismatch', 'retriever_misconfigured']

/** By BM25, or by the order of the rows alone, in reciprocal ranks; malformed scores stay malformed. */
function rankSparse(scores: 'bm25' | 'ranks', rows: readonly RetrievedRow[], topK: number): Ranking {
  if (scores === 'bm25') return rankRows('bm25', rows, topK)
  // Any finite number has its place.
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
