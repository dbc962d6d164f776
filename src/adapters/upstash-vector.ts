/**
 * Upstash Vector, and every index that speaks its protocol, through the unmodified `@upstash/vector` client. The index
 * must be a hybrid one with hosted embeddings. The client's own transport hides status and headers, so it is given ours.
 *
 * @see https://upstash.com/docs/vector
 */
import { Index, QueryMode, WeightingStrategy } from '@upstash/vector'
import type { Requester, UpstashRequest, UpstashResponse } from '@upstash/vector'
import type { Json, Passage, Ranking, ScoreKind } from '../core/chunk.ts'
import { checkPassageFilter, type PassageFilter, valuesOf } from '../core/passage-filter.ts'
import { RagGateError } from '../errors.ts'
import { boundedFetch, FetchFault, retryAfterSeconds, type BoundedResponse, type Fetch } from '../http/bounded-fetch.ts'
import type { ChunkIndex } from '../ports/chunk-index.ts'
import type { RetrievalRequest, Retriever } from '../ports/retriever.ts'

/** Where an index is and how long to wait for it. */
export interface UpstashOptions {
  /** REST URL of the index; with `fetch` given, any URL whose path is the index's prefix. */
  readonly url: string
  /** REST token; none for an index behind a binding. */
  readonly token?: string
  /**
   * What sends the requests, such as the `fetch` of a Durable Object stub.
   *
   * @default the platform's `fetch`
   */
  readonly fetch?: Fetch
  /**
   * Milliseconds that a call may take, headers and body together; 1 and up.
   *
   * @default 1500 for a retriever, 10000 for a chunk index
   */
  readonly timeoutMs?: number
  /**
   * Bytes of a response that are read at most; 1 and up.
   *
   * @default 1048576 for a retriever, 8388608 for a chunk index
   */
  readonly maxResponseBytes?: number
}

/** Options of a chunk index. */
export interface UpstashChunkIndexOptions extends UpstashOptions {
  /**
   * Milliseconds that `settle` waits at most; 0 asks once.
   *
   * @default 10000
   */
  readonly settleTimeoutMs?: number
  /**
   * Milliseconds between two questions whether writes are visible; 1 and up.
   *
   * @default 250
   */
  readonly settlePollMs?: number
}

/** Sends what the client asks for, and makes a `RagGateError` of whatever goes wrong. */
export type UpstashTransport = (signal?: AbortSignal) => Requester

/** Passages or ids in one request: below the service's 1,000, and few enough requests for one Worker invocation. */
const BATCH = 500

/** How far float32 may take a score beyond its range. */
const SCORE_TOLERANCE = 1e-6

/**
 * A requester for `new Index(…)`: one request a call, no retries.
 *
 * @returns a maker of requesters, one for each signal
 * @throws `config_invalid` when URL or bounds make no sense
 */
export function createUpstashTransport(
  options: UpstashOptions & Required<Pick<UpstashOptions, 'timeoutMs' | 'maxResponseBytes'>>,
): UpstashTransport {
  const { token, timeoutMs, maxResponseBytes } = options
  const baseUrl = checkedUrl(options.url)
  checkPositive('timeoutMs', timeoutMs)
  checkPositive('maxResponseBytes', maxResponseBytes)
  // `fetch` wants to be called as the global it is.
  const send: Fetch = options.fetch ?? ((url, init) => fetch(url, init))
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  return function upstashTransport(signal) {
    async function request({ path = [], body }: UpstashRequest): Promise<UpstashResponse<unknown>> {
      const url = [baseUrl, ...path].join('/')
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const bounds = { fetch: send, timeoutMs, maxResponseBytes, signal }
      const response = await boundedFetch(url, init, bounds).catch((thrown: unknown) => {
        throw errorOfFault(thrown)
      })
      if (response.status !== 200) throw errorOfStatus(response)
      return { result: resultOf(response.text) }
    }
    // The client names a type for each result and checks none: the adapters below take every result as unknown.
    return { request: request as Requester['request'] }
  }
}

/**
 * Retrieves with a dense and a sparse query in one round trip.
 *
 * A score that is not a finite number within its range is handed on as NaN, to be dropped and counted; an entry without
 * id or text is a fault of the whole response.
 *
 * @throws `config_invalid` when the options make no sense
 */
export function createUpstashRetriever(options: UpstashOptions): Retriever {
  const transport = createUpstashTransport({ timeoutMs: 1500, maxResponseBytes: 1024 * 1024, ...options })
  return {
    async retrieve({ namespace, question, topK, filter, signal }: RetrievalRequest): Promise<readonly Ranking[]> {
      const index = new Index(transport(signal))
      const found = { includeData: true, includeMetadata: true, ...(filter && { filter: filterText(filter) }) }
      const query = { data: question, topK, ...found }
      const results: unknown = await index.queryMany(
        [
          { ...query, queryMode: QueryMode.DENSE },
          { ...query, queryMode: QueryMode.SPARSE, weightingStrategy: WeightingStrategy.IDF },
        ],
        { namespace: checkedNamespace(namespace) },
      )
      if (!Array.isArray(results) || results.length !== 2) throw badResponse('not one list for each query')
      return [
        ranking('cosine', results[0], topK, rawCosine),
        ranking('bm25', results[1], topK, (score) => (score >= 0 && score < Infinity ? score : Number.NaN)),
      ]
    },
  }
}

