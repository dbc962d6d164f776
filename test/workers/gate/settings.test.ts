import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../../../scripts/local-gate.ts'
import { SETTING_NAMES, settingProblems } from '../../../workers/gate/settings.ts'

const SECRETS = ['ADMIN_TOKEN', 'QUESTION_HMAC_KEY', 'FEEDBACK_KEY'] as const
const LONG = '0123456789abcdef0123456789abcdef'

/** What is needed beside a setting. */
const NEEDED = [
  { STORE_QUESTIONS_DAYS: '30', QUESTION_HMAC_KEY: LONG },
  { LLM_FALLBACKS: '[]', LLM_MODEL: '@cf/a/b' },
  { RERANK_TIMEOUT_SECONDS: '3', RERANKER: 'workers-ai' },
  { RERANK_FROM: '.2', RERANKER: 'workers-ai' },
  { RERANK_BELOW: '.9', RERANKER: 'workers-ai' },
  { RERANKER: 'llm', LLM_MODEL: '@cf/a/b' },
]

/** What is missing beside a setting that stands alone. */
const PARTNERS = [
  { LLM_BASE_URL: 'https://models.example/v1', LLM_API_KEY: 'k', LLM_MODEL: 'm' },
  { UPSTASH_VECTOR_REST_URL: 'https://index.example', UPSTASH_VECTOR_REST_TOKEN: 't' },
  {
    PRICE_CURRENCY: 'EUR',
    PRICE_INPUT_PER_MILLION: '0.15',
    PRICE_OUTPUT_PER_MILLION: '0.6',
    PRICE_PER_RETRIEVAL: '0',
  },
  { AVERAGE_INPUT_TOKENS: '1800', AVERAGE_OUTPUT_TOKENS: '250' },
]

/** A setting with what goes together with it, and with a model, without which prices mean nothing. */
const withPartners = (name: string, value: unknown): object => ({
  LLM_MODEL: '@cf/a/b',
  ...[...PARTNERS, ...NEEDED].find((partners) => name in partners),
  [name]: value,
})

