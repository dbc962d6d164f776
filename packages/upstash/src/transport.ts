/** The way to an index: the client's own transport hides status and headers, so it is given this one. */
import { EMBEDS_NOTHING, misconfigured } from './misconfigured.ts'
import type { Requester, UpstashRequest, UpstashResponse } from '@upstash/vector'
import { callable, isRecord, number, type OptionKinds, required, requireOptions, text } from 'hono-rag-gate/core/lib'
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

/** Where an index is and how long to wait for it. */
export interface UpstashOptions {
  /** REST URL of the index; with `fetch` given, any URL whose path is the index's prefix. */
  readonly url: string
  /** REST token; needed but for an index behind a `fetch` of its own, such as a binding's. */
  readonly token?: string
  /**
   * What sends the requests, such as the `fetch` of a Durable Object stub.
   *
   * @default the platform's `fetch`
   */
  readonly fetch?: Fetch
  /**
   * Milliseconds that a try may take, headers and body together; 1 and up.
   *
   * @default 1500 for a retriever, 10000 for a chunk index
   */
  readonly timeoutMs?: number
  /**
   * Bytes of a response that are read at most; 1 and up.
   *
   * @default 1048576 for a retriever, 8388608 where rows come with their vectors, and for a chunk index
   */
  readonly maxResponseBytes?: number
  /** Retry and circuit breaker. */
  readonly upstream?: UpstreamOptions
}

/** What each of them must be. A variable of the service's own console that is not set is `undefined`, in spite of its type. */
export const UPSTASH_OPTIONS: OptionKinds<UpstashOptions> = {
  url: required({
    words: `${rootUrl.words}: is UPSTASH_VECTOR_REST_URL set?`,
    holds: rootUrl.holds,
  }),
  token: { words: 'the token of the index: is UPSTASH_VECTOR_REST_TOKEN set?', holds: text.holds },
  fetch: callable,
  timeoutMs: number(1),
  maxResponseBytes: number(1),
  upstream: upstreamOptions,
}

/** For what may be large: `info` lists every namespace, and vectors are longer than texts. */
export const WIDE_BYTES = 8 * 1024 * 1024

/** Sends what the client asks for, and turns every failure into a `RagGateError`. */
export type UpstashTransport = (signal?: AbortSignal) => Requester

/** How the index is called in errors. */
export const INDEX: UpstreamName = { role: 'retriever', what: 'The index' }

type TransportOptions = UpstashOptions & Required<Pick<UpstashOptions, 'timeoutMs' | 'maxResponseBytes'>>

/**
 * A requester for `new Index(…)`.
 *
 * @returns a maker of requesters, one for each signal, over one upstream
 * @throws `config_invalid` when URL or bounds make no sense
 */
export function createUpstashTransport(options: TransportOptions): UpstashTransport {
  const bound = required(number(1))
  requireOptions<TransportOptions>(options, { ...UPSTASH_OPTIONS, timeoutMs: bound, maxResponseBytes: bound })
  return transportOver(options)
}

/** The same for options that are checked. */
export function transportOver(options: TransportOptions): UpstashTransport {
  const { timeoutMs, maxResponseBytes, token } = options
  if (options.fetch === undefined) requireOptions({ token }, { token: required(UPSTASH_OPTIONS.token) })
  const baseUrl = options.url.replace(/\/+$/, '')
  // `fetch` wants to be called as the global it is.
  const send: Fetch = options.fetch ?? ((url, init) => fetch(url, init))
  const upstream = createHttpUpstream({ fetch: send, timeoutMs, maxResponseBytes }, options.upstream)
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
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
    // The client names a type for each result and checks none: the adapter takes every result as unknown.
    return { request: request as Requester['request'] }
  }
}

function errorOf({ status, text }: BoundedResponse): RagGateError {
  const isAbout = (words: string): boolean => status === 422 && text.includes(words)
  if (isAbout('Invalid vector dimension')) {
    return new RagGateError('embedding_mismatch', 'The index has embeddings of another dimension')
  }
  if (isAbout('Embedding data for this index')) return misconfigured(EMBEDS_NOTHING)
  if (isAbout('This index requires')) return misconfigured('the index is of another kind than it was taken for')
  return errorOfStatus(INDEX, status)
}

function resultOf(text: string): unknown {
  const body = readJson(INDEX, text)
  if (!isRecord(body) || body['error'] !== undefined || body['result'] === undefined) {
    throw badResponse(INDEX, 'no result')
  }
  return body['result']
}
