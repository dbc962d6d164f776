/** A retriever over an HTTP search service: one JSON POST that returns rows with scores. */
import { rankRows, readPassage, SCORE_KIND_NAMES, type ScoreKind } from 'hono-rag-gate/core/evidence'
import {
  callable,
  deadline,
  isRecord,
  memberAt,
  number,
  object,
  oneOf,
  type OptionKind,
  required,
  requireOptions,
  string,
} from 'hono-rag-gate/core/lib'
import { asRagGateError } from 'hono-rag-gate/errors'
import { httpUrl } from 'hono-rag-gate/http'
import type { Fetch } from './http/bounded-fetch.ts'
import { createJsonEndpoint } from './http/json-endpoint.ts'
import { type UpstreamOptions, upstreamOptions } from './http/upstream.ts'
import { badResponse, type UpstreamName } from './http/upstream-error.ts'
import { numbered } from './numbered.ts'
import type { RetrievalRequest, Retriever } from 'hono-rag-gate/ports'

/** Input for the body of a request. */
export type SearchFacts = Omit<RetrievalRequest, 'signal'>

/** Where a row stores its fields; a dotted path leads into nested objects. */
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
  /** If present in a row, it must be the requested namespace. @default 'namespace' */
  readonly namespace?: string
}

/** Settings of `createHttpRetriever`. */
export interface HttpRetrieverOptions {
  readonly url: string
  /** Kind of the scores. */
  readonly scoreKind: ScoreKind
  /**
   * Headers of every request, such as `authorization`.
   *
   * @default the content type `application/json`
   */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Makes the request body, perhaps asynchronously. The service must apply the namespace and the filter, if there is
   * one: the gate rejects a response with other passages as a whole.
   *
   * @default `{ question, topK, namespace, filter }`
   */
  readonly body?: (facts: SearchFacts) => unknown
  /**
   * Dotted path to the list of rows in the response; empty if the response is the list.
   *
   * @default 'results'
   */
  readonly rows?: string
  readonly paths?: RowPaths
  /**
   * Converts the service's score to `scoreKind`, such as `(score) => 2 * score - 1` for a cosine scaled to 0..1.
   *
   * @default unchanged
   */
  readonly scoreOf?: (score: number) => number
  /**
   * Deadline of each attempt including the body, milliseconds; 1 to 2,000,000,000.
   *
   * @default 1500
   */
  readonly timeoutMs?: number
  /**
   * Maximum size of a response, bytes; 1 and up.
   *
   * @default 1048576
   */
  readonly maxResponseBytes?: number
  /** @default the platform's `fetch` */
  readonly fetch?: Fetch
  /** Retry and circuit breaker. */
  readonly upstream?: UpstreamOptions
}

const FIELDS = ['documentId', 'title', 'section', 'source', 'version', 'metadata'] as const

const PATHS: OptionKind = {
  ...object,
  options: Object.fromEntries(['id', 'text', 'score', 'namespace', ...FIELDS].map((name) => [name, string])),
}

const SEARCH: UpstreamName = { role: 'retriever', what: 'The search service' }

/**
 * Makes a retriever over a search service. Its rows are validated, sorted, deduplicated and truncated to `topK`.
 *
 * @throws `config_invalid` if the URL or a limit is invalid
 */
export function createHttpRetriever(options: HttpRetrieverOptions): Retriever {
  requireOptions(options, {
    url: required(httpUrl),
    scoreKind: required(oneOf(...SCORE_KIND_NAMES)),
    headers: object,
    body: callable,
    rows: string,
    paths: PATHS,
    scoreOf: callable,
    timeoutMs: deadline,
    maxResponseBytes: number(1),
    fetch: callable,
    upstream: upstreamOptions,
  })
  const { url, scoreKind, rows: rowsPath = 'results', paths = {}, scoreOf = (score) => score } = options
  const { timeoutMs = 1500, maxResponseBytes = 1024 * 1024 } = options
  const bodyOf = options.body ?? defaultBody
  const ask = createJsonEndpoint(SEARCH, {
    url,
    headers: options.headers,
    timeoutMs,
    maxResponseBytes,
    fetch: options.fetch,
    upstream: options.upstream,
  })
  return {
    async retrieve({ signal, ...facts }) {
      const found = at(await ask(await bodyOf(facts), signal), rowsPath)
      if (!Array.isArray(found)) throw badResponse(SEARCH, 'no list of rows')
      try {
        const rows = found.map((row: unknown) => readRow(row, facts.namespace, paths, scoreOf))
        return [rankRows(scoreKind, rows, facts.topK)]
      } catch (thrown) {
        throw asRagGateError(thrown, 'retriever_bad_response', 'The rows cannot be read')
      }
    },
  }
}

function defaultBody({ question, topK, namespace, filter }: SearchFacts): unknown {
  return { question, topK, namespace, filter }
}

function readRow(row: unknown, namespace: string, paths: RowPaths, scoreOf: (score: number) => number) {
  if (!isRecord(row)) throw badResponse(SEARCH, 'not a row')
  const part = (name: keyof RowPaths): unknown => at(row, paths[name] ?? name)
  if ((part('namespace') ?? namespace) !== namespace) throw badResponse(SEARCH, 'a row of another namespace')
  const fields = Object.fromEntries(FIELDS.map((name) => [name, numbered(part(name))]))
  const score = part('score')
  return {
    passage: readPassage(numbered(part('id')), part('text'), fields),
    score: typeof score === 'number' ? scoreOf(score) : score,
  }
}

/** The value at a dotted path; `undefined` if it does not exist. */
function at(value: unknown, path: string): unknown {
  return path === '' ? value : memberAt(value, ...path.split('.'))
}
