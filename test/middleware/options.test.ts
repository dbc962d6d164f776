import { describe, expect, it } from 'vitest'
import type { RagGateOptions } from '../../src/middleware/options.ts'
import { ragGate } from '../../src/middleware/rag-gate.ts'
import { aGate, POLICY, QUESTION, WEAK } from '../fixtures/gate.ts'

describe('making a gate', () => {
  const make = (options: object): unknown =>
    ragGate({ resolve: () => ({}) as never, ...options } as unknown as RagGateOptions<object>)

  it.each([
    [{ topK: 0 }, 'topK'],
    [{ topK: 10, candidates: 9 }, 'candidates'],
    [{ candidates: 101 }, 'candidates'],
    [{ topK: 101 }, 'topK'],
    [{ topK: 1.5 }, 'topK'],
    [{ topK: '5' }, 'topK'],
    [{ fusion: 'RRF' }, 'fusion'],
    [{ fusion: 'rrf', rrfK: -1 }, 'rrfK'],
    [{ fusion: 'rrf', rrfK: 10_001 }, 'rrfK'],
    [{ fusion: 'rrf', rrfK: '60' }, 'rrfK'],
    [{ fusion: 'rrf', rrfK: NaN }, 'rrfK'],
    [{ fusion: 'dbsf', rrfK: 60 }, 'rrfK'],
    [{ rrfK: 60 }, 'rrfK'],
    [{ filter: {} }, 'filter'],
    [{ filter: null }, 'filter'],
    [{ filter: { team: 'edge' } }, 'filter'],
    [{ filter: { source: "x' OR source != '" } }, 'filter'],
    [{ retrievalTimeoutMs: 0 }, 'retrievalTimeoutMs'],
    [{ retrievalTimeoutMs: Infinity }, 'retrievalTimeoutMs'],
    [{ maxContextCharacters: 100 }, 'maxContextCharacters'],
    [{ maxContextTokens: 49, countTokens: () => 1 }, 'maxContextTokens'],
    [{ maxContextTokens: 1000 }, 'countTokens'],
    [{ maxContextTokens: 1000, countTokens: 4 }, 'countTokens'],
    [{ searchModes: 'everyone' }, 'searchModes'],
    [{ expandBelow: 1.1 }, 'expandBelow'],
    [{ expandBelow: Number.NaN }, 'expandBelow'],
    [{ rewriteTimeoutMs: 0 }, 'rewriteTimeoutMs'],
    [{ staleIfErrorSeconds: -1 }, 'staleIfErrorSeconds'],
    [{ staleIfErrorSeconds: 1.5 }, 'staleIfErrorSeconds'],
    [{ maxStoredBytes: NaN }, 'maxStoredBytes'],
    [{ maxStoredBytes: -1 }, 'maxStoredBytes'],
    [{ mode: 'Enforce' }, 'mode'],
    [{ mode: '' }, 'mode'],
    [{ refusalStatus: 204 }, 'refusalStatus'],
    [{ cacheScope: 'everyone' }, 'cacheScope'],
    [{ question: { maxCodePoints: 0 } }, 'question.maxCodePoints'],
    [{ question: { maxBodyBytes: NaN } }, 'question.maxBodyBytes'],
    [{ question: { bodyTimeoutMs: -1 } }, 'question.bodyTimeoutMs'],
    [{ question: { otherFields: 'ignore' } }, 'question.otherFields'],
  ])('with %j fails at once, naming the option', (options, param) => {
    expect(() => make(options)).toThrow(expect.objectContaining({ code: 'config_invalid', param }))
  })

  it('with a policy that is not valid fails at once', () => {
    expect(() => make({ policy: { ...POLICY, gates: [] } })).toThrow(
      expect.objectContaining({ code: 'policy_invalid', param: 'gates' }),
    )
  })

  it('checks a policy again, so that a changed one cannot keep its old id', async () => {
    const { ask } = aGate({
      policy: { ...POLICY, gates: [{ gate: 'confidence-range', refuseBelow: 0, adviseBelow: 0 }] },
      finds: [WEAK],
    })
    const { headers } = await ask()
    expect(headers.get('rag-gate')).toMatch(/^pass;/)
    expect(headers.get('rag-gate')).not.toContain(POLICY.id)
  })

  it('can choose a policy for each tenant and collection', async () => {
    const asked: string[] = []
    const { ask } = aGate({
      otherCollections: ['other'],
      policy: (tenant, collection) => {
        asked.push(`${tenant}/${collection}`)
        return POLICY
      },
    })
    await ask({ question: QUESTION, collection: 'other' })
    expect(asked).toEqual(['default/other'])
  })
})
