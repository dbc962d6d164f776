/**
 * Purges of a Cloudflare zone's cache by tag.
 *
 * @see https://developers.cloudflare.com/cache/how-to/purge-cache/purge-by-tags/
 */
import { above, callable, memberAt, methods, object, required, requireOptions } from 'hono-rag-gate/core/lib'
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
  /** The list that a purge is written to first, such as `createD1AnswerPurges({ db })`: answers that are read are held against it. */
  readonly purges: AnswerPurges
  /** Id of the zone under whose host name the answers stand: 32 hexadecimal characters. */
  readonly zoneId: string
  /** Token of the API with the permission Cache Purge for that zone, and no other. */
  readonly apiToken: string
  /** The secret of the cache's own `hmacKey`. */
  readonly hmacKey: Uint8Array
  /** @default 'https://api.cloudflare.com/client/v4' */
  readonly baseUrl?: string
  /**
   * Milliseconds that a call may take; above 0.
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
/** What an answer of the API may be long: it names an id. */
const MAX_RESPONSE_BYTES = 65_536
/** Most tags in one call. @see https://developers.cloudflare.com/cache/how-to/purge-cache/#availability-and-limits */
const TAGS_A_CALL = 100

/**
 * Has the zone's cache forget what is purged, in every data centre, beside writing it down. The list comes first: once it
 * is written no purged answer is sent, even if the call fails.
 *
 * @returns purges whose `purge` rejects with `store_unavailable` when the zone's cache was not purged; the list is written then
 * @throws `config_invalid` when the zone's id, the token, the URL or the deadline cannot be right; `secret_too_short` when `hmacKey` is
 */
export function createZoneAnswerPurges(options: ZoneAnswerPurgesOptions): AnswerPurges {
  requireOptions(options, {
    purges: required(methods('known', 'purge')),
    zoneId: required({ words: '32 hexadecimal characters', holds: matches(/^[0-9a-f]{32}$/) }),
    apiToken: required({ words: 'the token of the API', holds: matches(/^[\x21-\x7e]+$/) }),
    hmacKey: required(object),
    baseUrl: rootUrl,
    timeoutMs: above(0),
    fetch: callable,
    upstream: upstreamOptions,
  })
  const { purges, zoneId, apiToken, hmacKey, baseUrl = API, timeoutMs = DEFAULT_TIMEOUT_MS } = options
  const tagsOf = answerTags(hmacKey)
  // `fetch` wants to be called as the global it is.
  const send: Fetch = options.fetch ?? ((address, init) => fetch(address, init))
  const call = createHttpUpstream({ fetch: send, timeoutMs, maxResponseBytes: MAX_RESPONSE_BYTES }, options.upstream)
  const url = `${baseUrl.replace(/\/+$/, '')}/zones/${zoneId}/purge_cache`
  const headers = { ...bearer(apiToken), 'content-type': 'application/json' }

  async function purgeTags(tags: readonly string[]): Promise<void> {
    const { status, text } = await call(url, { method: 'POST', headers, body: JSON.stringify({ tags }) }).catch(
      (thrown: unknown) => {
        if (!(thrown instanceof UpstreamFault)) throw thrown
        throw notPurged(thrown.status, thrown)
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
  return new RagGateError('store_unavailable', "The purge is written down, but the zone's cache was not purged", {
    ...(cause === undefined ? {} : { cause }),
    ...(upstreamStatus === undefined ? {} : { upstreamStatus }),
  })
}
