import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { HTTPException } from 'hono/http-exception'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { grounding } from '../../packages/presets/src/answers/grounding.ts'
import { definePolicy } from '../../src/core/policy/policy.ts'
import type { Refusal } from '../../src/core/reports/index.ts'
import type { RagGateEnv } from '../../src/index.ts'
import { aGate, type GateFixture, type HandlerContext, POLICY, QUESTION, rankingOf, STRONG } from '../fixtures/gate.ts'

const HELD = 'The engine starts with the red key.'
const INVENTED = 'The engine needs 7 blue Batteries.'
const GROUNDED = definePolicy({ ...POLICY, gates: [...POLICY.gates, grounding()] })
const ASKED = {
  method: 'POST',
  headers: { 'content-type': 'application/json', origin: 'https://app.test' },
  body: JSON.stringify({ question: QUESTION }),
}

/** Text, which is judged as it was reported and sent as it came. */
const inventing = (c: HandlerContext, headers: Record<string, string> = {}): Response => {
  c.var.ragGate.report({ answer: INVENTED })
  return c.text(INVENTED, 201, headers)
}

beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue()
  vi.spyOn(console, 'warn').mockReturnValue()
})
afterEach(() => vi.restoreAllMocks())

describe('a fallback answer after the handler failed', () => {
  const failing = (): never => {
    throw new Error('the first model is down')
  }

  it("is judged when the application's onError makes it", async () => {
    for (const [answer, reason] of [
      [INVENTED, 'answer_unsupported'],
      [HELD, 'passed'],
    ]) {
      const { app, ask, journal } = aGate({ policy: GROUNDED, handler: failing })
      app.onError((_, c) => c.json({ answer }))
      const response = await ask()
      expect(response.headers.get('rag-gate')).toContain(`reason=${reason}`)
      expect((await response.text()).includes('Batteries')).toBe(false)
      expect(journal.events.map(({ decision }) => decision.reason)).toEqual([reason])
      expect(journal.stored).toEqual([])
    }
  })

  it('is judged when middleware inside the gate makes it', async () => {
    const { gate } = aGate({ policy: GROUNDED })
    const app = new Hono<RagGateEnv>()
    const fallback = async (c: HandlerContext, next: () => Promise<void>): Promise<void> => {
      await next()
      if (c.error !== undefined) c.res = c.json({ answer: INVENTED })
    }
    app.post('/ask', gate, fallback, failing)
    const response = await app.request('/ask', ASKED)
    expect(await response.json()).toMatchObject({ refused: true, reason_code: 'answer_unsupported' })
  })
})

