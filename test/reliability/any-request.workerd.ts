/** Headers and cursors of any form: every answer is a declared one, the gate decides as without them, and none shows another's. */
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import * as fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createD1DecisionStore } from '../../src/adapters/d1/decision-store.ts'
import { timeOfId, uuidv7 } from '../../src/core/lib/ids.ts'
import { compositionFor } from '../../workers/gate/compose.ts'
import worker from '../../workers/gate/index.ts'
import { HANDBOOK, OFF_TOPIC, STRONG } from '../fixtures/corpus.ts'
import { aDecision, anEvent } from '../fixtures/decision.ts'
import { quietErrors } from '../fixtures/quiet-console.ts'
import { ADMIN, isolateBindings, post } from '../worker-requests.ts'

quietErrors()
/** In `test:deep` other examples, ten times as many. */
const RUNS = env.TEST_DEEP ? { numRuns: 2000 } : { numRuns: 80, seed: 20_261_127 }
/** Sends a request, without a wait for what it leaves behind. */
const send = (path: string, init: RequestInit): Promise<Response> =>
  Promise.resolve(
    worker.fetch(new Request(`https://gate.test${path}`, init), isolateBindings, createExecutionContext()),
  )
const CANARY = 'zqcanary7421z'
const TENANTS = ['acme', 'globex'] as const
const LATEST_MS = Date.now() - 60_000

beforeAll(async () => {
  await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
  const store = createD1DecisionStore({ db: env.DB })
  for (const tenant of TENANTS) {
    await store.write(
      Array.from({ length: 12 }, (_, at) => {
        const id = uuidv7(LATEST_MS - at * 1000, crypto.randomUUID())
        const verdict = at % 2 === 0 ? 'pass' : 'refuse'
        const decision = aDecision({ id, tenant, verdict, collection: `${tenant}-${CANARY}` })
        return { event: anEvent(id, { decision, atMs: LATEST_MS - at * 1000 }), isolate: tenant, sequence: at + 1 }
      }),
    )
  }
})

/** A byte that a header may hold. */
const visible = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCodePoint(code))
const noise = fc
  .array(fc.oneof(visible, fc.constantFrom(',', ';', '=', '"', '\\', '*', '-', '\t')), { maxLength: 60 })
  .map((some) => some.join(''))

/** What each header that is read may mean something by, in any order. */
const PIECES: Readonly<Record<string, string>> = {
  accept: 'text/event-stream application/json */* , ;q=0 ;q=0.5',
  'accept-language': 'de en-GB fr;q=0.9 * ;q= ;q=NaN ;q=1e9 ar zh-Hant __proto__ constructor , -',
  'cache-control':
    'no-cache no-store max-age=0 max-age=1e9 max-age=-1 max-age="5" only-if-cached min-fresh= max-stale , =',
  'cf-connecting-ip': '203.0.113.9 ::1 ::ffff:1.2.3.4 2001:db8::1 :: [::1] fe80::1%eth0 256.1.1.1 1 , :::::',
  'content-encoding': 'identity gzip br , ;',
  'content-length': '0 1 40 100000000 -1 1e3 0x10 NaN ,',
  'content-type': 'application/json text/plain ;charset=utf-8 ;charset="utf-8" ;charset=utf-16 ; boundary=x ,',
  'idempotency-key': 'key k1 ! ~ __proto__',
  'if-none-match': '* W/"a" "a" , " W/',
  'mcp-protocol-version': '2025-11-25 2026-07-28 1999-01-01 ,',
  origin: 'https://gate.test null https://evil.example',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 ff- 00-00000000000000000000000000000000- -',
  tracestate: 'a=b , = rojo=00f067aa0ba902b7',
  authorization: 'Bearer Basic bearer zq_zq . , =',
  'server-timing': 'gate;dur=1 ,',
  'x-rag-gate': 'off pass',
  'rag-gate': 'pass;band=high;reason=passed;id="x"',
  'x-forwarded-for': '203.0.113.9 ,',
  range: 'bytes=0-1',
}
const NAMES = Object.keys(PIECES)
const headersOf = fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 5 }).chain((names) =>
  fc.tuple(
    ...names.map((name) =>
      fc
        .oneof(
          fc
            .array(fc.constantFrom(...PIECES[name]!.split(' ')), { maxLength: 5 })
            .map((some) => some.join(name === 'authorization' ? ' ' : '')),
          noise,
          fc.constant(`${CANARY}${'a'.repeat(9000)}`),
        )
        .map((value) => [name, value.trim()] as const),
    ),
  ),
)

