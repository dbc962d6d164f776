import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { grounding } from '../../packages/presets/src/answers/grounding.ts'
import { definePolicy } from '../../src/core/policy/policy.ts'
import type { RagGateEnv } from '../../src/index.ts'
import { advisory } from '../../packages/presets/src/advisory/advisory.ts'
import { RagGateError } from '../../src/errors.ts'
import { aGate, type GateFixture, type HandlerContext, POLICY, QUESTION, STRONG } from '../fixtures/gate.ts'

const INVENTED = 'The engine needs 7 blue Batteries.'
const GROUNDED = definePolicy({ ...POLICY, gates: [...POLICY.gates, grounding()] })
const fail = (): never => {
  throw new Error(`down: ${INVENTED}`)
}

/** Handlers whose answer must not be sent. */
const HANDLERS: readonly (readonly [string, (c: HandlerContext) => Response])[] = [
  ['JSON', (c) => c.json({ answer: INVENTED }, 200, { etag: '"1"', 'cache-control': 'max-age=60' })],
  [
    'reported text',
    (c) => {
      c.var.ragGate.report({ answer: INVENTED })
      return c.text(INVENTED, 200, { etag: '"1"', 'content-length': String(INVENTED.length) })
    },
  ],
]

/** What of the application's own throws once the handler has answered. */
const THROWING: readonly (readonly [string, GateFixture])[] = [
  ['onRefuse', { onRefuse: fail }],
  ['messages', { messages: (code) => (code === 'answer_unsupported' ? fail() : undefined) }],
]

describe('an error after the handler answered', () => {
  beforeEach(() => {
    vi.spyOn(console, 'error').mockReturnValue()
    vi.spyOn(console, 'warn').mockReturnValue()
  })
  afterEach(() => vi.restoreAllMocks())

  it.each(
    THROWING.flatMap(([what, options]) => HANDLERS.map(([form, handler]) => [what, form, options, handler] as const)),
  )('thrown by %s, with %s: an error is sent, and no part of the answer', async (_, __, options, handler) => {
    const { app, ask } = aGate({ policy: GROUNDED, handler, ...options })
    app.use(async (c, next) => {
      c.header('x-outer', 'kept')
      await next()
    })
    const response = await ask()
    expect(response.status).toBe(500)
    expect(response.headers.get('etag')).toBeNull()
    expect(response.headers.get('cache-control')).toMatch(/no-store/)
    const text = await response.text()
    expect(text).not.toContain('Batteries')
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'internal' } })
  })

  it.each([
    [503, new RagGateError('store_unavailable', 'down')],
    [500, new Error('down')],
  ])('is recorded with the status that is sent: %s', async (status, thrown) => {
    const onRefuse = (): never => {
      throw thrown
    }
    const { ask, journal } = aGate({ policy: GROUNDED, handler: HANDLERS[0]![1], onRefuse })
    expect((await ask()).status).toBe(status)
    await vi.waitFor(() => expect(journal.events).toMatchObject([{ status }]))
  })

  it('thrown by a gate for answers cancels the answer, whose model would run on', async () => {
    const { gate, settings } = grounding()
    const policy = definePolicy({
      ...POLICY,
      gates: [...POLICY.gates, { gate: { ...gate, measure: fail }, settings }],
    })
    const left = vi.fn<() => void>()
    const stream = new ReadableStream({ cancel: left })
    const handler = () => new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
    expect((await aGate({ policy, handler }).ask()).status).toBe(500)
    expect(left).toHaveBeenCalledOnce()
  })

  it('keeps the headers that outer middleware set', async () => {
    const { gate } = aGate({ policy: GROUNDED, onRefuse: fail })
    const app = new Hono<RagGateEnv>()
    app.use(async (c, next) => {
      c.header('x-before', '1')
      await next()
      c.header('x-after', '2')
    })
    app.post('/ask', gate, (c) => c.json({ answer: INVENTED }, 200, { etag: '"1"' }))
    const response = await app.request('/ask', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: QUESTION }),
    })
    expect(response.status).toBe(500)
    expect(['x-before', 'x-after', 'etag'].map((name) => response.headers.get(name))).toEqual(['1', '2', null])
  })

  it('that is an HTTPException is answered by the application', async () => {
    const onRefuse = (): never => {
      throw new HTTPException(418, { message: 'no tea' })
    }
    const response = await aGate({ policy: GROUNDED, handler: HANDLERS[0]![1], onRefuse }).ask()
    expect([response.status, await response.text()]).toEqual([418, 'no tea'])
  })
})

describe('JSON that cannot be read completely', () => {
  const LONG = `The engine starts with the red key. ${'It turns. '.repeat(105_000)}`
  const pieces = (text: string, end: (controller: ReadableStreamDefaultController) => void) =>
    new ReadableStream({
      start(controller) {
        for (const piece of text.match(/.{1,50000}/g) ?? []) controller.enqueue(new TextEncoder().encode(piece))
        end(controller)
      },
    })
  const JSON_TYPE = { 'content-type': 'application/json' }
  const BODY = JSON.stringify({ answer: LONG })

  it.each<[string, () => Response]>([
    [
      'declares more than the limit',
      () => new Response(BODY, { headers: { ...JSON_TYPE, 'content-length': String(BODY.length) } }),
    ],
    [
      'is longer than the limit',
      () =>
        new Response(
          pieces(BODY, (controller) => controller.close()),
          { headers: JSON_TYPE },
        ),
    ],
    [
      'breaks off',
      () =>
        new Response(
          pieces(BODY.slice(0, 99), (controller) => controller.error(new Error('gone'))),
          { headers: JSON_TYPE },
        ),
    ],
  ])('is refused when it %s, also by a policy that only advises', async (_, handler) => {
    const { ask } = aGate({ policy: advisory(), finds: [STRONG], handler })
    const body = await (await ask({ question: QUESTION })).json()
    expect(body).toMatchObject({ refused: true, reason_code: 'answer_unreadable', sources: [] })
  })
})
