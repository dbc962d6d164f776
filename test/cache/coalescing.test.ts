import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMemoryAnswerPurges } from '../../src/adapters/memory-answer-purges.ts'
import { createMemoryCoalescer } from '../../src/adapters/memory-coalescer.ts'
import { RagGateError } from '../../src/errors.ts'
import type { Coalescer, CoalescedOutcome } from '../../src/ports/coalescer.ts'
import type { Principal } from '../../src/ports/authenticator.ts'
import { aGate, type GateFixture, type HandlerContext, QUESTION, rankingOf, STRONG, WEAK } from '../fixtures/gate.ts'

const ASKERS = 20

const pause = (ms = 20): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** A gate that coalesces, whose handler takes its time. */
function coalescing({ handler, cache, ...options }: GateFixture = {}) {
  const gate = aGate({
    ...options,
    handler: async (c) => {
      await pause()
      return handler?.(c) ?? c.json({ answer: 'Turn the red key.' })
    },
    cache: { coalescer: createMemoryCoalescer(), ...cache },
  })
  const together = (headers: (at: number) => Record<string, string> = () => ({})): Promise<Response[]> =>
    Promise.all(Array.from({ length: ASKERS }, (_, at) => gate.ask(undefined, headers(at))))
  return { ...gate, together }
}

const statusesOf = (responses: readonly Response[]): readonly number[] => responses.map(({ status }) => status)
const saidBy = (responses: readonly Response[]): readonly (string | null)[] =>
  responses.map(({ headers }) => headers.get('cache-status'))

/** Answers the first so many calls in one way, and those after it in another. */
const failingFirst =
  (times: number, fail: (c: HandlerContext) => Response): NonNullable<GateFixture['handler']> =>
  (c) =>
    times-- > 0 ? fail(c) : c.json({ answer: 'Turn the red key.' })

const authenticate = (request: Request): Principal => {
  const [tenant = '', id = ''] = (request.headers.get('x-principal') ?? '').split('/')
  return { tenant, id, scopes: ['ask'] }
}