/**
 * Writes passages as texts for the index to embed; everything but the text goes into metadata.
 *
 * @throws `config_invalid` when the options make no sense
 */
export function createUpstashChunkIndex(options: UpstashChunkIndexOptions): ChunkIndex {
  const { settleTimeoutMs = 10_000, settlePollMs = 250, ...rest } = options
  const transport = createUpstashTransport({ timeoutMs: 10_000, maxResponseBytes: 8 * 1024 * 1024, ...rest })
  checkPositive('settlePollMs', settlePollMs)
  const index = new Index(transport())
  return {
    async describe() {
      const { dense, sparse } = readInfo(await index.info())
      if (!isRecord(dense) || !isRecord(sparse)) {
        throw new RagGateError('retriever_misconfigured', 'The index must be a hybrid one')
      }
      const { embeddingModel, dimension } = dense
      if (typeof embeddingModel !== 'string' || typeof dimension !== 'number') throw badResponse('no embedding model')
      return { embeddingModel, dimension }
    },

    async upsert(namespace, passages) {
      for (const batch of batches(passages)) {
        const result: unknown = await index.upsert(batch.map(itemOf), { namespace: checkedNamespace(namespace) })
        if (result !== 'Success') throw badResponse('no success')
      }
    },

    async fetch(namespace, ids) {
      const passages: (Passage | null)[] = []
      for (const batch of batches(ids)) {
        const include = { includeData: true, includeMetadata: true, namespace: checkedNamespace(namespace) }
        const rows: unknown = await index.fetch([...batch], include)
        if (!Array.isArray(rows) || rows.length !== batch.length) throw badResponse('not one row for each id')
        const found = rows.map((row: unknown) => (row === null ? null : passageOf(row)))
        if (found.some((passage, at) => passage !== null && passage.id !== batch[at])) throw badResponse('another id')
        passages.push(...found)
      }
      return passages
    },

    async delete(namespace, ids) {
      for (const batch of batches(ids)) {
        const result: unknown = await index.delete({ ids: [...batch] }, { namespace: checkedNamespace(namespace) })
        if (!isRecord(result) || typeof result['deleted'] !== 'number') throw badResponse('no count of the deleted')
      }
    },

    async settle(namespace) {
      const polls = Math.ceil(settleTimeoutMs / settlePollMs)
      for (let poll = 0; readInfo(await index.info()).pendingOf(namespace) > 0; poll++) {
        if (poll >= polls) throw new RagGateError('index_not_settled', 'The index did not show its last writes in time')
        await new Promise((resolve) => setTimeout(resolve, settlePollMs))
      }
    },
  }
}

/** A filter in the service's language. It has no escapes, so values that would need one are refused. */
function filterText(filter: PassageFilter): string {
  const terms = Object.entries(checkPassageFilter(filter)).map(([field, allowed]) => {
    const values = valuesOf(allowed).map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
    return values.length === 1 ? `${field} = ${values[0]}` : `${field} IN (${values.join(', ')})`
  })
  return terms.join(' AND ')
}

function checkedUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || parsed.search !== '' || parsed.hash !== '') {
    throw new RagGateError('config_invalid', 'The URL of the index must be an http(s) URL without a query', {
      param: 'url',
    })
  }
  return url.replace(/\/+$/, '')
}

function checkPositive(param: string, value: number): void {
  if (!(value >= 1) || value === Infinity) {
    throw new RagGateError('config_invalid', `${param} must be a number of 1 and up`, { param })
  }
}

/** The client puts namespaces into the path as they are: any other character could name another tenant's. */
function checkedNamespace(namespace: string): string {
  if (/^[\w-]{1,64}$/.test(namespace)) return namespace
  throw new RagGateError('retriever_misconfigured', 'An index namespace must be 1 to 64 of A-Z a-z 0-9 _ -')
}

function errorOfFault(thrown: unknown): unknown {
  if (!(thrown instanceof FetchFault)) return thrown
  const { kind } = thrown
  if (kind === 'timeout' || kind === 'aborted') {
    return new RagGateError('retriever_timeout', 'The index did not answer in time', { cause: thrown })
  }
  if (kind === 'network') {
    return new RagGateError('retriever_unavailable', 'The index cannot be reached', { cause: thrown })
  }
  return badResponse(kind, thrown)
}