interface Asked {
  readonly name: string
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  /** What stands in a good answer, whatever the headers. */
  readonly says: RegExp
}

const ASKED: readonly Asked[] = [
  { name: 'a good question', path: '/ask', body: { question: STRONG }, says: /"verdict":"pass"/ },
  { name: 'a bad question', path: '/ask', body: { question: OFF_TOPIC }, says: /"verdict":"refuse"/ },
  {
    name: 'a chat',
    path: '/v1/chat/completions',
    body: { model: 'search', messages: [{ role: 'user', content: OFF_TOPIC }] },
    says: /"verdict":"refuse"/,
  },
  {
    name: 'MCP',
    path: '/mcp',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search', arguments: { query: OFF_TOPIC } } },
    says: /"refused":true/,
  },
  {
    name: 'documents',
    path: '/v1/documents',
    body: { collection: 'any', documents: [{ id: 'a', text: 'Any text.' }] },
    headers: ADMIN,
    says: /"chunks":1/,
  },
  { name: 'a list', path: '/v1/collections', headers: ADMIN, says: /"collections":\[/ },
]

/** Declared for a request whose headers are the only thing that may be wrong with it. */
const DECLARED: Readonly<Record<string, number>> = {
  unauthorized: 401,
  forbidden: 403,
  body_too_large: 413,
  unsupported_media_type: 415,
  invalid_utf8: 400,
  idempotency_key: 422,
  idempotency_key_reused: 422,
  // `only-if-cached`, where nothing is.
  not_cached: 504,
  rate_limited: 429,
}

test.each(ASKED)(
  'headers of any form do not change the decision: $name',
  async ({ path, body, headers: needed, says }) => {
    const seen = { good: 0, refused: 0 }
    // An ingestion costs as much as ten questions.
    const runs = { ...RUNS, numRuns: path === '/v1/documents' ? RUNS.numRuns / 4 : RUNS.numRuns }
    await fc.assert(
      fc.asyncProperty(headersOf, async (some) => {
        const headers = new Headers({ 'content-type': 'application/json', ...needed })
        for (const [name, value] of some) headers.set(name, value)
        const response = await send(path, {
          headers,
          ...(body && { method: 'POST', body: JSON.stringify(body) }),
        })
        const text = await response.text()
        const about = JSON.stringify([some, response.status, text.slice(0, 300)])
        expect(text + JSON.stringify([...response.headers]), about).not.toContain(CANARY)
        if (response.status === 200) {
          expect(text.replaceAll('\\"', '"'), about).toMatch(says)
          seen.good++
          return
        }
        const { error } = JSON.parse(text) as { error: { code: string | number; data?: { code: string } } }
        const code = error.data?.code ?? error.code
        // Another version of MCP.
        if (code !== -32_600) expect(response.status, about).toBe(DECLARED[code])
        seen.refused++
      }),
      runs,
    )
    // Headers that never, or always, end in an error would prove little.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(runs.numRuns / 20)
  },
  120_000,
)

const get = (query: string, path = '/v1/decisions') => send(`${path}?${query}`, { headers: ADMIN })

interface Page {
  readonly decisions: readonly { readonly id: string; readonly collection: string; readonly verdict: string }[]
  readonly next_cursor: string | null
}

/** Lists of decisions, by what they are asked for. */
const LISTS = TENANTS.flatMap((tenant) =>
  ['', '&verdict=pass', '&verdict=refuse', '&collection=nowhere', '&min_confidence=0.1', '&principal=p'].map(
    (filter) => `tenant=${tenant}${filter}`,
  ),
)

/** A text near another: a piece left out, put in, doubled or changed, or the beginning or the end alone. */
const near = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.nat(text.length),
      fc.nat(text.length),
      fc.constantFrom('', '0', 'a', '.', 'z', '%', ' ', '\0', '\u00e9', '-'),
    )
    .map(([one, other, piece]) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)]
      return text.slice(0, from) + piece + text.slice(to)
    })