/** A value that each setting takes, and values that it does not; an empty one no setting takes. */
const VALUES: Readonly<Record<string, readonly [right: unknown, ...wrong: unknown[]]>> = {
  ADMIN_TOKEN: [LONG, 'x', 'a pass phrase of enough characters', 'x'.repeat(513), 5],
  QUESTION_HMAC_KEY: [`${LONG} ä`, LONG.slice(1), `${LONG}\n`],
  FEEDBACK_KEY: [LONG, LONG.slice(1)],
  FEEDBACK_KEY_BEFORE: [LONG, LONG.slice(1)],
  ADMIN_TOKEN_BEFORE: [LONG, 'x'],
  ANONYMOUS_ASK: ['off', 'no', 'Off', false],
  QUESTION_HMAC_KEY_ID: ['2026', 'a\tb'],
  DECISION_RETENTION_DAYS: ['90', '0', '3651', '1.5', 'ten', ' 9'],
  DECISIONS_AT_MOST: ['4000000', '999', '1e6'],
  AUDIT_RETENTION_DAYS: [730, '0', '3651', -1],
  STORE_QUESTIONS_DAYS: ['365', '0', '366', '1e2'],
  REQUEST_LOG: ['json', 'on'],
  ALERT_WEBHOOK_SECRET: [`whsec_${LONG}`, LONG.slice(1), `whsec_${LONG}!`],
  EXPORT_FORMAT: ['csv', 'xml', 'CSV'],
  ALERT_WEBHOOK_URL: ['https://hooks.example/a', 'javascript:alert(1)', 'hooks.example', 'ftp://a.example', 'https://'],
  ALERT_REFUSED_AT_MOST: ['0.5', '1.1', '50%', '-0.1'],
  ALERT_REFUSED_AT_LEAST: ['0', '2'],
  ALERT_PASSED_AT_LEAST: ['1', 'half'],
  ALERT_FAILED_AT_MOST: ['0.05', '1.1'],
  ALERT_LATENCY_AT_MOST_MS: ['4000', '4s'],
  ALERT_DRIFT_AT_MOST: ['1.25', '-1', '.', 'Infinity'],
  AUDIENCE: ['operator', 'Operator', 'everyone'],
  GATE_MODE: ['observe', 'Observe', 'off'],
  DEPLOYMENT: ['berlin', 'a\nb', 'x'.repeat(4097)],
  STALE_IF_ERROR_SECONDS: ['0', '-1', '1.5', '1h', '1e3', ' 60', '2592001', '99999999'],
  DATABASE_OUTAGE_SECONDS: ['0', '3601'],
  STREAM_IDLE_SECONDS: ['600', '0', '601'],
  STREAM_SECONDS: ['300', '0', '601'],
  REQUESTS_PER_MINUTE: ['100', '0', '1.5', '100001'],
  MODEL_CALLS_AT_ONCE: ['50', '0', 'many'],
  TOKENS_PER_DAY: ['999999999999', '0', '1e6', '1000000000000'],
  DOCUMENTS_PER_DAY: ['1000', '0', '1.5'],
  INGESTION_STEPS_PER_DAY: ['1000000', '-1'],
  TOKENS_PER_MONTH: ['1', '-1'],
  LLM_TIMEOUT_SECONDS: ['1', '0', '601', 'ten'],
  EMBEDDING_MODEL: ['@cf/baai/bge-m3', '\u0000'],
  RERANKER: ['llm', 'magic', 'LLM'],
  RERANK_FROM: ['.5', 'half', '.', '-0.1', '1.1', '1e-1'],
  RERANK_BELOW: ['1.0', '1.01'],
  RERANK_TIMEOUT_SECONDS: ['60', '0', '61', '1.5'],
  UPSTASH_VECTOR_REST_URL: ['https://index.example', 'index.example', 'https://index.example?a'],
  UPSTASH_VECTOR_REST_TOKEN: ['t', 't\n'],
  LLM_BASE_URL: ['http://127.0.0.1:8080/v1', 'models.example', 'https://models.example/?api-version=1'],
  LLM_API_KEY: ['k', 'k\r\n'],
  LLM_MODEL: ['m', 'm\u0000'],
  LLM_FALLBACKS: [
    '[{"base_url":"https://b.example/v1","api_key":"k","model":"m","max_tokens_field":"max_completion_tokens"},{"model":"@cf/a/b"}]',
    'none',
    '{}',
    '["m"]',
    '[null]',
    '[{"model":"without an endpoint"}]',
    '[{"model":"@cf/a/b","api_key":"secret-key"}]',
    '[{"base_url":"b.example","api_key":"secret-key","model":"m"}]',
    '[{"base_url":"https://b.example","api_key":"secret-key","model":"m","more":1}]',
    '[{"base_url":"https://b.example","api_key":"secret-key","model":"m","max_tokens_field":"tokens"}]',
    '[{"base_url":"https://b.example","api_key":"secret-key","model":"m","max_tokens_field":null}]',
  ],
  LLM_MAX_TOKENS_FIELD: ['max_completion_tokens', 'tokens'],
  PRICE_CURRENCY: ['EUR', 'E\u0007'],
  PRICE_INPUT_PER_MILLION: ['0.15', 'free', '-1', '1e3'],
  PRICE_OUTPUT_PER_MILLION: [3, 'free'],
  // As a number of wrangler.toml is written where it is small.
  PRICE_PER_RETRIEVAL: [1.33e-7, 'NaN'],
  AVERAGE_INPUT_TOKENS: ['1800', 'many'],
  AVERAGE_OUTPUT_TOKENS: ['250', ''],
}

test('the table of this test contains every setting', () => {
  expect(Object.keys(VALUES).toSorted()).toEqual([...SETTING_NAMES].toSorted())
})

