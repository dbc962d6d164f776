import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryAnswerPurges } from '../../src/adapters/memory-answer-purges.ts'
import { createMemoryCoalescer } from '../../src/adapters/memory-coalescer.ts'
import { RagGateError } from '../../src/errors.ts'
import type { Coalescer } from '../../src/ports/coalescer.ts'
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

  it('are one retrieval, one answer and as many decisions, and say that they waited', async () => {
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

  it('are each answered separately without a coalescer, and say nothing of waiting', async () => {
    const { together, journal } = coalescing({ cache: { coalescer: undefined } })
    expect(new Set(saidBy(await together()))).toEqual(new Set(['rag-gate; fwd=miss']))
    expect(journal.handled).toHaveLength(ASKERS)
  })

  it('wait no longer than ten seconds, and are then answered separately', async () => {
    const coalescer = createMemoryCoalescer()
    const asked: number[] = []
    const join: Coalescer['join'] = (key, timeoutMs) => {
      asked.push(timeoutMs)
      return coalescer.join(key, timeoutMs / 500)
    }
    const { together, journal } = coalescing({
      cache: { coalescer: { join } },
      handler: async (c) => {
        await pause(100)
        return c.json({ answer: 'Turn the red key.' })
      },
    })
    const responses = await together()
    expect(new Set(asked)).toEqual(new Set([10_000]))
    expect(new Set(statusesOf(responses))).toEqual(new Set([200]))
    expect(saidBy(responses)).toEqual(['rag-gate; fwd=miss', ...Array(19).fill('rag-gate; fwd=miss; collapsed=?0')])
    expect(journal.handled).toHaveLength(ASKERS)
  })

  it.each<[string, (c: HandlerContext) => Response]>([
    ['answers with 503', (c) => c.json({}, 503)],
    [
      'throws',
      () => {
        throw new Error('down')
      },
    ],
  ])('have another one lead when the handler %s, and the rest get that one’s answer', async (_, fail) => {
    const { together, journal } = coalescing({ handler: failingFirst(1, fail) })
    const statuses = statusesOf(await together())
    expect(statuses.filter((status) => status === 200)).toHaveLength(ASKERS - 1)
    expect(statuses.filter((status) => status >= 500)).toHaveLength(1)
    expect(journal.handled).toHaveLength(2)
  })

  it('are each told the error when the second leader fails as well', async () => {
    const { together, journal } = coalescing({ handler: (c) => c.json({}, 503) })
    expect(new Set(statusesOf(await together()))).toEqual(new Set([503]))
    expect(journal.handled).toHaveLength(ASKERS)
  })

  it('have another one lead when the retriever failed', async () => {
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
    ['text that nobody says is whole', (c) => c.text('Yours.')],
  ])('are each answered for themselves with %s', async (_, handler) => {
    const { together, journal } = coalescing({ handler })
    const responses = await together()
    expect(journal.handled).toHaveLength(ASKERS)
    expect(saidBy(responses).filter((said) => said === 'rag-gate; fwd=miss; collapsed=?0')).toHaveLength(ASKERS - 1)
  })

  it('share a refusal, and none that the application made', async () => {
    const one = coalescing({ finds: [WEAK] })
    expect(saidBy(await one.together())).toContain('rag-gate; fwd=miss; collapsed')
    expect(one.journal.retrievals).toHaveLength(1)
    const own = coalescing({ finds: [WEAK], onRefuse: (_, c) => c.json({ answer: 'Ask somebody.' }) })
    expect(saidBy(await own.together())).not.toContain('rag-gate; fwd=miss; collapsed')
    expect(own.journal.retrievals).toHaveLength(ASKERS)
  })

  it('get a stream as a stream, once it ended cleanly; each their own where it did not', async () => {
    const events = (end: string): string => `data: {"choices":[{"delta":{"content":"Turn."}}]}\n\n${end}`
    const clean = events('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
    const stream = (text: string) => () => new Response(text, { headers: { 'content-type': 'text/event-stream' } })
    const whole = coalescing({ handler: stream(clean) })
    const responses = await whole.together()
    expect(new Set(await Promise.all(responses.map((response) => response.text())))).toEqual(new Set([clean]))
    expect(responses.map(({ headers }) => headers.get('content-type'))).toEqual(Array(ASKERS).fill('text/event-stream'))
    expect(whole.journal.handled).toHaveLength(1)
    const cut = coalescing({ handler: stream(events('')) })
    await cut.together()
    expect(cut.journal.handled).toHaveLength(ASKERS)
  })

  it('have another one lead when a stream broke off', async () => {
    let broken = true
    const { together, journal } = coalescing({
      handler: (c) => {
        if (!broken) return c.json({ answer: 'Turn the red key.' })
        broken = false
        const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('reset')) })
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      },
    })
    const responses = await together()
    const read = await Promise.all(responses.map((response) => response.text()))
    expect(read.filter((text) => text.startsWith('event: error'))).toHaveLength(1)
    expect(journal.handled).toHaveLength(2)
  })

  it('of callers who share nothing do not wait for each other', async () => {
    const { together, journal } = coalescing({
      cache: { scope: 'principal' },
      dependencies: { authenticate },
    })
    const principals = ['acme/ann', 'acme/bob', 'globex/ann', 'globex/bob']
    const responses = await together((at) => ({ 'x-principal': principals[at % 4]! }))
    expect(journal.handled.map(({ principal: { tenant, id } }) => `${tenant}/${id}`).sort()).toEqual(principals)
    expect(saidBy(responses).filter((said) => said?.endsWith('collapsed'))).toHaveLength(ASKERS - 4)
  })

  it('of callers who share answers wait for one of a tenant, and are not told what others asked', async () => {
    const { together, journal } = coalescing({
      cache: { scope: 'tenant' },
      dependencies: { authenticate },
    })
    const responses = await together((at) => ({ 'x-principal': at % 2 === 0 ? `acme/${at}` : `globex/${at}` }))
    expect(journal.handled.map(({ principal }) => principal.tenant).sort()).toEqual(['acme', 'globex'])
    expect(new Set(saidBy(responses))).toEqual(new Set([null]))
    expect(responses.map(({ headers }) => headers.get('age'))).toEqual(Array(ASKERS).fill(null))
  })

  it('are not answered with what was purged while they waited', async () => {
    const purges = createMemoryAnswerPurges()
    let answered = 0
    const { together, journal } = coalescing({
      cache: { purges },
      handler: async (c) => {
        if (answered++ === 0) await purges.purge([{ kind: 'everything' }])
        return c.json({ answer: `Answer ${answered}` })
      },
    })
    await together()
    // Whoever came before the purge, and whoever knows of it, gets no answer from before it.
    const later = await together()
    expect(await Promise.all(later.map((response) => response.text()))).not.toContain('{"answer":"Answer 1"}')
    expect(journal.handled.length).toBeGreaterThan(1)
  })

  it('have no part in it when they want an answer anew, or none older than so many seconds', async () => {
    for (const wanted of ['no-cache', 'no-store', 'max-age=60']) {
      const { together, journal } = coalescing()
      await together(() => ({ 'cache-control': wanted }))
      expect(journal.handled, wanted).toHaveLength(ASKERS)
    }
  })

  it('share an answer that was found again by its evidence', async () => {
    let version = 1
    const { together, journal, ask } = coalescing({ corpusVersion: () => version })
    await ask()
    version++
    const responses = await together()
    expect([journal.retrievals.length, journal.handled.length]).toEqual([2, 1])
    expect(saidBy(responses).filter((said) => said === 'rag-gate; fwd=miss; collapsed')).toHaveLength(ASKERS - 1)
  })

  it.each<[string, Coalescer['join']]>([
    ['throws', () => Promise.reject(new Error('gone'))],
    [
      'gives the answer to another question',
      async () => {
        const { ask, journal } = aGate()
        await ask({ question: 'Another one about the red key?' })
        return { kind: 'follower', answer: journal.stored[0]! }
      },
    ],
  ])('are answered all the same by a coalescer that %s', async (_, join) => {
    const onWarning = vi.fn<(warning: { readonly code: string }) => void>()
    const { ask, journal } = coalescing({
      onWarning,
      cache: { coalescer: { join } },
    })
    expect(await (await ask()).json()).toEqual({ answer: 'Turn the red key.' })
    expect(journal.handled[0]?.question).toBe(QUESTION)
    for (const [{ code }] of onWarning.mock.calls) expect(code).toBe('coalescer_failed')
  })

  it.each(['rejects', 'throws'])(
    'are answered as they ended by a leader whose end is told to one that %s',
    async (how) => {
      const onWarning = vi.fn<(warning: { readonly code: string }) => void>()
      const told: unknown[] = []
      const complete = (outcome: unknown): Promise<void> => {
        told.push(typeof outcome === 'string' ? outcome : 'an answer')
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
        cache: { coalescer: { join: async () => ({ kind: 'leader', leader: { complete } }) } },
      })
      const failed = await ask()
      expect(await failed.json()).toMatchObject({ error: { code: 'retriever_unavailable' } })
      down = false
      expect(await (await ask()).json()).toEqual({ answer: 'Turn the red key.' })
      expect(told).toEqual(['failed', 'an answer'])
      expect(journal.stored).toHaveLength(1)
      expect(onWarning.mock.calls.map(([{ code }]) => code)).toEqual(['coalescer_failed', 'coalescer_failed'])
    },
  )
})
