import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createMemoryAnswerPurges } from '../../src/adapters/memory-answer-purges.ts'
import { createOpenAiGenerator } from '../../packages/models/src/openai-compatible.ts'
import { confidenceRange } from '../../src/core/gates/confidence-range.ts'
import { definePolicy, type Policy } from '../../src/core/policy/policy.ts'
import { RagGateError, type RagGateErrorCode } from '../../src/errors.ts'
import { respondWithError } from '../../src/middleware/respond.ts'
import { aGate, asOperator, type GateFixture, POLICY, rankingOf, STRONG } from '../fixtures/gate.ts'
import { answering, type ScriptedUpstream, startUpstream } from '../fixtures/scripted-upstream.ts'

const WINDOW = 600

const OTHER_POLICY = definePolicy({ ...POLICY, gates: [confidenceRange({ refuseBelow: 0.2, adviseBelow: 0.6 })] })

/** A gate that answered once, whose answer is just past its lifetime, and whose retriever then fails. */
async function failing(
  { code = 'retriever_unavailable', ...options }: GateFixture & { readonly code?: RagGateErrorCode } = {},
  more: { readonly lateSeconds?: number } = {},
) {
  let version = 1
  let down = false
  const gate = aGate({
    cache: { scope: 'public', staleIfErrorSeconds: WINDOW },
    corpusVersion: () => version,
    finds: () => {
      if (down) throw new RagGateError(code, 'down')
      return rankingOf([STRONG])
    },
    ...options,
  })
  const first = await (await gate.ask()).text()
  const lifetime = gate.journal.stored[0]?.lifetimeSeconds ?? 0
  gate.clock.atMs += (lifetime + (more.lateSeconds ?? 30)) * 1000
  down = true
  return { ...gate, first, lifetime, change: () => void version++, recover: () => void (down = false) }
}

describe('an expired answer', () => {
  beforeEach(() => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
  })
  afterEach(() => vi.restoreAllMocks())

  test.each<RagGateErrorCode>(['retriever_timeout', 'retriever_unavailable', 'retriever_bad_response'])(
    'is sent when the retriever fails with %s, marked stale with its age, and counted as stale',
    async (code) => {
      const { ask, journal, first, lifetime } = await failing({ code })
      const response = await ask()
      expect([response.status, await response.text()]).toEqual([200, first])
      expect(response.headers.get('cache-status')).toBe('rag-gate; fwd=stale; detail=stale-if-error')
      expect(response.headers.get('age')).toBe(String(lifetime + 30))
      expect(journal.events.map(({ cache }) => cache)).toEqual(['miss', 'stale'])
      expect(new Set(journal.events.map(({ id }) => id)).size).toBe(2)
      expect(journal.handled).toHaveLength(1)
    },
  )

  test('shows operators how long ago it expired', async () => {
    const { ask } = await failing({ dependencies: { authenticate: asOperator } })
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; fwd=stale; ttl=-30; detail=stale-if-error')
  })

  test.each([
    ['by default', { cache: { scope: 'public' as const, staleIfErrorSeconds: 0 } }, 30],
    ['beyond the window', {}, WINDOW],
    ['for a collection of another embedding', { code: 'embedding_mismatch' as const }, 30],
  ])('is not sent %s', async (_name, options, lateSeconds) => {
    const { ask } = await failing(options, { lateSeconds })
    expect((await ask()).status).toBe(503)
  })

  test('is sent within the last second of the window', async () => {
    const { ask } = await failing({}, { lateSeconds: WINDOW - 1 })
    expect((await ask()).status).toBe(200)
  })

  test('is never sent once the documents changed', async () => {
    const { ask, change } = await failing()
    change()
    expect((await ask()).status).toBe(503)
  })

  test('is not sent while the retriever works, nor before the time it was made', async () => {
    const { ask, clock, recover } = await failing()
    clock.atMs -= 3_600_000 * 48
    expect((await ask()).status).toBe(503)
    recover()
    clock.atMs += 3_600_000 * 48
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; fwd=stale')
  })

  test.each(['must-revalidate', 'max-age=60, proxy-revalidate', 's-maxage=60'])(
    'is not sent when its handler set %s',
    async (cacheControl) => {
      const { ask, journal } = await failing({
        handler: (c) => c.json({ answer: 'Turn it.' }, 200, { 'cache-control': cacheControl }),
      })
      expect(journal.stored).toHaveLength(1)
      expect((await ask()).status).toBe(503)
    },
  )
})

