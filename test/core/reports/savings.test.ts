import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CacheState } from '../../../src/core/policy/decision.ts'
import {
  type FinishedExchange,
  type Prices,
  type Saving,
  savingsLedger,
  type SavingsSettings,
} from '../../../src/core/reports/savings.ts'
import { answerSignalsOf } from '../../fixtures/answer.ts'

const PRICES: Prices = { currency: 'EUR', inputPerMillionTokens: 0.15, outputPerMillionTokens: 0.6, perRetrieval: 4e-6 }
const AVERAGE = { inputTokens: 1_000, outputTokens: 200 }
const USAGE = { inputTokens: 3_000, outputTokens: 500 }

const savingOf = (exchange: FinishedExchange, settings?: SavingsSettings): Saving | undefined =>
  savingsLedger(settings)(exchange)

const anExchange = (given: Partial<FinishedExchange> = {}): FinishedExchange => ({
  decision: { verdict: 'pass' },
  mode: 'enforce',
  cache: 'miss',
  retrievals: 1,
  ...given,
})
const refused: Partial<FinishedExchange> = { decision: { verdict: 'refuse' } }
const judgedAnswer: Partial<FinishedExchange> = { decision: { verdict: 'refuse', answerSignals: answerSignalsOf() } }

describe('the savings of a request', () => {
  it.each<[string, Partial<FinishedExchange>, SavingsSettings, ReturnType<typeof savingOf>]>([
    ['a model was asked', {}, { prices: PRICES, averageCall: AVERAGE }, undefined],
    ['a refusal was only observed', { ...refused, mode: 'observe' }, {}, undefined],
    ['the answer itself was refused, after its call', judgedAnswer, {}, undefined],
    [
      'the refusal of an answer is sent from the cache',
      { ...judgedAnswer, cache: 'hit', usage: USAGE },
      {},
      { by: 'cache', ...USAGE },
    ],
    ['a refusal has no average call', refused, { prices: PRICES }, { by: 'refusal' }],
    ['a stored answer has no usage', { cache: 'hit' }, { prices: PRICES }, { by: 'cache' }],
    [
      'the answer was stored for the same evidence',
      { cache: 'evidence-hit', usage: USAGE },
      {},
      { by: 'cache', ...USAGE },
    ],
    ['there are tokens but no prices', { cache: 'stale', usage: USAGE }, {}, { by: 'cache', ...USAGE }],
    [
      'only an average call is given',
      refused,
      { averageCall: AVERAGE },
      { by: 'refusal', ...AVERAGE, estimated: true },
    ],
    [
      'a hit has 3,000 × .15 and 500 × .6 per million, and nothing was retrieved',
      { cache: 'hit', usage: USAGE, retrievals: 0 },
      { prices: PRICES, averageCall: AVERAGE },
      { by: 'cache', ...USAGE, modelCost: 0.00075, retrievalCost: 0 },
    ],
    [
      'a refusal has the average cost, less two retrievals',
      { ...refused, retrievals: 2 },
      { prices: PRICES, averageCall: AVERAGE },
      { by: 'refusal', ...AVERAGE, estimated: true, modelCost: 0.00027, retrievalCost: 8e-6 },
    ],
    ['a refusal comes from the cache, and had no model call', { ...refused, cache: 'hit' }, {}, { by: 'refusal' }],
  ])('are as expected when %s', (_, given, settings, expected) => {
    const { modelCost, retrievalCost, ...counted } = savingOf(anExchange(given), settings) ?? {}
    const { modelCost: expectedCost, retrievalCost: expectedRetrieval, ...expectedCounts } = expected ?? {}
    expect(counted).toStrictEqual(expectedCounts)
    if (expectedCost === undefined) expect([modelCost, retrievalCost]).toEqual([undefined, undefined])
    else expect([modelCost, retrievalCost]).toEqual([expect.closeTo(expectedCost, 12), expectedRetrieval])
  })

  it.each([
    { inputTokens: -1, outputTokens: 1 },
    { inputTokens: 1.5, outputTokens: 1 },
    { inputTokens: NaN, outputTokens: 1 },
    { inputTokens: 2e9, outputTokens: 1 },
    { inputTokens: '7', outputTokens: 1 },
    { inputTokens: 7 },
    null,
  ])('ignore a token report of %j', (usage) => {
    const exchange = { ...anExchange({ cache: 'hit' }), usage } as unknown as FinishedExchange
    expect(savingOf(exchange, { prices: PRICES })).toEqual({ by: 'cache' })
    expect(savingOf(exchange, { averageCall: AVERAGE })).toEqual({ by: 'cache', ...AVERAGE, estimated: true })
  })

  const tokens = fc.record({ inputTokens: fc.nat(1e6), outputTokens: fc.nat(1e6) })
  const anyExchange = fc.record(
    {
      decision: fc.record({ verdict: fc.constantFrom('pass', 'advise', 'refuse') }),
      mode: fc.constantFrom('enforce', 'observe'),
      cache: fc.constantFrom<CacheState>('hit', 'evidence-hit', 'miss', 'bypass', 'stale'),
      retrievals: fc.nat(5),
      usage: tokens,
    },
    { requiredKeys: ['decision', 'mode', 'cache', 'retrievals'] },
  ) as fc.Arbitrary<FinishedExchange>
  const anyPrices = fc.record({
    currency: fc.constant('EUR'),
    inputPerMillionTokens: fc.double({ min: 0, max: 1e3, noNaN: true }),
    outputPerMillionTokens: fc.double({ min: 0, max: 1e3, noNaN: true }),
    perRetrieval: fc.double({ min: 0, max: 1, noNaN: true }),
  })

  it('are never guessed: without an average only reported tokens, without prices no money', () => {
    fc.assert(
      fc.property(anyExchange, anyPrices, (exchange, prices) => {
        const saving = savingOf(exchange, { prices })
        if (saving === undefined) return
        expect(saving.estimated).toBeUndefined()
        expect([saving.inputTokens, saving.outputTokens]).toEqual([
          exchange.usage?.inputTokens,
          exchange.usage?.outputTokens,
        ])
        expect(saving.modelCost === undefined).toBe(exchange.usage === undefined)
        const { modelCost, retrievalCost, ...counted } = saving
        expect(savingOf(exchange)).toEqual(counted)
        expect(modelCost === undefined).toBe(retrievalCost === undefined)
      }),
    )
  })

  it('grow with every price and count, and are the same with an average when the tokens are known', () => {
    fc.assert(
      fc.property(anyExchange, anyPrices, tokens, (exchange, prices, averageCall) => {
        const saving = savingOf(exchange, { prices, averageCall })
        if (saving === undefined) return
        expect(saving.modelCost).toBeGreaterThanOrEqual(0)
        const doubled = {
          ...prices,
          inputPerMillionTokens: prices.inputPerMillionTokens * 2,
          outputPerMillionTokens: prices.outputPerMillionTokens * 2,
          perRetrieval: prices.perRetrieval * 2,
        }
        const twice = savingOf(exchange, { prices: doubled, averageCall })
        expect(twice?.modelCost).toBeCloseTo(2 * saving.modelCost!, 6)
        expect(twice?.retrievalCost).toBeCloseTo(2 * saving.retrievalCost!, 6)
        if (exchange.usage !== undefined) expect(savingOf(exchange, { prices })).toEqual(saving)
      }),
    )
  })
})

