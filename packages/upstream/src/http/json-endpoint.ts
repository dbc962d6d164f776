/** An upstream that takes JSON by POST and answers with JSON. */
import type { OptionKind } from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import { boundedFetch, type BoundedFetchOptions, type BoundedRequest, type Fetch } from './bounded-fetch.ts'
import { createHttpExchange, type HttpExchange, type UpstreamOptions } from './upstream.ts'
import { errorOfFault, errorOfStatus, readJson, type UpstreamName } from './upstream-error.ts'

/** Address and limits of an endpoint. */
export interface JsonEndpointOptions {
  /** An http(s) URL; `path` is appended. */
  readonly url: string
  /** @default '' */
  readonly path?: string
  /** Headers of every request. @default the content type `application/json` */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Deadline of each attempt including the body, milliseconds; 1 and up. */
  readonly timeoutMs: number
  /** Maximum size of a response, bytes; 1 and up. */
  readonly maxResponseBytes: number
  /** @default the platform's `fetch` */
  readonly fetch?: Fetch | undefined
  /** Retry and circuit breaker. */
  readonly upstream?: UpstreamOptions | undefined
}

/**
 * Sends a body and returns the parsed JSON response.
 *
 * @throws errors that begin with the upstream's role: `…_timeout`, `…_unavailable`, `…_misconfigured`, `…_bad_request`,
 *   `…_bad_response`
 */
export type JsonEndpoint = (body: unknown, signal?: AbortSignal) => Promise<unknown>

/**
 * Makes an endpoint.
 *
 * @throws `config_invalid` for an invalid header or key, or a URL with a password
 */
export function createJsonEndpoint(name: UpstreamName, options: JsonEndpointOptions): JsonEndpoint {
  return jsonEndpoint(name, prepareEndpoint(options))
}

/** An endpoint with its limits, retries and circuit breaker, for readers of whole and of streamed responses. */
export interface PreparedEndpoint {
  readonly url: string
  /** The POST request for a body. */
  readonly post: (body: unknown) => BoundedRequest
  readonly bounds: Omit<BoundedFetchOptions, 'signal'>
  readonly exchange: HttpExchange
}

/** @throws `config_invalid` for an invalid header or key, or a URL with a password */
export function prepareEndpoint(options: JsonEndpointOptions): PreparedEndpoint {
  const { path = '', timeoutMs, maxResponseBytes } = options
  // With a path, the URL is the root of an API that takes a key.
  const [urlParam, keyParam] = path === '' ? ['url', 'headers'] : ['baseUrl', 'apiKey']
  const headers = checkedHeaders(options.headers, keyParam)
  if (/^\w+:\/*[^/?#]*@/.test(options.url)) {
    throw new RagGateError('config_invalid', 'A URL with a user or password cannot be called: set a header', {
      param: urlParam,
    })
  }
  // The global `fetch` must be called without a receiver.
  const send: Fetch = options.fetch ?? ((address, init) => fetch(address, init))
  return {
    url: path === '' ? options.url : options.url.replace(/\/+$/, '') + path,
    post: (body) => ({ method: 'POST', headers, body: JSON.stringify(body) }),
    bounds: { fetch: send, timeoutMs, maxResponseBytes },
    exchange: createHttpExchange(options.upstream),
  }
}

/** Makes a client that reads whole responses. */
export function jsonEndpoint(name: UpstreamName, { url, post, bounds, exchange }: PreparedEndpoint): JsonEndpoint {
  return async function jsonEndpoint(body, signal) {
    const init = post(body)
    const response = await exchange(() => boundedFetch(url, init, { ...bounds, signal }), signal).catch(
      (thrown: unknown) => {
        throw errorOfFault(name, thrown)
      },
    )
    if (response.status !== 200) throw errorOfStatus(name, response.status)
    return readJson(name, response.text)
  }
}

/** Validation of a URL that paths are appended to. */
export const rootUrl: OptionKind = {
  words: 'a URL that begins with https:// or http:// and has no query',
  holds: (url) => typeof url === 'string' && /^https?:[^?#]+$/i.test(url) && URL.canParse(url),
}

/** Rejects invalid headers as a configuration error; the platform's message quotes the key, so it is dropped. */
function checkedHeaders(
  given: Readonly<Record<string, string>> = {},
  keyParam: string,
): Readonly<Record<string, string>> {
  const sendable = new Headers({ 'content-type': 'application/json' })
  for (const [name, value] of Object.entries(given)) {
    try {
      // An unset environment variable is `undefined`, despite its type, and would be sent as that word.
      if (typeof value === 'string') sendable.set(name, value)
      else throw new TypeError()
    } catch {
      throw new RagGateError('config_invalid', 'A header or key is unset, or has characters that cannot be sent', {
        param: name === 'authorization' ? keyParam : 'headers',
      })
    }
  }
  return Object.fromEntries(sendable)
}

/** The header for a bearer token. */
export function bearer(apiKey: string): { readonly authorization: string } {
  return { authorization: `Bearer ${apiKey}` }
}
