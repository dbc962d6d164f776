import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCacheApiAnswerCache } from '../../packages/cloudflare/src/cache-api-answer-cache.ts'
import { createMemoryAnswerPurges } from '../../src/adapters/memory-answer-purges.ts'
import {
  createZoneAnswerPurges,
  type ZoneAnswerPurgesOptions,
} from '../../packages/cloudflare/src/zone-answer-purges.ts'
import type { PurgeScope } from '../../src/core/policy/purge-scope.ts'
import type { AnswerPurges } from '../../src/ports/answer-purges.ts'
import { answerPurgesContract } from '../contracts/answer-purges.ts'
import { aStoredAnswer, aDecision } from '../fixtures/decision.ts'
import { answering, type ScriptedUpstream, startUpstream } from '../fixtures/scripted-upstream.ts'

const HMAC_KEY = new TextEncoder().encode('a secret of thirty-two bytes ....')
const ZONE = '023e105f4ecef8ad9ca31a8372d0c353'
const TOKEN = 'zone-token-0123456789'
/** What the API answers to a purge. */
const PURGED = JSON.stringify({ success: true, errors: [], messages: [], result: { id: ZONE } })
const REFUSED = JSON.stringify({
  success: false,
  errors: [{ code: 1134, message: `Unable to purge for ${TOKEN}` }],
  messages: [],
  result: null,
})

/** A request as the endpoint got it. */
interface Call {
  readonly request: string
  readonly authorization: string | undefined
  readonly contentType: string | undefined
  readonly tags: readonly string[]
}

let api: ScriptedUpstream
let calls: Call[] = []
beforeAll(async () => {
  api = await startUpstream(answering(PURGED))
})
afterAll(() => api.stop())

/** Purges over an API that answers so. */
function zone(given: Partial<ZoneAnswerPurgesOptions> = {}, body = PURGED, status = 200): AnswerPurges {
  calls = []
  api.answerWith((response, { method, url, headers }, sent) => {
    const { tags } = JSON.parse(sent) as { tags: string[] }
    const { authorization, 'content-type': contentType } = headers
    calls.push({ request: `${method} ${url}`, authorization, contentType, tags })
    answering(body, status)(response, undefined as never, sent)
  })
  return createZoneAnswerPurges({
    purges: createMemoryAnswerPurges(),
    zoneId: ZONE,
    apiToken: TOKEN,
    hmacKey: HMAC_KEY,
    baseUrl: `${api.url}/client/v4//`,
    upstream: { retries: 0 },
    ...given,
  })
}

const document = (documentId: string): PurgeScope => ({
  kind: 'document',
  tenant: 'acme',
  collection: 'manual',
  documentId,
})
const SCOPES: readonly PurgeScope[] = [
  { kind: 'everything' },
  { kind: 'tenant', tenant: 'acme' },
  { kind: 'collection', tenant: 'acme', collection: 'manual' },
  document('dokument-ä'),
]

answerPurgesContract("A zone's cache with a list", () => zone())

describe("a purge of a zone's cache", () => {
  it('calls the documented API, with tags that reveal nothing', async () => {
    await zone().purge(SCOPES)
    expect(calls).toMatchObject([
      {
        request: `POST /client/v4/zones/${ZONE}/purge_cache`,
        authorization: `Bearer ${TOKEN}`,
        contentType: 'application/json',
      },
    ])
    const [{ tags }] = calls as [Call]
    expect(new Set(tags).size).toBe(4)
    for (const tag of tags) expect(tag).toMatch(/^rag-gate-[0-9a-f]{32}$/)
    await zone({ hmacKey: new TextEncoder().encode('another secret of thirty-two bytes') }).purge(SCOPES)
    for (const tag of calls[0]!.tags) expect(tags).not.toContain(tag)
  })

  it('names at most 100 tags in a call, each once', async () => {
    const documents = Array.from({ length: 250 }, (_, at) => document(`document ${at}`))
    await zone().purge([...documents, ...documents])
    expect(calls.map(({ tags }) => tags.length)).toEqual([100, 100, 50])
    expect(new Set(calls.flatMap(({ tags }) => tags)).size).toBe(250)
    await zone().purge(documents.slice(0, 100))
    expect(calls.map(({ tags }) => tags.length)).toEqual([100])
  })

  it.each<[string, string, number]>([
    ['rejects the token', REFUSED, 403],
    ['reports that it did not purge', REFUSED, 200],
    ['is rate limited', REFUSED, 429],
    ['is down', 'gone', 502],
    ['answers something else', '<html>', 200],
    ['has no such zone', PURGED, 404],
  ])('that %s causes an error without the token, and the purge is still in the list', async (_, body, status) => {
    const purges = zone({}, body, status)
    const thrown = (await purges.purge(SCOPES).catch((error: unknown) => error)) as Error
    expect(thrown).toMatchObject({ code: 'store_unavailable', upstreamStatus: status })
    expect(thrown.message).toBe("The purge is stored, but the zone's cache was not purged")
    expect(`${thrown.message} ${JSON.stringify(thrown)}`).not.toContain(TOKEN)
    expect((await purges.known('acme')).purgedSince(0, SCOPES)).toBe(true)
  })

  it('that cannot be sent causes an error with its cause', async () => {
    const fetch = () => Promise.reject(new TypeError('fetch failed'))
    await expect(zone({ fetch }).purge(SCOPES)).rejects.toMatchObject({
      code: 'store_unavailable',
      upstreamStatus: undefined,
      cause: { kind: 'network' },
    })
  })

  it('is not sent when the list cannot be written', async () => {
    const list = { ...createMemoryAnswerPurges(), purge: () => Promise.reject(new Error('D1 is down')) }
    await expect(zone({ purges: list }).purge(SCOPES)).rejects.toThrow('D1 is down')
    expect(calls).toEqual([])
  })

  it.each<[string, Partial<ZoneAnswerPurgesOptions>, string]>([
    ['a zone by its name', { zoneId: 'example.com' }, 'zoneId'],
    ['a zone that would lead elsewhere', { zoneId: '../accounts' }, 'zoneId'],
    ['a zone behind another path', { zoneId: `../accounts/${ZONE}` }, 'zoneId'],
    ['a zone before another path', { zoneId: `${ZONE}/../accounts` }, 'zoneId'],
    ['a list of zones', { zoneId: [ZONE] as never }, 'zoneId'],
    ['no token', { apiToken: '' }, 'apiToken'],
    ['a token that cannot be sent', { apiToken: 'a\nb' }, 'apiToken'],
    ['an address that is none', { baseUrl: 'api.cloudflare.com' }, 'baseUrl'],
    ['no time', { timeoutMs: 0 }, 'timeoutMs'],
  ])('is rejected with %s', (_, given, param) => {
    expect(() => zone(given)).toThrow(expect.objectContaining({ code: 'config_invalid', param }))
  })
})

