import { describe, expect, it } from 'vitest'
import { englishStems } from '../../src/language/english/english-stems.ts'
import { createMemoryAnswerPurges } from '../../src/adapters/memory-answer-purges.ts'
import type { Principal } from '../../src/ports/authenticator.ts'
import { aGate, type GateFixture, QUESTION, rankingOf, STRONG, WEAK } from '../fixtures/gate.ts'

/** The same stems as `QUESTION`. */
const REWORDED = 'how does an engine start'

function reading({ cache, ...options }: GateFixture = {}) {
  return aGate({ ...options, cache: { stems: englishStems, ...cache } })
}

/** What the cache said of the question. */
const statusOf = async (response: Promise<Response>): Promise<string | null> =>
  (await response).headers.get('cache-status')

const HIT = 'rag-gate; hit; detail=same-evidence'
const MISS = 'rag-gate; fwd=miss'

describe('a question in other words with the same stems', () => {
  it('gets the stored answer once it found the same evidence, and needs no retrieval the next time', async () => {
    const { ask, journal, clock } = reading()
    const first = await (await ask()).text()
    clock.atMs += 60_000
    const again = await ask({ question: REWORDED })
    expect(again.headers.get('cache-status')).toBe(HIT)
    expect([again.headers.get('age'), await again.text()]).toEqual(['60', first])
    expect([journal.retrievals.length, journal.handled.length]).toEqual([2, 1])
    expect(journal.events.map(({ cache }) => cache)).toEqual(['miss', 'evidence-hit'])
    expect(await statusOf(ask({ question: REWORDED }))).toBe('rag-gate; hit')
    expect(journal.retrievals).toHaveLength(2)
  })

  it('gets a new answer without the option', async () => {
    const { ask, journal } = aGate()
    await ask()
    expect(await statusOf(ask({ question: REWORDED }))).toBe(MISS)
    expect(journal.handled).toHaveLength(2)
  })

  it('does not extend the lifetime by being asked in turns', async () => {
    const { ask, journal, clock } = reading()
    await ask()
    const { lifetimeSeconds } = journal.stored[0]!
    for (const question of [REWORDED, QUESTION, REWORDED]) {
      clock.atMs += (lifetimeSeconds * 1000) / 4
      await ask({ question })
    }
    expect(journal.handled).toHaveLength(1)
    clock.atMs += (lifetimeSeconds * 1000) / 4
    await ask({ question: REWORDED })
    expect(journal.handled).toHaveLength(2)
  })

  it.each([
    ['another order', 'Start the engine how?'],
    ['a negation', 'How does the engine not start?'],
    ['another question word', 'Why does the engine start?'],
    ['a number', 'How does engine 2 start?'],
    ['a name', 'How does the Engine start?'],
    ['another function word', 'How does my engine start?'],
  ])('gets a new answer with %s', async (_, question) => {
    const { ask, journal } = reading()
    await ask()
    expect(await statusOf(ask({ question }))).toBe(MISS)
    expect(journal.handled).toHaveLength(2)
  })

  it('gets a new answer from other evidence', async () => {
    for (const found of [[STRONG, WEAK, 'Tyres wear.'], [STRONG], [STRONG, `${WEAK} Or red.`]]) {
      let finds = rankingOf([STRONG, WEAK])
      const { ask } = reading({ finds: () => finds })
      await ask()
      finds = rankingOf(found)
      expect(await statusOf(ask({ question: REWORDED }))).toBe(MISS)
    }
  })

  it('never gets an entry of another tenant, principal, audience or set of options', async () => {
    const authenticate = (request: Request): Principal => {
      const [tenant = '', id = '', scopes = ''] = (request.headers.get('x-principal') ?? '').split('/')
      return { tenant, id, scopes: scopes.split('+') as Principal['scopes'] }
    }
    const { ask, journal } = reading({
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
      expect(await statusOf(ask({ question: REWORDED, ...body }, as(principal)))).toBe(MISS)
    }
    expect(journal.handled).toHaveLength(5)
    expect(await statusOf(ask({ question: REWORDED, top: 1 }, as('acme/ann/ask')))).toBe(HIT)
  })

  it('never gets a refusal, a purged answer, or any stored answer against its own Cache-Control', async () => {
    const refused = reading({ finds: [WEAK] })
    await refused.ask()
    expect(await statusOf(refused.ask({ question: REWORDED }))).toBe(MISS)
    expect(refused.journal.storedByEvidence).toEqual([])

    const purges = createMemoryAnswerPurges()
    const { ask } = reading({ cache: { purges } })
    await ask()
    await purges.purge([{ kind: 'tenant', tenant: 'default' }])
    expect(await statusOf(ask({ question: REWORDED }))).toBe(MISS)
    expect(await statusOf(ask({ question: 'How does engine start?' }, { 'cache-control': 'no-cache' }))).toBe(
      'rag-gate; fwd=request',
    )
  })
})
