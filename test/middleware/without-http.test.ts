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
  type GateWithoutHttpOptions,
  type OpenQuestion,
  openWithoutHttp,
} from '../../src/middleware/index.ts'
import type { AnswerCache } from '../../src/ports/answer-cache.ts'
import type { DecisionEvent } from '../../src/ports/decision-log.ts'
import type { AskedForAnswer } from '../../src/middleware/answer-without-http.ts'
import { CAUTION_FOR_READER } from '../../src/core/reports/caution.ts'
import { RagGateError } from '../../src/errors.ts'
import { generationConfidence } from '../../packages/presets/src/answers/generation-confidence.ts'
import type { GateCache, Made, QuestionCache } from '../../src/pipeline/gate-cache.ts'
import { advisory } from '../../packages/presets/src/advisory/advisory.ts'
import { aGate, MIDDLING, POLICY, QUESTION, rankingOf, STRONG, WEAK } from '../fixtures/gate.ts'

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
    const answers = []
    for (const options of [{}, more, {}, more]) answers.push(await cached(store, options)(asked, made))
    expect(answers.map(({ cache }) => cache)).toEqual(['miss', 'miss', 'hit', 'hit'])
    const [first, second, ...stored] = answers.map(({ body }) => ({ ...body, decision_id: '' }))
    expect(first).toMatchObject({ refused: true, reason_code: 'confidence_low', answer: expect.stringMatching(/\w/) })
    expect(stored).toEqual([first, second])
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

/** An answer cache, and what it was told to store. */
function watchedCache(scope: 'public' | 'tenant' = 'public') {
  const stored: Made[] = []
  const cache = answerCache({ store: createMemoryAnswerCache(), scope })
  const watched: GateCache = {
    forRoute(about) {
      const route = cache.forRoute(about)
      return {
        open(asked) {
          const question = route.open(asked)
          const store: QuestionCache['store'] = (lookup, made) => {
            stored.push(made)
            question.store(lookup, made)
          }
          return { ...question, store }
        },
      }
    },
  }
  return { cache: watched, stored }
}

const GROUNDED = definePolicy({ ...POLICY, gates: [...POLICY.gates, grounding()] })
const INVENTED = 'The engine needs 7 blue Batteries.'

/** A route, its events, and what its cache was told to store. */
function aRoute({ dependencies, ...options }: Partial<AnswerWithoutHttpOptions> = {}) {
  const clock = { atMs: Date.UTC(2026, 0, 2), nowMs: () => clock.atMs }
  const events: DecisionEvent[] = []
  const work: Promise<unknown>[] = []
  const log = { record: (event: DecisionEvent) => void events.push(event), flush: async () => {} }
  const { cache, stored } = watchedCache(options.tellsCallersApart ? 'tenant' : 'public')
  const open = openWithoutHttp({
    policy: GROUNDED,
    dependencies: { retriever, cache, log, clock, ...dependencies },
    waitUntil: (one) => work.push(one),
    ...options,
  })
  const ask = async (asked: Partial<AskedForAnswer> = {}): Promise<OpenQuestion> => {
    const opened = await open({ question: QUESTION, ...asked })
    return opened.kind === 'open' ? opened.question : expect.fail('the question was not open')
  }
  return { open, ask, clock, events, stored, settled: () => Promise.all(work) }
}