describe('the settings of savings', () => {
  it('are accepted with prices, with an average call, with both and with neither', () => {
    for (const settings of [
      {},
      { prices: PRICES },
      { averageCall: AVERAGE },
      { prices: PRICES, averageCall: AVERAGE },
    ]) {
      expect(() => savingsLedger(settings)).not.toThrow()
    }
  })

  it('accept any currency of up to eight characters', () => {
    expect(() => savingsLedger({ prices: { ...PRICES, currency: 'eurocent' } })).not.toThrow()
  })

  const { perRetrieval: _, ...halfOfPrices } = PRICES
  it.each([
    ['savings', null],
    ['savings.price', { price: PRICES }],
    ['savings.prices', { prices: 3 }],
    ['savings.prices.perRetrieval', { prices: halfOfPrices }],
    ['savings.prices.perRerank', { prices: { ...PRICES, perRerank: 1 } }],
    ['savings.prices.inputPerMillionTokens', { prices: { ...PRICES, inputPerMillionTokens: -1 } }],
    ['savings.prices.outputPerMillionTokens', { prices: { ...PRICES, outputPerMillionTokens: Infinity } }],
    ['savings.prices.perRetrieval', { prices: { ...PRICES, perRetrieval: '0' } }],
    ['savings.prices.currency', { prices: { ...PRICES, currency: '' } }],
    ['savings.prices.currency', { prices: { ...PRICES, currency: 'thousands' } }],
    ['savings.averageCall.outputTokens', { averageCall: { inputTokens: 1 } }],
    ['savings.averageCall.inputTokens', { averageCall: { inputTokens: 1.5, outputTokens: 1 } }],
  ])('are rejected naming %s when it is wrong', (param, settings) => {
    expect(() => savingsLedger(settings as unknown as SavingsSettings)).toThrow(
      expect.objectContaining({ code: 'config_invalid', param }),
    )
  })
})
