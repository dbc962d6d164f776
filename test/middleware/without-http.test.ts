import { describe, expect, it } from 'vitest'
import { createAgentTools } from '../../packages/mcp/src/index.ts'
import { grounding } from '../../packages/presets/src/answers/grounding.ts'
import { createMemoryAnswerCache } from '../../src/adapters/memory-answer-cache.ts'
import { createMemoryCoalescer } from '../../src/adapters/memory-coalescer.ts'
import { answerCache } from '../../src/cache/index.ts'
import { definePolicy } from '../../src/core/policy/policy.ts'
import { savingsLedger } from '../../src/core/reports/savings.ts'
import {
  answerWithoutHttp,
  type AnswerWithoutHttpOptions,
  gateWithoutHttp,
  openWithoutHttp,
} from '../../src/middleware/index.ts'
import type { AnswerCache } from '../../src/ports/answer-cache.ts'
import type { DecisionEvent } from '../../src/ports/decision-log.ts'
import { POLICY, QUESTION, rankingOf, STRONG, WEAK } from '../fixtures/gate.ts'

const retriever = { retrieve: async () => rankingOf([STRONG]) }

describe('with a shared answer cache', () => {
  const cached = (store: AnswerCache, more: Partial<AnswerWithoutHttpOptions>) =>
    answerWithoutHttp({
      policy: POLICY,
      dependencies: {
        retriever: { retrieve: async () => rankingOf([WEAK]) },
        cache: answerCache({ store, scope: 'public' }),
      },
      ...more,
    })

  it.each<[string, Partial<AnswerWithoutHttpOptions>]>([
    ['names the closest passages', { closestPassages: 1 }],
    ['has other texts', { messages: { no_evidence: { reason: 'Nothing was found.' } } }],
  ])('a refusal is stored separately when it %s', async (_, more) => {
    const store = createMemoryAnswerCache()
    const made = async (): Promise<never> => expect.fail('a refused question is answered')
    const asked = { question: QUESTION, vary: { messages: 'x', closestPassages: '1' } }
    const states = []
    for (const options of [{}, more, {}, more]) states.push((await cached(store, options)(asked, made)).cache)
    expect(states).toEqual(['miss', 'miss', 'hit', 'hit'])
  })

  it('an answer that was reported as cut off is not stored', async () => {
    const puts: string[] = []
    const store = createMemoryAnswerCache()
    const cache = answerCache({ store: { ...store, put: async (key) => void puts.push(key) }, scope: 'public' })
    const work: Promise<unknown>[] = []
    const answer = answerWithoutHttp({
      policy: POLICY,
      dependencies: { retriever, cache },
      waitUntil: (one) => work.push(one),
    })
    await answer({ question: QUESTION }, async (gate) => {
      gate.report({ complete: false })
      return { answer: 'It starts with the' }
    })
    await Promise.all(work)
    expect(puts).toEqual([])
  })

  it('a stored answer in place of a failed call saves nothing, and the tokens of the call count as used', async () => {
    const clock = { atMs: Date.UTC(2026, 0, 2), nowMs: () => clock.atMs }
    const work: Promise<unknown>[] = []
    const events: DecisionEvent[] = []
    const log = { record: (event: DecisionEvent) => void events.push(event), flush: async () => {} }
    const cache = answerCache({ store: createMemoryAnswerCache(), scope: 'public', staleIfErrorSeconds: 1e6 })
    const answer = answerWithoutHttp({
      policy: POLICY,
      dependencies: { retriever, cache, log, clock, savings: savingsLedger() },
      onWarning: () => undefined,
      waitUntil: (one) => work.push(one),
    })
    const used = { model: 'm', usage: { inputTokens: 900, outputTokens: 100 } }
    const made = await answer({ question: QUESTION }, async () => ({ answer: STRONG, ...used }))
    await Promise.all(work)
    clock.atMs += 2 * 86_400_000
    const stale = await answer({ question: QUESTION }, async (gate) => {
      gate.report(used)
      throw new Error('cut off')
    })
    expect([stale.cache, stale.body]).toEqual(['stale', made.body])
    expect(events).toMatchObject([
      { cache: 'miss', status: 200, ...used },
      { cache: 'stale', status: 200, ...used },
    ])
    for (const event of events) expect(event).not.toHaveProperty('saved')
  })
})

