import { callable, type OptionKinds, required, text } from 'hono-rag-gate/core/lib'
import { type Fetch, rootUrl, type UpstreamOptions, upstreamOptions } from '@hono-rag-gate/upstream/http'

/** An OpenAI-compatible endpoint and its model. */
export interface OpenAiEndpointOptions {
  /** Base URL of the endpoint, with its version: `https://host/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly model: string
  /** @default the platform's `fetch` */
  readonly fetch?: Fetch
  /** Retry (off by default, except for embedders) and circuit breaker. */
  readonly upstream?: UpstreamOptions
}

/** Validation of the options. */
export const OPENAI_ENDPOINT: OptionKinds<OpenAiEndpointOptions> = {
  baseUrl: required(rootUrl),
  apiKey: required(text),
  model: required(text),
  fetch: callable,
  upstream: upstreamOptions,
}
