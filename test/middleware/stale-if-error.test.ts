import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { RagGateError, type RagGateErrorCode } from '../../src/errors.ts'
import { aGate, type GateFixture, rankingOf, STRONG } from '../fixtures/gate.ts'

const WINDOW = 600

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

describe('an answer past its lifetime', () => {
  beforeEach(() => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
  })
  afterEach(() => vi.restoreAllMocks())

  test.each<RagGateErrorCode>(['retriever_timeout', 'retriever_unavailable', 'retriever_bad_response'])(
    'stands in for a retriever that failed with %s, marked, with its age, and counted as such',
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

  test('tells operators how far it is past it', async () => {
    const { ask } = await failing({ dependencies: { audience: 'operator' } })
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; fwd=stale; ttl=-30; detail=stale-if-error')
  })

  test.each([
    ['by default', { cache: { scope: 'public' as const, staleIfErrorSeconds: 0 } }, 30],
    ['beyond the window', {}, WINDOW],
    ['for a collection of another embedding', { code: 'embedding_mismatch' as const }, 30],
  ])('does not %s', async (_name, options, lateSeconds) => {
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

  test('is not sent while the retriever works, and not of a time before it was made', async () => {
    const { ask, clock, recover } = await failing()
    clock.atMs -= 3_600_000 * 48
    expect((await ask()).status).toBe(503)
    recover()
    clock.atMs += 3_600_000 * 48
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; fwd=stale')
  })

  test.each(['must-revalidate', 'max-age=60, proxy-revalidate', 's-maxage=60'])(
    'is not sent where its handler said %s',
    async (cacheControl) => {
      const { ask, journal } = await failing({
        handler: (c) => c.json({ answer: 'Turn it.' }, 200, { 'cache-control': cacheControl }),
      })
      expect(journal.stored).toHaveLength(1)
      expect((await ask()).status).toBe(503)
    },
  )
})
