import { balanced, ragGate } from '../../src/index.ts'
import { reranking, type RerankingOptions } from '../../src/pipeline/reranking.ts'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Reranker } from '../../src/ports/reranker.ts'
import { aGate } from '../fixtures/gate.ts'

const rerankerOf = (rerank: Reranker['rerank'], options?: RerankingOptions) =>
  reranking({ model: 'grader', kind: 'grade', rerank }, options)

describe('a gate with a reranker', () => {
  beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined))
  afterEach(() => vi.restoreAllMocks())

  test('reports its time, records its outcome, and stores the answer', async () => {
    const { ask, journal, clock } = aGate({
      dependencies: {
        reranker: rerankerOf(async () => {
          clock.atMs += 7
          return [3]
        }),
      },
    })
    const response = await ask()
    expect(response.headers.get('server-timing')).toContain('rerank;dur=7')
    expect(journal.events[0]).toMatchObject({ decision: { reranker: 'ok' }, timings: { rerankMs: 7 } })
    expect(journal.stored).toHaveLength(1)
  })

  test.each<[string, Reranker['rerank']]>([
    ['failed', () => Promise.reject(new Error('down'))],
    ['timeout', () => new Promise<never>(() => undefined)],
  ])('answers without it when it is %s, records that, and stores nothing', async (outcome, rerank) => {
    const { ask, journal } = aGate({
      dependencies: { reranker: rerankerOf(rerank, { timeoutMs: 10 }) },
    })
    expect((await ask()).status).toBe(200)
    expect(journal.events[0]).toMatchObject({ decision: { reranker: outcome, verdict: 'pass' } })
    expect(journal.stored).toEqual([])
  })

  test('prints a warning without its text when it fails, if there is no onWarning', async () => {
    const warned = vi.spyOn(console, 'warn').mockReturnValue()
    const reranker = rerankerOf(() => Promise.reject(new Error('secret')))
    await aGate({ dependencies: { reranker } }).ask()
    expect(warned.mock.calls).toEqual([
      [expect.stringMatching(/^\[rag-gate\] reranker_\w+: The reranker (?!.*secret)/)],
    ])
    warned.mockRestore()
  })

  test.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('secret')
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret'))],
  ])('answers without it also when onWarning %s, without logging its text', async (_, onWarning) => {
    const logged = vi.spyOn(console, 'error').mockReturnValue()
    const reranker = rerankerOf(() => Promise.reject(new Error('down')))
    const { ask } = aGate({ dependencies: { reranker }, onWarning: () => onWarning() as void })
    expect((await ask()).status).toBe(200)
    expect(logged).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^\[rag-gate\] onWarning: Error(?!.*secret)/))
  })

  test('has no timing for reranking without one', async () => {
    const { ask, journal } = aGate()
    expect((await ask()).headers.get('server-timing')).not.toContain('rerank')
    expect(journal.events[0]).toMatchObject({ decision: { reranker: 'off' } })
  })

  test.each([0, 1.5, 60_001, Number.NaN])('rejects a time limit of %s', (timeoutMs) => {
    expect(() => rerankerOf(async () => [], { timeoutMs })).toThrow(
      expect.objectContaining({ code: 'config_invalid', param: 'timeoutMs' }),
    )
  })

  test.each([
    [0.5],
    [[]],
    [[0.1]],
    [[0.1, 1.1]],
    [[-0.1, 1]],
    [[0.5, 0.5]],
    [[0.9, 0.1]],
    [[0.1, 0.5, 0.9]],
    [['0', '1']],
    [[NaN, 1]],
  ])('rejects the bounds %j', (between) => {
    expect(() => rerankerOf(async () => [], { between: between as never })).toThrow(
      expect.objectContaining({ code: 'config_invalid', param: 'between' }),
    )
  })

  test.each([
    ['kind', { model: 'grader', kind: 'score' }],
    ['model', { kind: 'grade' }],
  ])('requires its %s', (name, given) => {
    expect(() => reranking({ ...given, rerank: async () => [] } as never)).toThrow(
      expect.objectContaining({ code: 'config_invalid', param: `reranker.${name}` }),
    )
  })

  test('accepts only a reranker made by reranking(…)', () => {
    expect(() => reranking({} as Reranker)).toThrow(
      expect.objectContaining({ code: 'config_invalid', param: 'reranker' }),
    )
    const reranker = { model: 'grader', kind: 'grade', rerank: async () => [3] } as never
    const dependencies = { retriever: { retrieve: async () => [] }, reranker }
    expect(() => ragGate({ policy: balanced(), dependencies })).toThrow(
      'dependencies.reranker must be reranking() of hono-rag-gate',
    )
  })
})
