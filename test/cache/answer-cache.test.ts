import { describe, expect, it } from 'vitest'
import { createMemoryAnswerCache } from '../../src/adapters/memory-answer-cache.ts'
import { answerCache } from '../../src/cache/answer-cache.ts'
import type { AnswerCacheOptions } from '../../src/cache/options.ts'
import { ragGate } from '../../src/middleware/rag-gate.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'

describe('answerCache options', () => {
  const make = (options: object): unknown =>
    answerCache({ store: createMemoryAnswerCache(), ...options } as AnswerCacheOptions)

  it.each([
    [{ store: undefined }, 'cache.store'],
    [{ store: { get: () => null } }, 'cache.store'],
    [{ store: null }, 'cache.store'],
    [{ purges: { known: () => null } }, 'cache.purges'],
    [{ coalescer: {} }, 'cache.coalescer'],
    [{ stems: 'english' }, 'cache.stems'],
    [{ ttlSeconds: 60 }, 'cache.ttlSeconds'],
    [{ scope: 'everyone' }, 'cache.scope'],
    [{ version: 4 }, 'cache.version'],
    [{ vary: ['accept-language'] }, 'cache.vary'],
    [{ vary: { header: ['accept-language'] } }, 'cache.vary.header'],
    [{ vary: { headers: 'accept-language' } }, 'cache.vary.headers'],
    [{ vary: { headers: ['accept language'] } }, 'cache.vary.headers'],
    [{ vary: { headers: [''] } }, 'cache.vary.headers'],
    [{ vary: { headers: ['accept', 'accept language'] } }, 'cache.vary.headers'],
    [{ vary: { headers: [5] } }, 'cache.vary.headers'],
    [{ ignoredCredentials: ['x-real-ip'] }, 'cache.ignoredCredentials'],
    [{ ignoredCredentials: ['cookie', 'x-real-ip'] }, 'cache.ignoredCredentials'],
    [{ ignoredCredentials: [['cookie']] }, 'cache.ignoredCredentials'],
    [{ staleIfErrorSeconds: -1 }, 'cache.staleIfErrorSeconds'],
    [{ staleIfErrorSeconds: 1.5 }, 'cache.staleIfErrorSeconds'],
  ])('are rejected with %j, naming the option', (options, param) => {
    expect(() => make(options)).toThrow(expect.objectContaining({ code: 'config_invalid', param }))
  })

  it('must say that answers are public where callers are not identified', () => {
    for (const scope of ['tenant', 'principal'] as const) {
      const cache = answerCache({ store: createMemoryAnswerCache(), scope })
      const gate = () =>
        ragGate({ policy: balanced(), dependencies: { retriever: { retrieve: async () => [] }, cache } })
      expect(gate).toThrow(
        expect.objectContaining({
          code: 'cache_scope_required',
          param: 'cache.scope',
          message: expect.stringMatching(/shared by everyone.*scope: 'public'/),
        }),
      )
    }
  })

  it('must be wrapped by answerCache: a bare store is rejected', () => {
    const dependencies = { retriever: { retrieve: async () => [] }, cache: createMemoryAnswerCache() as never }
    expect(() => ragGate({ policy: balanced(), dependencies })).toThrow(/answerCache\(\) of/)
  })
})
