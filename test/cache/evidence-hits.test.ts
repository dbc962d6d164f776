import { describe, expect, it } from 'vitest'
import { grounding } from '../../packages/presets/src/answers/grounding.ts'
import { definePolicy } from '../../src/core/policy/policy.ts'
import type { Ranking } from '../../src/core/evidence/chunk.ts'
import type { GateWarning } from '../../src/pipeline/question-settings.ts'
import { reranking } from '../../src/pipeline/reranking.ts'
import type { Reranker } from '../../src/ports/reranker.ts'
import {
  aGate,
  asOperator,
  type GateFixture,
  MIDDLING,
  POLICY,
  QUESTION,
  rankingOf,
  STRONG,
  WEAK,
} from '../fixtures/gate.ts'

/** A gate whose corpus can change, with or without the evidence. */
function changing(options: GateFixture = {}) {
  let version = 1
  let found: readonly Ranking[] = rankingOf([STRONG, WEAK])
  const gate = aGate({ corpusVersion: () => version, finds: () => found, ...options })
  const change = (evidence = found): void => {
    version++
    found = evidence
  }
  /** As for those who know the version from before: the index has the new passages already. */
  const changeUnnoticed = (evidence: readonly Ranking[]): void => void (found = evidence)
  return { ...gate, change, changeUnnoticed }
}

/** The ranking with something about its first passage changed. */
function withFirst(ranking: readonly Ranking[], changed: Record<string, unknown>): readonly Ranking[] {
  return ranking.map(({ kind, entries }) => ({
    kind,
    entries: entries.map((entry, at) => (at === 0 ? { ...entry, passage: { ...entry.passage, ...changed } } : entry)),
  }))
}