describe.each(SETTING_NAMES)('%s', (name) => {
  const [right, ...wrong] = VALUES[name]!
  test('is accepted with a valid value', () => expect(settingProblems(withPartners(name, right))).toEqual([]))
  test.each([...wrong, ''])('is reported for %j, without the value', (value) => {
    const problems = settingProblems(withPartners(name, value))
    expect(problems).toEqual([{ name, code: expect.any(String), message: expect.stringContaining(name) }])
    if (typeof value === 'string' && value.length > 8) expect(problems[0]!.message).not.toContain(value)
  })
})

test.each(PARTNERS.flatMap((partners) => Object.keys(partners).map((name) => [name, partners] as const)))(
  '%s is reported missing when its partners are set',
  (name, { ...partners }) => {
    const others = { LLM_MODEL: '@cf/a/b', ...partners, [name]: undefined }
    expect(settingProblems(others)).toMatchObject([{ name, message: expect.stringContaining('go together') }])
  },
)

test.each(NEEDED)('%j: the first setting is reported when the second is missing', (settings) => {
  const [name, needed] = Object.keys(settings)
  const message = `${name === 'RERANKER' ? 'RERANKER=llm' : name} needs ${needed}`
  expect(settingProblems({ ...settings, [needed!]: undefined })).toEqual([{ name, code: 'config_invalid', message }])
})

test('prices and averages need a model', () => {
  const [, , prices, averages] = PARTNERS
  expect(settingProblems({ ...prices, ...averages }).map(({ message }) => message)).toEqual([
    'PRICE_CURRENCY needs LLM_MODEL',
    'AVERAGE_INPUT_TOKENS needs LLM_MODEL',
  ])
  expect(settingProblems({ ...prices, ...averages, LLM_MODEL: '@cf/a/b' })).toEqual([])
})

test.each([
  [{ RERANK_FROM: '.5', RERANK_BELOW: '0.5' }, 1],
  [{ RERANK_FROM: '.5', RERANK_BELOW: '0.4' }, 1],
  [{ RERANK_BELOW: '0' }, 1],
  [{ RERANK_FROM: '1' }, 1],
  [{ RERANK_FROM: '.4', RERANK_BELOW: '0.5' }, 0],
  [{ RERANK_FROM: '.99' }, 0],
  [{ RERANK_BELOW: '.01' }, 0],
])('%j is reported when nothing lies between the bounds', (bounds, count) => {
  const problems = settingProblems({ ...bounds, RERANKER: 'workers-ai' })
  expect(problems).toHaveLength(count)
  expect(problems).toMatchObject(
    problems.map(() => ({ name: 'RERANK_FROM', message: 'RERANK_FROM must be under RERANK_BELOW' })),
  )
})

test('a model of Workers AI needs no endpoint, and an endpoint needs both of its settings', () => {
  expect(settingProblems({ LLM_MODEL: '@cf/meta/llama-3.1-8b-instruct' })).toEqual([])
  const half = { LLM_MODEL: '@cf/meta/llama-3.1-8b-instruct', LLM_API_KEY: 'k' }
  expect(settingProblems(half)).toMatchObject([{ name: 'LLM_BASE_URL' }])
})

test('two equal secrets are reported, unless one is the former value of the other', () => {
  expect(settingProblems({ ADMIN_TOKEN: LONG, ADMIN_TOKEN_BEFORE: LONG })).toEqual([])
  expect(settingProblems({ QUESTION_HMAC_KEY: LONG, FEEDBACK_KEY_BEFORE: LONG })).toEqual([])
  for (const one of SECRETS) {
    for (const other of SECRETS.filter((name) => name !== one)) {
      expect(settingProblems({ [one]: LONG, [other]: LONG })).toMatchObject([{ code: 'config_invalid' }])
      expect(settingProblems({ [one]: LONG, [other]: `${LONG}x` })).toEqual([])
    }
  }
})

test('the settings can be imported by scripts without the database or the console', async () => {
  const { metafile } = await build({
    entryPoints: ['workers/gate/settings.ts'],
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
  })
  const loaded = Object.keys(metafile.inputs)
  expect(loaded.length).toBeLessThan(60)
  expect(loaded.filter((file) => /drizzle|console\/src\/(?!options)/.test(file))).toEqual([])
})