describe('with a gate for answers that throws', () => {
  it('counts as a failure: it is recorded, and those who wait for the answer are told at once', async () => {
    const broken = (): never => {
      throw new Error('broken')
    }
    const { gate, settings } = grounding()
    const policy = definePolicy({
      ...POLICY,
      gates: [...POLICY.gates, { gate: { ...gate, check: broken }, settings }],
    })
    const events: DecisionEvent[] = []
    const log = { record: (event: DecisionEvent) => void events.push(event), flush: async () => {} }
    const cache = answerCache({
      store: createMemoryAnswerCache(),
      coalescer: createMemoryCoalescer({ leaderTimeoutMs: 20_000 }),
      scope: 'public',
    })
    const answer = answerWithoutHttp({ policy, dependencies: { retriever, cache, log } })
    const ask = () => answer({ question: QUESTION }, async () => ({ answer: 'The pump starts at 40 °C.' }))
    const settled = await Promise.allSettled([ask(), ask(), ask()])
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(events.map(({ status }) => status)).toEqual([500, 500, 500])
  }, 5000)
})

describe('with arguments of the wrong type', () => {
  it.each([gateWithoutHttp, openWithoutHttp, answerWithoutHttp, createAgentTools])(
    '%O names the missing option',
    (make) => {
      for (const [given, param] of [
        [undefined, 'dependencies'],
        [{ dependencies: { retriever } }, 'policy'],
      ]) {
        expect(() => make(given as never)).toThrow(expect.objectContaining({ code: 'config_invalid', param }))
      }
    },
  )

  const own = { openWithoutHttp, answerWithoutHttp, gateWithoutHttp, createAgentTools }
  const OPTIONS = {
    openWithoutHttp: ['route', 'tellsCallersApart', 'waitUntil', 'retrieval', 'mode'],
    answerWithoutHttp: ['route', 'tellsCallersApart', 'waitUntil', 'retrieval', 'mode'],
    gateWithoutHttp: ['route', 'retrieval', 'mode'],
    createAgentTools: ['route', 'authenticate', 'costLine', 'retrieval', 'mode', 'policy'],
  } satisfies Record<keyof typeof own, readonly string[]>

  it.each(Object.entries(own))('%s rejects null and a number for each option', (name, make) => {
    for (const param of OPTIONS[name as keyof typeof own]) {
      for (const value of [null, 5]) {
        const options = { policy: POLICY, dependencies: { retriever }, [param]: value }
        expect(() => make(options as never), param).toThrow(expect.objectContaining({ code: 'config_invalid', param }))
      }
    }
  })

  it.each<[string, unknown, object]>([
    ['nothing', undefined, { code: 'question_required' }],
    ['an invalid question', { question: 5 }, { code: 'question_type' }],
    // Callers without an id would share answers.
    [
      'a principal without id',
      { question: QUESTION, principal: { tenant: 'acme', scopes: ['ask'] } },
      { code: 'config_invalid', param: 'principal.id' },
    ],
    ['no principal', { question: QUESTION, principal: null }, { code: 'config_invalid', param: 'principal.tenant' }],
  ])('%s as the question is rejected with its code', async (_, asked, error) => {
    const ask = gateWithoutHttp({ policy: POLICY, dependencies: { retriever } })
    await expect(ask(asked as never)).rejects.toMatchObject(error)
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['no answer', {}],
    ['a number', { answer: 5 }],
  ])('%s from the model causes llm_bad_response, and is recorded', async (_, made) => {
    const events: DecisionEvent[] = []
    const log = { record: async (event: DecisionEvent) => void events.push(event), flush: async () => undefined }
    const answer = answerWithoutHttp({ policy: POLICY, dependencies: { retriever, log } })
    const answering = answer({ question: QUESTION }, async () => made as never)
    await expect(answering).rejects.toMatchObject({ code: 'llm_bad_response' })
    expect(events).toMatchObject([{ status: 502, decision: { verdict: 'pass' } }])
  })
})
