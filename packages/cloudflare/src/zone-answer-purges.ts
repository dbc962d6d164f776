/**
 * Purges by tag in a Cloudflare zone's cache.
 *
 * @see https://developers.cloudflare.com/cache/how-to/purge-cache/purge-by-tags/
 */
import { callable, deadline, memberAt, methods, object, required, requireOptions } from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import {
  type Fetch,
  bearer,
  createHttpUpstream,
  rootUrl,
  type UpstreamOptions,
  upstreamOptions,
  UpstreamFault,
} from '@hono-rag-gate/upstream/http'
import type { AnswerPurges } from 'hono-rag-gate/ports'
import { answerTags } from './cache-api-answer-cache.ts'

export interface ZoneAnswerPurgesOptions {
  /** Records purges first, such as `createD1AnswerPurges({ db })`: answers from the cache are checked against it. */
  readonly purges: AnswerPurges
  /** Id of the zone of the cache's `host`: 32 hexadecimal characters. */
  readonly zoneId: string
  /** API token with the permission Cache Purge for that zone only. */
  readonly apiToken: string
  /** The `hmacKey` of the cache. */
  readonly hmacKey: Uint8Array
  /** @default 'https://api.cloudflare.com/client/v4' */
  readonly baseUrl?: string
  /**
   * Deadline of an API call, milliseconds; 1 to 2,000,000,000.
   *
   * @default 5000
   */
  readonly timeoutMs?: number
  /** @default the platform's `fetch` */
  readonly fetch?: Fetch
  /** Retry and circuit breaker. */
  readonly upstream?: UpstreamOptions
}

const API = 'https://api.cloudflare.com/client/v4'
const DEFAULT_TIMEOUT_MS = 5000
/** Maximum size of an API response, bytes; it only has an id. */
const MAX_RESPONSE_BYTES = 65_536
/** Tags per call. @see https://developers.cloudflare.com/cache/how-to/purge-cache/#availability-and-limits */
const TAGS_A_CALL = 100

/**
 * Records purges, and purges the zone's cache in every data centre. The record comes first: from then on no purged
 * answer is sent, even if the API call fails.
 *
 * @returns purges whose `purge` rejects with `store_unavailable` if the zone's cache was not purged; the purge is
 *   recorded then
 * @throws `config_invalid` if the zone id, the token, the URL or the deadline is invalid; `secret_too_short` if
 *   `hmacKey` is
 */
export function createZoneAnswerPurges(options: ZoneAnswerPurgesOptions): AnswerPurges {
  requireOptions(options, {
    purges: required(methods('known', 'purge')),
    zoneId: required({ words: '32 hexadecimal characters', holds: matches(/^[0-9a-f]{32}$/) }),
    apiToken: required({ words: 'the token of the API', holds: matches(/^[\x21-\x7e]+$/) }),
    hmacKey: required(object),
    baseUrl: rootUrl,
    timeoutMs: deadline,
    fetch: callable,
    upstream: upstreamOptions,
  })
  const { purges, zoneId, apiToken, hmacKey, baseUrl = API, timeoutMs = DEFAULT_TIMEOUT_MS } = options
  const tagsOf = answerTags(hmacKey)
  // The global `fetch` must be called without a receiver.
  const send: Fetch = options.fetch ?? ((address, init) => fetch(address, init))
  const call = createHttpUpstream({ fetch: send, timeoutMs, maxResponseBytes: MAX_RESPONSE_BYTES }, options.upstream)
  const url = `${baseUrl.replace(/\/+$/, '')}/zones/${zoneId}/purge_cache`
  const headers = { ...bearer(apiToken), 'content-type': 'application/json' }

  async function purgeTags(tags: readonly string[]): Promise<void> {
    const { status, text } = await call(url, { method: 'POST', headers, body: JSON.stringify({ tags }) }).catch(
      (thrown: unknown) => {
        throw notPurged(thrown instanceof UpstreamFault ? thrown.status : undefined, thrown)
      },
    )
    if (status !== 200 || !saysSuccess(text)) throw notPurged(status)
  }

  return {
    maxAgeSeconds: purges.maxAgeSeconds,
    known: (tenant) => purges.known(tenant),
    async purge(scopes) {
      const epoch = await purges.purge(scopes)
      const tags = await tagsOf(scopes)
      for (let at = 0; at < tags.length; at += TAGS_A_CALL) await purgeTags(tags.slice(at, at + TAGS_A_CALL))
      return epoch
    },
  }
}

function matches(pattern: RegExp): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && pattern.test(value)
}

function saysSuccess(text: string): boolean {
  try {
    return memberAt(JSON.parse(text), 'success') === true
  } catch {
    return false
  }
}

function notPurged(upstreamStatus: number | undefined, cause?: unknown): RagGateError {
  const message = "The purge is stored, but the zone's cache was not purged"
  return new RagGateError('store_unavailable', message, { cause, upstreamStatus })
}
