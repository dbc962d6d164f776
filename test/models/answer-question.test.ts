import { defineGate, gateWith } from '../../src/core/gates/gate.ts'
import { definePolicy } from '../../src/core/policy/policy.ts'
import { defineRule } from '../../src/core/policy/rules.ts'
import { reranking } from '../../src/pipeline/reranking.ts'
import { describe, expect, it, vi } from 'vitest'
import { createRetriever } from '../../packages/upstream/src/custom-retriever.ts'
import { createMemoryAnswerCache } from '../../src/adapters/memory-answer-cache.ts'
import { answerCache } from '../../src/cache/index.ts'
import type { Generator } from '../../packages/models/src/generator.ts'
import type { DecisionEvent } from '../../src/ports/decision-log.ts'
import { evidenceAnswer } from '../../packages/presets/src/sufficiency/evidence-answer.ts'
import type { GenerationReport } from '../../src/core/answer/answer-input.ts'
import { legalReview } from '../../packages/presets/src/weighted-signals/legal-review.ts'
import { multiGate } from '../../packages/presets/src/multi-gate/multi-gate.ts'
import { sufficiency, type SufficiencyOptions } from '../../packages/presets/src/sufficiency/sufficiency.ts'
import { twoTier } from '../../packages/presets/src/two-tier/two-tier.ts'
import { RagGateError } from '../../src/errors.ts'
import { answerQuestion, createAnswerer } from '../../packages/models/src/answering/answer-question.ts'
import { answering, ASKED, INTENTION, MURDER, SETTINGS, shares, answered } from '../fixtures/answering.ts'

const ANSWER = 'Whoever commits murder is punished with death or imprisonment for life.'
const settings = (options: SufficiencyOptions = {}) => ({ ...SETTINGS, policy: () => sufficiency(options) })

