import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createMemoryAnswerPurges } from '../../src/adapters/memory-answer-purges.ts'
import { createMemoryCoalescer } from '../../src/adapters/memory-coalescer.ts'
import type { GateWarning } from '../../src/pipeline/question-settings.ts'
import type { Principal } from '../../src/ports/authenticator.ts'
import type { Coalescer } from '../../src/ports/coalescer.ts'
import { aCache, aGate, type GateFixture, type Journal, WEAK } from '../fixtures/gate.ts'

const WINDOW = 600

type Revalidate = (request: Request) => Response | Promise<Response>

/** A gate that answered once, whose answer is just past its lifetime. Every answer is numbered. */
async function overdue(options: GateFixture & { readonly revalidate?: Revalidate } = {}, lateSeconds = 30) {
  const { revalidate, ...fixture } = options
  const warnings: GateWarning[] = []
  const sent: Request[] = []
  let version = 1
  let answers = 0
  const gate = aGate({
    corpusVersion: () => version,
    onWarning: (warning) => void warnings.push(warning),
    handler: (c) => c.json({ answer: `Answer ${++answers}` }),
    ...fixture,
    cache: {
      scope: 'public',
      staleWhileRevalidateSeconds: WINDOW,
      revalidate: async (request) => {
        sent.push(request)
        return (await revalidate?.(request)) ?? gate.app.fetch(request)
      },
      ...fixture.cache,
    },
  })
  const first = await (await gate.ask()).text()
  gate.clock.atMs += ((gate.journal.stored[0]?.lifetimeSeconds ?? 0) + lateSeconds) * 1000
  return { ...gate, first, warnings, sent, change: () => void version++, answers: () => answers }
}

const said = (response: Response): string | null => response.headers.get('cache-status')

const STALE = 'rag-gate; hit; detail=stale-while-revalidate'

