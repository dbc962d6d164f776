import { describe, expect, it } from 'vitest'
import {
  aGate,
  bodyOf,
  type GateFixture,
  MIDDLING,
  POLICY,
  QUESTION,
  rankingOf,
  STRONG,
  WEAK,
} from '../fixtures/gate.ts'
import { grounding } from '../../src/core/gates/grounding.ts'
import { definePolicy } from '../../src/core/policy/policy.ts'
import { createMemoryAnswerPurges } from '../../src/adapters/memory-answer-purges.ts'
import type { Principal } from '../../src/ports/authenticator.ts'
import { similarQuestions } from '../../src/cache/similar-questions.ts'
import type { Embedder, EmbeddingRequest } from '../../src/ports/embedder.ts'

const REWORDED = 'How do engines start?'
/** Vectors of these questions; every other one has the first. */
const VECTORS: Readonly<Record<string, readonly number[]>> = { 'How does the engine start quickly?': [0.6, 0.8] }

/** An embedder that takes nearly everything for the same. */
function credulous(vectors = VECTORS): { embedder: Embedder; asked: EmbeddingRequest[] } {
  const asked: EmbeddingRequest[] = []
  const embedder: Embedder = {
    model: 'credulous',
    dimension: 2,
    embed: async (request) => {
      asked.push(request)
      return request.texts.map((text) => vectors[text] ?? [1, 0])
    },
  }
  return { embedder, asked }
}

function similar({ cache, ...options }: GateFixture = {}) {
  const { embedder, asked } = credulous()
  const reuse = similarQuestions({ embedder, atLeast: 0.9 })
  return { asked, ...aGate({ ...options, cache: { reuse, ...cache } }) }
}

/** What the cache said of the question. */
const statusOf = async (response: Promise<Response>): Promise<string | null> =>
  (await response).headers.get('cache-status')