describe('answerQuestion', () => {
  it.each([undefined, null, 'Whoever …', {}, { text: 5, complete: true }])(
    'reports a generator that returns %j as llm_bad_response',
    async (generation) => {
      const { ports } = answering({ says: async () => generation as never })
      expect(await answerQuestion(ports, ASKED, SETTINGS)).toMatchObject({
        fault: 'llm_bad_response',
        answer: '',
        refused: false,
        cache: 'bypass',
      })
    },
  )

  it('works in order: normalise, retrieve, rerank, gates, context budget, model', async () => {
    const calls: string[] = []
    const { ports } = answering({
      finds: (question) => {
        calls.push(`retrieve ${question}`)
        return [MURDER, INTENTION]
      },
      says: async () => {
        calls.push('generate')
        return { text: ANSWER, complete: true, ...shares(0.65, 0.35) }
      },
    })
    const rerank = async () => {
      calls.push('rerank')
      return [0.9, 0.8]
    }
    const rule = defineRule({
      id: 'watch',
      check: () => {
        calls.push('gates')
        return null
      },
    })
    const lengthOf = (text: string): number => {
      if (calls.at(-1) !== 'context') calls.push('context')
      return text.length / 4
    }
    await answerQuestion(
      { ...ports, reranker: reranking({ model: 'grader', kind: 'cross-encoder', rerank }) },
      { ...ASKED, question: ' What  is murder? ' },
      { ...SETTINGS, rules: [rule], context: { maxLength: 3000, lengthOf } },
    )
    expect(calls).toEqual(['retrieve What is murder?', 'rerank', 'context', 'gates', 'generate'])
  })

  it('searches with the normalised question, and rejects an invalid one before any search', async () => {
    const seen: string[] = []
    const finds = (question: string) => [seen.push(question) > 0 ? MURDER : '']
    const { ports } = answering({ finds, says: { text: ANSWER, ...shares(0.65, 0.35) } })
    const made = await answered(ports, SETTINGS, { ...ASKED, question: '  Cafe\u0301   law? ' })
    expect([made.question, seen]).toEqual(['Caf\u00e9 law?', ['Caf\u00e9 law?']])
    for (const [question, code] of [
      ['a\ud800', 'invalid_unicode'],
      ['a\u0000', 'control_character'],
      [' \n ', 'question_required'],
    ] as const) {
      await expect(answerQuestion(ports, { ...ASKED, question }, SETTINGS)).rejects.toMatchObject({ code })
    }
    expect(seen).toHaveLength(1)
  })

  it('returns the failure object of document 004 in place of an answer', async () => {
    const finds = [MURDER, INTENTION, 'Theft is punished with imprisonment for three years.']
    const text = 'Murder, common intention and theft are punished.'
    const { ports, generations } = answering({ finds, says: { text } })
    const { answer, decision } = await answered(ports, settings({ threshold: 0.7, wording: 'specification' }), ASKED)
    expect(generations).toHaveLength(1)
    expect(decision.verdict).toBe('refuse')
    expect(JSON.stringify(answer)).not.toContain(text)
    expect(answer).toMatchObject({
      status: 'insufficient_evidence',
      reason: expect.stringMatching(
        /^No legal provision received sufficient attention support\. Highest attention was \d+\.\d% but threshold is 70\.0%\.$/,
      ),
      required_threshold: 0.7,
      evidence_count: 3,
      evidence_summary: [
        { chunk_id: 'IPC_302', statute: 'IPC', section: '302' },
        { chunk_id: 'IPC_34', statute: 'IPC', section: '34' },
        { chunk_id: 'IPC_2', statute: 'IPC', section: '2' },
      ],
      suggestions: [
        'Rephrase your query to be more specific',
        'Expand the legal corpus with more relevant statutes',
        'Break down complex questions into simpler sub-questions',
        'Provide additional context about jurisdiction or relevant laws',
      ],
      explanation: expect.stringContaining('LEXAR safety mechanism'),
    })
    expect(answer).not.toHaveProperty('escalate')
  })

  it('calls no model without evidence', async () => {
    const { ports, generations } = answering({ finds: [] })
    const { answer, generation } = await answered(ports, SETTINGS, ASKED)
    expect(answer).toMatchObject({ status: 'no_evidence', evidence_count: 0 })
    expect([generations.length, generation]).toEqual([0, undefined])
  })

  it('calls no model when another gate refuses, with the figures in the reason', async () => {
    const { ports, generations } = answering()
    const { answer } = await answered(ports, { ...SETTINGS, policy: () => twoTier({ minScore: 50 }) }, ASKED)
    expect(answer).toMatchObject({
      status: 'insufficient_evidence',
      reason: 'Top chunk retrieval score (9) below minimum (50)',
      max_attention: null,
      deficit: null,
    })
    expect(generations).toEqual([])
  })

  it("reports a failed model separately from a refusal, without the service's text", async () => {
    const failing = (thrown: unknown) => answering({ says: () => Promise.reject(thrown) }).ports
    const named = await answered(failing(new RagGateError('llm_unavailable', 'secret')), SETTINGS, ASKED)
    expect(named.answer).toEqual({
      status: 'generation_error',
      reason: 'The model did not answer (llm_unavailable)',
      evidence_count: 2,
      evidence_ids: ['IPC_302', 'IPC_34'],
    })
    const unnamed = await answered(failing(new Error('secret')), SETTINGS, ASKED)
    expect(unnamed.answer).toEqual(named.answer)
    expect(unnamed).not.toHaveProperty('generation')
  })

  it('throws what judging an answer throws, and does not report it as a failed model', async () => {
    const { ports } = answering({ says: { text: ANSWER } })
    const measure = () => {
      throw new TypeError('a mistake')
    }
    const gate = defineGate({
      name: 'broken',
      stage: 'post-generation',
      texts: {},
      validate: () => undefined,
      measure,
      check: () => ({ outcome: 'pass', code: 'passed', message: '' }),
    })
    const policy = () => definePolicy({ ...sufficiency(), gates: [gateWith(gate, { gate: 'broken' })] })
    await expect(answerQuestion(ports, ASKED, { ...SETTINGS, policy })).rejects.toThrow('a mistake')
  })

  it('does not wait for a model that ignores its signal', async () => {
    let aborted = false
    const { ports } = answering({
      says: ({ signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            aborted = true
          })
        }),
    })
    const { answer } = await answered(ports, { ...SETTINGS, generationTimeoutMs: 10 }, ASKED)
    expect(answer).toMatchObject({ status: 'generation_error', reason: 'The model did not answer (llm_timeout)' })
    expect(aborted).toBe(true)
  })

  it('never treats a failed retrieval as missing evidence', async () => {
    const { ports } = answering()
    const retriever = { retrieve: () => Promise.reject(new Error('down')) }
    await expect(answerQuestion({ ...ports, retriever }, ASKED, SETTINGS)).rejects.toMatchObject({
      code: 'retriever_unavailable',
    })
  })

  it('gives a caution to the model and the reader when the verdict is advise', async () => {
    const { ports, generations } = answering({ says: { text: 'Cats purr.' } })
    const { answer } = await answered(ports, settings({ dangerouslyDisableGates: true }), ASKED)
    expect(answer).toMatchObject({
      status: 'success',
      caution: 'The gate is disabled: nothing was checked',
      gating: { passes: false, gating_bypassed: true },
    })
    expect(generations[0]?.caution).toContain('evidence is limited')
  })

  it('judges the confidence that the model reports, and refuses when none is reported', async () => {
    const settings = {
      ...SETTINGS,
      policy: () => multiGate({ refuseBelow: -1, adviseBelowKeywords: 0, answerGrounding: 'off' }),
      answer: { generationConfidence: 'token-log-probabilities' },
    } as const
    const statusOf = async (report: GenerationReport): Promise<string> => {
      const { ports } = answering({ scoredBy: 'cosine', says: { text: ANSWER, report } })
      return (await answered(ports, settings, ASKED)).answer.status
    }
    expect(await statusOf({ tokenLogProbabilities: [-0.1, -0.1] })).toBe('success')
    expect(await statusOf({ tokenLogProbabilities: [-2, -2] })).toBe('insufficient_evidence')
    expect(await statusOf({ generationConfidence: 0.99 })).toBe('insufficient_evidence')
  })

  it('sets escalate on refusals under an expert policy', async () => {
    const { ports } = answering({ says: { text: ANSWER, ...shares(0.65, 0.35) } })
    const strict = settings({ threshold: 'strict', escalateRefusals: true })
    expect((await answered(ports, strict, ASKED)).answer).toMatchObject({
      status: 'insufficient_evidence',
      required_threshold: 0.7,
      deficit: 0.05,
      escalate: true,
    })
    const { ports: none } = answering({ finds: [] })
    const review = await answered(none, { ...SETTINGS, policy: () => legalReview() }, ASKED)
    expect(review.answer).toMatchObject({ status: 'no_evidence', escalate: true })
  })
})

