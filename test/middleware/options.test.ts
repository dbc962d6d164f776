import { confidenceRange } from '../../src/core/gates/confidence-range.ts'
import { describe, expect, it, vi } from 'vitest'
import type { PolicyGate } from '../../src/core/gates/gate.ts'
import { RagGateError } from '../../src/errors.ts'
import type { RagGateOptions } from '../../src/middleware/options.ts'
import { ragGate } from '../../src/middleware/rag-gate.ts'
import { aGate, POLICY, QUESTION, WEAK } from '../fixtures/gate.ts'

describe('ragGate', () => {
  const make = (options: object): unknown =>
    ragGate({ policy: POLICY, dependencies: () => ({}) as never, ...options } as unknown as RagGateOptions)

  it.each<[object, string]>([
    [{ policy: undefined }, 'policy'],
    [{ question: { field: '' } }, 'question.field'],
    [{ retrieval: { topK: 0 } }, 'retrieval.topK'],
    [{ retrieval: { topK: 101 } }, 'retrieval.topK'],
    [{ retrieval: { topK: 1.5 } }, 'retrieval.topK'],
    [{ retrieval: { topK: '5' } }, 'retrieval.topK'],
    [{ retrieval: { filter: {} } }, 'filter'],
    [{ retrieval: { filter: null } }, 'retrieval.filter'],
    ...['', 0, NaN, false].map((filter): [object, string] => [{ retrieval: { filter } }, 'filter']),
    [{ retrieval: { filter: { team: 'edge' } } }, 'filter'],
    [{ retrieval: { filter: { source: "x' OR source != '" } } }, 'filter'],
    [{ retrieval: { timeoutMs: 0 } }, 'retrieval.timeoutMs'],
    [{ retrieval: { timeoutMs: Infinity } }, 'retrieval.timeoutMs'],
    [{ context: { maxLength: 49 } }, 'context.maxLength'],
    [{ context: { lengthOf: 4 } }, 'context.lengthOf'],
    [{ question: { collections: [] } }, 'question.collections'],
    [{ question: { collections: 'docs' } }, 'question.collections'],
    [{ answer: { streamIdleTimeoutMs: 0 } }, 'answer.streamIdleTimeoutMs'],
    [{ answer: { streamIdleTimeoutMs: 600_001 } }, 'answer.streamIdleTimeoutMs'],
    [{ mode: 'Enforce' }, 'mode'],
    [{ mode: '' }, 'mode'],
    [{ closestPassages: -1 }, 'closestPassages'],
    [{ closestPassages: 11 }, 'closestPassages'],
    [{ closestPassages: '3' }, 'closestPassages'],
    [{ cache: { scope: 'public' } }, 'cache'],
    [{ policy: null }, 'policy'],
    [{ dependencies: null }, 'dependencies'],
    [{ dependencies: 'retriever' }, 'dependencies'],
    [{ policy: 'balanced' }, 'policy'],
    [{ dependencies: {} }, 'dependencies.retriever'],
    [{ question: { maxCodePoints: 0 } }, 'question.maxCodePoints'],
    [{ question: { maxBodyBytes: NaN } }, 'question.maxBodyBytes'],
    [{ question: { otherFields: 'ignore' } }, 'question.otherFields'],
    [{ answer: { streamIdleTimeoutMs: 1.5 } }, 'answer.streamIdleTimeoutMs'],
    [{ answer: { streamIdleTimeoutMs: Infinity } }, 'answer.streamIdleTimeoutMs'],
  ])('rejects the options %j at once, naming the option', (options, param) => {
    expect(() => make(options)).toThrow(expect.objectContaining({ code: 'config_invalid', param }))
  })

  it.each([
    [{ ...POLICY, gates: [] }, 'policy.gates', 'policy: gates must be a list of one'],
    [{ ...POLICY, bands: { high: 2 } }, 'policy.bands.high', 'policy: bands.high must be a number'],
    [{}, 'policy.name', 'policy: name must be'],
  ])('rejects an invalid policy at once, naming policy and setting: %#', (policy, param, message) => {
    const fault = { code: 'policy_invalid', param, message: expect.stringContaining(message) }
    expect(() => make({ policy })).toThrow(expect.objectContaining(fault))
  })

  it.each<[string, Error, unknown]>([
    [
      'an error of the package, as one of the policy',
      new RagGateError('config_invalid', 'own is wrong'),
      { code: 'config_invalid', message: 'policy: own is wrong', param: 'policy' },
    ],
    ['another error, unchanged', new TypeError('own is wrong'), { name: 'TypeError', message: 'own is wrong' }],
  ])("throws %s, of an application's gate that checks its settings", (_, thrown, fault) => {
    const validate = (): never => {
      throw thrown
    }
    const [{ gate, settings }] = POLICY.gates as readonly [PolicyGate]
    const policy = { ...POLICY, gates: [{ gate: { ...gate, validate }, settings }] }
    expect(() => make({ policy })).toThrow(expect.objectContaining(fault as object))
  })

  it('warns of nothing when it is made', () => {
    const warned = vi.spyOn(console, 'warn').mockReturnValue()
    make({})
    expect(warned).not.toHaveBeenCalled()
    warned.mockRestore()
  })

  it('rejects an invalid policy chosen for a request at that request, with the same message', async () => {
    const { ask } = aGate({ policy: () => 'balanced' as never, finds: [WEAK] })
    const response = await ask()
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({
      error: {
        code: 'policy_invalid',
        param: 'policy',
        message: 'policy: The options must be an object, no promise',
      },
    })
  })

  it('checks a policy again, so that a changed one cannot keep its old id', async () => {
    const { ask } = aGate({
      policy: { ...POLICY, gates: [confidenceRange({ refuseBelow: 0, adviseBelow: 0 })] },
      finds: [WEAK],
    })
    const { headers } = await ask()
    expect(headers.get('rag-gate')).toMatch(/^pass;/)
    expect(headers.get('rag-gate')).not.toContain(POLICY.id)
  })

  it('can choose a policy for each tenant and collection', async () => {
    const asked: string[] = []
    const { ask } = aGate({
      question: { collections: ['default', 'other'] },
      policy: (tenant, collection) => {
        asked.push(`${tenant}/${collection}`)
        return POLICY
      },
    })
    await ask({ question: QUESTION, collection: 'other' })
    expect(asked).toEqual(['default/other'])
  })
})
