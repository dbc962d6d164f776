import { describe, expect, it } from 'vitest'
import { createAgentTools } from '../../packages/mcp/src/index.ts'
import { answerWithoutHttp, gateWithoutHttp, openWithoutHttp } from '../../src/middleware/index.ts'
import type { DecisionEvent } from '../../src/ports/decision-log.ts'
import { POLICY, QUESTION, rankingOf, STRONG } from '../fixtures/gate.ts'

const retriever = { retrieve: async () => rankingOf([STRONG]) }

describe('without types', () => {
  it.each([gateWithoutHttp, openWithoutHttp, answerWithoutHttp, createAgentTools])(
    '%O names what is missing',
    (make) => {
      for (const [given, param] of [
        [undefined, 'dependencies'],
        [{ dependencies: { retriever } }, 'policy'],
      ]) {
        expect(() => make(given as never)).toThrow(expect.objectContaining({ code: 'config_invalid', param }))
      }
    },
  )

  it.each<[string, unknown, object]>([
    ['nothing', undefined, { code: 'question_required' }],
    ['a question that is none', { question: 5 }, { code: 'question_type' }],
    // Callers without an id would share answers.
    [
      'a principal without id',
      { question: QUESTION, principal: { tenant: 'acme', scopes: ['ask'] } },
      { code: 'config_invalid', param: 'principal.id' },
    ],
    ['no principal', { question: QUESTION, principal: null }, { code: 'config_invalid', param: 'principal.tenant' }],
  ])('what is asked by %s is refused as that', async (_, asked, error) => {
    const ask = gateWithoutHttp({ policy: POLICY, dependencies: { retriever } })
    await expect(ask(asked as never)).rejects.toMatchObject(error)
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['no answer', {}],
    ['a number', { answer: 5 }],
  ])('what makes %s is a model that answered what it should not, and is recorded so', async (_, made) => {
    const events: DecisionEvent[] = []
    const log = { record: async (event: DecisionEvent) => void events.push(event), flush: async () => undefined }
    const answer = answerWithoutHttp({ policy: POLICY, dependencies: { retriever, log } })
    const answering = answer({ question: QUESTION }, async () => made as never)
    await expect(answering).rejects.toMatchObject({ code: 'llm_bad_response' })
    expect(events).toMatchObject([{ status: 502, decision: { verdict: 'pass' } }])
  })
})
