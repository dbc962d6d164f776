import { describe, expect, it } from 'vitest'
import { aGate, bodyOf } from '../fixtures/gate.ts'
import { quietErrors } from '../fixtures/quiet-console.ts'

quietErrors()

const saying = (field: string): Record<string, string> => ({ 'cache-control': field })

describe('a request with Cache-Control:', () => {
  it('no-cache gets a new answer, which is stored for the next', async () => {
    const { ask, journal, clock } = aGate()
    await ask()
    clock.atMs += 5000
    expect((await ask(undefined, saying('no-cache'))).headers.get('cache-status')).toBe('rag-gate; fwd=request')
    expect((await ask()).headers.get('age')).toBe('0')
    expect(journal.events.map(({ cache }) => cache)).toEqual(['miss', 'bypass', 'hit'])
  })

  it('no-store gets a new answer, which is not stored', async () => {
    const { ask, journal } = aGate()
    expect((await ask(undefined, saying('No-Store'))).headers.get('cache-status')).toBe('rag-gate; fwd=request')
    expect([...journal.stored, ...journal.storedByEvidence]).toEqual([])
    await ask()
    await ask(undefined, saying('no-store'))
    expect(journal.handled).toHaveLength(3)
    expect(journal.stored).toHaveLength(1)
  })

  it('max-age gets no older answer', async () => {
    const { ask, journal, clock } = aGate()
    await ask()
    clock.atMs += 10_000
    expect((await ask(undefined, saying('max-age=10'))).headers.get('age')).toBe('10')
    await ask(undefined, saying('max-age=9'))
    expect(journal.handled).toHaveLength(2)
  })

  it('only-if-cached gets a stored answer, or 504 without a retrieval', async () => {
    const { ask, journal } = aGate()
    const response = await ask(undefined, saying('only-if-cached'))
    expect([response.status, (await bodyOf(response)).error?.code]).toEqual([504, 'not_cached'])
    expect(journal.retrievals).toEqual([])
    await ask()
    expect((await ask(undefined, saying('only-if-cached'))).status).toBe(200)
  })

  it.each(['max-age=9', 'no-cache'])(
    'only-if-cached with %s gets 504 when that excludes the stored answer',
    async (also) => {
      const { ask, journal, clock } = aGate()
      await ask()
      clock.atMs += 10_000
      const response = await ask(undefined, saying(`only-if-cached, ${also}`))
      expect([response.status, (await bodyOf(response)).error?.code]).toEqual([504, 'not_cached'])
      expect(journal.retrievals).toHaveLength(1)
    },
  )

  it('only-if-cached gets 504 when credentials exclude the cache', async () => {
    const { ask, journal } = aGate()
    await ask()
    const response = await ask(undefined, { cookie: 'a=b', ...saying('only-if-cached') })
    expect([response.status, (await bodyOf(response)).error?.code]).toEqual([504, 'not_cached'])
    expect(journal.retrievals).toHaveLength(1)
  })

  it('only-if-cached with max-age gets an answer that is young enough', async () => {
    const { ask, journal, clock } = aGate()
    await ask()
    clock.atMs += 10_000
    for (const _ of [1, 2]) {
      expect((await ask(undefined, saying('only-if-cached, max-age=10'))).headers.get('age')).toBe('10')
    }
    await ask(undefined, saying('no-cache'))
    expect(journal.handled).toHaveLength(2)
  })

  it('only-if-cached does not reveal what another caller asked', async () => {
    const authenticate = (request: Request) => ({
      tenant: 'acme',
      id: request.headers.get('x-id') ?? '',
      scopes: request.headers.get('x-id')?.startsWith('operator') ? (['ask', 'admin'] as const) : (['ask'] as const),
    })
    const { ask } = aGate({ cache: { scope: 'tenant' }, dependencies: { authenticate } })
    await ask(undefined, { 'x-id': 'ann' })
    const as = async (id: string) => (await ask(undefined, { 'x-id': id, ...saying('only-if-cached') })).status
    expect([await as('bob'), await as('ann')]).toEqual([504, 200])
    const bypassed = await ask(undefined, { 'x-id': 'bob', ...saying('only-if-cached') })
    expect((await bodyOf(bypassed)).error).toMatchObject({
      message: 'No answer is stored, and only a stored one was requested',
    })
    // An answer for operators shows more, and is stored apart.
    await ask(undefined, { 'x-id': 'operator-1' })
    expect(await as('operator-2')).toBe(200)
  })

  it.each(['no-cache; x', 'x="', ''])('%j, which contains no readable directive, is ignored', async (field) => {
    const { ask, journal } = aGate()
    await ask()
    await ask(undefined, saying(field))
    expect(journal.handled).toHaveLength(1)
  })
})
