import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { HTTPException } from 'hono/http-exception'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { grounding } from '../../src/core/gates/grounding.ts'
import { definePolicy } from '../../src/core/policy/policy.ts'
import type { RagGateEnv } from '../../src/index.ts'
import { aGate, type GateFixture, type HandlerContext, POLICY, QUESTION } from '../fixtures/gate.ts'

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

describe('an answer in place of a handler that failed', () => {
  const failing = (): never => {
    throw new Error('the first model is down')
  }

  it('is judged where the application makes it', async () => {
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

  it('is judged where middleware behind the gate makes it', async () => {
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

describe('a refusal by onRefuse, in place of an answer', () => {
  const ANSWERS = {
    'cache-control': 'public, max-age=3600',
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

  it('whose body was read before is an error, and the answer is not sent', async () => {
    const used = new Response('No.')
    await used.text()
    const { ask } = aGate({ policy: GROUNDED, handler: inventing, onRefuse: () => used })
    const response = await ask()
    expect([response.status, (await response.text()).includes('Batteries')]).toEqual([500, false])
  })
})

describe('an exception of Hono, thrown once the handler has answered', () => {
  const thrown: GateFixture = {
    policy: GROUNDED,
    handler: (c) => inventing(c, { etag: '"1"', 'set-cookie': 'a=1' }),
    onRefuse: () => {
      throw new HTTPException(503, { message: 'later' })
    },
  }

  it('leaves nothing of the answer to whoever catches it, and the decision is recorded', async () => {
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

describe('headers that middleware around the gate has set', () => {
  it.each<[string, GateFixture, number]>([
    ['an answer', {}, 201],
    ['an error in place of one', { onRefuse: () => Promise.reject(new Error('down')), policy: GROUNDED }, 500],
  ])('are those of %s too', async (_, options, status) => {
    const { gate } = aGate(options)
    const app = new Hono<RagGateEnv>()
    app.use(cors({ origin: 'https://app.test' }))
    app.post('/ask', gate, (c) => inventing(c))
    const response = await app.request('/ask', ASKED)
    expect(response.status).toBe(status)
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.test')
  })
})

describe('what the handler is given', () => {
  it.each<[string, (c: HandlerContext) => unknown]>([
    ['a passage to the context', (c) => (c.var.ragGate.context.chunks as unknown[]).push({ text: INVENTED })],
    ['another text', (c) => Object.assign(c.var.ragGate.context.chunks[0]!, { text: INVENTED })],
    ['another verdict', (c) => Object.assign(c.var.ragGate.decision, { verdict: 'pass' })],
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

it('JSON that is judged and never ends is given up as a stream is', async () => {
  const handler = (): Response =>
    new Response(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) }), {
      headers: { 'content-type': 'application/json' },
    })
  const answer = { streamStartTimeoutMs: 20, streamIdleTimeoutMs: 20 }
  const response = await aGate({ policy: GROUNDED, handler, answer }).ask()
  expect(await response.json()).toMatchObject({ refused: true, reason_code: 'answer_unreadable' })
})
