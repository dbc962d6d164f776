/** What each way of an exchange records as saved. */
import { describe, expect, it } from 'vitest'
import { savingsLedger } from '../../src/core/reports/savings.ts'
import type { RetrievalRequest } from '../../src/ports/retriever.ts'
import { sufficiency } from '../../packages/presets/src/sufficiency/sufficiency.ts'
import { aGate, type GateFixture, rankingOf, STRONG, WEAK } from '../fixtures/gate.ts'

const USAGE = { inputTokens: 900, outputTokens: 100 }
const PRICES = { currency: 'EUR', inputPerMillionTokens: 1, outputPerMillionTokens: 10, perRetrieval: 0.0001 }
const savings = savingsLedger({ prices: PRICES, averageCall: { inputTokens: 500, outputTokens: 50 } })
const MEASURED = { by: 'cache', ...USAGE, modelCost: 0.0019 }
const ESTIMATED = { by: 'refusal', inputTokens: 500, outputTokens: 50, estimated: true, modelCost: 0.001 }

const aPricedGate = ({ dependencies, ...options }: GateFixture = {}) =>
  aGate({
    handler: (c) => {
      c.var.ragGate.report({ model: 'm', usage: USAGE })
      return c.json({ answer: STRONG })
    },
    ...options,
    dependencies: { savings, ...dependencies },
  })

describe('an exchange records as saved:', () => {
  it('nothing when the model is called, and the measured call for a hit', async () => {
    const { ask, journal } = aPricedGate()
    await ask()
    await ask()
    expect(journal.events[0]).not.toHaveProperty('saved')
    expect(journal.events[1]).toMatchObject({ cache: 'hit', saved: { ...MEASURED, retrievalCost: 0 } })
    expect(journal.events[1]).not.toHaveProperty('usage')
  })

  it('nothing when a stored answer replaces that of a failed handler, whose tokens count as used', async () => {
    let failing = false
    const { ask, journal, clock } = aPricedGate({
      cache: { staleIfErrorSeconds: 1000 },
      handler: (c) => {
        c.var.ragGate.report({ model: 'm', usage: USAGE })
        return failing ? c.json({}, 503) : c.json({ answer: STRONG })
      },
    })
    await ask()
    failing = true
    clock.atMs += (journal.stored[0]!.lifetimeSeconds + 1) * 1000
    expect((await ask()).status).toBe(200)
    expect(journal.events.map(({ cache, saved, model, usage }) => [cache, saved, model, usage])).toEqual([
      ['miss', undefined, 'm', USAGE],
      ['stale', undefined, 'm', USAGE],
    ])
  })

  it('the measured call, less a retrieval, for a hit by evidence', async () => {
    let corpusVersion = 2
    const { ask, journal } = aPricedGate({ corpusVersion: () => corpusVersion })
    await ask()
    corpusVersion = 3
    await ask()
    expect(journal.events[1]).toMatchObject({ cache: 'evidence-hit', saved: { ...MEASURED, retrievalCost: 0.0001 } })
    // It is stored by its question then, with its tokens.
    await ask()
    expect(journal.events[2]).toMatchObject({ cache: 'hit', saved: { ...MEASURED, retrievalCost: 0 } })
  })

  it('the measured call, less the failed retrieval, for a stale answer', async () => {
    let fails = false
    const finds = async (_request: RetrievalRequest) => {
      if (fails) throw new Error('down')
      return rankingOf([STRONG])
    }
    const { ask, journal, clock } = aPricedGate({
      finds,
      cache: { staleIfErrorSeconds: 1e6 },
      onWarning: () => undefined,
    })
    await ask()
    clock.atMs += 2 * 86_400_000
    fails = true
    await ask()
    expect(journal.events[1]).toMatchObject({ cache: 'stale', saved: { ...MEASURED, retrievalCost: 0.0001 } })
  })

  it('an average call for a refusal, less its retrievals, and again when it is repeated', async () => {
    const { ask, journal } = aPricedGate({ finds: [WEAK] })
    await ask()
    await ask()
    expect(journal.events.map(({ saved }) => saved)).toEqual([
      { ...ESTIMATED, retrievalCost: 0.0001 },
      { ...ESTIMATED, retrievalCost: 0 },
    ])
  })

  it('no retrieval for a question refused before retrieval', async () => {
    const { ask, journal } = aPricedGate()
    await ask({ question: '?!' })
    expect(journal.retrievals).toEqual([])
    expect(journal.events[0]?.saved).toEqual({ ...ESTIMATED, retrievalCost: 0 })
  })

  it('nothing for an answer refused after its call, nor for an observed refusal', async () => {
    const judged = aPricedGate({
      policy: sufficiency({ threshold: 'very-strict' }),
      finds: [WEAK, STRONG],
      handler: (c) => c.json({ answer: 'Nothing of that kind.' }),
    })
    await judged.ask()
    expect(judged.journal.events[0]?.decision.verdict).toBe('refuse')
    expect(judged.journal.events[0]).not.toHaveProperty('saved')
    const observed = aPricedGate({ finds: [WEAK], mode: 'observe' })
    await observed.ask()
    expect(observed.journal.events[0]?.decision.verdict).toBe('refuse')
    expect(observed.journal.events[0]).not.toHaveProperty('saved')
  })

  it('only known tokens without prices and average, and nothing without a ledger', async () => {
    for (const own of [savingsLedger(), undefined]) {
      const { ask, journal } = aPricedGate({ dependencies: { savings: own } })
      await ask()
      await ask()
      const refusing = aPricedGate({ finds: [WEAK], dependencies: { savings: own } })
      await refusing.ask()
      const saved = [journal.events[1]?.saved, refusing.journal.events[0]?.saved]
      expect(saved).toEqual(own === undefined ? [undefined, undefined] : [{ by: 'cache', ...USAGE }, { by: 'refusal' }])
    }
  })
})

it('an invalid savings ledger is rejected with the first request', async () => {
  const response = await aGate({ dependencies: { savings: { prices: PRICES } as unknown as typeof savings } }).ask()
  expect(await response.json()).toMatchObject({ error: { code: 'config_invalid' } })
})
