import { describe, expect, it } from 'vitest'
import { buildLexicon } from '../../src/core/lexicon.ts'
import type { PassageFilter } from '../../src/core/passage-filter.ts'
import { balanced } from '../../src/core/profiles/balanced.ts'
import {
  type AskedQuestion,
  gateQuestion,
  type GatePorts,
  type GateSettings,
  newId,
} from '../../src/pipeline/gate-question.ts'
import type { CachedAnswer } from '../../src/ports/answer-cache.ts'
import { rankingOf, STRONG } from '../fixtures/gate.ts'
import { aCachedAnswer } from '../fixtures/decision.ts'

const SETTINGS: GateSettings = {
  policy: () => balanced(),
  mode: 'enforce',
  topK: 5,
  fusionWeights: {},
  retrievalTimeoutMs: 1000,
  maxContextCharacters: 12_000,
  prompt: '',
}
const ASKED: AskedQuestion = {
  question: 'How does the engine start?',
  collection: 'default',
  principal: { tenant: 'acme', id: 'ann', scopes: ['ask'] },
  audience: 'public',
  partition: 'principal:ann',
  deployment: '',
  path: '/ask',
  model: '',
  vary: [],
  options: {},
}

/** The document of the only passage that is found. */
const rankedDocument = rankingOf([STRONG])[0]!.entries[0]!.passage.documentId

/** Ports that write down the order in which they are called. */
function aSetting(
  given: { readonly lexiconId?: string | null; readonly cached?: Partial<CachedAnswer>; readonly known?: boolean } = {},
) {
  const { lexiconId = 'lexicon-1', cached, known = true } = given
  const calls: string[] = []
  const clock = { atMs: 1_000_000, nowMs: () => clock.atMs }
  const ports: GatePorts = {
    clock,
    collections: {
      find: async (tenant, id) => {
        calls.push(`find ${tenant}/${id}`)
        if (!known) return null
        return { tenant, id, corpusVersion: 7, lexiconId, embeddingModel: '', dimension: 0, policyId: null }
      },
      lexicon: async (id) => {
        calls.push(`lexicon ${id}`)
        return buildLexicon([STRONG, 'Paint is blue.'])
      },
    },
    cache: {
      get: async (key) => {
        calls.push('cache')
        return cached === undefined ? null : aCachedAnswer(key, cached)
      },
      put: () => Promise.reject(new Error('gating a question stores nothing')),
      delete: () => Promise.reject(new Error('gating a question deletes nothing')),
    },
    retriever: {
      retrieve: async ({ signal }) => {
        calls.push('retrieve')
        expect(signal.aborted).toBe(false)
        clock.atMs += 25
        return rankingOf([STRONG])
      },
    },
  }
  return { ports, calls, clock }
}