describe("answers cached at a zone's host name", () => {
  /** A zone's cache as far as it is documented: it forgets by tag, and shows no tags. */
  function platform() {
    const held = new Map<string, { readonly body: string; readonly tags: readonly string[] }>()
    return {
      held,
      forget: (tags: readonly string[]): void => {
        for (const [url, entry] of held) if (entry.tags.some((tag) => tags.includes(tag))) held.delete(url)
      },
      match: async (url: string) => {
        const entry = held.get(url)
        return entry && new Response(entry.body)
      },
      put: async (url: string, response: Response) => {
        held.set(url, { body: await response.text(), tags: (response.headers.get('cache-tag') ?? '').split(',') })
      },
      delete: async (url: string) => held.delete(url),
    }
  }

  it.each<[string, PurgeScope, readonly string[]]>([
    ['a document', document('b'), ['other collection', 'other tenant', 'other document']],
    [
      'a collection',
      { kind: 'collection', tenant: 'acme', collection: 'manual' },
      ['other collection', 'other tenant'],
    ],
    ['a tenant', { kind: 'tenant', tenant: 'acme' }, ['other tenant']],
    ['everything', { kind: 'everything' }, []],
  ])('are purged with %s, and no others', async (_, scope, left) => {
    const store = platform()
    const cache = createCacheApiAnswerCache({ cache: store, host: 'www.example.com', hmacKey: HMAC_KEY })
    const decisions = {
      'of both': aDecision({ documentIds: ['a', 'b'] }),
      'other document': aDecision({ documentIds: ['a'] }),
      'other collection': aDecision({ collection: 'other', documentIds: ['b'] }),
      'other tenant': aDecision({ tenant: 'globex', documentIds: ['b'] }),
    }
    for (const [key, decision] of Object.entries(decisions)) await cache.put(key, aStoredAnswer(key, { decision }))
    for (const url of store.held.keys()) expect(url).toMatch(/^https:\/\/www\.example\.com\/answers\/[0-9a-f]{64}$/)
    await zone().purge([scope])
    store.forget(calls.flatMap(({ tags }) => tags))
    const kept: string[] = []
    for (const key of Object.keys(decisions)) if ((await cache.get(key)) !== null) kept.push(key)
    expect(kept.sort()).toEqual([...left].sort())
  })

  it('are not stored when the platform would not accept all their tags', async () => {
    const store = platform()
    const cache = createCacheApiAnswerCache({ cache: store, host: 'www.example.com', hmacKey: HMAC_KEY })
    const documentIds = Array.from({ length: 400 }, (_, at) => `document ${at}`)
    await cache.put('most', aStoredAnswer('most', { decision: aDecision({ documentIds: documentIds.slice(0, 380) }) }))
    await cache.put('more', aStoredAnswer('more', { decision: aDecision({ documentIds }) }))
    // One for each document, and four for everything, the tenant, the collection and the answer.
    expect([...store.held.values()].map(({ tags }) => tags.length)).toEqual([384])
  })

  it('have no tags without a host name', async () => {
    const store = platform()
    await createCacheApiAnswerCache({ cache: store, hmacKey: HMAC_KEY }).put('key', aStoredAnswer('key'))
    expect([...store.held.values()].map(({ tags }) => tags)).toEqual([['']])
  })

  it.each([
    ['www.example.com', undefined, 'hmacKey'],
    ['https://www.example.com', HMAC_KEY, 'host'],
    ['www.example.com/answers', HMAC_KEY, 'host'],
    ['user@www.example.com', HMAC_KEY, 'host'],
    ['', HMAC_KEY, 'host'],
  ])('are rejected at the host %j without a secret, or when that is not a host name', (host, hmacKey, param) => {
    const options = { cache: platform(), host, ...(hmacKey === undefined ? {} : { hmacKey }) }
    expect(() => createCacheApiAnswerCache(options)).toThrow(expect.objectContaining({ code: 'config_invalid', param }))
  })
})