describe('answerQuestion with its defaults', () => {
  const RETURNS = 'Returns are accepted within fourteen days of delivery. The refund arrives within a week.'
  const QUESTION = 'How many days after delivery are returns accepted?'
  const retriever = createRetriever(() => [{ id: 'returns', text: RETURNS, score: 4 }], { scoreKind: 'bm25' })
  const writing = (text: string, model = 'writer') => {
    const generate = vi.fn<Generator['generate']>(async () => ({
      text,
      complete: true,
      model: 'writer-2',
      usage: { inputTokens: 9, outputTokens: 3 },
    }))
    return { model, generate }
  }

  it('needs a retriever, a generator and a question', async () => {
    const generator = writing('Fourteen days [1].')
    const made = await answerQuestion({ retriever, generator }, QUESTION)
    expect(made).toMatchObject({ question: QUESTION, answer: 'Fourteen days [1].', refused: false, cache: 'bypass' })
    expect(made.policy.name).toBe('balanced')
    const refused = await answerQuestion({ retriever, generator }, 'Who painted the ceiling of the chapel?')
    expect(refused).toMatchObject({ refused: true, decision: { verdict: 'refuse' } })
    expect(refused.answer).not.toBe('')
    expect(generator.generate).toHaveBeenCalledTimes(1)
  })

  it('answers from the cache, and records decisions', async () => {
    const generator = writing('Fourteen days [1].')
    const events: DecisionEvent[] = []
    const log = { record: async (event: DecisionEvent) => void events.push(event), flush: async () => undefined }
    const cache = answerCache({ store: createMemoryAnswerCache(), scope: 'public' })
    const ask = createAnswerer({ retriever, generator, cache, log })
    const [first, refused] = [await ask(QUESTION), await ask('Who painted the ceiling of the chapel?')]
    await vi.waitFor(async () => expect((await ask(QUESTION)).cache).toBe('hit'))
    const again = await ask(QUESTION)
    expect(again).toMatchObject({ answer: first.answer, refused: false })
    expect(again.generation).toEqual({ text: first.answer, complete: true })
    expect(again.decision.id).toBe(first.decision.id)
    expect(refused.refused).toBe(true)
    expect(generator.generate).toHaveBeenCalledTimes(1)
    await vi.waitFor(() => expect(events.length).toBeGreaterThanOrEqual(4))
    expect(events.map(({ cache: state, decision }) => `${state} ${decision.verdict}`)).toEqual(
      expect.arrayContaining(['miss pass', 'miss refuse', 'hit pass']),
    )
    expect(events[0]).toMatchObject({
      route: 'answer-question',
      status: 200,
      model: 'writer-2',
      usage: { inputTokens: 9, outputTokens: 3 },
    })
  })

  it('stores answers separately for callers with different ids', async () => {
    const generator = writing('Fourteen days [1].')
    const cache = answerCache({ store: createMemoryAnswerCache(), scope: 'principal' })
    expect(() => createAnswerer({ retriever, generator, cache })).toThrow(
      expect.objectContaining({ code: 'cache_scope_required' }),
    )
    const ask = createAnswerer({ retriever, generator, cache }, { tellsCallersApart: true })
    const asked = (id: string) => ask({ question: QUESTION, principal: { tenant: 'acme', id, scopes: ['ask'] } })
    await asked('ann')
    await vi.waitFor(async () => expect((await asked('ann')).cache).toBe('hit'))
    expect((await asked('bob')).cache).toBe('miss')
    await expect(ask(QUESTION)).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('stores nothing from a failed model, and records it as a failure', async () => {
    const events: DecisionEvent[] = []
    const log = { record: async (event: DecisionEvent) => void events.push(event), flush: async () => undefined }
    const generator = { model: 'writer', generate: () => Promise.reject(new RagGateError('llm_timeout', 'late')) }
    const cache = answerCache({ store: createMemoryAnswerCache(), scope: 'public' })
    const ask = createAnswerer({ retriever, generator, cache, log })
    expect([await ask(QUESTION), await ask(QUESTION)]).toMatchObject([
      { fault: 'llm_timeout', answer: '', cache: 'miss' },
      { fault: 'llm_timeout', answer: '', cache: 'miss' },
    ])
    expect(events.map(({ status }) => status)).toEqual([504, 504])
  })

  it("refuses an answer without citations under sufficiency with overlap: 'citations'", async () => {
    const options = { policy: sufficiency({ overlap: 'citations' }) }
    const cited = await answerQuestion({ retriever, generator: writing(`${RETURNS} [1]`) }, QUESTION, options)
    expect(evidenceAnswer(cited, cited.evidence.chunks, cited.policy).status).toBe('success')
    const uncited = await answerQuestion({ retriever, generator: writing(RETURNS) }, QUESTION, options)
    expect(uncited).toMatchObject({ refused: true, decision: { reason: 'share_low' } })
  })

  const generator = writing('Yes.')
  it.each([
    [undefined, QUESTION, {}, 'generator must be'],
    [{ retriever }, QUESTION, {}, 'generator must be'],
    [{ generator }, QUESTION, {}, 'dependencies.retriever must be'],
    [{ retriever: {}, generator }, QUESTION, {}, 'dependencies.retriever must be'],
    [{ retriever, generator, retreiver: 1 }, QUESTION, {}, 'no option dependencies.retreiver'],
    [{ retriever, generator }, QUESTION, { polcy: 1 }, 'no option polcy'],
    [{ retriever, generator }, QUESTION, { policy: 'sufficiency' }, 'policy must be'],
    [{ retriever, generator }, QUESTION, { generationTimeoutMs: 0 }, 'generationTimeoutMs must be'],
    [{ retriever, generator }, undefined, {}, 'question'],
    [{ retriever, generator }, { question: 7 }, {}, 'question'],
    [{ retriever, generator }, null, {}, 'question'],
  ])('reports the fault in %j, %j, %j', async (ports, asked, settings, message) => {
    const call = answerQuestion(ports as never, asked as never, settings as never)
    const thrown: unknown = await call.catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(RagGateError)
    expect((thrown as RagGateError).message).toContain(message)
  })
})
