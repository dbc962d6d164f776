import { describe, expect, it } from 'vitest'
import { RagGateError, type RagGateErrorCode } from '../../src/errors.ts'
import { aRanking } from '../fixtures/evidence.ts'
import { aGate, type AnswerBody, bodyOf, type GateFixture, rankingOf, STRONG } from '../fixtures/gate.ts'
import { quietErrors } from '../fixtures/quiet-console.ts'

quietErrors()

describe('a retriever that fails', () => {
  it.each<[RagGateErrorCode, number]>([
    ['retriever_timeout', 504],
    ['retriever_unavailable', 503],
    ['retriever_misconfigured', 503],
    ['retriever_bad_response', 502],
    ['embedding_mismatch', 503],
  ])('with %s causes status %d, and the handler is not called', async (code, status) => {
    const finds = (): never => {
      throw new RagGateError(code, 'A fixed sentence', { cause: new Error('upstream secret'), retryAfterSeconds: 2.2 })
    }
    for (const mode of ['enforce', 'observe'] as const) {
      const { ask, journal } = aGate({ finds, mode })
      const response = await ask()
      const text = await response.text()
      expect([response.status, (JSON.parse(text) as AnswerBody).error?.code]).toEqual([status, code])
      expect(response.headers.get('retry-after')).toBe('3')
      expect(text).not.toContain('secret')
      expect(journal).toMatchObject({ handled: [], stored: [], events: [] })
    }
  })

  it.each<[string, GateFixture['finds'] & object]>([
    ['throws something else', () => Promise.reject(new TypeError('secret'))],
    ['throws a value that is not an Error', () => Promise.reject('secret' as unknown as Error)],
  ])('that %s causes a declared error, and the handler is not called', async (_, finds) => {
    const { ask, journal } = aGate({ finds })
    const response = await ask()
    const text = await response.text()
    expect([response.status, (JSON.parse(text) as AnswerBody).error?.code]).toEqual([503, 'retriever_unavailable'])
    expect(text).not.toContain('secret')
    expect(journal).toMatchObject({ handled: [], stored: [] })
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['one ranking in place of a list', aRanking('bm25', [9])],
    ['null in place of a ranking', [null]],
    ['a ranking without entries', [{ kind: 'bm25' }]],
    ['a promise of entries', [{ kind: 'bm25', entries: Promise.resolve([]) }]],
    ['null in place of an entry', [{ kind: 'bm25', entries: [null] }]],
    ['an entry without passage', [{ kind: 'bm25', entries: [{ score: 1 }] }]],
    ['a passage without text', [{ kind: 'bm25', entries: [{ passage: { id: 'a' }, score: 1 }] }]],
    ['an unknown score kind', [aRanking('bm-25' as never, [9])]],
  ])('that returns %s causes retriever_bad_response', async (_, given) => {
    const { ask, journal } = aGate({ finds: () => given as never })
    const response = await ask()
    expect([response.status, (await bodyOf(response)).error?.code]).toEqual([502, 'retriever_bad_response'])
    expect(journal).toMatchObject({ handled: [], stored: [], events: [] })
  })

  it('whose scores are not numbers causes an error, not missing evidence', async () => {
    const { ask, journal } = aGate({ finds: () => [aRanking('bm25', [NaN, 9])] })
    const response = await ask()
    expect([response.status, (await bodyOf(response)).error?.code]).toEqual([502, 'retriever_bad_response'])
    expect(journal.handled).toEqual([])
  })

  it('is asked again for the next question', async () => {
    let down = true
    const { ask } = aGate({
      finds: () => {
        if (down) throw new RagGateError('retriever_unavailable', 'down')
        return rankingOf([STRONG])
      },
    })
    expect((await ask()).status).toBe(503)
    down = false
    expect((await ask()).status).toBe(200)
  })
})
