/** A search service over HTTP: one POST with JSON, rows with scores back. */
import { rankRows, readPassage, SCORE_KIND_NAMES, type ScoreKind } from 'hono-rag-gate/core/evidence'
import {
  callable,
  isRecord,
  memberAt,
  number,
  object,
  oneOf,
  required,
  requireOptions,
  string,
} from 'hono-rag-gate/core/lib'
import { httpUrl } from 'hono-rag-gate/http'
import type { Fetch } from './http/bounded-fetch.ts'
import { createJsonEndpoint } from './http/json-endpoint.ts'
import { type UpstreamOptions, upstreamOptions } from './http/upstream.ts'
import { badResponse, type UpstreamName } from './http/upstream-error.ts'
import type { RetrievalRequest, Retriever } from 'hono-rag-gate/ports'

/** What goes into the body. The signal stays here. */
export type SearchFacts = Omit<RetrievalRequest, 'signal'>

/** Where a row keeps its parts; a path with dots leads into objects. */
export interface RowPaths {
  /** @default 'id' */
  readonly id?: string
  /** @default 'text' */
  readonly text?: string
  /** @default 'score' */
  readonly score?: string
  /** @default 'documentId' */
  readonly documentId?: string
  /** @default 'title' */
  readonly title?: string
  /** @default 'section' */
  readonly section?: string
  /** @default 'source' */
  readonly source?: string
  /** @default 'version' */
  readonly version?: string
  /** @default 'metadata' */
  readonly metadata?: string
  /** Where it is said, another namespace than was asked for is a fault. @default 'namespace' */
  readonly namespace?: string
}

/** Settings of `createHttpRetriever`. */
export interface HttpRetrieverOptions {
  readonly url: string
  /** What the scores are. */
  readonly scoreKind: ScoreKind
  /**
   * Headers of every request, such as `authorization`.
   *
   * @default none but the content type
   */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The body, from what is searched for. The service must keep to the namespace and to the filter, where there is one:
   * the gate refuses an answer with other passages as a whole.
   *
   * @default `{ question, topK, namespace, filter }`
   */
  readonly body?: (facts: SearchFacts) => unknown
  /**
   * Path with dots to the list of rows in the response; empty when the response is the list.
   *
   * @default 'results'
   */
  readonly rows?: string
  readonly paths?: RowPaths
  /**
   * From the service's score to one of `scoreKind`, such as `(score) => 2 * score - 1` for a cosine scaled to 0..1.
   *
   * @default as it is
   */
  readonly scoreOf?: (score: number) => number
  /**
   * Milliseconds that a try may take, headers and body together; 1 and up.
   *
   * @default 1500
   */
  readonly timeoutMs?: number
  /**
   * Bytes of a response that are read at most; 1 and up.
   *
   * @default 1048576
   */
  readonly maxResponseBytes?: number
  /** @default the platform's `fetch` */
  readonly fetch?: Fetch
  /** Retry and circuit breaker. */
  readonly upstream?: UpstreamOptions
}

const SEARCH: UpstreamName = { role: 'retriever', what: 'The search service' }

/**
 * Makes a retriever of a search service. Its rows are validated, sorted, freed of duplicates and cut at `topK`.
 *
 * @throws `config_invalid` when URL or bounds make no sense
 */
export function createHttpRetriever(options: HttpRetrieverOptions): Retriever {
  requireOptions(options, {
    url: required(httpUrl),
    scoreKind: required(oneOf(...SCORE_KIND_NAMES)),
    headers: object,
    body: callable,
    rows: string,
    paths: object,
    scoreOf: callable,
    timeoutMs: number(1),
    maxResponseBytes: number(1),
    fetch: callable,
    upstream: upstreamOptions,
  })
  const { url, scoreKind, rows: rowsPath = 'results', paths = {}, scoreOf = (score) => score } = options
  const { timeoutMs = 1500, maxResponseBytes = 1024 * 1024 } = options
  const bodyOf = options.body ?? defaultBody
  const ask = createJsonEndpoint(SEARCH, {
    url,
    ...(options.headers === undefined ? {} : { headers: options.headers }),
    timeoutMs,
    maxResponseBytes,
    fetch: options.fetch,
    upstream: options.upstream,
  })
  return {
    async retrieve({ signal, ...facts }) {
      const found = at(await ask(bodyOf(facts), signal), rowsPath)
      if (!Array.isArray(found)) throw badResponse(SEARCH, 'no list of rows')
      const rows = found.map((row: unknown) => readRow(row, facts.namespace, paths, scoreOf))
      return [rankRows(scoreKind, rows, facts.topK)]
    },
  }
}

function defaultBody({ question, topK, namespace, filter }: SearchFacts): unknown {
  return { question, topK, namespace, filter }
}

const FIELDS = ['documentId', 'title', 'section', 'source', 'version', 'metadata'] as const

function readRow(row: unknown, namespace: string, paths: RowPaths, scoreOf: (score: number) => number) {
  if (!isRecord(row)) throw badResponse(SEARCH, 'not a row')
  const part = (name: keyof RowPaths): unknown => at(row, paths[name] ?? name)
  if ((part('namespace') ?? namespace) !== namespace) throw badResponse(SEARCH, 'a row of another namespace')
  // A service may well say `null` where it knows nothing.
  const fields = Object.fromEntries(FIELDS.map((name) => [name, part(name) ?? undefined]))
  const score = part('score')
  return {
    passage: readPassage(part('id'), part('text'), fields),
    score: typeof score === 'number' ? scoreOf(score) : score,
  }
}

/** What stands at a path with dots; `undefined` where it ends early. */
function at(value: unknown, path: string): unknown {
  return path === '' ? value : memberAt(value, ...path.split('.'))
}
