/** Savings of the ready Worker, from its variables to its statistics. */
import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { GateBindings } from '../../../workers/gate/bindings.ts'
import { HANDBOOK, OFF_TOPIC, STRONG } from '../../fixtures/corpus.ts'
import { aPricedModel, MODEL, PRICED } from '../../fixtures/priced-model.ts'
import { ADMIN, workerOver } from '../../worker-requests.ts'

/** The Worker with further variables. */
function gateWith(variables: Partial<GateBindings>) {
  const { send, post } = workerOver({ ...env, ...variables })
  const get = (path: string): Promise<Response> => send(path, { headers: ADMIN })
  return {
    get,
    read: async <Body>(path: string): Promise<Body> => (await get(path)).json<Body>(),
    post: (path: string, body: unknown): Promise<Response> => post(path, body, ADMIN),
  }
}

interface Summary {
  readonly currency: string | null
  readonly savings: Record<string, unknown>
  readonly by_tenant: readonly { readonly name: string; readonly savings: Record<string, unknown> }[]
  readonly series: readonly { readonly savings: Record<string, unknown> }[]
}

afterEach(() => vi.restoreAllMocks())
beforeAll(async () => {
  await gateWith({}).post('/v1/documents', { documents: HANDBOOK })
})

describe('with prices and an average call', () => {
  test('savings are in each decision, in the sums, for each tenant, over time and in exports', async () => {
    const model = aPricedModel('Thirty days. [1]')
    const { post, read, get } = gateWith(PRICED)
    for (const question of [STRONG, STRONG, OFF_TOPIC]) expect((await post('/ask', { question })).status).toBe(200)
    expect(model).toHaveBeenCalledTimes(1)

    const stats = await read<Summary>('/v1/stats')
    // The hit: 800 × .5 + 40 × 2 for a million. The refusal: 1,000 × .5 + 250 × 2, less one retrieval.
    const savings = {
      calls_avoided_by_cache: 1,
      calls_avoided_by_refusal: 1,
      measured: { calls: 1, input_tokens: 800, output_tokens: 40 },
      estimated: { calls: 1, input_tokens: 1000, output_tokens: 250 },
      unknown_calls: 0,
      money: {
        calls: 2,
        model_cost: expect.closeTo(0.00148, 12),
        retrieval_cost: expect.closeTo(0.0001, 12),
        net: expect.closeTo(0.00138, 12),
      },
    }
    expect(stats).toMatchObject({
      currency: 'EUR',
      savings,
      by_tenant: [{ name: 'default', savings }],
      series: [{ savings }],
    })
    const inSql = await env.DB.prepare(
      `SELECT sum(saved ->> 'modelCost') - sum(saved ->> 'retrievalCost') AS net, count(saved) AS calls FROM decisions`,
    ).first<{ net: number; calls: number }>()
    expect(inSql).toEqual({ net: expect.closeTo(0.00138, 12), calls: 2 })

    const { decisions } = await read<{ decisions: { id: string; cache: string; saved: unknown }[] }>('/v1/decisions')
    const hit = decisions.find(({ cache }) => cache === 'hit')!
    const saved = { by: 'cache', input_tokens: 800, output_tokens: 40, model_cost: 0.00048, retrieval_cost: 0 }
    expect(hit.saved).toEqual(saved)
    expect(await read(`/v1/decisions/${hit.id}`)).toMatchObject({ saved })
    const [columns, first] = (await (await get('/v1/stats?format=csv')).text())
      .split('\r\n')
      .map((line) => line.split(','))
    const inCsv = Object.fromEntries(columns!.map((name, at) => [name, first![at]]))
    expect(inCsv).toMatchObject({ calls_avoided_by_cache: '1', measured_input_tokens: '800', money_calls: '2' })
    expect(Number(inCsv['money_net'])).toBeCloseTo(0.00138, 12)
    expect(await (await get('/v1/decisions?format=csv')).text()).toContain('""by"":""cache"",""input_tokens"":800')
  })
})

test('without prices and an average call only known tokens are reported', async () => {
  const { post, read } = gateWith({})
  const before = await read<Summary>('/v1/stats')
  await post('/ask', { question: OFF_TOPIC })
  const { currency, savings } = await read<Summary>('/v1/stats')
  expect(currency).toBeNull()
  const more = { calls_avoided_by_refusal: 2, unknown_calls: 1, share_avoided: 0.75 }
  expect(savings).toEqual({ ...before.savings, ...more, generation_ms_saved: expect.any(Number) })
})

test.each([
  [{ ...MODEL, PRICE_CURRENCY: 'EUR' }, 'go together'],
  [{ ...MODEL, AVERAGE_INPUT_TOKENS: '5' }, 'go together'],
  [{ ...PRICED, PRICE_PER_RETRIEVAL: 'free' }, 'must be a number'],
  [{ ...PRICED, LLM_BASE_URL: undefined, LLM_API_KEY: undefined, LLM_MODEL: undefined }, 'needs LLM_MODEL'],
])('an incomplete or invalid set of prices causes config_invalid: %j', async (variables, told) => {
  const onConsole = vi.spyOn(console, 'error').mockReturnValue()
  const response = await gateWith(variables as Partial<GateBindings>).post('/ask', { question: STRONG })
  expect(await response.json()).toMatchObject({ error: { code: 'config_invalid' } })
  expect(JSON.stringify(onConsole.mock.calls)).toContain(told)
})