test('a cursor of decisions continues its own list, and is rejected when changed, truncated or used in another', async () => {
  const cursors: { list: string; cursor: string; first: readonly string[] }[] = []
  for (const list of LISTS) {
    const { decisions, next_cursor: cursor } = await (await get(`${list}&limit=2`)).json<Page>()
    if (cursor !== null) cursors.push({ list, cursor, first: decisions.map(({ id }) => id) })
  }
  expect(new Set(cursors.map(({ list }) => /tenant=(\w+)/.exec(list)![1])).size).toBe(2)
  expect(cursors.length).toBeGreaterThan(3)
  await fc.assert(
    fc.asyncProperty(
      fc
        .constantFrom(...cursors)
        .chain((given) =>
          fc.tuple(
            fc.constant(given),
            fc.constantFrom(...LISTS),
            fc.oneof(fc.constant(given.cursor), near(given.cursor), fc.string()),
          ),
        ),
      async ([given, list, cursor]) => {
        const isOwn = list === given.list && cursor === given.cursor
        const response = await get(`${list}&limit=2&cursor=${encodeURIComponent(cursor)}`)
        if (response.status === 200) {
          const { decisions } = await response.json<Page>()
          // Another list may have given the very same.
          expect(cursors.some((each) => each.list === list && each.cursor === cursor)).toBe(true)
          const tenant = /tenant=(\w+)/.exec(list)![1]!
          for (const { id, collection } of decisions) {
            expect(collection).toBe(`${tenant}-${CANARY}`)
            if (isOwn) expect(given.first).not.toContain(id)
          }
        } else {
          expect(isOwn).toBe(false)
          expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'cursor' } }])
        }
      },
    ),
    RUNS,
  )
})

test('pages read by their cursors form the whole list, each decision once, in any page size', async () => {
  for (const list of LISTS) {
    const all = await (await get(`${list}&limit=1000`)).json<Page>()
    for (const limit of [1, 5, 7]) {
      const ids: string[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: Page = await (await get(`${list}&limit=${limit}${cursor && `&cursor=${cursor}`}`)).json<Page>()
        ids.push(...page.decisions.map(({ id }) => id))
        cursor = page.next_cursor
      }
      expect(ids).toEqual(all.decisions.map(({ id }) => id))
    }
  }
})

test('a cursor of documents is the last id, and continues in the same collection only', async () => {
  const others = [{ id: 'zz-other', text: `A text of another collection, ${CANARY}.` }]
  await post('/v1/documents', { collection: 'others', documents: others }, ADMIN)
  const ids = HANDBOOK.map(({ id }) => id as string).sort()
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.constantFrom(...ids).chain(near), fc.string(), fc.constantFrom('zz-other', '.', '..', '\u{10ffff}')),
      async (cursor) => {
        const response = await get(`cursor=${encodeURIComponent(cursor)}`, '/v1/documents')
        if (response.status === 200) {
          const { documents } = await response.json<{ documents: { id: string }[] }>()
          expect(documents.map(({ id }) => id)).toEqual(ids.filter((id) => id > cursor.normalize('NFC')))
        } else
          expect([response.status, await response.json()]).toMatchObject([
            422,
            { error: { code: 'document_id', param: 'cursor' } },
          ])
      },
    ),
    RUNS,
  )
})

test('a reader who follows decisions from any event sees none of another tenant', async () => {
  const [acme, globex] = await Promise.all(
    TENANTS.map(async (tenant) =>
      (await (await get(`tenant=${tenant}&limit=1000`)).json<Page>()).decisions.map(({ id }) => id),
    ),
  )
  const known = fc.constantFrom(...acme!, ...globex!)
  await compositionFor(isolateBindings).log.flush()
  await fc.assert(
    fc.asyncProperty(fc.oneof(known, known.chain(near), fc.string()), async (since) => {
      const response = await get(`tenant=acme&since=${encodeURIComponent(since)}`, '/v1/decisions/live')
      expect(response.status).toBe(200)
      const reader = response.body!.getReader()
      const { value } = await reader.read()
      void reader.cancel()
      const shown = new TextDecoder()
        .decode(value)
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { id: string }]))
      // The half minute before the event comes again; after an unknown one, what is new.
      const earliestMs = acme!.includes(since) ? timeOfId(since)! - 30_000 : Infinity
      expect(shown.every(({ id }) => acme!.includes(id) && id !== since && timeOfId(id)! >= earliestMs)).toBe(true)
    }),
    { ...RUNS, numRuns: RUNS.numRuns / 10 },
  )
})
