/** An upstream that takes JSON by POST and answers with JSON. */
import { RagGateError } from '../errors.ts'
import type { Fetch } from './bounded-fetch.ts'
import { requireAtLeast } from './require-at-least.ts'
import { createHttpUpstream, type UpstreamOptions } from './upstream.ts'
import { errorOfFault, errorOfStatus, readJson, type UpstreamName } from './upstream-error.ts'

/** Where an endpoint is, and how long to wait for it. */
export interface JsonEndpointOptions {
  /** An http(s) URL, or the part of one that `path` completes. */
  readonly url: string
  /** What `url` is called among the options of whoever asks. */
  readonly urlParam: 'url' | 'baseUrl'
  /** @default '' */
  readonly path?: string
  /** Headers of every request, beside the content type. */
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds that a try may take, headers and body together; 1 and up. */
  readonly timeoutMs: number
  /** Bytes of a response that are read at most; 1 and up. */
  readonly maxResponseBytes: number
  /** @default the platform's `fetch` */
  readonly fetch?: Fetch | undefined
  /** Retry and circuit breaker. */
  readonly upstream?: UpstreamOptions | undefined
}

/**
 * Sends a body and gives the JSON of the answer.
 *
 * @throws errors that begin with the upstream's role: `…_timeout`, `…_unavailable`, `…_misconfigured`, `…_bad_response`
 */
export type JsonEndpoint = (body: unknown, signal?: AbortSignal) => Promise<unknown>

/**
 * Makes an endpoint.
 *
 * @throws `config_invalid` when the URL, the bounds or the headers make no sense
 */
export function createJsonEndpoint(name: UpstreamName, options: JsonEndpointOptions): JsonEndpoint {
  const { urlParam: param, path = '', timeoutMs, maxResponseBytes } = options
  if (!URL.canParse(options.url) || !/^https?:$/.test(new URL(options.url).protocol)) {
    throw new RagGateError('config_invalid', `${param} must be an http(s) URL`, { param })
  }
  requireAtLeast(1, 'timeoutMs', timeoutMs)
  requireAtLeast(1, 'maxResponseBytes', maxResponseBytes)
  const url = path === '' ? options.url : options.url.replace(/\/+$/, '') + path
  const headers = checkedHeaders({ ...options.headers, 'content-type': 'application/json' })
  // `fetch` wants to be called as the global it is.
  const send: Fetch = options.fetch ?? ((address, init) => fetch(address, init))
  const upstream = createHttpUpstream({ fetch: send, timeoutMs, maxResponseBytes }, options.upstream)
  return async function jsonEndpoint(body, signal) {
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await upstream(url, init, signal).catch((thrown: unknown) => {
      throw errorOfFault(name, thrown)
    })
    if (response.status !== 200) throw errorOfStatus(name, response)
    return readJson(name, response.text)
  }
}

/** A header that cannot be sent is a fault of the configuration; what the platform says of it quotes the key. */
function checkedHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const sendable = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    try {
      sendable.append(name, value)
    } catch {
      throw new RagGateError('config_invalid', 'A header or key has characters that cannot be sent', {
        param: name === 'authorization' ? 'apiKey' : 'headers',
      })
    }
  }
  return headers
}

/** The header of a bearer token. */
export function bearer(apiKey: string): { readonly authorization: string } {
  return { authorization: `Bearer ${apiKey}` }
}
