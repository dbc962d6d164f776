/** A Worker with wrong settings: nothing is served, and `/health` names them. */
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import type { GateBindings } from '../../../workers/gate/bindings.ts'
import { fakeVectorize } from '../../fixtures/vectorize.ts'
import { quietErrors } from '../../fixtures/quiet-console.ts'
import { workerOver } from '../../worker-requests.ts'

quietErrors()

test.each<[Partial<GateBindings>, string, string]>([
  [{ ADMIN_TOKEN: 'x'.repeat(31) }, 'secret_too_short', 'ADMIN_TOKEN'],
  [{ FEEDBACK_KEY: env.QUESTION_HMAC_KEY! }, 'config_invalid', 'FEEDBACK_KEY'],
  [{ AUDIENCE: 'Operator' }, 'config_invalid', 'AUDIENCE'],
  [{ DB: undefined as never }, 'config_invalid', 'DB'],
  // Variables in the place of bindings.
  ...'DB AI ANSWERS ANSWER_FLIGHTS ASSETS DECISIONS_QUEUE EXPORTS REQUEST_LIMIT TENANT_LIMIT VECTORIZE'
    .split(' ')
    .map((name): [Partial<GateBindings>, string, string] => [{ [name]: 'rag-gate' }, 'config_invalid', name]),
])('with %j every request gets an error', async (settings, code, param) => {
  const { send, post } = workerOver({ ...env, ...settings })
  for (const response of [await send('/health'), await post('/ask', { question: 'What?' })]) {
    expect([response.status, await response.json()]).toMatchObject([500, { error: { code, param } }])
  }
})

test('all wrong settings are reported at once', async () => {
  const settings = {
    ...env,
    EXPORT_FORMAT: 'xml',
    STREAM_IDLE_SECONDS: 'ten',
    ALERT_WEBHOOK_URL: 'javascript:alert(1)',
  }
  const { error } = await (await workerOver(settings).send('/health')).json<{ error: { message: string } }>()
  expect(error.message).toMatch(/ALERT_WEBHOOK_URL must .*; EXPORT_FORMAT must be jsonl or csv; STREAM_IDLE_SECONDS /)
})

test.each<[Partial<GateBindings>, string]>([
  [
    { RERANKER: 'llm', RERANK_FROM: '.9', RERANK_BELOW: '.2', STORE_QUESTIONS_DAYS: 'ten', PRICE_CURRENCY: 'EUR' },
    'STORE_QUESTIONS_DAYS must .*; PRICE_CURRENCY, .* is missing; PRICE_CURRENCY needs LLM_MODEL; ' +
      'RERANKER=llm needs LLM_MODEL; RERANK_FROM must be under RERANK_BELOW$',
  ],
  [
    { VECTORIZE: fakeVectorize({ dimensions: 8 }), RERANKER: 'workers-ai', EXPORT_FORMAT: 'xml' },
    'EXPORT_FORMAT must .*; VECTORIZE needs AI; RERANKER=workers-ai needs AI$',
  ],
  [
    { RERANKER: 'off', RERANK_FROM: '.2', LLM_FALLBACKS: '[]' },
    'LLM_FALLBACKS needs LLM_MODEL; RERANK_FROM needs RERANKER$',
  ],
  [
    { GATE_MODE: 'on', LLM_MODEL: '@cf/a/b', LLM_FALLBACKS: '[{"model":"@cf/c/d"}]', RERANKER: 'workers-ai' },
    'GATE_MODE must .*; RERANKER=workers-ai needs AI; LLM_MODEL needs AI; LLM_FALLBACKS needs AI$',
  ],
  [
    {
      LLM_BASE_URL: 'https://model.test/v1',
      LLM_API_KEY: 'k',
      LLM_MODEL: '@cf/a/b',
      LLM_FALLBACKS: '[{"model":"@cf/c/d"}]',
    },
    '^LLM_FALLBACKS needs AI$',
  ],
])('for %j settings that depend on others are reported too', async (settings, named) => {
  const { error } = await (
    await workerOver({ ...env, ...settings }).send('/health')
  ).json<{
    error: { message: string }
  }>()
  expect(error.message).toMatch(new RegExp(named))
})

test.each(['0', '1', '2592000'])('STALE_IF_ERROR_SECONDS=%j is accepted', async (seconds) => {
  expect((await workerOver({ ...env, STALE_IF_ERROR_SECONDS: seconds }).send('/health')).status).toBe(200)
})

test.each<Partial<Record<keyof GateBindings, unknown>>>([
  // Variables of wrangler.toml may be numbers.
  { QUESTION_HMAC_KEY_ID: 2 },
  // The longest that the setting takes, and some models in turn.
  { LLM_TIMEOUT_SECONDS: 600, LLM_MODEL: '@cf/a/b', AI: {} },
  { LLM_TIMEOUT_SECONDS: 300, LLM_MODEL: '@cf/a/b', LLM_FALLBACKS: '[{"model": "@cf/c/d"}]', AI: {} },
])('%j is accepted', async (settings) => {
  const { send } = workerOver({ ...env, ...settings } as GateBindings)
  expect(await (await send('/health')).json()).toMatchObject({ status: 'ok' })
})