describe('a question in other words', () => {
  it('is answered as before, and says so', async () => {
    const { ask, journal, clock, asked } = similar({ dependencies: { audience: 'operator' } })
    const first = await (await ask()).text()
    clock.atMs += 60_000
    const again = await ask({ question: REWORDED })
    expect(again.headers.get('cache-status')).toMatch(/^rag-gate; hit; ttl=3540; detail=semantic$/)
    expect([again.headers.get('age'), await again.text()]).toEqual(['60', first])
    expect(again.headers.get('server-timing')).toMatch(/^retrieval;/)
    expect([journal.retrievals.length, journal.handled.length]).toEqual([2, 1])
    expect(journal.events.map(({ cache }) => cache)).toEqual(['miss', 'evidence-hit'])
    expect(asked).toMatchObject([{ texts: [REWORDED, QUESTION], purpose: 'question' }])
  })

  it('is compared anew whenever it is asked: what was found for it is not its own', async () => {
    const { ask, journal } = similar()
    await ask()
    const stored = journal.stored.length
    for (let at = 0; at < 3; at++) {
      expect(await statusOf(ask({ question: REWORDED }))).toBe('rag-gate; hit; detail=semantic')
    }
    expect([journal.stored.length, journal.retrievals.length, journal.handled.length]).toEqual([stored, 4, 1])
  })

  it('is answered anew after an hour, however long the answer itself may live', async () => {
    const { ask, clock } = similar()
    await ask()
    clock.atMs += 3_600_000
    expect(await statusOf(ask({ question: REWORDED }))).toBe('rag-gate; fwd=miss')
    expect(await statusOf(ask())).toBe('rag-gate; hit')
  })

  it.each([
    ['a negation', 'How does the engine not start?'],
    ['another question word', 'Why does the engine start?'],
    ['a number', 'How does engine 2 start?'],
    ['a name', 'How does the Diesel engine start?'],
    ['a cosine below the threshold', 'How does the engine start quickly?'],
    ['more than 300 characters', `How does the engine start?${' Please.'.repeat(40)}`],
  ])('is answered anew with %s', async (_, question) => {
    const { ask, journal } = similar()
    await ask()
    expect(await statusOf(ask({ question }))).toBe('rag-gate; fwd=miss')
    expect(journal.handled).toHaveLength(2)
  })

  it('is answered anew from other evidence, and as before from the same in another order', async () => {
    for (const [found, status] of [
      [[STRONG, WEAK, 'Tyres wear.'], 'rag-gate; fwd=miss'],
      [[STRONG], 'rag-gate; fwd=miss'],
      [[STRONG, `${WEAK} Or red.`], 'rag-gate; fwd=miss'],
      [[STRONG, WEAK], 'rag-gate; hit; detail=semantic'],
    ] as const) {
      let finds = rankingOf([STRONG, WEAK])
      const { ask } = similar({ finds: () => finds })
      await ask()
      finds = rankingOf(found)
      expect(await statusOf(ask({ question: REWORDED }))).toBe(status)
    }
    let finds = rankingOf([STRONG, MIDDLING])
    const { ask } = similar({ finds: () => finds })
    await ask()
    finds = finds.map(({ kind, entries }) => ({
      kind,
      entries: entries.map((entry) => ({ ...entry, score: 18 - entry.score })).reverse(),
    }))
    expect(await statusOf(ask({ question: REWORDED }))).toBe('rag-gate; hit; detail=semantic')
  })

  it('is never answered from the entry of another tenant, principal, audience or set of options', async () => {
    const authenticate = (request: Request): Principal => {
      const [tenant = '', id = '', scopes = ''] = (request.headers.get('x-principal') ?? '').split('/')
      return { tenant, id, scopes: scopes.split('+') as Principal['scopes'] }
    }
    const { ask, journal } = similar({
      cache: { scope: 'principal' },
      dependencies: { authenticate },
      question: { otherFields: 'allow' },
    })
    const as = (principal: string): Record<string, string> => ({ 'x-principal': principal })
    await ask({ question: QUESTION, top: 1 }, as('acme/ann/ask'))
    for (const [body, principal] of [
      [{ top: 1 }, 'globex/ann/ask'],
      [{ top: 1 }, 'acme/bob/ask'],
      [{ top: 1 }, 'acme/ann/ask+admin'],
      [{ top: 2 }, 'acme/ann/ask'],
    ] as const) {
      const response = await ask({ question: REWORDED, ...body }, as(principal))
      expect(response.headers.get('cache-status')).toBe('rag-gate; fwd=miss')
    }
    expect(journal.handled).toHaveLength(5)
    const own = await ask({ question: REWORDED, top: 1 }, as('acme/ann/ask'))
    expect(own.headers.get('cache-status')).toBe('rag-gate; hit; detail=semantic')
  })

  it('is never answered with a refusal, nor with what was purged, nor against its own wish', async () => {
    const refused = similar({ finds: [WEAK] })
    await refused.ask()
    expect(await statusOf(refused.ask({ question: REWORDED }))).toBe('rag-gate; fwd=miss')
    expect(refused.journal.storedByEvidence).toEqual([])

    // One that the answer itself gave, after the evidence had passed.
    const judged = similar({
      policy: definePolicy({ ...POLICY, gates: [...POLICY.gates, grounding()] }),
      handler: (c) => c.json({ answer: 'The engine needs 7 blue Batteries.', ...c.var.ragGate.summary }),
    })
    expect(await bodyOf(await judged.ask())).toMatchObject({ refused: true })
    expect(await statusOf(judged.ask({ question: REWORDED }))).toBe('rag-gate; fwd=miss')
    expect(judged.journal.storedByEvidence).toEqual([])

    const purges = createMemoryAnswerPurges()
    const { ask } = similar({ cache: { purges } })
    await ask()
    await purges.purge([{ kind: 'tenant', tenant: 'default' }])
    expect(await statusOf(ask({ question: REWORDED }))).toBe('rag-gate; fwd=miss')
    expect(await statusOf(ask({ question: 'How does an engine start?' }, { 'cache-control': 'no-cache' }))).toBe(
      'rag-gate; fwd=request',
    )
  })

  it('is answered anew, and somebody is told, when the comparison fails or takes too long', async () => {
    for (const embed of [() => Promise.reject(new Error('embedder down')), () => new Promise<never>(() => {})]) {
      const warnings: string[] = []
      const reuse = similarQuestions({ embedder: { model: 'm', dimension: 2, embed }, atLeast: 0.9 })
      const { ask } = aGate({
        cache: { reuse },
        retrieval: { timeoutMs: 50 },
        onWarning: ({ code }) => warnings.push(code),
      })
      await ask()
      const response = await ask({ question: REWORDED })
      expect([response.headers.get('cache-status'), (await bodyOf(response)).verdict]).toEqual([
        'rag-gate; fwd=miss',
        'pass',
      ])
      expect(warnings).toEqual(['reuse_failed'])
    }
  })

  it('cannot be steered into the answer of another by an embedder that takes all questions for one', async () => {
    const { embedder } = credulous({})
    let hijacked = 0
    for (let at = 0; at < 1000; at++) {
      const { ask, journal } = aGate({
        finds: [STRONG],
        cache: { reuse: similarQuestions({ embedder, atLeast: 0.9 }) },
      })
      const attacks = [
        `How does engine ${at} start?`,
        `How does the engine not start, ${at}?`,
        `Why does the engine start the key ${at}?`,
        `How does the Engine${at} start?`,
        `How does the red key start the engine before key ${at}?`,
      ]
      await ask({ question: attacks[at % attacks.length] })
      await ask()
      if (journal.handled.length < 2) hijacked++
    }
    expect(hijacked).toBe(0)
  }, 60_000)
})

describe('similarQuestions', () => {
  it.each([0, -0.1, 1.01, Number.NaN])('takes no threshold of %d', (atLeast) => {
    expect(() => similarQuestions({ embedder: credulous().embedder, atLeast })).toThrow(
      expect.objectContaining({ code: 'config_invalid', param: 'atLeast' }),
    )
  })

  it('compares questions of up to 300 code points, however many units they have', async () => {
    const { isSameQuestion } = similarQuestions({ embedder: credulous().embedder, atLeast: 0.9 })
    const { signal } = new AbortController()
    for (const [length, same] of [
      [300, true],
      [301, false],
    ] as const) {
      const question = `${QUESTION} ${'🗝'.repeat(length - QUESTION.length - 1)}`
      expect(await isSameQuestion(question, question, signal)).toBe(same)
    }
  })

  it('takes vectors of no length, or of different lengths, for no likeness', async () => {
    const { signal } = new AbortController()
    for (const vectors of [
      [
        [0, 0],
        [0, 0],
      ],
      [[1], [1, 0]],
      [[], []],
    ]) {
      const embedder: Embedder = { model: 'm', dimension: 2, embed: async () => vectors }
      const { isSameQuestion } = similarQuestions({ embedder, atLeast: 0.1 })
      expect(await isSameQuestion(QUESTION, QUESTION, signal)).toBe(false)
    }
  })
})