describe('a refusal by onRefuse in place of a judged answer', async () => {
  const READ = new Response('No.')
  await READ.text()
  const ANSWERS = {
    'cache-control': 'public, max-age=3600',
    'cdn-cache-control': 'max-age=86400',
    'x-answer': INVENTED,
    'content-digest': 'sha-256=:x:',
    'content-encoding': 'gzip',
    'content-length': '999',
    etag: '"1"',
    link: '</answers/42>',
    location: '/answers/42',
  }

  it.each<[string, (c: HandlerContext) => Response, number]>([
    ['c.json', (c) => c.json({ message: 'Ask a colleague' }), 200],
    ['c.text with a status', (c) => c.text('Ask a colleague', 403), 403],
    ['a response', () => new Response('Ask a colleague'), 200],
  ])('made by %s, has neither headers nor status of the answer', async (_, make, status) => {
    const { ask } = aGate({
      policy: GROUNDED,
      handler: (c) => inventing(c, ANSWERS),
      onRefuse: (_decision, c) => make(c as unknown as HandlerContext),
    })
    const response = await ask()
    expect(response.status).toBe(status)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    const { 'cache-control': _cache, ...others } = ANSWERS
    expect(Object.keys(others).filter((name) => response.headers.has(name))).toEqual([])
    expect(await response.text()).toContain('Ask a colleague')
  })

  it('has no status that the handler set', async () => {
    const handler = (c: HandlerContext): Response => {
      c.status(201)
      return inventing(c)
    }
    const { ask } = aGate({ policy: GROUNDED, handler })
    expect((await ask()).status).toBe(200)
  })

  it('keeps its own headers and cookies, and the CORS header of the answer', async () => {
    const { ask } = aGate({
      policy: GROUNDED,
      handler: (c) => inventing(c, { 'access-control-allow-origin': '*', 'set-cookie': 'a=1', 'x-kind': 'answer' }),
      onRefuse: () => new Response('No.', { headers: { 'x-kind': 'refusal', 'set-cookie': 'b=2' } }),
    })
    const { headers } = await ask()
    expect([headers.get('x-kind'), headers.get('access-control-allow-origin')]).toEqual(['refusal', '*'])
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  it('that throws is recorded as a refusal with status 500, before an answer too', async () => {
    const onRefuse = (): never => {
      throw new Error('down')
    }
    for (const options of [{ policy: GROUNDED, handler: inventing }, { finds: [] }]) {
      const { ask, journal } = aGate({ ...options, onRefuse })
      expect((await ask()).status).toBe(500)
      expect(journal.events.map(({ decision, status }) => [decision.verdict, status])).toEqual([['refuse', 500]])
    }
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['a string', 'No.'],
    ['an object', { status: 403, body: 'No.' }],
    ['the error response of a fetch', Response.error()],
    ['a response that was read', READ],
  ])('that is %s is a configuration error, and recorded as a refusal', async (_, own) => {
    // It returns what its type forbids.
    const onRefuse = (): undefined => own as undefined
    for (const options of [{ policy: GROUNDED, handler: inventing }, { finds: [] }]) {
      const { ask, journal } = aGate({ ...options, onRefuse })
      const { error } = (await (await ask()).json()) as { error: object }
      expect(error).toMatchObject({ code: 'config_invalid', message: 'onRefuse returned no Response' })
      expect(journal.events).toMatchObject([{ status: 500, decision: { verdict: 'refuse' } }])
    }
  })
})

describe('a refusal by onRefuse before an answer', () => {
  it.each<[string, (c: Context) => Response]>([
    ['made by c.json', (c) => c.json({ message: 'Ask a colleague' })],
    ['a response', () => new Response('Ask a colleague', { headers: { 'set-cookie': 'own=1' } })],
  ])('keeps headers that outer middleware set: %s', async (_, make) => {
    const { gate } = aGate({ finds: [], onRefuse: (_decision, c) => make(c) })
    const app = new Hono<RagGateEnv>()
    app.use(async (c, next) => {
      c.header('x-before', '1')
      c.header('set-cookie', 'outer=1')
      await next()
    })
    app.post('/ask', gate, (c) => c.json({}))
    const { headers } = await app.request('/ask', ASKED)
    expect([headers.get('x-before'), headers.get('rag-gate')]).toEqual(['1', expect.stringMatching(/^refuse;/)])
    expect(headers.getSetCookie()).toEqual(expect.arrayContaining(['outer=1']))
    expect(new Set(headers.getSetCookie()).size).toBe(headers.getSetCookie().length)
  })

  it('gets the refusal that would be sent, in the texts for this caller', async () => {
    const messages = { no_evidence: { answer: 'Dazu haben wir nichts.' } }
    const sent = await (await aGate({ finds: [], messages }).ask()).json()
    const told: Refusal[] = []
    const { ask } = aGate({
      finds: [],
      messages,
      onRefuse: ({ id }, c, refusal) => {
        told.push(refusal)
        return c.text(`${refusal.answer} ${refusal.decision_id === id}`, 404)
      },
    })
    const response = await ask()
    expect([response.status, await response.text()]).toEqual([404, 'Dazu haben wir nichts. true'])
    expect(told).toEqual([{ ...(sent as Refusal), decision_id: expect.any(String) }])
  })

  it("that throws sends an error with the gate's header and those of outer middleware", async () => {
    const { gate } = aGate({
      finds: [],
      onRefuse: () => {
        throw new Error('down')
      },
    })
    const app = new Hono<RagGateEnv>()
    app.use(async (c, next) => {
      c.header('x-before', '1')
      await next()
    })
    app.post('/ask', gate, (c) => c.json({}))
    const { status, headers } = await app.request('/ask', ASKED)
    expect([status, headers.get('x-before'), headers.get('cache-control')]).toEqual([500, '1', 'no-store'])
    expect(headers.get('rag-gate')).toMatch(/^refuse;/)
  })
})

describe('an HTTPException thrown after the handler answered', () => {
  const thrown: GateFixture = {
    policy: GROUNDED,
    handler: (c) => inventing(c, { etag: '"1"', 'set-cookie': 'a=1' }),
    onRefuse: () => {
      throw new HTTPException(503, { message: 'later' })
    },
  }

  it('leaves no part of the answer for its catcher, and the decision is recorded', async () => {
    const { gate, journal } = aGate(thrown)
    const app = new Hono<RagGateEnv>()
    app.use(async (_, next) => {
      await next()
    })
    app.post('/caught', async (c, next) => gate(c, next).catch(() => undefined), thrown.handler!)
    app.post('/as-it-is', gate, thrown.handler!)
    app.post('/thrown', gate, thrown.handler!)
    app.onError((error, c) =>
      c.req.path === '/thrown' && error instanceof HTTPException ? error.getResponse() : c.res,
    )
    for (const [path, status] of [
      ['/caught', 500],
      ['/as-it-is', 500],
      ['/thrown', 503],
    ] as const) {
      const response = await app.request(path, ASKED)
      expect([path, response.status]).toEqual([path, status])
      expect(await response.text()).not.toContain('Batteries')
      expect([response.headers.get('etag'), response.headers.get('set-cookie')]).toEqual([null, null])
    }
    expect(journal.events.map((event) => event.status)).toEqual([500, 500, 500])
  })
})

describe('an error of inner middleware after an answer', () => {
  it.each<[string, () => never]>([
    [
      'an exception of Hono',
      () => {
        throw new HTTPException(503)
      },
    ],
    [
      'a thrown value that is not an Error',
      () => {
        throw 'audit down' as unknown
      },
    ],
  ])('leaves no part of the answer: %s', async (_, fail) => {
    const { gate, journal } = aGate({ policy: GROUNDED })
    const app = new Hono<RagGateEnv>()
    app.post('/ask', async (c, next) => {
      const behind = async (): Promise<void> => {
        await next()
        fail()
      }
      return gate(c, behind).catch(() => undefined)
    })
    app.post('/ask', (c) => inventing(c, { etag: '"1"', 'content-length': '999' }))
    const response = await app.request('/ask', ASKED)
    expect(response.status).toBe(500)
    expect([response.headers.get('etag'), response.headers.get('content-length')]).toEqual([null, null])
    expect(await response.text()).not.toContain('Batteries')
    expect(journal.events.map(({ status }) => status)).toEqual([500])
  })
})

describe('a response whose status is not that of an answer', () => {
  it.each([400, 404] as const)(
    'is sent unchanged, and not stored when the policy judges answers: %d',
    async (status) => {
      const handler = (c: HandlerContext): Response =>
        c.json({ answer: INVENTED }, status, { 'cache-control': 'max-age=600' })
      const { ask, journal } = aGate({ policy: GROUNDED, handler })
      expect([(await ask()).status, (await ask()).status]).toEqual([status, status])
      expect([journal.handled.length, journal.stored.length]).toEqual([2, 0])
    },
  )
})

/** A stream of an answer that has not ended, and whether it was cancelled. */
function endless(c: HandlerContext, status: 200 | 503 = 200) {
  c.var.ragGate.report({ answer: INVENTED })
  const cancel = vi.fn<() => void>()
  const body = new ReadableStream({ start: (controller) => controller.enqueue(Uint8Array.of(0x41)), cancel })
  return { cancel, response: new Response(body, { status, headers: { 'content-type': 'text/plain' } }) }
}

describe("a handler's stream that is not sent", () => {
  it.each<[string, GateFixture]>([
    ['a refusal is sent instead', {}],
    ["the application's refusal is sent instead", { onRefuse: () => new Response('No.') }],
    ['an error is sent instead', { onRefuse: () => Promise.reject(new Error('down')) }],
  ])('is cancelled when %s', async (_, options) => {
    const cancelled: (() => void)[] = []
    const { ask } = aGate({
      policy: GROUNDED,
      handler: (c) => {
        const { cancel, response } = endless(c)
        cancelled.push(cancel)
        return response
      },
      ...options,
    })
    await ask()
    expect(cancelled).toHaveLength(1)
    expect(cancelled[0]).toHaveBeenCalledOnce()
  })

  it('is cancelled when a stored answer is sent instead', async () => {
    const cancelled: (() => void)[] = []
    let fails = false
    const { ask, clock, journal } = aGate({
      cache: { staleIfErrorSeconds: 600 },
      handler: (c) => {
        if (!fails) return c.json({ answer: HELD })
        const { cancel, response } = endless(c, 503)
        cancelled.push(cancel)
        return response
      },
    })
    await ask()
    fails = true
    clock.atMs += journal.stored[0]!.lifetimeSeconds * 1000
    expect((await ask()).headers.get('cache-status')).toContain('stale')
    expect(cancelled).toHaveLength(1)
    expect(cancelled[0]).toHaveBeenCalledOnce()
  })

  it('is cancelled when inner middleware throws after it', async () => {
    const { gate } = aGate()
    let cancelled: (() => void) | undefined
    const app = new Hono<RagGateEnv>()
    app.post('/ask', async (c, next) => {
      const behind = async (): Promise<void> => {
        await next()
        throw 'audit down' as unknown
      }
      return gate(c, behind).catch(() => undefined)
    })
    app.post('/ask', (c) => {
      const { cancel, response } = endless(c)
      cancelled = cancel
      return response
    })
    expect((await app.request('/ask', ASKED)).status).toBe(500)
    expect(cancelled).toHaveBeenCalledOnce()
  })
})

describe('a response that no cache may keep', () => {
  const read = () => QUESTION
  it.each<[string, GateFixture, RequestInit?]>([
    ['a refusal of the application', { finds: [], onRefuse: (_, c) => c.json({ message: 'Ask a colleague' }) }],
    ['a refusal without a body', { finds: [], onRefuse: (_, c) => c.status(204) }],
    ['a failure of the handler', { handler: (c) => c.json({}, 503) }],
    ['a failed refusal', { finds: [], onRefuse: () => Promise.reject(new Error('down')) }],
    ['an answer to a HEAD request', { question: { read } }, { method: 'HEAD' }],
  ])('is not stored, and nothing fails after it was sent: %s', async (_, options, init = {}) => {
    const { gate, journal } = aGate(options)
    const app = new Hono<RagGateEnv>()
    app.on(['GET', 'POST'], '/ask', gate, (c) => options.handler?.(c) ?? c.json({ answer: HELD }))
    await app.request('/ask', init.method === 'HEAD' ? init : ASKED)
    await new Promise((resolve) => setTimeout(resolve))
    expect(journal.stored).toEqual([])
    expect(journal.events).toHaveLength(1)
    expect(console.error).not.toHaveBeenCalledWith(expect.stringContaining('after the response'))
  })
})

describe('headers set by outer middleware', () => {
  it('are overridden by those of a Response that the handler makes itself, as without a gate', async () => {
    const own = { 'x-frame': 'handler', 'set-cookie': 'handler=1' }
    const sent = async (gates: readonly MiddlewareHandler<RagGateEnv>[]): Promise<readonly unknown[]> => {
      const app = new Hono<RagGateEnv>()
      app.use(async (c, next) => {
        c.header('x-frame', 'outer')
        c.header('set-cookie', 'outer=1')
        await next()
      })
      app.use(...gates)
      app.post('/ask', () => new Response('{}', { headers: own }))
      const { headers } = await app.request('/ask', ASKED)
      return [headers.get('x-frame'), headers.getSetCookie()]
    }
    const pass: MiddlewareHandler = (_, next) => next()
    const bare = await sent([pass])
    expect(await sent([aGate({ cache: { store: undefined } }).gate])).toEqual(bare)
    expect(await sent([aGate().gate])).toEqual(bare)
  })

  it.each<[string, GateFixture, number]>([
    ['an answer', {}, 201],
    ['an error in place of one', { onRefuse: () => Promise.reject(new Error('down')), policy: GROUNDED }, 500],
  ])('are on %s too', async (_, options, status) => {
    const { gate } = aGate(options)
    const app = new Hono<RagGateEnv>()
    app.use(cors({ origin: 'https://app.test' }))
    app.post('/ask', gate, (c) => inventing(c))
    const response = await app.request('/ask', ASKED)
    expect(response.status).toBe(status)
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.test')
  })
})

describe('the objects that the handler gets', () => {
  it.each<[string, (c: HandlerContext) => unknown]>([
    ['a passage to the context', (c) => (c.var.ragGate.context.chunks as unknown[]).push({ text: INVENTED })],
    ['another text', (c) => Object.assign(c.var.ragGate.context.chunks[0]!, { text: INVENTED })],
    ['another verdict', (c) => Object.assign(c.var.ragGate.decision, { verdict: 'pass' })],
    ['more rights', (c) => (c.var.ragGate.principal.scopes as string[]).push('admin')],
    ['fewer documents', (c) => (c.var.ragGate.decision.documentIds as string[]).pop()],
  ])('cannot be changed: %s', async (_, change) => {
    let thrown: unknown
    const handler = (c: HandlerContext): Response => {
      try {
        change(c)
      } catch (caught) {
        thrown = caught
      }
      return c.json({ answer: INVENTED })
    }
    const response = await aGate({ policy: GROUNDED, handler }).ask()
    expect(thrown).toBeInstanceOf(TypeError)
    expect(await response.json()).toMatchObject({ refused: true })
  })
})

it('metadata may contain values that are not JSON, and is not changed', async () => {
  const metadata = { vector: new Float32Array([1, 2]), at: new Date(0) } as unknown as Record<string, never>
  const { passage } = rankingOf([STRONG])[0]!.entries[0]!
  const finds = () => [{ kind: 'bm25' as const, entries: [{ passage: { ...passage, metadata }, score: 9 }] }]
  expect((await aGate({ finds, cache: { store: undefined } }).ask()).status).toBe(200)
  expect([Object.isFrozen(metadata), Object.isFrozen(metadata['at'])]).toEqual([false, false])
})

it('judged JSON that never ends is abandoned after the time limit of a stream', async () => {
  const handler = (): Response =>
    new Response(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) }), {
      headers: { 'content-type': 'application/json' },
    })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { ask, journal } = aGate({ policy: GROUNDED, handler })
  const asking = ask()
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  while (journal.handled.length === 0) await turns()
  await turns()
  await vi.advanceTimersByTimeAsync(59_000)
  expect(journal.events).toEqual([])
  await vi.advanceTimersByTimeAsync(1000)
  expect(await (await asking).json()).toMatchObject({ refused: true, reason_code: 'answer_unreadable' })
})
