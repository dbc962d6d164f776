import { reranking } from '../../src/pipeline/reranking.ts'
import { describe, expect, it } from 'vitest'
import type { PassageFilter } from '../../src/core/evidence/passage-filter.ts'
import { RagGateError } from '../../src/errors.ts'
import type { QuestionPorts, QuestionRequest, QuestionSettings } from '../../src/pipeline/question-settings.ts'
import type { AnswerCache, StoredAnswer } from '../../src/ports/answer-cache.ts'
import { plainCollection } from '../../src/ports/collections.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { ASKED as ASKED_OF_LAWS, SETTINGS as SETTINGS_OF_LAWS } from '../fixtures/answering.ts'
import { gatedPast } from '../fixtures/gated-past.ts'
import { aDecision, aStoredAnswer } from '../fixtures/decision.ts'
import { rankingOf, STRONG } from '../fixtures/gate.ts'
import { buildLexicon } from '../fixtures/english.ts'

const SETTINGS: QuestionSettings = { ...SETTINGS_OF_LAWS, policy: () => balanced() }
const { retrieval } = SETTINGS
const ASKED: QuestionRequest = { ...ASKED_OF_LAWS, question: 'How does the engine start?', collection: 'default' }

/** The document of the only passage that is found. */
const documentId = rankingOf([STRONG])[0]!.entries[0]!.passage.documentId

/** A store and ports that write down the order in which they are called. */
function aSetting({ cached }: { readonly cached?: Partial<StoredAnswer> } = {}) {
  const calls: string[] = []
  const ports: QuestionPorts = {
    clock: { nowMs: () => 1_000_000 },
    collections: {
      find: async (tenant, id) => {
        calls.push('find')
        return plainCollection({ tenant, id, corpusVersion: 7, lexiconId: 'lexicon-1' })
      },
      lexicon: async () => {
        calls.push('lexicon')
        return buildLexicon([STRONG, 'Paint is blue.'])
      },
    },
    retriever: {
      retrieve: async () => {
        calls.push('retrieve')
        return rankingOf([STRONG])
      },
    },
  }
  const store: AnswerCache = {
    get: async (key) => {
      calls.push(key.startsWith('12:answer-key/48:question') ? 'store, by question' : 'store, by evidence')
      return cached === undefined
        ? null
        : aStoredAnswer(key, {
            decision: aDecision({ tenant: ASKED.principal.tenant, collection: ASKED.collection }),
            ...cached,
          })
    },
    put: () => Promise.reject(new Error('gating a question stores nothing')),
    delete: () => Promise.reject(new Error('gating a question deletes nothing')),
  }
  return { ports, store, calls }
}

async function keyOf(settings: Partial<QuestionSettings> = {}, more: Partial<QuestionPorts> = {}) {
  const { ports, store } = aSetting()
  const { gated } = await gatedPast({ store }, { ...ports, ...more }, { ...SETTINGS, ...settings }, ASKED)
  return gated.lookup?.questionKey
}