describe('an open question', () => {
  it.each<[string, (question: OpenQuestion) => unknown, number, Made['kind']]>([
    ['an answer', ({ answered }) => answered({ answer: STRONG }), 200, 'answer'],
    ['an answer that is not kept', ({ answered }) => answered({ answer: STRONG, isKept: false }), 200, 'nothing'],
    ['an unsupported answer', ({ answered }) => answered({ answer: INVENTED }), 200, 'refusal'],
    ['a failure', ({ failed }) => failed(new Error('down')), 502, 'failure'],
    ['a failure with a code', ({ failed }) => failed(new RagGateError('llm_timeout', 'Late')), 504, 'failure'],
    ['a tool call', ({ ended }) => ended(200), 200, 'nothing'],
    ['a rejected call', ({ ended }) => ended(400), 400, 'failure'],
    ['a stream that broke off', ({ ended }) => ended(503), 503, 'failure'],
  ])('that ends with %s is recorded once, and that is told to the cache', async (_, end, status, kind) => {
    const { ask, clock, events, stored, settled } = aRoute()
    const question = await ask()
    clock.atMs += 500
    await end(question)
    await settled()
    expect(stored).toMatchObject([{ kind }])
    const timings = { retrievalMs: 0, totalMs: 500 }
    expect(events).toMatchObject([{ status, route: 'without-http', cache: 'miss', timings }])
  })

  it('is answered like one of POST /ask, the second time from the cache', async () => {
    const { open, ask, clock, events, stored, settled } = aRoute()
    const { gate, policy, answered } = await ask()
    const first = answered({ answer: STRONG, model: 'm' })
    expect(first).toEqual({
      body: { answer: STRONG, sources: gate.citations, refused: false, ...gate.summary },
      decision: expect.objectContaining({ id: gate.decision.id, answerSignals: expect.anything() }),
      policy,
      evidence: gate.evidence,
      cache: 'miss',
    })
    expect(gate.citations).toHaveLength(1)
    await settled()
    clock.atMs += 500
    const { evidence: _, ...again } = first
    expect(await open({ question: QUESTION })).toEqual({ kind: 'answered', by: { ...again, cache: 'hit' } })
    expect(stored.map(({ kind }) => kind)).toEqual(['answer', 'found'])
    const [made, found] = events
    const { decision } = made!
    expect(found).toMatchObject({ decision, cache: 'hit', status: 200, timings: { totalMs: 0 } })
    expect([made?.model, found?.model, made?.id === found?.id]).toEqual(['m', undefined, false])
  })

  it('is answered with a caution when its evidence is limited', async () => {
    const { ask } = aRoute({
      policy: POLICY,
      dependencies: { retriever: { retrieve: async () => rankingOf([MIDDLING]) } },
    })
    const { gate, answered } = await ask()
    expect([gate.decision.verdict, answered({ answer: MIDDLING }).body['caution']]).toEqual([
      'advise',
      CAUTION_FOR_READER,
    ])
  })

  it('has the verdict and the caution that only its answer led to, as POST /ask does', async () => {
    const policy = advisory({ requiredFields: ['summary'] })
    const { ask } = aRoute({ policy })
    const { gate, answered } = await ask()
    const { body, decision } = answered({ answer: STRONG })
    const route = aGate({ policy, handler: (c) => c.json({ answer: STRONG, ...c.var.ragGate.summary }) })
    const asked = (await (await route.ask()).json()) as { decision_id: string }
    expect(asked).toMatchObject({ verdict: 'advise', caution: CAUTION_FOR_READER, usable: false })
    const { sources, refused, ...told } = body
    expect(told).toEqual({ ...asked, decision_id: decision.id })
    expect([sources, refused, gate.summary.verdict]).toEqual([gate.citations, false, 'pass'])
    const observed = await aRoute({ policy, mode: 'observe' }).ask()
    const shown = observed.answered({ answer: STRONG })
    expect([shown.body['verdict'], shown.body['caution'], shown.decision.verdict]).toEqual([
      'pass',
      undefined,
      'advise',
    ])
  })

  it('of a route that tells callers apart must name its principal, whose answers are its own tenant’s', async () => {
    const { open, ask, settled } = aRoute({ tellsCallersApart: true })
    await expect(open({ question: QUESTION })).rejects.toMatchObject({
      code: 'unauthorized',
      param: 'principal',
      message: 'principal is missing',
    })
    const of = (tenant: string) => ({ question: QUESTION, principal: { tenant, id: 'ann', scopes: ['ask'] as const } })
    ;(await ask(of('acme'))).answered({ answer: STRONG })
    await settled()
    expect([(await open(of('acme'))).kind, (await open(of('globex'))).kind]).toEqual(['answered', 'open'])
    const cache = answerCache({ store: createMemoryAnswerCache(), scope: 'tenant' })
    expect(() => openWithoutHttp({ policy: POLICY, dependencies: { retriever, cache } })).toThrow(
      expect.objectContaining({ code: 'cache_scope_required' }),
    )
  })
})

describe('a gate without HTTP', () => {
  const OPERATOR = { tenant: 'default', id: 'ann', scopes: ['ask', 'admin'] as const }
  const gated = (options: Partial<GateWithoutHttpOptions>) =>
    gateWithoutHttp({ policy: GROUNDED, dependencies: { retriever }, ...options })({
      question: QUESTION,
      principal: OPERATOR,
    })

  it('judges an answer against the context, and names what it does not support', async () => {
    const question = await gated({})
    expect(question.judge(STRONG)).toBeUndefined()
    expect(question.decided()).toMatchObject({ verdict: 'pass', answerSignals: expect.anything() })
    expect(question.judge(INVENTED)).toMatchObject({
      reason_code: 'answer_unsupported',
      detail: { unsupported_sentences: [INVENTED] },
    })
    expect([question.decision.verdict, question.decided().verdict]).toEqual(['pass', 'refuse'])
  })

  it('judges no answer by a policy without gates for answers, and refuses nothing in observe mode', async () => {
    const plain = await gated({ policy: POLICY })
    expect([plain.judge(INVENTED), plain.decided()]).toEqual([undefined, plain.decision])
    const observed = await gated({ mode: 'observe' })
    expect([observed.judge(INVENTED), observed.decided().verdict]).toEqual([undefined, 'refuse'])
    const weak = { dependencies: { retriever: { retrieve: async () => rankingOf([WEAK]) } } }
    expect((await gated({ ...weak, mode: 'observe' })).refusal).toBeUndefined()
    const { refusal } = await gated(weak)
    expect(refusal).toMatchObject({ refused: true, detail: {} })
    expect(refusal).not.toHaveProperty('detail.unsupported_sentences')
  })

  it.each([
    [[-0.1, -0.2], undefined],
    [[-1, -2], { reason_code: 'generation_confidence_low' }],
  ])('reads the confidence %j of the source that is named', async (tokenLogProbabilities, refusal) => {
    const policy = definePolicy({ ...POLICY, gates: [...POLICY.gates, generationConfidence()] })
    const { gate, judge } = await gated({ policy, answer: { generationConfidence: 'token-log-probabilities' } })
    gate.report({ tokenLogProbabilities })
    const judged = judge(STRONG)
    if (refusal) expect(judged).toMatchObject(refusal)
    else expect(judged).toBeUndefined()
  })

  it('records the decision with its times', async () => {
    const clock = { atMs: Date.UTC(2026, 0, 2), nowMs: () => clock.atMs }
    const events: DecisionEvent[] = []
    const log = { record: (event: DecisionEvent) => void events.push(event), flush: async () => {} }
    const { record } = await gated({ dependencies: { retriever, log, clock } })
    clock.atMs += 500
    await record()
    const timings = { retrievalMs: 0, totalMs: 500 }
    expect(events).toMatchObject([{ route: 'without-http', status: 200, cache: 'bypass', timings, atMs: clock.atMs }])
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
    await expect(answering).rejects.toMatchObject({
      code: 'llm_bad_response',
      message: 'The result contains no answer',
    })
    expect(events).toMatchObject([{ status: 502, decision: { verdict: 'pass' } }])
  })
})