function errorOfStatus({ status, headers, text }: BoundedResponse): RagGateError {
  if (status === 429 || status >= 500) {
    const seconds = retryAfterSeconds(headers, Date.now())
    return new RagGateError(
      'retriever_unavailable',
      'The index cannot answer now',
      seconds === undefined ? {} : { retryAfterSeconds: seconds },
    )
  }
  if (status === 401 || status === 403) {
    return new RagGateError('retriever_misconfigured', 'The index does not accept the token')
  }
  if (status === 404 || status === 405) {
    return new RagGateError('retriever_misconfigured', 'The URL does not lead to an index')
  }
  if (status === 422 && text.includes('Invalid vector dimension')) {
    return new RagGateError('embedding_mismatch', 'The index has embeddings of another dimension')
  }
  if (status === 422 && /Embedding data for this index|This index requires/.test(text)) {
    return new RagGateError('retriever_misconfigured', 'The index must be a hybrid one with hosted embeddings')
  }
  return badResponse(`status ${status}`)
}

/** @param detail ours, for the log; never what the upstream said */
function badResponse(detail: string, cause?: unknown): RagGateError {
  return new RagGateError('retriever_bad_response', `The index answered what it should not: ${detail}`, { cause })
}

function resultOf(text: string): unknown {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (thrown) {
    throw badResponse('not JSON', thrown)
  }
  if (!isRecord(body) || body['error'] !== undefined || body['result'] === undefined) throw badResponse('no result')
  return body['result']
}

/** The cosine behind a score of (1 + cosine) / 2. */
function rawCosine(score: number): number {
  if (!(score >= -SCORE_TOLERANCE && score <= 1 + SCORE_TOLERANCE)) return Number.NaN
  return Math.min(1, Math.max(-1, 2 * score - 1))
}

/** One ranking of a response: best first, malformed scores last; of equal ids the best counts. */
function ranking(kind: ScoreKind, rows: unknown, topK: number, scoreOf: (score: number) => number): Ranking {
  if (!Array.isArray(rows)) throw badResponse('not a list')
  const entries = rows.map((row: unknown) => {
    const passage = passageOf(row)
    const score = isRecord(row) ? row['score'] : undefined
    return { passage, score: typeof score === 'number' ? scoreOf(score) : Number.NaN }
  })
  const known = new Set<string>()
  const distinct = entries
    .sort((a, b) => orderOf(b.score) - orderOf(a.score))
    .filter(({ passage: { id } }) => !known.has(id) && known.add(id))
  return { kind, entries: distinct.slice(0, topK) }
}

function orderOf(score: number): number {
  return Number.isNaN(score) ? -Number.MAX_VALUE : score
}

function itemOf({ id, text, ...metadata }: Passage): { id: string; data: string; metadata: Record<string, unknown> } {
  return { id, data: text, metadata }
}

/** A passage as `itemOf` wrote it. In an index that others filled, a passage without a document is one of its own. */
function passageOf(row: unknown): Passage {
  if (!isRecord(row)) throw badResponse('not a row')
  const { id, data, metadata = {} } = row
  if (typeof id !== 'string' || id === '') throw badResponse('a row without id')
  if (typeof data !== 'string' || data === '') throw badResponse('a row without text')
  if (!isRecord(metadata)) throw badResponse('metadata that is not an object')
  const optional = Object.fromEntries(
    (['title', 'section', 'source', 'version'] as const).flatMap((name) => {
      const value = textMember(metadata, name)
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
  const more = metadata['metadata']
  if (more !== undefined && !isRecord(more)) throw badResponse('metadata that is not an object')
  return {
    id,
    documentId: textMember(metadata, 'documentId') ?? id,
    text: data,
    ...optional,
    // It came out of a JSON parser, so every member is JSON.
    ...(more !== undefined && { metadata: more as Readonly<Record<string, Json>> }),
  }
}

function textMember(metadata: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = metadata[name]
  if (value !== undefined && typeof value !== 'string') throw badResponse(`metadata whose ${name} is not a text`)
  return value
}

/** The parts of `info` that are used here. */
function readInfo(info: unknown): { dense: unknown; sparse: unknown; pendingOf(namespace: string): number } {
  if (!isRecord(info) || !isRecord(info['namespaces'])) throw badResponse('info without namespaces')
  const { namespaces, denseIndex: dense, sparseIndex: sparse, pendingVectorCount: pending } = info
  return {
    dense,
    sparse,
    pendingOf(namespace) {
      const own = isRecord(namespaces) && Object.hasOwn(namespaces, namespace) ? namespaces[namespace] : undefined
      // A namespace that is not listed yet may be among what is pending in the whole index.
      const count = isRecord(own) ? own['pendingVectorCount'] : pending
      if (typeof count !== 'number' || !Number.isFinite(count)) throw badResponse('info without counts')
      return count
    },
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH)
}