describe('gateQuestion', () => {
  it('asks in order: collection, cache, lexicon, retriever', async () => {
    const { ports, calls } = aSetting()
    const gated = await gateQuestion(ports, SETTINGS, ASKED)
    expect(calls).toEqual(['find acme/default', 'cache', 'lexicon lexicon-1', 'retrieve'])
    expect(gated).toMatchObject({
      kind: 'judged',
      cache: 'miss',
      stale: false,
      retrievalMs: 25,
      decision: { tenant: 'acme', collection: 'default', corpusVersion: 7, rankedBy: 'bm25', evidenceIds: ['chunk-0'] },
    })
  })

  it('asks nothing more of a collection that does not exist', async () => {
    const { ports, calls } = aSetting({ known: false })
    await expect(gateQuestion(ports, SETTINGS, ASKED)).rejects.toMatchObject({ code: 'collection_not_found' })
    expect(calls).toEqual(['find acme/default'])
  })

  it('answers nothing from passages that the filter leaves out, whatever the retriever found', async () => {
    const { ports } = aSetting()
    const asks = (filter: PassageFilter | undefined) =>
      gateQuestion(ports, { ...SETTINGS, filter: () => filter }, ASKED)
    await expect(asks({ 'metadata.team': 'edge' })).rejects.toMatchObject({ code: 'retriever_misconfigured' })
    await expect(asks({ documentId: rankedDocument })).resolves.toMatchObject({ kind: 'judged' })
    await expect(asks(undefined)).resolves.toMatchObject({ kind: 'judged' })
  })

  it.each([[{}], [null], [{ team: 'edge' }], [{ source: "'" }]])('asks nothing with the filter %j', async (filter) => {
    const { ports, calls } = aSetting()
    const settings = { ...SETTINGS, filter: () => filter as unknown as PassageFilter }
    await expect(gateQuestion(ports, settings, ASKED)).rejects.toMatchObject({ code: 'config_invalid' })
    expect(calls).toEqual(['find acme/default'])
  })

  it('finds no answer that was stored under another filter', async () => {
    const { ports } = aSetting()
    const keyWith = async (filter: PassageFilter | undefined) => {
      const gated = await gateQuestion(ports, { ...SETTINGS, filter: () => filter }, ASKED)
      return gated.kind === 'judged' ? gated.key : undefined
    }
    const keys = [undefined, { documentId: rankedDocument }, { documentId: [rankedDocument, 'other'] }].map(keyWith)
    expect(new Set(await Promise.all(keys)).size).toBe(3)
  })

  it('stops at a fresh answer', async () => {
    const { ports, calls } = aSetting({ cached: { storedAtMs: 1_000_000 - 5500, lifetimeSeconds: 6 } })
    expect(await gateQuestion(ports, SETTINGS, ASKED)).toMatchObject({ kind: 'cached', ageSeconds: 5 })
    expect(calls).toEqual(['find acme/default', 'cache'])
  })

  it('judges anew when the answer it finds has lived its time, and says so', async () => {
    const { ports, calls } = aSetting({ cached: { storedAtMs: 1_000_000 - 6000, lifetimeSeconds: 6 } })
    expect(await gateQuestion(ports, SETTINGS, ASKED)).toMatchObject({ kind: 'judged', stale: true, cache: 'miss' })
    expect(calls).toContain('retrieve')
  })

  it('weighs all terms alike for a collection without a lexicon', async () => {
    const { ports, calls } = aSetting({ lexiconId: null })
    const gated = await gateQuestion(ports, SETTINGS, ASKED)
    expect(calls).toEqual(['find acme/default', 'cache', 'retrieve'])
    expect(gated).toMatchObject({ decision: { signals: { lexiconChunkCount: 0 } } })
  })

  it('has no key and no hit without a cache', async () => {
    const { ports } = aSetting()
    const { cache: _, ...bare } = ports
    const gated = await gateQuestion(bare, SETTINGS, ASKED)
    expect(gated).toMatchObject({ kind: 'judged', cache: 'bypass', stale: false })
    expect(gated).not.toHaveProperty('key')
  })

  it('names each document once, best first', async () => {
    const { ports } = aSetting()
    const [ranking] = rankingOf([STRONG, 'b', 'c'])
    const entries = ranking!.entries.map((entry, at) => ({
      ...entry,
      passage: { ...entry.passage, documentId: at === 1 ? 'two' : 'one' },
    }))
    const retriever = { retrieve: async () => [{ kind: 'bm25' as const, entries }] }
    const gated = await gateQuestion({ ...ports, retriever }, SETTINGS, ASKED)
    expect(gated).toMatchObject({
      decision: { documentIds: ['one', 'two'], evidenceIds: ['chunk-0', 'chunk-1', 'chunk-2'] },
    })
  })

  it.each([
    ['the retriever', 'The retrieval failed', { retriever: { retrieve: () => Promise.reject(new Error('down')) } }],
    [
      'the collections',
      'The database failed',
      {
        collections: {
          find: () => Promise.reject(new Error('down')),
          lexicon: () => Promise.reject(new Error('unused')),
        },
      },
    ],
  ])('never turns a failure of %s into missing evidence', async (_, message, broken) => {
    const { ports } = aSetting()
    await expect(gateQuestion({ ...ports, ...broken }, SETTINGS, ASKED)).rejects.toThrow(message)
  })

  it('aborts the search at its deadline', async () => {
    const { ports } = aSetting()
    const retriever: GatePorts['retriever'] = {
      retrieve: ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
    }
    const waiting = gateQuestion({ ...ports, retriever }, { ...SETTINGS, retrievalTimeoutMs: 10 }, ASKED)
    await expect(waiting).rejects.toMatchObject({ code: 'retriever_timeout' })
  })

  it('waits no longer for a search that ignores its signal', async () => {
    const { ports } = aSetting()
    const retriever: GatePorts['retriever'] = { retrieve: () => new Promise(() => undefined) }
    const waiting = gateQuestion({ ...ports, retriever }, { ...SETTINGS, retrievalTimeoutMs: 10 }, ASKED)
    await expect(waiting).rejects.toMatchObject({ code: 'retriever_timeout' })
  })
})

describe('newId', () => {
  it("is a UUIDv7 of the clock's time, never the same twice", () => {
    const clock = { nowMs: () => 0x017f22e279b0 }
    const made = Array.from({ length: 100 }, () => newId(clock))
    for (const id of made) expect(id).toMatch(/^017f22e2-79b0-7[0-9a-f]{3}-[89ab]/)
    expect(new Set(made).size).toBe(100)
  })
})