describe('a question asked again after the documents changed', () => {
  it('is answered from the cache when its evidence is the same, with a retrieval and without a model call', async () => {
    const { ask, journal, clock, change } = changing({ dependencies: { authenticate: asOperator } })
    const first = await (await ask()).text()
    change()
    clock.atMs += 60_000
    const again = await ask()
    expect(again.headers.get('cache-status')).toMatch(/^rag-gate; hit; ttl=\d+; detail=same-evidence$/)
    expect(again.headers.get('age')).toBe('60')
    expect(again.headers.get('server-timing')).toMatch(/^retrieval;/)
    expect(await again.text()).toBe(first)
    expect([journal.retrievals.length, journal.handled.length]).toEqual([2, 1])
    expect(journal.events.map(({ cache }) => cache)).toEqual(['miss', 'evidence-hit'])
    expect(journal.events[1]?.decision).toEqual(journal.events[0]?.decision)
  })

  it('gets a new answer when a date in the metadata of its evidence changed', async () => {
    const valid = (year: number): Record<string, unknown> => ({ metadata: { until: new Date(Date.UTC(year, 0)) } })
    const { ask, journal, change, changeUnnoticed } = changing()
    changeUnnoticed(withFirst(rankingOf([STRONG]), valid(2026)))
    await ask()
    change(withFirst(rankingOf([STRONG]), valid(2027)))
    await ask()
    change(withFirst(rankingOf([STRONG]), valid(2027)))
    await ask()
    expect(journal.events.map(({ cache }) => cache)).toEqual(['miss', 'miss', 'evidence-hit'])
  })

  it('needs no retrieval the next time, and keeps the age of its answer', async () => {
    const { ask, journal, clock, change } = changing()
    await ask()
    change()
    clock.atMs += 60_000
    await ask()
    clock.atMs += 60_000
    const third = await ask()
    expect([third.headers.get('cache-status'), third.headers.get('age')]).toEqual(['rag-gate; hit', '120'])
    expect(journal.retrievals).toHaveLength(2)
    const [made, again] = journal.stored
    expect(again).toMatchObject({ requestedAtMs: made!.requestedAtMs })
    expect(again!.lifetimeSeconds).toBeLessThanOrEqual(made!.lifetimeSeconds)
    clock.atMs += made!.lifetimeSeconds * 1000
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; fwd=stale')
  })

  it.each<[string, readonly Ranking[]]>([
    ['another passage beside it', rankingOf([STRONG, WEAK, 'Tyres wear.'])],
    ['the passages in another order', rankingOf([WEAK, STRONG])],
    ['another text under the same id', withFirst(rankingOf([STRONG, WEAK]), { text: `${STRONG} Always.` })],
    ['another title', withFirst(rankingOf([STRONG, WEAK]), { title: 'Other' })],
    ['another source', withFirst(rankingOf([STRONG, WEAK]), { source: 'https://other.example' })],
    ['other metadata', withFirst(rankingOf([STRONG, WEAK]), { metadata: { valid_until: '2027' } })],
    ['weaker evidence', rankingOf([MIDDLING])],
  ])('gets a new answer with %s', async (_, evidence) => {
    const { ask, journal, change } = changing()
    await ask()
    change(evidence)
    expect((await ask()).headers.get('cache-status')).toBe('rag-gate; fwd=miss')
    expect(journal.handled).toHaveLength(2)
  })

  it('never gets a stored refusal, because refusals are not stored by evidence', async () => {
    const { ask, journal, change } = changing({ finds: [WEAK] })
    await ask()
    change()
    await ask()
    expect(journal.events.map(({ cache, decision }) => [cache, decision.verdict])).toEqual([
      ['miss', 'refuse'],
      ['miss', 'refuse'],
    ])
    expect(journal.storedByEvidence).toEqual([])
  })

  it('never gets the refusal of an answer, although its evidence had passed', async () => {
    const { ask, journal, change } = changing({
      policy: definePolicy({ ...POLICY, gates: [...POLICY.gates, grounding()] }),
      handler: (c) => c.json({ answer: 'The engine needs 7 blue Batteries.' }),
    })
    await ask()
    change()
    await ask()
    expect(journal.events.map(({ cache, decision }) => [cache, decision.verdict])).toEqual([
      ['miss', 'refuse'],
      ['miss', 'refuse'],
    ])
    expect([journal.stored.length, journal.storedByEvidence]).toEqual([2, []])
  })

  it('gets the same answer when the reranker fails, and each time judges the evidence again', async () => {
    let fails = false
    const rerank: Reranker['rerank'] = async ({ passages }) => {
      if (fails) throw new Error('down')
      return passages.map(() => 3)
    }
    const reranker = reranking({ model: 'grader', kind: 'grade', rerank })
    const { ask, journal, change } = changing({ dependencies: { reranker }, onWarning: () => undefined })
    await ask()
    change()
    fails = true
    for (const _ of [1, 2]) await ask()
    expect(journal.events.map(({ cache }) => cache)).toEqual(['miss', 'evidence-hit', 'evidence-hit'])
    expect([journal.stored.length, journal.handled.length]).toEqual([1, 1])
  })

  it('stores the entry by evidence once', async () => {
    const { ask, journal, change } = changing()
    await ask()
    change()
    await ask()
    expect([journal.stored.length, journal.storedByEvidence.length]).toEqual([2, 1])
  })

  it('never gets the answer to another question about the same passages', async () => {
    const { ask, journal, change } = changing()
    await ask()
    change()
    await ask({ question: `${QUESTION} And why?` })
    expect(journal.handled).toHaveLength(2)
  })

  it('never gets an answer made from other evidence at the same version', async () => {
    const { ask, journal, change, changeUnnoticed } = changing({ dependencies: { authenticate: asOperator } })
    change(rankingOf([STRONG, WEAK]))
    await ask()
    changeUnnoticed(withFirst(rankingOf([STRONG, WEAK]), { text: 'The warranty of the pump was withdrawn.' }))
    await ask(undefined, { 'cache-control': 'no-cache' })
    change(rankingOf([STRONG, WEAK]))
    await ask()
    expect(journal.events.map(({ cache }) => cache)).toEqual(['miss', 'bypass', 'miss'])
  })

  it('gets a new answer when the stored one has expired', async () => {
    const { ask, journal, clock, change } = changing()
    await ask()
    change()
    clock.atMs += journal.stored[0]!.lifetimeSeconds * 1000
    await ask()
    expect(journal.handled).toHaveLength(2)
  })
})

it.each<[string, GateFixture]>([
  ['metadata that no JSON can hold', { finds: () => withFirst(rankingOf([STRONG]), { metadata: { number: 5n } }) }],
  [
    'stems that throw',
    {
      cache: {
        stems: () => {
          throw new Error('no such word')
        },
      },
    },
  ],
])('evidence that cannot get a key, for %s, is answered, recorded and stored by its question', async (_, fixture) => {
  const warnings: GateWarning[] = []
  const { ask, journal } = aGate({ ...fixture, onWarning: (warning) => warnings.push(warning) })
  const states = [await ask(), await ask()].map(({ headers }) => headers.get('cache-status'))
  expect(states).toEqual(['rag-gate; fwd=miss', 'rag-gate; hit'])
  expect(journal.events).toHaveLength(2)
  expect(warnings).toMatchObject([{ code: 'answer_not_kept' }])
})
