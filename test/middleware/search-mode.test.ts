import { describe, expect, test } from 'vitest'
import type { GateDependencies } from '../../src/middleware/dependencies.ts'
import type { Ranking } from '../../src/core/evidence/chunk.ts'
import { aPassage } from '../fixtures/evidence.ts'
import { aGate, type GateFixture, QUESTION, STRONG, WEAK } from '../fixtures/gate.ts'

const by = (kind: 'bm25' | 'cosine', id: string, text: string, score: number): Ranking => ({
  kind,
  entries: [{ passage: aPassage(id, { text }), score }],
})
const BOTH = [by('cosine', 'dense', WEAK, 0.9), by('bm25', 'sparse', STRONG, 3)]

const as = (...scopes: readonly ('ask' | 'admin')[]): Partial<GateDependencies> => ({
  authenticate: () => ({ tenant: 'default', id: 'ann', scopes }),
})

function gateFor(options: GateFixture = {}) {
  return aGate({
    finds: () => BOTH,
    question: { searchModes: 'operators' },
    dependencies: as('ask', 'admin'),
    ...options,
  })
}

const codeOf = async (response: Response): Promise<unknown> =>
  [response.status, ((await response.json()) as { error: { code: string } }).error.code] as const

describe('search_mode', () => {
  test.each([
    ['dense', ['dense'], 'cosine'],
    ['sparse', ['sparse'], 'bm25'],
    ['hybrid', ['dense', 'sparse'], 'convex'],
  ])('%s has only those methods ranked and judged', async (mode, evidenceIds, rankedBy) => {
    const { ask, journal } = gateFor()
    await ask({ question: QUESTION, search_mode: mode })
    const [{ decision } = { decision: undefined }] = journal.events
    expect(decision?.rankedBy).toBe(rankedBy)
    expect([...(decision?.evidenceIds ?? [])].sort()).toEqual(evidenceIds)
  })

  test('is part of the answer key; hybrid is what a request without it gets', async () => {
    const { ask, journal } = gateFor()
    for (const more of [{}, { search_mode: 'hybrid' }, { search_mode: 'sparse' }, { search_mode: 'dense' }]) {
      await ask({ question: QUESTION, ...more })
    }
    expect(journal.events.map(({ cache }) => cache)).toEqual(['miss', 'hit', 'miss', 'miss'])
  })

  test.each(['hybrid', 'dense'])('%s is for operators only', async (mode) => {
    const { ask, journal } = gateFor({ dependencies: as('ask') })
    expect(await codeOf(await ask({ question: QUESTION, search_mode: mode }))).toEqual([403, 'forbidden'])
    expect(journal.retrievals).toEqual([])
    expect((await ask()).status).toBe(200)
  })

  test.each(['Dense', '', null, 1, ['dense'], 'toString'])('%j is no mode', async (mode) => {
    const { ask, journal } = gateFor()
    expect(await codeOf(await ask({ question: QUESTION, search_mode: mode }))).toEqual([422, 'search_mode'])
    expect(journal.retrievals).toEqual([])
  })

  test('of a method that the retriever does not have is an error, not missing evidence', async () => {
    const { ask, journal } = gateFor({ finds: () => [by('bm25', 'sparse', STRONG, 3)] })
    expect(await codeOf(await ask({ question: QUESTION, search_mode: 'dense' }))).toEqual([422, 'search_mode'])
    expect(journal.events).toEqual([])
  })

  test('is a member like any other where the route does not offer it', async () => {
    const refused = gateFor({ question: { searchModes: 'none' } })
    expect(await codeOf(await refused.ask({ question: QUESTION, search_mode: 'dense' }))).toEqual([
      422,
      'unknown_field',
    ])
    const { ask, journal } = gateFor({ question: { searchModes: 'none', otherFields: 'allow' } })
    await ask({ question: QUESTION, search_mode: 'dense' })
    expect(journal.events[0]?.decision.rankedBy).toBe('convex')
  })
})
