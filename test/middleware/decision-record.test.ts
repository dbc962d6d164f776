import { describe, expect, it, vi } from 'vitest'
import type { GateWarning } from '../../src/pipeline/question-settings.ts'
import { questionHmac } from '../../src/pipeline/question-hmac.ts'
import { aGate, type GateFixture, POLICY, QUESTION, STRONG, UUID7 } from '../fixtures/gate.ts'
import { quietErrors } from '../fixtures/quiet-console.ts'

quietErrors()

const FAULT = new Error('at odds')
const fail = (): never => {
  throw FAULT
}
const PRESET = { name: 'test', gates: [], confidenceModels: [] }

/** How what an application brings fails. */
const FAILURES: readonly (readonly [string, () => Promise<never>])[] = [
  ['rejects', () => Promise.reject(new Error('down'))],
  [
    'throws',
    () => {
      throw new Error('down')
    },
  ],
]

describe('the recorded decision', () => {
  it('is one event for each question, passed to waitUntil, with what the handler reported', async () => {
    const { ask, journal } = aGate({
      handler: (c) => {
        c.var.ragGate.report({ model: 'm1' })
        c.var.ragGate.report({ usage: { inputTokens: 10, outputTokens: 2 } })
        return c.json({})
      },
    })
    await ask()
    expect(journal.events).toEqual([
      {
        id: journal.handled[0]?.decision.id,
        decision: journal.handled[0]?.decision,
        atMs: Date.UTC(2026, 0, 2),
        mode: 'enforce',
        route: '/ask',
        cache: 'miss',
        status: 200,
        timings: { retrievalMs: 0, generationMs: 0, totalMs: 0 },
        principalId: 'anonymous',
        model: 'm1',
        usage: { inputTokens: 10, outputTokens: 2 },
      },
    ])
    // The event and the stored answer.
    expect(journal.waited).toHaveLength(2)
    expect(journal.stored[0]?.model).toBe('m1')
  })

  it.each(
    ['text/event-stream', 'application/json', 'text/plain'].flatMap((type) =>
      (['read to its end', 'left by its reader', 'broken off'] as const).map((how) => [type, how] as const),
    ),
  )('of an answer of %s that is %s has its status, and reports made until then', async (type, how) => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    let used = (): void => undefined
    const { app, journal } = aGate({
      handler: (c) => {
        const { report } = c.var.ragGate
        used = () => report({ model: 'm1', usage: { inputTokens: 10, outputTokens: 2 } })
        let sent = 0
        const body = new ReadableStream<Uint8Array>({
          pull(controller) {
            if (sent++ < 5 || how === 'left by its reader') {
              return controller.enqueue(new TextEncoder().encode('data: x\n\n'))
            }
            used()
            if (how === 'broken off') controller.error(new Error('reset'))
            else controller.close()
          },
        })
        return new Response(body, { headers: { 'content-type': type } })
      },
    })
    const response = await app.request('/ask', {
      method: 'POST',
      body: JSON.stringify({ question: 'How does the engine start?' }),
      headers: { 'content-type': 'application/json' },
    })
    expect(journal.events).toEqual([])
    if (how === 'left by its reader') {
      const reader = response.body!.getReader()
      await reader.read()
      used()
      await reader.cancel()
    } else await response.text().catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 5))
    const status = how === 'broken off' ? 503 : 200
    expect(journal.events).toMatchObject([{ status, model: 'm1', usage: { inputTokens: 10, outputTokens: 2 } }])
    expect([...journal.stored, ...journal.storedByEvidence]).toEqual([])
    expect(logged.mock.calls).toEqual(
      how === 'broken off' ? [[expect.stringMatching(/^\[rag-gate\] .*llm_unavailable/)]] : [],
    )
  })

  it('of an answer that its reader left, and that is read to its end for the cache, has the reports of its end', async () => {
    let source!: ReadableStreamDefaultController<Uint8Array>
    let used = (): void => undefined
    const { app, journal } = aGate({
      handler: (c) => {
        const { report } = c.var.ragGate
        used = () => report({ model: 'm1', usage: { inputTokens: 10, outputTokens: 2 } })
        const body = new ReadableStream<Uint8Array>({ start: (controller) => void (source = controller) })
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      },
    })
    const response = await app.request('/ask', {
      method: 'POST',
      body: JSON.stringify({ question: QUESTION }),
      headers: { 'content-type': 'application/json' },
    })
    await response.body!.cancel()
    used()
    source.enqueue(
      new TextEncoder().encode('data: {"choices":[{"index":0,"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'),
    )
    source.close()
    await vi.waitFor(() => expect(journal.stored).toHaveLength(1))
    expect(journal.events).toMatchObject([{ status: 200, model: 'm1', usage: { inputTokens: 10, outputTokens: 2 } }])
  })

  it('of a refusal does not wait until its body is read', async () => {
    for (const cache of [{}, { store: undefined }]) {
      const { app, journal } = aGate({ finds: [], cache })
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ question: QUESTION }),
      }
      const { body } = await app.request('/ask', init)
      expect(journal.events).toMatchObject([{ decision: { verdict: 'refuse' } }])
      await body?.cancel()
    }
  })

  it('of a stored answer has an id and a time of its own, and nothing that is the handler’s', async () => {
    const { ask, journal, clock } = aGate({
      handler: (c) => {
        c.var.ragGate.report({ model: 'm1', usage: { inputTokens: 10, outputTokens: 2 } })
        return c.json({})
      },
    })
    await ask()
    clock.atMs += 1000
    const { headers } = await ask()
    const [made, found] = journal.events
    expect(found).toEqual({
      ...made,
      id: expect.stringMatching(UUID7),
      atMs: clock.atMs,
      cache: 'hit',
      timings: { totalMs: 0 },
      model: undefined,
      usage: undefined,
    })
    expect(found?.id).not.toBe(made?.id)
    expect(headers.get('rag-gate')).toContain(`;id="${found?.id}"`)
  })

  it("contains the audit events of the policy's preset, whose warning is given once for each answer made", async () => {
    const audit = [{ type: 'advised', payload: { why: 'weak' } }]
    const warning = { code: 'weak', message: 'The evidence is weak' }
    const preset = { ...PRESET, auditEvents: () => audit, warning: () => warning }
    const onWarning = vi.fn<(warning: GateWarning) => void>()
    const { ask, journal } = aGate({ policy: { ...POLICY, preset }, onWarning })
    await ask()
    await ask()
    expect(journal.events).toMatchObject([
      { cache: 'miss', audit },
      { cache: 'hit', audit },
    ])
    expect(onWarning.mock.calls).toEqual([[warning]])
  })

  it.each([
    ['application/json', [200]],
    ['text/plain', []],
  ])(
    'of an answer of %s without a cache waits for the end of the body if it may be a stream',
    async (type, recorded) => {
      let end = (): void => undefined
      const body = new ReadableStream({ start: (controller) => void (end = () => controller.close()) })
      const handler = (): Response => new Response(body, { headers: { 'content-type': type } })
      const { app, journal } = aGate({ handler, cache: { store: undefined } })
      const response = await app.request('/ask', {
        method: 'POST',
        body: JSON.stringify({ question: 'How does the engine start?' }),
        headers: { 'content-type': 'application/json' },
      })
      expect(journal.events.map(({ status }) => status)).toEqual(recorded)
      if (recorded.length > 0) expect(response.body).toBe(body)
      end()
      await response.text()
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(journal.events).toHaveLength(1)
    },
  )

  it.each<[string, () => Response | Promise<Response>]>([
    ['JSON from fetch', () => fetch('data:application/json,{}')],
    ['a redirect', () => Response.redirect('https://elsewhere.example/')],
  ])('is in the headers of %s, whose headers are immutable, with a cache and without', async (_, handler) => {
    for (const cache of [undefined, { store: undefined }]) {
      const { ask } = aGate({ handler, ...(cache && { cache }) })
      expect((await ask()).headers.get('rag-gate')).toContain('pass')
    }
  })

  it('contains only the HMAC of the question, and that only with a key', async () => {
    const dependencies = { questionHmac: questionHmac({ key: 'k'.repeat(32), keyId: 'k1' }) }
    const { ask, journal } = aGate({ dependencies })
    await ask()
    expect(journal.events[0]?.question).toEqual({
      hmac: expect.stringMatching(/^[0-9a-f]{32}$/),
      keyId: expect.stringMatching(/^k1\b/),
    })
    const plain = aGate()
    await plain.ask()
    expect(plain.journal.events[0]).not.toHaveProperty('question')
    for (const { events } of [journal, plain.journal]) expect(JSON.stringify(events)).not.toContain('engine start')
  })

  it.each([...FAILURES, ['hangs', () => new Promise<never>(() => undefined)] as const])(
    'has no question when its HMAC %s, with a warning',
    async (how, hash) => {
      const onWarning = vi.fn<(warning: GateWarning) => void>()
      const { ask, journal } = aGate({ dependencies: { questionHmac: hash }, retrieval: { timeoutMs: 20 }, onWarning })
      expect((await ask()).status).toBe(200)
      expect(journal.events).toMatchObject([{ decision: { verdict: 'pass' } }])
      expect(journal.events[0]).not.toHaveProperty('question')
      const message = `The HMAC ${how === 'hangs' ? 'took too long' : 'failed'}`
      expect(onWarning.mock.calls).toMatchObject([
        [{ code: 'hmac_failed', message: 'The record is incomplete', cause: { message } }],
      ])
    },
  )

  it.each(FAILURES)('that %s is logged, and does not affect the response', async (_, record) => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    for (const finds of [[STRONG], []]) {
      const { ask } = aGate({ finds, dependencies: { log: { record, flush: () => Promise.resolve() } } })
      const response = await ask()
      expect(response.status).toBe(200)
      expect(response.headers.get('server-timing')).toContain('total')
      expect((await ask()).headers.get('cache-status')).toMatch(/hit/)
    }
    expect(logged.mock.calls).toEqual(
      Array.from({ length: 4 }, () => [expect.stringMatching(/^\[rag-gate\] after the response: Error at /)]),
    )
  })

  it('can go to a log that returns anything', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    const events: unknown[] = []
    const log = { record: (event: unknown) => events.push(event) as never, flush: () => Promise.resolve() }
    const { ask, journal } = aGate({ dependencies: { log } })
    for (const asked of [1, 2]) {
      await ask()
      expect(events).toHaveLength(asked)
    }
    expect(logged).not.toHaveBeenCalled()
    expect(journal.waited.filter((work) => !(work instanceof Promise))).toEqual([])
    logged.mockRestore()
  })

  it('does not delay the response', async () => {
    const log = { record: () => new Promise<void>(() => undefined), flush: () => Promise.resolve() }
    const { app } = aGate({ dependencies: { log } })
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: QUESTION }),
    }
    expect((await app.request('/ask', init)).status).toBe(200)
  })

  it('is stored on a platform without an execution context', async () => {
    const { app, journal } = aGate()
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: QUESTION }),
    }
    expect((await app.request('/ask', init)).status).toBe(200)
    await vi.waitFor(() => expect(journal.stored).toHaveLength(1))
    expect(journal.events).toHaveLength(1)
  })

  it('is not needed: a gate works without a log', async () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    const { ask, journal } = aGate({ dependencies: { log: undefined } })
    expect((await ask()).status).toBe(200)
    expect(logged).not.toHaveBeenCalled()
    expect(journal.waited.filter((work) => !(work instanceof Promise))).toEqual([])
  })

  it.each<[string, string, GateFixture]>([
    ['the ledger of savings', 'savings_failed', { dependencies: { savings: fail } }],
    [
      'the audit trail of a policy',
      'audit_failed',
      { policy: { ...POLICY, preset: { ...PRESET, auditEvents: fail } } },
    ],
  ])('and the answer are sent without %s when that fails, with a warning', async (_, code, fixture) => {
    const onWarning = vi.fn<(warning: GateWarning) => void>()
    const { ask, journal } = aGate({ ...fixture, onWarning })
    for (const status of ['fwd=miss', 'hit']) {
      const response = await ask()
      expect([response.status, response.headers.get('cache-status')]).toEqual([200, `rag-gate; ${status}`])
    }
    expect(journal.events.map(({ cache }) => cache)).toEqual(['miss', 'hit'])
    expect(journal.stored).toHaveLength(1)
    expect(onWarning.mock.calls.map(([warning]) => warning)).toMatchObject([
      { code, cause: FAULT },
      { code, cause: FAULT },
    ])
  })

  it("is written when the policy's warning text fails", async () => {
    const policy = { ...POLICY, preset: { ...PRESET, warning: fail } }
    const onWarning = vi.fn<(warning: GateWarning) => void>()
    const { ask, journal } = aGate({ policy, onWarning })
    expect((await ask()).status).toBe(200)
    expect(journal.events).toHaveLength(1)
    expect(onWarning.mock.calls).toMatchObject([[{ code: 'warning_failed', cause: FAULT }]])
  })
})
