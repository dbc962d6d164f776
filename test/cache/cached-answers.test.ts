import type { Reranker } from '../../src/ports/reranker.ts'
import { reranking } from '../../src/pipeline/reranking.ts'
import { describe, expect, it, vi } from 'vitest'
import type { GateWarning } from '../../src/pipeline/question-settings.ts'
import { plainCollection } from '../../src/ports/collections.ts'
import {
  aGate,
  asOperator,
  type GateFixture,
  POLICY,
  QUESTION,
  rankingOf,
  STRONG,
  UUID7,
  WEAK,
} from '../fixtures/gate.ts'

const GRADER: Reranker = { model: 'grader', kind: 'grade', rerank: async () => [3] }

describe('a question asked again', () => {
  it('is answered from the cache with a rising Age, without retrieval or handler', async () => {
    const { ask, journal, clock } = aGate()
    const first = await (await ask()).text()
    const lifetime = journal.stored[0]?.lifetimeSeconds ?? 0
    expect(lifetime).toBeGreaterThan(21_600)
    for (const [at, seconds] of [0, 1, 59.999, 3600].entries()) {
      clock.atMs = Date.UTC(2026, 0, 2) + seconds * 1000
      const response = await ask()
      expect(response.headers.get('age')).toBe(String(Math.floor(seconds)))
      expect(response.headers.get('cache-status')).toBe('rag-gate; hit')
      expect(response.headers.get('cache-control')).toBe('private, no-store')
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(await response.text()).toBe(first)
      expect(journal.events).toHaveLength(at + 2)
    }
    expect(journal.retrievals).toHaveLength(1)
    expect(journal.handled).toHaveLength(1)
  })

  it('records each hit with its own id and the decision of the stored answer', async () => {
    const { ask, journal } = aGate()
    await ask()
    const { headers } = await ask()
    const [miss, hit] = journal.events
    expect(hit).toMatchObject({ cache: 'hit', decision: miss?.decision, status: 200 })
    expect(hit?.id).toMatch(UUID7)
    expect(hit?.id).not.toBe(miss?.id)
    expect(headers.get('rag-gate')).toContain(`id="${hit?.id}"`)
  })

  it('is retrieved and answered again when the stored answer has expired', async () => {
    const { ask, journal, clock } = aGate()
    await ask()
    clock.atMs += (journal.stored[0]?.lifetimeSeconds ?? 0) * 1000 - 1
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; hit')
    clock.atMs += 1
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; fwd=stale')
    expect(journal.handled).toHaveLength(2)
    expect((await ask()).headers.get('age')).toBe('0')
  })

  it('is answered again when the clock was set back, so that no lifetime grows', async () => {
    const { ask, clock } = aGate()
    await ask()
    clock.atMs -= 3_600_000
    const response = await ask()
    expect(response.headers.get('age')).toBeNull()
    expect(response.headers.get('cache-status')).toBe('rag-gate; fwd=stale')
  })

  it.each([
    ['spaces and empty lines at its ends', '\n  How does\t the engine   start? \n'],
    ['nothing', QUESTION],
  ])('finds the stored answer when it differs in %s', async (_, question) => {
    const { ask, journal } = aGate()
    await ask()
    await ask({ question })
    expect(journal.retrievals).toHaveLength(1)
  })

  it('finds the stored answer whether composed or decomposed', async () => {
    const { ask, journal } = aGate()
    await ask({ question: 'Why caf\u00e9 engines?' })
    await ask({ question: 'Why cafe\u0301 engines?' })
    expect(journal.retrievals).toHaveLength(1)
  })

  it.each([
    ['①', '1'],
    ['Ａ', 'A'],
    ['\u{e0061}engine', 'engine'],
  ])('finds the stored answer with %s in place of %s, and the handler gets the latter', async (a, b) => {
    const { ask, journal } = aGate()
    await ask({ question: `How does the engine start ${a}` })
    await ask({ question: `How does the engine start ${b}` })
    expect(journal.retrievals).toHaveLength(1)
    expect(journal.handled.map(({ question }) => question)).toEqual([`How does the engine start ${b}`])
  })

  it.each([
    ['İ', 'i'],
    ['a', 'A'],
  ])('gets its own answer with %s in place of %s', async (a, b) => {
    const { ask, journal } = aGate()
    await ask({ question: `engine ${a}` })
    await ask({ question: `engine ${b}` })
    expect(journal.retrievals).toHaveLength(2)
  })

  it('gets a new answer from new evidence when the corpus changed', async () => {
    let version = 1
    const { ask, journal } = aGate({
      corpusVersion: () => version,
      finds: () => rankingOf([version === 1 ? STRONG : `${STRONG} Since May.`]),
    })
    await ask()
    version = 2
    await ask()
    expect(journal.handled).toHaveLength(2)
  })

  it.each<[string, Partial<GateFixture>]>([
    ['the policy', { policy: { ...POLICY, name: 'other' } }],
    ['the version', { cache: { version: 'b' } }],
    ['how evidence is retrieved', { retrieval: { topK: 3 } }],
    ['a reranker', { dependencies: { reranker: reranking(GRADER) } }],
    ['which questions it reads', { dependencies: { reranker: reranking(GRADER, { between: [0.1, 0.9] }) } }],
    ['how much a model reads', { context: { maxLength: 1000 } }],
    ['how its length is counted', { context: { lengthOf: (text: string) => text.length } }],
    ['the filter', { retrieval: { filter: { title: 'T' } }, finds: () => [] }],
    ['the mode', { mode: 'observe' }],
    ['the audience', { dependencies: { authenticate: asOperator } }],
  ])('gets a new answer when %s changes', async (_, change) => {
    const one = aGate()
    const two = aGate(change)
    await one.ask()
    await two.ask()
    expect(two.journal.stored[0]?.key).not.toBe(one.journal.stored[0]?.key)
  })

  it('gets a new answer for another collection or declared header or query value, and for nothing else', async () => {
    const vary = { headers: ['Accept-Language'], query: ['tone'] }
    const { ask, journal } = aGate({
      cache: { vary, ignoredCredentials: ['cookie'] },
      question: { collections: ['default', 'other'] },
    })
    await ask()
    await ask(undefined, { cookie: 'a=1', 'x-forwarded-host': 'evil.example', 'user-agent': 'x' }, '/ask?utm=1&a=1;b=2')
    expect(journal.retrievals).toHaveLength(1)
    await ask({ question: QUESTION, collection: 'other' })
    await ask(undefined, { 'accept-language': 'de' })
    await ask(undefined, {}, '/ask?tone=formal')
    await ask(undefined, {}, '/ask?tone=formal&tone=brief')
    await ask(undefined, {}, '/ask?tone=')
    expect(journal.retrievals).toHaveLength(6)
  })

  it('always gets a new answer without a cache', async () => {
    const { ask, journal } = aGate({ cache: { store: undefined } })
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; fwd=bypass')
    await ask()
    expect(journal.handled).toHaveLength(2)
    expect(journal.events.map(({ cache }) => cache)).toEqual(['bypass', 'bypass'])
  })

  it('gets a new answer and a warning when the cache fails to read or write', async () => {
    const store = {
      get: () => Promise.reject(new Error('cache down')),
      put: () => {
        throw new Error('cache down')
      },
      delete: () => Promise.reject(new Error('unused')),
    }
    for (const finds of [[STRONG], []]) {
      const onWarning = vi.fn<(warning: GateWarning) => void>()
      const { ask, journal } = aGate({ finds, cache: { store }, onWarning })
      const response = await ask()
      expect(response.status).toBe(200)
      expect(response.headers.get('cache-status')).toBe('rag-gate; fwd=miss')
      expect(journal.events).toHaveLength(1)
      expect(onWarning.mock.calls).toMatchObject(
        ['The answer cache is not used', 'The answer is not cached'].map((message) => [
          { code: 'store_unavailable', message, cause: { cause: { message: 'cache down' } } },
        ]),
      )
    }
  })

  it('is refused from memory until the documents change', async () => {
    let version = 1
    const { ask, journal, clock } = aGate({ finds: [WEAK], corpusVersion: () => version })
    for (let asked = 0; asked < 288; asked++) {
      await ask()
      clock.atMs += 290_000
    }
    expect(journal.retrievals).toHaveLength(1)
    expect(journal.stored[0]?.headers).toEqual([['content-type', 'application/json']])
    version++
    await ask()
    expect(journal.retrievals).toHaveLength(2)
  })

  it.each([
    ['has no corpus version', undefined],
    ['was never published', 0],
  ])('is refused from memory for thirty seconds when the collection %s', async (_, corpusVersion) => {
    const find = async (tenant: string, id: string) => plainCollection({ tenant, id, corpusVersion })
    const lexicon = () => Promise.reject(new Error('it has none'))
    const { ask, journal, clock } = aGate({ finds: [WEAK], dependencies: { collections: { find, lexicon } } })
    for (let asked = 0; asked < 6; asked++) {
      await ask()
      clock.atMs += 10_000
    }
    expect(journal.retrievals).toHaveLength(2)
  })

  it('is stored once, with a second entry by evidence that refers to the first', async () => {
    const { ask, journal } = aGate()
    await ask()
    const [stored, ...others] = journal.stored
    expect(others).toEqual([])
    expect(journal.storedByEvidence).toEqual([
      { ...stored, key: expect.any(String) as string, sameAs: stored!.key, body: '', headers: [] },
    ])
  })
})
