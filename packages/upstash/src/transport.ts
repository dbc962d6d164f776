/** The HTTP transport for the client, whose own hides status and headers. */
import { EMBEDS_NOTHING, misconfigured } from './misconfigured.ts'
import type { Requester, UpstashRequest, UpstashResponse } from '@upstash/vector'
import {
  callable,
  deadline,
  isRecord,
  number,
  type OptionKinds,
  required,
  requireOptions,
  text,
} from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import {
  badResponse,
  type BoundedResponse,
  createHttpUpstream,
  errorOfFault,
  errorOfStatus,
  type Fetch,
  readJson,
  rootUrl,
  type UpstreamName,
  type UpstreamOptions,
  upstreamOptions,
} from '@hono-rag-gate/upstream/http'

/** Address, token and limits of an index. */
export interface UpstashOptions {
  /** REST URL of the index; with a custom `fetch`, any URL whose path is the index's prefix. */
  readonly url: string
  /** REST token; required unless the index is behind a custom `fetch`, such as that of a binding. */
  readonly token?: string
  /**
   * Sends the requests; for example the `fetch` of a Durable Object stub.
   *
   * @default the platform's `fetch`
   */
  readonly fetch?: Fetch
  /**
   * Deadline of each attempt including the body, milliseconds; 1 to 2,000,000,000.
   *
   * @default 1500 for a retriever, 10000 for a chunk index
   */
  readonly timeoutMs?: number
  /**
   * Maximum size of a response, bytes; 1 and up.
   *
   * @default 1048576 for a retriever, 8388608 if rows come with their vectors, and for a chunk index
   */
  readonly maxResponseBytes?: number
  /** Retry and circuit breaker. */
  readonly upstream?: UpstreamOptions
}

/** Validation of the options. An unset environment variable is `undefined`, despite its type. */
export const UPSTASH_OPTIONS: OptionKinds<UpstashOptions> = {
  url: required({
    words: `${rootUrl.words}: is UPSTASH_VECTOR_REST_URL set?`,
    holds: rootUrl.holds,
  }),
  token: { words: 'a token: is UPSTASH_VECTOR_REST_TOKEN set?', holds: text.holds },
  fetch: callable,
  timeoutMs: deadline,
  maxResponseBytes: number(1),
  upstream: upstreamOptions,
}

/** Limit for large responses: `info` lists every namespace, and vectors are longer than texts. */
export const WIDE_BYTES = 8 * 1024 * 1024

/** Sends the client's requests, and converts every failure to a `RagGateError`. */
export type UpstashTransport = (signal?: AbortSignal) => Requester

/** Name of the index in errors. */
export const INDEX: UpstreamName = { role: 'retriever', what: 'The index' }

type TransportOptions = UpstashOptions & Required<Pick<UpstashOptions, 'timeoutMs' | 'maxResponseBytes'>>

/**
 * Makes a requester for `new Index(…)`.
 *
 * @returns a function that makes a requester for a signal; all share one upstream
 * @throws `config_invalid` if the URL or a limit is invalid
 */
export function createUpstashTransport(options: TransportOptions): UpstashTransport {
  const bound = required(number(1))
  requireOptions<TransportOptions>(options, { ...UPSTASH_OPTIONS, timeoutMs: bound, maxResponseBytes: bound })
  return transportOver(options)
}

/** The same, for options that were checked. */
export function transportOver(options: TransportOptions): UpstashTransport {
  const { timeoutMs, maxResponseBytes, token } = options
  if (!options.fetch) requireOptions({ token }, { token: required(UPSTASH_OPTIONS.token) })
  const baseUrl = options.url.replace(/\/+$/, '')
  // The global `fetch` must be called without a receiver.
  const send: Fetch = options.fetch ?? ((url, init) => fetch(url, init))
  const upstream = createHttpUpstream({ fetch: send, timeoutMs, maxResponseBytes }, options.upstream)
  const headers = {
    'content-type': 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
  }
  return function upstashTransport(signal) {
    async function request({ path = [], body }: UpstashRequest): Promise<UpstashResponse<unknown>> {
      const url = [baseUrl, ...path].join('/')
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const response = await upstream(url, init, signal).catch((thrown: unknown) => {
        throw errorOfFault(INDEX, thrown)
      })
      if (response.status !== 200) throw errorOf(response)
      return { result: resultOf(response.text) }
    }
    // The client declares result types but does not check them; the adapter treats every result as unknown.
    return { request: request as Requester['request'] }
  }
}

function errorOf({ status, text }: BoundedResponse): RagGateError {
  const isAbout = (words: string): boolean => status === 422 && text.includes(words)
  if (isAbout('Invalid vector dimension')) {
    return new RagGateError('embedding_mismatch', 'The index has embeddings of another dimension')
  }
  if (isAbout('Embedding data for this index')) return misconfigured(EMBEDS_NOTHING)
  if (isAbout('This index requires')) return misconfigured('it is of another kind')
  return errorOfStatus(INDEX, status)
}

function resultOf(text: string): unknown {
  const body = readJson(INDEX, text)
  if (!isRecord(body) || body['error'] !== undefined || body['result'] === undefined) {
    throw badResponse(INDEX, 'no result')
  }
  return body['result']
}