describe('an expired answer when the handler fails', () => {
  const WITH_WINDOW = { scope: 'public' as const, staleIfErrorSeconds: WINDOW }
  let upstream: ScriptedUpstream

  beforeEach(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    upstream = await startUpstream(answering(JSON.stringify(completion('Turn the red key.'))))
  })
  afterEach(async () => {
    await upstream.stop()
    vi.restoreAllMocks()
  })

  const completion = (content: string) => ({
    model: 'm',
    choices: [{ finish_reason: 'stop', message: { role: 'assistant', content } }],
  })

  /** A gate whose handler asks a model by HTTP; it answered once, and the answer is just past its lifetime. */
  async function overdue(options: GateFixture = {}, lateSeconds = 30) {
    let version = 1
    // One that never answers is not waited for.
    const patience = { ms: 20_000 }
    const warnings: { readonly code: string; readonly message: string }[] = []
    const gate = aGate({
      cache: WITH_WINDOW,
      corpusVersion: () => version,
      onWarning: (warning) => void warnings.push(warning),
      handler: async (c) => {
        const model = createOpenAiGenerator({
          baseUrl: `${upstream.url}/v1`,
          apiKey: 'key',
          model: 'm',
          timeoutMs: patience.ms,
        })
        const { question, context, report } = c.var.ragGate
        const { text, complete } = await model.generate({
          question,
          chunks: context.chunks,
          context: context.text,
          signal: c.req.raw.signal,
        })
        report({ complete })
        return c.json({ answer: text })
      },
      ...options,
    })
    gate.app.onError((thrown, c) => respondWithError(c, thrown))
    const first = await (await gate.ask()).text()
    gate.clock.atMs += ((gate.journal.stored[0]?.lifetimeSeconds ?? 0) + lateSeconds) * 1000
    return { ...gate, first, warnings, patience, change: () => void version++ }
  }

  test.each<[string, string, Parameters<ScriptedUpstream['answerWith']>[0]]>([
    ['is overloaded', 'llm_unavailable', answering('{}', 503)],
    ['sends no readable answer', 'llm_bad_response', answering('<html>')],
    ['refuses the key', 'llm_misconfigured', answering('{}', 401)],
    ['never answers', 'llm_timeout', () => undefined],
    ['breaks off', 'llm_unavailable', (response) => response.destroy()],
  ])('is sent, marked stale, when the model %s', async (_, code, fault) => {
    const { ask, journal, first, warnings, patience } = await overdue()
    if (code === 'llm_timeout') patience.ms = 200
    upstream.answerWith(fault)
    const response = await ask()
    expect([response.status, await response.text()]).toEqual([200, first])
    expect(response.headers.get('cache-status')).toBe('rag-gate; fwd=stale; detail=stale-if-error')
    expect(response.headers.get('age')).toMatch(/^\d+$/)
    expect(response.headers.get('retry-after')).toBeNull()
    expect(warnings).toMatchObject([{ code }])
    expect(journal.events.map(({ cache }) => cache)).toEqual(['miss', 'stale'])
    expect(journal.stored).toHaveLength(1)
  })

  test.each<[string, GateFixture, number]>([
    ['without a window', { cache: { scope: 'public' } }, 30],
    ['beyond the window', {}, WINDOW],
  ])('is not sent %s', async (_, options, lateSeconds) => {
    const { ask } = await overdue(options, lateSeconds)
    upstream.answerWith(answering('{}', 503))
    expect((await ask()).status).toBe(503)
  })

  test('is not sent once the documents changed', async () => {
    const { ask, change } = await overdue()
    change()
    upstream.answerWith(answering('{}', 503))
    expect((await ask()).status).toBe(503)
  })

  test('is not sent under another policy, nor once it was purged', async () => {
    const purges = createMemoryAnswerPurges()
    let policy: Policy = POLICY
    const { ask } = await overdue({ policy: () => policy, cache: { ...WITH_WINDOW, purges } })
    upstream.answerWith(answering('{}', 503))
    policy = OTHER_POLICY
    expect((await ask()).status).toBe(503)
    policy = POLICY
    expect((await ask()).status).toBe(200)
    await purges.purge([{ kind: 'everything' }])
    expect((await ask()).status).toBe(503)
  })

  test.each([400, 404, 409, 422, 429, 501])('is not sent when the handler itself answers %d', async (status) => {
    let failing = false
    const { ask } = await overdue({
      handler: (c) => (failing ? c.json({ own: true }, status as 400) : c.json({ answer: 'Turn it.' })),
    })
    failing = true
    expect((await ask()).status).toBe(status)
  })

  test('is sent with its own headers, and none of the failed response', async () => {
    let failing = false
    const made = await overdue({
      handler: (c) => {
        if (!failing) return c.json({ answer: 'Turn it.' }, 200, { 'content-location': 'answer' })
        return c.json({}, 503, { 'content-location': 'failure', 'retry-after': '9' })
      },
    })
    failing = true
    const response = await made.ask()
    expect(response.headers.get('content-location')).toBe('answer')
    expect(response.headers.get('retry-after')).toBeNull()
  })
})