describe('identical questions at the same time', () => {
  beforeEach(() => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
  })
  afterEach(() => vi.restoreAllMocks())

  it('share one retrieval and answer, get a decision each, and report that they waited', async () => {
    const { together, journal } = coalescing()
    const responses = await together()
    const bodies = await Promise.all(responses.map((response) => response.text()))
    expect([journal.retrievals.length, journal.handled.length]).toEqual([1, 1])
    expect(new Set(bodies).size).toBe(1)
    expect(saidBy(responses)).toEqual(['rag-gate; fwd=miss', ...Array(19).fill('rag-gate; fwd=miss; collapsed')])
    expect(responses[1]?.headers.get('age')).toBe('0')
    expect(journal.events.map(({ cache }) => cache).sort()).toEqual([...Array(19).fill('hit'), 'miss'])
    expect(new Set(journal.events.map(({ id }) => id)).size).toBe(ASKERS)
  })

  it('are answered separately without a coalescer', async () => {
    const { together, journal } = coalescing({ cache: { coalescer: undefined } })
    expect(new Set(saidBy(await together()))).toEqual(new Set(['rag-gate; fwd=miss']))
    expect(journal.handled).toHaveLength(ASKERS)
  })

  it('get a second leader when the first takes too long, and wait for either', async () => {
    const coalescer = createMemoryCoalescer({ leaderTimeoutMs: 400 })
    const { together, journal } = coalescing({
      cache: { coalescer },
      handler: async (c) => {
        await pause(560)
        return c.json({ answer: 'Turn the red key.' })
      },
    })
    const responses = await together()
    expect(new Set(statusesOf(responses))).toEqual(new Set([200]))
    const said = saidBy(responses)
    expect(said.filter((one) => one === 'rag-gate; fwd=miss; collapsed')).toHaveLength(ASKERS - 2)
    expect(journal.handled).toHaveLength(2)
  })

  it.each<[string, (c: HandlerContext) => Response]>([
    ['answers with 503', (c) => c.json({}, 503)],
    [
      'throws',
      () => {
        throw new Error('down')
      },
    ],
  ])('get another leader when the handler %s, and the others its answer', async (_, fail) => {
    const { together, journal } = coalescing({ handler: failingFirst(1, fail) })
    const statuses = statusesOf(await together())
    expect(statuses.filter((status) => status === 200)).toHaveLength(ASKERS - 1)
    expect(statuses.filter((status) => status >= 500)).toHaveLength(1)
    expect(journal.handled).toHaveLength(2)
  })

  it('get another leader when one leaves, however many do, and none of those who left while they waited', async () => {
    const warned: string[] = []
    const coalescer = createMemoryCoalescer()
    const join = vi.fn<Coalescer['join']>((key, purgeEpoch) => coalescer.join(key, purgeEpoch))
    let answer: (() => void) | undefined
    const { app, journal } = aGate({
      onWarning: ({ code }) => void warned.push(code),
      cache: { coalescer: { ...coalescer, join } },
      handler: async (c) => {
        await new Promise<void>((resolve, reject) => {
          answer = resolve
          c.req.raw.signal.addEventListener('abort', () => reject(new Error('aborted')))
        })
        return c.json({ answer: 'Turn the red key.' })
      },
    })
    const clients = Array.from({ length: ASKERS }, () => new AbortController())
    const body = JSON.stringify({ question: QUESTION })
    const headers = { 'content-type': 'application/json' }
    const asked = clients.map(async ({ signal }) => app.request('/ask', { method: 'POST', body, headers, signal }))
    const handled = (count: number) => vi.waitFor(() => expect(journal.handled).toHaveLength(count))
    await vi.waitFor(() => expect(join).toHaveBeenCalledTimes(ASKERS))
    for (const [at, leader] of [0, 10, 11].entries()) {
      await handled(at + 1)
      if (leader === 0) for (const client of clients.slice(1, 10)) client.abort()
      clients[leader]!.abort()
    }
    await handled(4)
    answer?.()
    const statuses = statusesOf(await Promise.all(asked))
    expect(statuses.map((status) => status === 200)).toEqual(statuses.map((_, at) => at > 11))
    expect([journal.retrievals.length, journal.handled.length]).toEqual([4, 4])
    expect(warned).toEqual([])
  })

  it('get the answer of a leader that left when its handler answers all the same', async () => {
    const leaving = new AbortController()
    const { app, journal } = coalescing({
      handler: (c) => {
        leaving.abort()
        return c.json({ answer: 'Turn the red key.' })
      },
    })
    const request = { method: 'POST', body: JSON.stringify({ question: QUESTION }) }
    const headers = { 'content-type': 'application/json' }
    const leader = app.request('/ask', { ...request, headers, signal: leaving.signal })
    const follower = app.request('/ask', { ...request, headers })
    const [, followed] = await Promise.all([leader, follower])
    expect(followed.headers.get('cache-status')).toBe('rag-gate; fwd=miss; collapsed')
    expect(journal.handled).toHaveLength(1)
  })

  it('each get the error when every leader fails', async () => {
    const { together, journal } = coalescing({ handler: (c) => c.json({}, 503) })
    expect(new Set(statusesOf(await together()))).toEqual(new Set([503]))
    expect(journal.handled).toHaveLength(ASKERS)
  })

  it('get another leader when the retriever failed', async () => {
    let calls = 0
    const { together, journal } = coalescing({
      finds: async () => {
        await pause()
        if (++calls === 1) throw new RagGateError('retriever_unavailable', 'down')
        return rankingOf([STRONG])
      },
    })
    const statuses = statusesOf(await together())
    expect([...statuses].sort()).toEqual([...Array(ASKERS - 1).fill(200), 503])
    expect([calls, journal.handled.length]).toEqual([2, 1])
  })

  it.each<[string, NonNullable<GateFixture['handler']>]>([
    ['no-store', (c) => c.json({ answer: 'Yours.' }, 200, { 'cache-control': 'no-store' })],
    ['a cookie', (c) => c.json({ answer: 'Yours.' }, 200, { 'set-cookie': 'a=b' })],
    ['a status of its own', (c) => c.json({ answer: 'Yours.' }, 404)],
  ])('are answered separately with %s', async (_, handler) => {
    const { together, journal } = coalescing({ handler })
    const responses = await together()
    expect(journal.handled).toHaveLength(ASKERS)
    expect(saidBy(responses).filter((said) => said === 'rag-gate; fwd=miss; collapsed=?0')).toHaveLength(ASKERS - 1)
  })

  it('do not wait again for a handler whose last answer was private, until an answer may be shared', async () => {
    let own = true
    const coalescer = createMemoryCoalescer()
    const join = vi.spyOn(coalescer, 'join')
    const { together, ask } = coalescing({
      handler: (c) => c.json({ answer: 'Yours.' }, 200, own ? { 'cache-control': 'private' } : {}),
      cache: { coalescer },
    })
    await together()
    expect(join).toHaveBeenCalledTimes(ASKERS)
    own = false
    expect(new Set(saidBy(await together()))).toEqual(new Set(['rag-gate; fwd=miss; collapsed=?0']))
    expect(join).toHaveBeenCalledTimes(ASKERS)
    await ask({ question: 'How is the key turned?' })
    expect(join).toHaveBeenCalledTimes(ASKERS + 1)
  })

  it.each<[string, NonNullable<GateFixture['handler']>]>([
    [
      'JSON that the model did not end',
      (c) => {
        c.var.ragGate.report({ complete: false })
        return c.json({ answer: 'Turn the' })
      },
    ],
    ['text that is not said to be whole', (c) => c.text('Turn the red key.')],
  ])('share %s, which is not stored', async (_, handler) => {
    const { together, journal } = coalescing({ handler })
    const responses = await together()
    expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1)
    expect(journal.handled).toHaveLength(1)
    expect(journal.stored).toEqual([])
    await together()
    expect(journal.handled).toHaveLength(2)
  })

  it.each<[string, () => Promise<void>]>([
    ['fails', () => Promise.reject(new Error('cache down'))],
    ['hangs', () => new Promise(() => undefined)],
  ])('share one answer when the store %s', async (_, put) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const store = { get: async () => null, put, delete: async () => undefined }
    for (const finds of [[STRONG], [WEAK]]) {
      const { together, journal } = coalescing({ finds, cache: { store } })
      const said: (string | null)[] = []
      void together().then((responses) => said.push(...saidBy(responses)))
      for (let ms = 0; said.length === 0 && ms < 60_000; ms += 20) await vi.advanceTimersByTimeAsync(20)
      expect(said.filter((one) => one?.endsWith('collapsed'))).toHaveLength(ASKERS - 1)
      expect(journal.retrievals).toHaveLength(1)
    }
  })

  it('get another leader when JSON breaks off', async () => {
    let cut = true
    const { together, journal } = coalescing({
      handler: () => {
        const body = cut ? '{"answer":"Tu' : '{"answer":"Turn the red key."}'
        cut = false
        return new Response(body, { headers: { 'content-type': 'application/json' } })
      },
    })
    await together()
    expect(journal.handled).toHaveLength(2)
  })

  it('share a refusal, but not one made by the application', async () => {
    const one = coalescing({ finds: [WEAK] })
    expect(saidBy(await one.together())).toContain('rag-gate; fwd=miss; collapsed')
    expect(one.journal.retrievals).toHaveLength(1)
    const own = coalescing({ finds: [WEAK], onRefuse: (_, c) => c.json({ answer: 'Ask the team.' }) })
    expect(saidBy(await own.together())).not.toContain('rag-gate; fwd=miss; collapsed')
    expect(own.journal.retrievals).toHaveLength(ASKERS)
  })

  const EVENTS = [
    'data: {"choices":[{"index":0,"delta":{"content":"Turn "}}]}\n\n',
    'data: {"choices":[{"index":0,"delta":{"content":"the key."}}]}\n\n',
    'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  ]

  /** A stream of these events, with a pause before each. @param end how it ends */
  const streamOf = (events: readonly string[], pauseMs: number, end?: 'breaks off') => () => {
    let at = 0
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await pause(pauseMs)
        const event = events[at++]
        if (event !== undefined) controller.enqueue(new TextEncoder().encode(event))
        else if (end === undefined) controller.close()
        else controller.error(new Error('reset'))
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }

  const requestOf = {
    method: 'POST',
    body: JSON.stringify({ question: QUESTION }),
    headers: { 'content-type': 'application/json' },
  }

  /** Asks, and reads the answer: how long its first and its last byte took, milliseconds. */
  async function timed({ app }: ReturnType<typeof coalescing>, whenMs = 0) {
    await pause(whenMs)
    const begunMs = performance.now()
    const response = await app.request('/ask', requestOf)
    let text = ''
    let firstMs = 0
    for await (const piece of response.body!) {
      firstMs ||= performance.now() - begunMs
      text += new TextDecoder().decode(piece)
    }
    return { text, firstMs, lastMs: performance.now() - begunMs, status: response.headers.get('cache-status') }
  }

  it('read a stream together: followers, also late ones, get its first and last bytes with the leader', async () => {
    const gate = coalescing({ handler: streamOf(EVENTS, 300) })
    const [leader, ...others] = await Promise.all([
      timed(gate),
      timed(gate),
      timed(gate),
      timed(gate, 450),
      timed(gate, 750),
    ])
    expect(gate.journal.handled).toHaveLength(1)
    for (const { text, status } of others) {
      expect(text).toBe(EVENTS.join(''))
      expect(status).toBe('rag-gate; fwd=miss; collapsed')
    }
    // Neither waits for the end, which comes 600 and 450 milliseconds later.
    expect(others[0]!.firstMs).toBeLessThan(leader!.firstMs + 300)
    expect(others[2]!.firstMs).toBeLessThan(300)
    expect(others[0]!.lastMs).toBeLessThan(leader!.lastMs + 300)
    await pause(50)
    expect((await timed(gate)).status).toBe('rag-gate; hit')
    expect(gate.journal.events.map(({ cache }) => cache).sort()).toEqual([...Array(5).fill('hit'), 'miss'])
  })

  it('get the partial text of a stream that ends without being reported complete, and nothing is stored', async () => {
    const gate = coalescing({ handler: streamOf(EVENTS.slice(0, 2), 5) })
    const responses = await gate.together()
    expect(gate.journal.handled).toHaveLength(1)
    expect(new Set(await Promise.all(responses.map((response) => response.text())))).toEqual(
      new Set([EVENTS[0]! + EVENTS[1]!]),
    )
    expect(gate.journal.stored).toEqual([])
  })

  it('end with an error event when their shared stream breaks off, and each is recorded as failed', async () => {
    const gate = coalescing({ handler: streamOf(EVENTS.slice(0, 2), 5, 'breaks off') })
    const texts = await Promise.all((await gate.together()).map((response) => response.text()))
    expect(gate.journal.handled).toHaveLength(1)
    for (const text of texts) {
      expect(text.startsWith(EVENTS[0]! + EVENTS[1]!)).toBe(true)
      expect(text).toContain('llm_unavailable')
    }
    await pause()
    expect(gate.journal.events.map(({ status }) => status)).toEqual(Array(ASKERS).fill(503))
  })

  it('keep reading when the leader leaves', async () => {
    const gate = coalescing({ handler: streamOf(EVENTS, 60) })
    const leader = await gate.app.request('/ask', requestOf)
    const following = timed(gate)
    const reader = leader.body!.getReader()
    await reader.read()
    await reader.cancel()
    expect((await following).text).toBe(EVENTS.join(''))
    expect(gate.journal.handled).toHaveLength(1)
  })

  it('share a stream that is too large to be stored', async () => {
    const large = `data: ${'x'.repeat(100_000)}\n\n`
    const gate = coalescing({ handler: streamOf(Array(5).fill(large), 5) })
    const texts = await Promise.all((await gate.together()).map((response) => response.text()))
    expect(texts.every((text) => text === large.repeat(5))).toBe(true)
    expect(gate.journal.handled).toHaveLength(1)
  })

  it('share a text whose Content-Length is too large to be stored', async () => {
    const text = 'x'.repeat(300_000)
    const headers = { 'content-type': 'text/plain', 'content-length': String(text.length) }
    const gate = coalescing({ handler: () => new Response(text, { headers }) })
    const texts = await Promise.all((await gate.together()).map((response) => response.text()))
    expect(texts.every((one) => one === text)).toBe(true)
    expect(gate.journal.handled).toHaveLength(1)
  })

  it('do not wait for a leader who reads slowly', async () => {
    const large = `data: ${'x'.repeat(100_000)}\n\n`
    const gate = coalescing({ handler: streamOf(Array(6).fill(large), 5) })
    const leader = await gate.app.request('/ask', requestOf)
    const followers = Array.from({ length: 2 }, () => timed(gate))
    const texts = (await Promise.all(followers)).map(({ text }) => text)
    expect([...texts, await leader.text()]).toEqual(Array(3).fill(large.repeat(6)))
    expect(gate.journal.handled).toHaveLength(1)
  })

  it('get another leader when a stream broke off before its first event', async () => {
    let broken = true
    const { together, journal } = coalescing({
      handler: (c) => {
        if (!broken) return c.json({ answer: 'Turn the red key.' })
        broken = false
        return streamOf([], 5, 'breaks off')()
      },
    })
    const responses = await together()
    const read = await Promise.all(responses.map((response) => response.text()))
    expect(read.filter((text) => text.startsWith('event: error'))).toHaveLength(1)
    expect(journal.handled).toHaveLength(2)
  })

  it('of callers who share no answers do not wait for each other', async () => {
    const { together, journal } = coalescing({
      cache: { scope: 'principal' },
      dependencies: { authenticate },
    })
    const principals = ['acme/ann', 'acme/bob', 'globex/ann', 'globex/bob']
    const responses = await together((at) => ({ 'x-principal': principals[at % 4]! }))
    expect(journal.handled.map(({ principal: { tenant, id } }) => `${tenant}/${id}`).sort()).toEqual(principals)
    expect(saidBy(responses).filter((said) => said?.endsWith('collapsed'))).toHaveLength(ASKERS - 4)
  })

  it('of callers who share answers are answered once per tenant, without a sign of waiting', async () => {
    const { together, journal } = coalescing({
      cache: { scope: 'tenant' },
      dependencies: { authenticate },
    })
    const responses = await together((at) => ({ 'x-principal': at % 2 === 0 ? `acme/${at}` : `globex/${at}` }))
    expect(journal.handled.map(({ principal }) => principal.tenant).sort()).toEqual(['acme', 'globex'])
    expect(new Set(saidBy(responses))).toEqual(new Set([null]))
    expect(responses.map(({ headers }) => headers.get('age'))).toEqual(Array(ASKERS).fill(null))
  })

  it('do not get an answer that was purged meanwhile, and share one new answer', async () => {
    const purges = createMemoryAnswerPurges()
    let answered = 0
    const { together, journal } = coalescing({
      cache: { purges },
      handler: async (c) => {
        const number = ++answered
        if (number === 1) await purges.purge([{ kind: 'everything' }])
        return c.json({ answer: `Answer ${number}` })
      },
    })
    await together()
    const later = await together()
    expect(await Promise.all(later.map((response) => response.text()))).toEqual(
      Array(ASKERS).fill('{"answer":"Answer 2"}'),
    )
    await purges.purge([{ kind: 'everything' }])
    const last = await together()
    expect(await Promise.all(last.map((response) => response.text()))).toEqual(
      Array(ASKERS).fill('{"answer":"Answer 3"}'),
    )
    expect(journal.handled).toHaveLength(3)
  })

  it('are answered separately with no-cache, no-store or max-age', async () => {
    for (const wanted of ['no-cache', 'no-store', 'max-age=60']) {
      const { together, journal } = coalescing()
      await together(() => ({ 'cache-control': wanted }))
      expect(journal.handled, wanted).toHaveLength(ASKERS)
    }
  })

  it('share a stored answer found by its evidence', async () => {
    let version = 1
    const { together, journal, ask } = coalescing({ corpusVersion: () => version })
    await ask()
    version++
    const responses = await together()
    expect([journal.retrievals.length, journal.handled.length]).toEqual([2, 1])
    expect(saidBy(responses).filter((said) => said === 'rag-gate; fwd=miss; collapsed')).toHaveLength(ASKERS - 1)
  })

  it.each<[string, Coalescer['join'], string, number]>([
    ['throws', () => Promise.reject(new Error('gone')), 'rag-gate; fwd=miss', 1],
    ...[undefined, new ReadableStream<Uint8Array>()].map((body): [string, Coalescer['join'], string, number] => [
      `gives the ${body === undefined ? 'answer' : 'stream'} to another question`,
      async () => {
        const { ask, journal } = aGate()
        await ask({ question: 'Another one about the red key?' })
        return { kind: 'follower', answer: journal.stored[0]!, ...(body && { body }) }
      },
      'rag-gate; fwd=miss; collapsed=?0',
      0,
    ]),
  ])('are answered with a coalescer that %s', async (_, join, said, warnings) => {
    const onWarning = vi.fn<(warning: { readonly code: string }) => void>()
    const { ask, journal } = coalescing({
      onWarning,
      cache: { coalescer: { join, leaderTimeoutMs: 1000 } },
    })
    const response = await ask()
    expect([await response.json(), ...saidBy([response])]).toEqual([{ answer: 'Turn the red key.' }, said])
    expect(journal.handled[0]?.question).toBe(QUESTION)
    expect(onWarning.mock.calls.map(([{ code }]) => code)).toEqual(Array(warnings).fill('coalescer_failed'))
  })

  it('give up the role of leader when it comes too late', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const told: CoalescedOutcome[] = []
    const leader = { begin: () => undefined, complete: async (outcome: CoalescedOutcome) => void told.push(outcome) }
    const { ask, journal } = coalescing({
      cache: { coalescer: { join: () => pause(2700).then(() => ({ kind: 'leader', leader })), leaderTimeoutMs: 1000 } },
    })
    void ask()
    await vi.advanceTimersByTimeAsync(2499)
    expect(journal.handled).toEqual([])
    await vi.waitFor(() => expect([journal.handled.length, told]).toEqual([1, [{ kind: 'failed' }]]))
  })

  it.each<[string, NonNullable<GateFixture['handler']>, string, readonly string[]]>([
    ['JSON', (c) => c.json({ answer: 'Turn the red key.' }), 'answer', []],
    ['JSON that is too large', (c) => c.json({ answer: 'x'.repeat(300_000) }), 'separate', ['size']],
    ['a text that is too large', (c) => c.text('x'.repeat(300_000)), 'ended', ['size']],
    ['a text that is not UTF-8', () => new Response(Uint8Array.of(0xff)), 'ended', ['encoding']],
    [
      'events cut inside a character',
      () => new Response(Uint8Array.of(0xe2), { headers: { 'content-type': 'text/event-stream' } }),
      'ended',
      [],
    ],
    ['a text that is not said to be whole', (c) => c.text('Turn it.'), 'ended', ['end: report({ complete: true })']],
    [
      'a text that is said to be cut',
      (c) => {
        c.var.ragGate.report({ complete: false })
        return c.text('Turn')
      },
      'ended',
      [],
    ],
    ['a stream that breaks off', () => streamOf(EVENTS.slice(0, 1), 1, 'breaks off')(), 'failed', []],
  ])('are told how %s ended, and the application why it is not stored', async (_, handler, kind, reasons) => {
    const told: CoalescedOutcome[] = []
    const warnings: string[] = []
    const leader = { begin: () => undefined, complete: async (outcome: CoalescedOutcome) => void told.push(outcome) }
    const { ask } = coalescing({
      handler,
      onWarning: ({ message }) => void warnings.push(message),
      cache: { coalescer: { join: async () => ({ kind: 'leader', leader }), leaderTimeoutMs: 1000 } },
    })
    await ask()
    await vi.waitFor(() => expect(told).toHaveLength(1))
    expect(told).toMatchObject([{ kind }])
    expect(warnings).toEqual(reasons.map((why) => `Answers are not cached for their ${why}`))
  })

  it('are told that an answer was not stored', async () => {
    const told: CoalescedOutcome[] = []
    const leader = { begin: () => undefined, complete: async (outcome: CoalescedOutcome) => void told.push(outcome) }
    const store = { get: async () => null, put: () => Promise.reject(new Error('down')), delete: async () => undefined }
    const { ask } = coalescing({
      cache: { store, coalescer: { join: async () => ({ kind: 'leader', leader }), leaderTimeoutMs: 1000 } },
    })
    await ask()
    expect(told).toMatchObject([{ kind: 'answer', isStored: false }])
  })

  it('are stored and completed by a leader that cannot begin to share', async () => {
    const onWarning = vi.fn<(warning: { readonly code: string }) => void>()
    const told: string[] = []
    const leader = {
      begin: (): never => {
        throw new Error('gone')
      },
      complete: async (outcome: CoalescedOutcome) => void told.push(outcome.kind),
    }
    const { ask, journal } = coalescing({
      onWarning,
      handler: (c) => {
        c.var.ragGate.report({ complete: true })
        return c.text('Turn the red key.')
      },
      cache: { coalescer: { join: async () => ({ kind: 'leader', leader }), leaderTimeoutMs: 1000 } },
    })
    expect(await (await ask()).text()).toBe('Turn the red key.')
    expect([told, journal.stored.length]).toEqual([['answer'], 1])
    expect(onWarning.mock.calls).toMatchObject([[{ code: 'coalescer_failed' }]])
  })

  it.each(['rejects', 'throws'])('get their response when completing the leader %s', async (how) => {
    const onWarning = vi.fn<(warning: { readonly code: string }) => void>()
    const told: unknown[] = []
    const complete = (outcome: unknown): Promise<void> => {
      told.push((outcome as CoalescedOutcome).kind)
      if (how === 'throws') throw new Error('gone')
      return Promise.reject(new Error('gone'))
    }
    let down = true
    const { ask, journal } = coalescing({
      onWarning,
      finds: () => {
        if (down) throw new RagGateError('retriever_unavailable', 'down')
        return rankingOf([STRONG])
      },
      cache: {
        coalescer: {
          join: async () => ({ kind: 'leader', leader: { begin: () => undefined, complete } }),
          leaderTimeoutMs: 1000,
        },
      },
    })
    const failed = await ask()
    expect(await failed.json()).toMatchObject({ error: { code: 'retriever_unavailable' } })
    down = false
    expect(await (await ask()).json()).toEqual({ answer: 'Turn the red key.' })
    expect(told).toEqual(['failed', 'answer'])
    expect(journal.stored).toHaveLength(1)
    expect(onWarning.mock.calls.map(([{ code }]) => code)).toEqual(['coalescer_failed', 'coalescer_failed'])
  })
})