describe('an answer past its lifetime, within the window', () => {
  beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined))
  afterEach(() => void vi.restoreAllMocks())

  test('is sent at once, marked and with its age, and made anew after the response', async () => {
    const { ask, journal, first, sent, clock } = await overdue()
    const stale = await ask()
    expect([stale.status, await stale.text(), said(stale)]).toEqual([200, first, STALE])
    expect(Number(stale.headers.get('age'))).toBe((journal.stored[0]?.lifetimeSeconds ?? 0) + 30)
    expect([sent.length, journal.handled.length, journal.stored.length]).toEqual([1, 2, 2])
    clock.atMs += 1000
    const next = await ask()
    expect([await next.json(), said(next), next.headers.get('age')]).toEqual([
      { answer: 'Answer 2' },
      'rag-gate; hit',
      '1',
    ])
    expect(journal.events.map(({ cache }) => cache).sort()).toEqual(['hit', 'miss', 'miss', 'stale'])
  })

  test('is sent before the new one is made', async () => {
    let open = (): void => undefined
    const held = new Promise<void>((resolve) => (open = resolve))
    const gate = await overdue({ revalidate: (request) => held.then(() => gate.app.fetch(request)) })
    const { app, first, journal } = gate
    const asking = app.request('/ask', {
      method: 'POST',
      body: JSON.stringify({ question: 'How does the engine start?' }),
      headers: { 'content-type': 'application/json' },
    })
    expect(await (await asking).text()).toBe(first)
    expect(journal.handled).toHaveLength(1)
    open()
    await vi.waitFor(() => expect(journal.stored).toHaveLength(2))
  })

  test('tells operators how far it is past it', async () => {
    const { ask } = await overdue({ dependencies: { audience: 'operator' } })
    expect(said(await ask())).toBe('rag-gate; hit; ttl=-30; detail=stale-while-revalidate')
  })

  test('is made anew once at a time, however many ask', async () => {
    const gate = await overdue({
      revalidate: async (request) => {
        await new Promise((resolve) => setTimeout(resolve, 30))
        return gate.app.fetch(request)
      },
    })
    const responses = await Promise.all(Array.from({ length: 20 }, () => gate.ask()))
    expect(new Set(responses.map(said))).toEqual(new Set([STALE]))
    expect([gate.sent.length, gate.journal.handled.length]).toEqual([1, 2])
  })

  test('is made anew once by two isolates that share a store and a coalescer', async () => {
    const shared: Pick<Journal, 'stored' | 'storedByEvidence'> = { stored: [], storedByEvidence: [] }
    // A flight tells for five seconds what it ended with; to these isolates it is a day later.
    let flights = createMemoryCoalescer()
    const coalescer: Coalescer = { join: (key, timeoutMs) => flights.join(key, timeoutMs) }
    const store = aCache(shared)
    const slow = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30))
    const isolate = () => {
      const gate = aGate({
        handler: async (c) => {
          await slow()
          return c.json({ answer: 'Turn the red key.' })
        },
        cache: {
          store,
          coalescer,
          scope: 'public',
          staleWhileRevalidateSeconds: WINDOW,
          revalidate: (request) => gate.app.fetch(request),
        },
      })
      return gate
    }
    const [one, other] = [isolate(), isolate()]
    await one.ask()
    for (const { clock } of [one, other]) clock.atMs += (shared.stored[0]!.lifetimeSeconds + 30) * 1000
    flights = createMemoryCoalescer()
    const responses = await Promise.all([one.ask(), other.ask()])
    expect(responses.map(said)).toEqual([STALE, STALE])
    expect(one.journal.handled.length + other.journal.handled.length).toBe(2)
  })

  test.each<[string, GateFixture, number]>([
    ['beyond the window', {}, WINDOW],
    ['without a window', { cache: { staleWhileRevalidateSeconds: 0 } }, 30],
    [
      'where its handler forbids it',
      { handler: (c) => c.json({ answer: 'A' }, 200, { 'cache-control': 'max-age=60, must-revalidate' }) },
      30,
    ],
    [
      'where its handler gives it less time',
      { handler: (c) => c.json({ answer: 'A' }, 200, { 'cache-control': 'max-age=60, stale-while-revalidate=20' }) },
      30,
    ],
  ])('is not sent %s', async (_, options, lateSeconds) => {
    const { ask, sent } = await overdue(options, lateSeconds)
    expect(said(await ask())).toBe('rag-gate; fwd=stale')
    expect(sent).toEqual([])
  })

  test('is sent within the last second of the window', async () => {
    const { ask } = await overdue({}, WINDOW - 1)
    expect(said(await ask())).toBe(STALE)
  })

  test.each(['no-cache', 'max-age=90000', 'only-if-cached'])('is not sent to who asks with %s', async (wanted) => {
    const { ask, sent } = await overdue()
    expect(said(await ask(undefined, { 'cache-control': wanted }))).not.toBe(STALE)
    expect(sent).toEqual([])
  })

  test('is not sent once the documents changed, it was purged, or the clock was set back', async () => {
    const purges = createMemoryAnswerPurges()
    const changed = await overdue()
    changed.change()
    expect(said(await changed.ask())).toBe('rag-gate; fwd=miss')
    const purged = await overdue({ cache: { purges } })
    await purges.purge([{ kind: 'everything' }])
    expect(said(await purged.ask())).toBe('rag-gate; fwd=miss')
    const early = await overdue()
    early.clock.atMs -= 48 * 3_600_000
    expect(said(await early.ask())).toBe('rag-gate; fwd=stale')
  })

  test('is no refusal', async () => {
    const { ask, sent } = await overdue({ finds: [WEAK] })
    expect(said(await ask())).toBe('rag-gate; fwd=stale')
    expect(sent).toEqual([])
  })

  test('stays until the window ends while the model fails, which is not asked at every hit', async () => {
    let failing = false
    const { ask, first, sent, warnings, clock } = await overdue({
      handler: (c) => (failing ? c.json({}, 503) : c.json({ answer: 'Answer' })),
    })
    failing = true
    for (let time = 0; time < 10; time++) expect(await (await ask()).text()).toBe(first)
    expect(sent).toHaveLength(1)
    expect(warnings).toEqual([{ code: 'refresh_failed', message: 'A refresh was answered with 503' }])
    clock.atMs += 5000
    await ask()
    expect(sent).toHaveLength(2)
    clock.atMs += WINDOW * 1000
    expect((await ask()).status).toBe(503)
    failing = false
    expect(said(await ask())).toBe('rag-gate; fwd=stale')
  })

  test('is made anew at once where the clock is set back', async () => {
    const { ask, sent, clock } = await overdue({ revalidate: () => new Response('down', { status: 503 }) }, 60)
    await ask()
    clock.atMs -= 30_000
    await ask()
    await ask()
    expect(sent).toHaveLength(2)
  })

  test.each<[string, Revalidate, string]>([
    ['that throws', () => Promise.reject(new Error('no such route')), 'A refresh failed'],
    [
      'that does not reach the gate',
      () => new Response('elsewhere'),
      'A refresh did not reach the gate as it was given to cache.revalidate',
    ],
  ])('is sent all the same beside a refresh %s', async (_, revalidate, message) => {
    const { ask, first, warnings } = await overdue({ revalidate })
    const stale = await ask()
    expect([stale.status, await stale.text()]).toEqual([200, first])
    expect(warnings).toMatchObject([{ code: 'refresh_failed', message }])
  })

  test('is made anew for its caller, from the same body, without his wishes about caches and without his signal', async () => {
    const authenticate = (request: Request): Principal | null =>
      request.headers.get('authorization') === 'Bearer ann' ? { tenant: 'acme', id: 'ann', scopes: ['ask'] } : null
    const headers = { authorization: 'Bearer ann', 'x-own': 'kept', 'if-none-match': '"a"', pragma: 'no-cache' }
    const gate = aGate({
      dependencies: { authenticate },
      cache: {
        scope: 'principal',
        staleWhileRevalidateSeconds: WINDOW,
        revalidate: (request) => {
          sent.push(request)
          return gate.app.fetch(request)
        },
      },
    })
    const sent: Request[] = []
    await gate.ask(undefined, headers)
    gate.clock.atMs += (gate.journal.stored[0]!.lifetimeSeconds + 30) * 1000
    expect(said(await gate.ask(undefined, headers))).toBe(STALE)
    expect(gate.journal.handled.map(({ principal }) => principal.id)).toEqual(['ann', 'ann'])
    expect(gate.journal.handled[1]?.question).toBe(gate.journal.handled[0]?.question)
    const seen = Object.fromEntries(sent[0]!.headers)
    expect(seen).toMatchObject({ authorization: 'Bearer ann', 'x-own': 'kept' })
    expect(Object.keys(seen)).not.toContain('if-none-match')
    expect(Object.keys(seen)).not.toContain('pragma')
  })

  test('cannot be had made anew by a request that says it is a refresh', async () => {
    const { ask, sent } = await overdue()
    const stale = await ask(undefined, { 'x-rag-gate-refresh': '1', 'x-revalidate': 'true' })
    expect(said(stale)).toBe(STALE)
    expect(sent).toHaveLength(1)
  })

  test('needs a way to make it anew', () => {
    const make = () => aGate({ cache: { staleWhileRevalidateSeconds: 60 } })
    expect(make).toThrow('cache.staleWhileRevalidateSeconds needs cache.revalidate')
  })
})
