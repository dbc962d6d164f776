import { describe, expect, test } from 'vitest'
import type { Ranking } from '../../src/core/evidence/chunk.ts'
import type { GateDependencies } from '../../src/middleware/dependencies.ts'
import { aPassage } from '../fixtures/evidence.ts'
import { aGate, type GateFixture, QUESTION, STRONG, WEAK } from '../fixtures/gate.ts'

const FOUND: Ranking = {
  kind: 'bm25',
  entries: [
    { passage: aPassage('gold', { text: STRONG }), score: 3 },
    { passage: aPassage('other', { text: WEAK }), score: 1 },
  ],
}

const as = (...scopes: readonly ('ask' | 'admin')[]): Partial<GateDependencies> => ({
  authenticate: () => ({ tenant: 'default', id: 'ann', scopes }),
})

function gateFor(options: GateFixture = {}) {
  return aGate({
    finds: () => [FOUND],
    question: { trials: 'operators' },
    dependencies: as('ask', 'admin'),
    ...options,
  })
}

interface Trial {
  readonly trial: true
  readonly refused: boolean
  readonly detail: {
    readonly chunks: readonly { readonly id: string }[]
    readonly signals: { readonly chunkCount: number }
  }
}

describe('without', () => {
  test.each([
    [[], ['gold', 'other']],
    [['gold'], ['other']],
    [['document of gold'], ['other']],
    [['gold', 'other'], []],
  ])('%j leaves passages and documents out of what is judged', async (without, ids) => {
    const { ask } = gateFor()
    const response = await ask({ question: QUESTION, without })
    const { trial, detail, refused } = (await response.json()) as Trial
    expect([response.status, trial]).toEqual([200, true])
    expect(detail.chunks.map(({ id }) => id)).toEqual(ids)
    expect(detail.signals.chunkCount).toBe(ids.length)
    if (ids.length === 0) expect(refused).toBe(true)
  })

  test('calls no handler, is not recorded, and neither fills the cache nor is answered from it', async () => {
    const { ask, journal } = gateFor()
    await ask({ question: QUESTION, without: [] })
    await ask({ question: QUESTION, without: ['gold'] })
    expect([journal.events, journal.handled, journal.stored]).toEqual([[], [], []])
    await ask()
    expect(journal.events.map(({ cache }) => cache)).toEqual(['miss'])
    const again = await ask({ question: QUESTION, without: ['gold'] })
    expect(((await again.json()) as Trial).detail.chunks.map(({ id }) => id)).toEqual(['other'])
    expect(again.headers.get('cache-control')).toBe('no-store')
    expect(again.headers.get('rag-gate')).toMatch(/;policy="[a-z-]+@/)
  })

  test('is for operators only', async () => {
    const { ask, journal } = gateFor({ dependencies: as('ask') })
    const response = await ask({ question: QUESTION, without: [] })
    expect(response.status).toBe(403)
    expect(journal.retrievals).toEqual([])
  })

  test.each([null, 'gold', [1], { 0: 'gold' }, Array<string>(201).fill('x')])('is no %j', async (without) => {
    const { ask } = gateFor()
    const response = await ask({ question: QUESTION, without })
    expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
      422,
      'trial',
    ])
  })

  test('is a member like any other where the route offers no trials', async () => {
    const { ask } = gateFor({ question: { trials: 'none' } })
    const response = await ask({ question: QUESTION, without: [] })
    expect(((await response.json()) as { error: { code: string } }).error.code).toBe('unknown_field')
  })
})
