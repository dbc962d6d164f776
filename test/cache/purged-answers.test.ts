import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMemoryAnswerPurges } from '../../src/adapters/memory-answer-purges.ts'
import type { PurgeScope } from '../../src/core/policy/purge-scope.ts'
import { aGate, type GateFixture, QUESTION, rankingOf, STRONG, WEAK } from '../fixtures/gate.ts'

const collection = { tenant: 'default', collection: 'default' }

function purgeable(options: GateFixture = {}) {
  const purges = createMemoryAnswerPurges()
  const gate = aGate({ ...options, cache: { purges, ...options.cache } })
  return { ...gate, purges }
}

describe('a stored answer', () => {
  beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined))
  afterEach(() => void vi.restoreAllMocks())

  it.each<[string, PurgeScope]>([
    ['everything', { kind: 'everything' }],
    ['its tenant', { kind: 'tenant', tenant: 'default' }],
    ['its collection', { kind: 'collection', ...collection }],
    ['a document of its evidence', { kind: 'document', ...collection, documentId: 'document of chunk-0' }],
  ])('is never sent again once %s was purged, and a new one is stored', async (_, scope) => {
    const { ask, journal, purges } = purgeable()
    await ask()
    expect(journal.stored[0]?.decision.documentIds).toEqual(['document of chunk-0'])
    await purges.purge([scope])
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; fwd=miss')
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; hit')
    expect(journal.handled).toHaveLength(2)
  })

  it('is never sent again once it was purged by its id or its question', async () => {
    for (const name of ['answer', 'question'] as const) {
      const { ask, journal, purges } = purgeable()
      await ask()
      await ask({ question: `${QUESTION} And why?` })
      const decisionId = journal.stored[0]!.decision.id
      await purges.purge([
        name === 'answer'
          ? { kind: 'answer', tenant: 'default', decisionId }
          : { kind: 'question', ...collection, question: QUESTION },
      ])
      expect((await ask()).headers.get('cache-status')).toBe('rag-gate; fwd=miss')
      expect((await ask({ question: `${QUESTION} And why?` })).headers.get('cache-status')).toBe('rag-gate; hit')
    }
  })

  it('is not found by its evidence once its question was purged', async () => {
    let version = 1
    const { ask, journal, purges } = purgeable({ corpusVersion: () => version })
    await ask()
    await purges.purge([{ kind: 'question', ...collection, question: QUESTION }])
    version = 2
    await ask()
    expect(journal.handled).toHaveLength(2)
  })

  it.each<[string, PurgeScope]>([
    ['another answer', { kind: 'answer', tenant: 'default', decisionId: '01930000-0000-7000-8000-000000000001' }],
    ['another question', { kind: 'question', ...collection, question: 'Why?' }],
    ['another tenant', { kind: 'tenant', tenant: 'acme' }],
    ['another collection', { kind: 'collection', tenant: 'default', collection: 'other' }],
    ['another document', { kind: 'document', ...collection, documentId: 'document of chunk-9' }],
  ])('is kept when %s was purged', async (_, scope) => {
    const { ask, journal, purges } = purgeable()
    await ask()
    await purges.purge([scope])
    await ask()
    expect(journal.handled).toHaveLength(1)
  })

  it('is not found by its evidence once it was purged by its id', async () => {
    let version = 1
    const { ask, journal, purges } = purgeable({ corpusVersion: () => version })
    await ask()
    await purges.purge([{ kind: 'collection', ...collection }])
    version = 2
    await ask()
    expect(journal.handled).toHaveLength(2)
  })

  it('is not sent to others when its document was purged while it was made', async () => {
    const purges = createMemoryAnswerPurges()
    let purging = true
    const { ask, journal } = aGate({
      cache: { purges },
      handler: async (c) => {
        if (purging) await purges.purge([{ kind: 'document', ...collection, documentId: 'document of chunk-0' }])
        purging = false
        return c.json({ answer: 'Turn it.' })
      },
    })
    await ask()
    await ask()
    expect(journal.handled).toHaveLength(2)
    await ask()
    expect(journal.handled).toHaveLength(2)
  })

  it('is not sent in place of a failed retrieval once it was purged', async () => {
    let down = false
    const { ask, clock, journal, purges } = purgeable({
      cache: { scope: 'public', staleIfErrorSeconds: 600 },
      finds: () => {
        if (down) throw new Error('down')
        return rankingOf([STRONG])
      },
    })
    await ask()
    clock.atMs += (journal.stored[0]!.lifetimeSeconds + 1) * 1000
    down = true
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    expect((await ask()).status).toBe(200)
    await purges.purge([{ kind: 'everything' }])
    expect((await ask()).status).toBe(503)
  })

  it('is not sent while purges cannot be read, and the question gets a new answer', async () => {
    const onWarning = vi.fn<(warning: object) => void>()
    const { ask, journal } = aGate({
      onWarning,
      cache: {
        purges: {
          known: () => Promise.reject(new Error('D1')),
          purge: () => Promise.reject(new Error('D1')),
          maxAgeSeconds: 0,
        },
      },
    })
    for (let at = 0; at < 2; at++) {
      const response = await ask()
      expect([response.status, response.headers.get('cache-status')]).toEqual([200, 'rag-gate; fwd=bypass'])
    }
    expect([journal.handled.length, journal.stored.length]).toEqual([2, 0])
    expect(onWarning.mock.calls[0]).toMatchObject([
      {
        code: 'purges_unreadable',
        message: 'Purges could not be read (RagGateError): the answer cache is not used',
        cause: { code: 'store_unavailable' },
      },
    ])
  })
})

describe('a refusal', () => {
  it('is removed with its collection, and with no other', async () => {
    const { ask, journal, purges } = purgeable({ finds: [WEAK] })
    await ask({ question: QUESTION })
    await purges.purge([{ kind: 'collection', tenant: 'default', collection: 'other' }])
    await ask()
    expect(journal.retrievals).toHaveLength(1)
    await purges.purge([{ kind: 'collection', ...collection }])
    await ask()
    expect(journal.retrievals).toHaveLength(2)
  })
})