describe('a question looked up in the cache', () => {
  it('asks in order: collection, store by question, lexicon, retriever, store by evidence', async () => {
    const { ports, store, calls } = aSetting()
    const { gated, cache } = await gatedPast({ store }, ports, SETTINGS, ASKED)
    expect(calls).toEqual(['find', 'store, by question', 'lexicon', 'retrieve', 'store, by evidence'])
    expect([gated.kind, cache.outcome(gated.lookup, undefined).status]).toEqual(['judged', 'rag-gate; fwd=miss'])
    expect(gated.lookup).not.toHaveProperty('leader')
  })

  it('asks nothing more after a fresh hit', async () => {
    const { ports, store, calls } = aSetting({ cached: { requestedAtMs: 1_000_000 - 5500, lifetimeSeconds: 6 } })
    const { gated } = await gatedPast({ store }, ports, SETTINGS, ASKED)
    expect(gated).toMatchObject({ kind: 'cached', found: { kind: 'hit', ageSeconds: 5, ttlSeconds: 1 }, retrievals: 0 })
    expect(calls).toEqual(['find', 'store, by question'])
  })

  it('is judged again when the stored answer has expired, with fwd=stale', async () => {
    const { ports, store, calls } = aSetting({ cached: { requestedAtMs: 1_000_000 - 6000, lifetimeSeconds: 6 } })
    const { gated, cache } = await gatedPast({ store }, ports, SETTINGS, ASKED)
    expect([gated.kind, cache.outcome(gated.lookup, undefined).status]).toEqual(['judged', 'rag-gate; fwd=stale'])
    expect(calls).toContain('retrieve')
  })

  it.each([
    [{ by: 'retriever', thrown: new RagGateError('retriever_unavailable', 'down') } as const, 'stale'],
    [{ by: 'retriever', thrown: new RagGateError('embedding_mismatch', 'other') } as const, undefined],
    [{ by: 'handler', status: 503 } as const, 'stale'],
    [{ by: 'handler', status: 404 } as const, undefined],
    [{ by: 'handler', status: 200 } as const, undefined],
  ])('falls back to an expired answer only for an outage: %j', async (failure, kind) => {
    const cached = { requestedAtMs: 1_000_000 - 6000, lifetimeSeconds: 6, staleIfErrorSeconds: 60 }
    const { ports, store } = aSetting({ cached })
    const { gated, cache } = await gatedPast({ store, staleIfErrorSeconds: 60 }, ports, SETTINGS, ASKED)
    expect(cache.standIn(gated.lookup!, failure)?.kind).toBe(kind)
  })

  it('warns of an expired answer with what failed', async () => {
    const cached = { requestedAtMs: 1_000_000 - 6000, lifetimeSeconds: 6, staleIfErrorSeconds: 60 }
    const { ports, store } = aSetting({ cached })
    const warnings: object[] = []
    const warned = { ...ports, onWarning: (warning: object) => void warnings.push(warning) }
    const { gated, cache } = await gatedPast({ store, staleIfErrorSeconds: 60 }, warned, SETTINGS, ASKED)
    const thrown = new RagGateError('retriever_timeout', 'late')
    cache.standIn(gated.lookup!, { by: 'retriever', thrown })
    cache.standIn(gated.lookup!, { by: 'handler', status: 503 })
    expect(warnings).toEqual([
      { code: 'retriever_timeout', message: 'The retriever failed: an expired answer is sent', cause: thrown },
      { code: 'handler_failed', message: 'The handler answered 503: an expired answer is sent' },
    ])
  })

  it('tells the store which entries may be sent, so that it looks further for one', async () => {
    const { ports } = aSetting()
    const usable: (boolean | undefined)[] = []
    const store: AnswerCache = {
      get: async (key, isUsable) => {
        const decision = aDecision({ tenant: ASKED.principal.tenant, collection: ASKED.collection })
        for (const requestedAtMs of [1_000_000 - 6000, 1_000_000 - 5999])
          usable.push(isUsable?.(aStoredAnswer(key, { decision, requestedAtMs, lifetimeSeconds: 6 })))
        usable.push(isUsable?.(aStoredAnswer(`${key}.`, { decision, requestedAtMs: 1_000_000 })))
        return null
      },
      put: async () => undefined,
      delete: async () => undefined,
    }
    await gatedPast({ store }, ports, SETTINGS, ASKED)
    expect(usable.slice(0, 3)).toEqual([false, true, false])
  })

  it('finds no answer stored under another filter', async () => {
    const filters: (PassageFilter | undefined)[] = [undefined, { documentId }, { documentId: [documentId, 'other'] }]
    const keys = filters.map((filter) => keyOf({ retrieval: { ...retrieval, filter: () => filter } }))
    expect(new Set(await Promise.all(keys)).size).toBe(3)
  })

  it('has another key with a reranker', async () => {
    const reranker = reranking({ model: 'grader', kind: 'grade', rerank: async () => [3] })
    expect(await keyOf({}, { reranker })).not.toBe(await keyOf())
  })

  it('that is refused before retrieval is looked up, but neither stored nor coalesced', async () => {
    const { ports, store, calls } = aSetting()
    const { gated, cache } = await gatedPast({ store }, ports, SETTINGS, { ...ASKED, question: 'how is it?' })
    expect(gated).toMatchObject({ kind: 'judged', decision: { verdict: 'refuse' } })
    expect([calls, gated.lookup]).toEqual([['find', 'store, by question'], undefined])
    expect(cache.outcome(gated.lookup, undefined).state).toBe('bypass')
  })
})
