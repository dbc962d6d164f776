/** Every public maker, given what it cannot work with: an error with a stable code that names the option, and no other. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { errorCodes } from './docs/error-codes.ts'
import { ROOT } from './docs/pages.ts'
import { consoleJobs as makeJobs } from '../packages/console/src/jobs/jobs.ts'
import { isRecord } from '../src/core/lib/guards.ts'
import { english } from '../src/language/english/english.ts'

type Options = Readonly<Record<string, unknown>>
type Maker = (...given: readonly unknown[]) => unknown

const CODES = errorCodes()
const f = (): void => undefined
// What is wrong is given to it.
const consoleJobs = makeJobs as Maker
const KEY = new Uint8Array(32)
const UPSTREAM = { timeoutMs: 1000, upstream: { retries: 0 }, fetch: f }
const EMBEDDER = { model: 'm', dimension: 2, embed: f }
const CLOCK = { nowMs: () => 0 }
const STORE = { get: f, put: f, delete: f }
const DB = { prepare: f, batch: f }
const LOG = { write: f }
const AI = { run: f }
const MODEL_CALLS = { model: 'm', generate: f }
const PURGES = { known: f, purge: f }
const HELD = { token: 't'.repeat(32), principal: { tenant: 'acme', id: 'ann', scopes: ['ask'] } }
const CONSOLE: Options = {
  db: DB,
  authenticate: f,
  isOperator: f,
  policyOf: f,
  policyNames: ['balanced'],
  log: { flush: f },
  answerTokens: { sign: f, read: f },
  purges: { purge: f },
  prices: { currency: 'EUR', inputPerMillionTokens: 1, outputPerMillionTokens: 1, perRetrieval: 1 },
  decisionDays: 1,
  decisionsAtMost: 1_000,
  auditDays: 1,
  alerts: { bounds: {}, webhookUrl: 'http://hooks.invalid', collectionsOf: f },
  exports: { bucket: { list: f, put: f }, format: 'csv' },
  clock: CLOCK,
}
const MODEL = { baseUrl: 'http://model.invalid/v1', apiKey: 'key', model: 'm' }

/** Every maker of the adapters, each with all of its options as they may be. */
const ADAPTERS: Readonly<Record<string, Options>> = {
  createBufferedDecisionLog: { store: LOG, flushAt: 1, flushAfterMs: 1, maxHeld: 100, onDropped: f, clock: CLOCK },
  createD1AnswerPurges: { db: DB, copyMaxAgeMs: 1, clock: CLOCK },
  createD1DecisionStore: { db: DB, onRejected: f, storeQuestions: { retentionDays: 1 }, policyOf: f },
  createDirectDecisionLog: { store: LOG, onDropped: f, clock: CLOCK },
  createMemoryAnswerCache: { maxBytes: 1 },
  createMemoryCoalescer: { leaderTimeoutMs: 1 },
  createTieredAnswerCache: { tiers: [STORE, STORE], waitUntil: f },
}

/** Those that take no options, or not as their first argument. */
const WITHOUT_OPTIONS = [
  'createDropCount',
  'createFlights',
  'createMemoryAnswerPurges',
  'createSealer',
  'createStaticCollections',
]
const SHARE = {
  threshold: 0.5,
  equality: 'passes',
  largest: 1,
  weighting: 'none',
  overlap: 'terms',
  noSupport: 'counted',
  minOverlap: 0.2,
} as const
const SUFFICIENCY = { ...SHARE, wording: 'neutral', dangerouslyDisableGates: true, escalateRefusals: true }
const SIGNALS = {
  high: 0.9,
  medium: 0.8,
  low: 0.1,
  consensusFrom: 0.5,
  veryLow: 'advise',
  renormalise: true,
  escalateRefusals: true,
}

/** Policies, gates and what stands beside them, and the makers of the packages. */
const POLICIES: Readonly<Record<string, Readonly<Record<string, Options>>>> = {
  'packages/presets/src/answers/index.ts': {
    generationConfidence: { refuseBelow: 0.5 },
    grounding: { minTermShare: 0.5 },
  },
  'src/index.ts': {
    balanced: { refuseBelow: 0.5, adviseBelow: 0.6, language: english },
    confidenceRange: { refuseBelow: 0.5, adviseBelow: 0.6, whereGraded: 'skipped' },
    gradedRelevance: { relevanceThreshold: 2, minChunks: 1 },
    minTopCosine: { refuseBelow: 0.5 },
    questionHmac: { key: 'k'.repeat(32), keyId: '1', rotateAfterDays: 30, text: 'kept' },
  },
  'src/cache/index.ts': {
    answerCache: {
      store: STORE,
      purges: PURGES,
      coalescer: { join: f },
      stems: f,
      scope: 'tenant',
      ignoredCredentials: ['cookie'],
      vary: { headers: ['accept-language'] },
      version: '1',
      staleIfErrorSeconds: 1,
    },
  },
  'packages/console/src/limits/rate-limiter.ts': {
    createBindingRateLimiter: { binding: { limit: f }, periodSeconds: 60 },
    createMemoryRateLimiter: { limit: 1, periodSeconds: 60, clock: CLOCK },
  },
  'packages/console/src/limits/limit-requests.ts': {
    limitRequests: { authenticate: f, limiter: { take: f }, tenantLimiter: { take: f } },
  },
  'packages/console/src/limits/document-budget.ts': {
    createD1DocumentBudget: { db: DB, documentsPerDay: 1, stepsPerDay: 1, clock: CLOCK },
  },
  'packages/console/src/limits/token-budget.ts': {
    createD1TokenBudget: { db: DB, perDay: 1, perMonth: 1, clock: CLOCK },
  },
  'packages/models/src/fallback-generator.ts': {
    createFallbackGenerator: { generators: [MODEL_CALLS], onFallback: f },
  },
  'packages/models/src/limited-generator.ts': {
    createLimitedGenerator: { generator: MODEL_CALLS, callsAtOnce: 1, streamTimeoutMs: 1 },
  },
  'packages/models/src/llm-grader.ts': {
    createLlmGrader: { ...MODEL, ...UPSTREAM, maxPassageCharacters: 100, maxTokensField: 'max_tokens' },
  },
  'packages/models/src/openai-embedder.ts': {
    createOpenAiEmbedder: { ...MODEL, ...UPSTREAM, dimension: 2, length: 'asked', batchSize: 1, maxResponseBytes: 1 },
  },
  'packages/models/src/openai-compatible.ts': {
    createOpenAiGenerator: {
      ...MODEL,
      ...UPSTREAM,
      maxTokens: 1,
      maxTokensField: 'max_tokens',
      logProbabilities: 'asked',
      maxResponseBytes: 1,
    },
  },
  'packages/models/src/workers-ai-embedder.ts': {
    createWorkersAiEmbedder: { ai: AI, model: 'm', dimension: 2, pooling: 'cls', timeoutMs: 1, upstream: {} },
  },
  'packages/models/src/workers-ai-reranker.ts': {
    createWorkersAiReranker: { ai: AI, model: 'm', timeoutMs: 1, upstream: {} },
  },
  'packages/cloudflare/src/index.ts': {
    createCacheApiAnswerCache: { cache: {}, deadlineMs: 10, hmacKey: KEY, host: 'answers.invalid', onFault: f },
    createDecisionConsumer: { store: f, onPoison: f, retryAfterSeconds: 1 },
    createKvAnswerCache: { kv: STORE, deadlineMs: 10, hmacKey: KEY, onFault: f },
    createQueueDecisionLog: { queue: { send: f }, fallback: LOG, onDropped: f, clock: CLOCK },
    createZoneAnswerPurges: {
      ...UPSTREAM,
      purges: PURGES,
      zoneId: '0'.repeat(32),
      apiToken: 'token',
      hmacKey: KEY,
      baseUrl: 'http://api.invalid',
    },
  },
  'packages/upstream/src/index.ts': {
    createHttpRetriever: {
      ...UPSTREAM,
      url: 'http://search.invalid',
      scoreKind: 'bm25',
      headers: {},
      body: f,
      rows: 'results',
      paths: {},
      scoreOf: f,
      maxResponseBytes: 1,
    },
  },
  'packages/vectorize/src/index.ts': {
    createVectorizeChunkIndex: {
      index: { query: f },
      embedder: EMBEDDER,
      texts: STORE,
      timeoutMs: 1,
      upstream: {},
      settleTimeoutMs: 1,
      settlePollMs: 1,
    },
    createVectorizeRetriever: {
      index: { query: f },
      embedder: EMBEDDER,
      metric: 'cosine',
      texts: STORE,
      timeoutMs: 1,
      upstream: {},
      namespace: 'docs',
      tenants: ['default'],
      filledBy: 'others',
      fields: {},
      scores: 'exact',
      filter: {},
      onWarning: f,
    },
  },
  'packages/word-index/src/index.ts': {
    createWordIndex: { db: DB, language: english, timeoutMs: 1, upstream: {} },
    createWordRetriever: { db: DB, language: english, timeoutMs: 1, upstream: {} },
  },
  'packages/redis/src/index.ts': {
    createRedisAnswerCache: {
      redis: { get: f, setEx: f, del: f },
      prefix: 'p',
      deadlineMs: 10,
      hmacKey: KEY,
      onFault: f,
    },
    createRedisAnswerPurges: { redis: { eval: f }, prefix: 'p', copyMaxAgeMs: 1, clock: CLOCK },
  },
  'packages/upstash/src/index.ts': {
    createUpstashChunkIndex: {
      ...UPSTREAM,
      url: 'http://index.invalid',
      token: 'token',
      maxResponseBytes: 1,
      settleTimeoutMs: 1,
      settlePollMs: 1,
    },
    createUpstashRetriever: {
      ...UPSTREAM,
      url: 'http://index.invalid',
      token: 'token',
      maxResponseBytes: 1,
      namespace: 'docs',
      tenants: ['default'],
      filledBy: 'others',
      fields: {},
      index: { type: 'hybrid' },
      embedder: EMBEDDER,
      sparseEmbedder: f,
      methods: 'hybrid',
      sparseScores: 'ranks',
      embeddingMaxAgeMs: 1,
      clock: CLOCK,
      onWarning: f,
    },
  },
  'packages/console/src/index.ts': {
    console: CONSOLE,
    consoleJobs: CONSOLE,
    openConsole: CONSOLE,
    feedbackHeader: CONSOLE,
    createBearerAuthenticator: { tokens: [HELD], anonymous: null, keys: { principalOf: f }, timeoutMs: 1 },
    createD1ApiKeys: { db: DB, copyMaxAgeMs: 1, outageMaxAgeMs: 1, unknownMaxAgeMs: 1, clock: CLOCK },
    createD1Policies: { db: DB, clock: CLOCK },
    createD1Statistics: { db: DB },
  },
  'packages/ingest/src/d1/index.ts': {
    createD1ChunkTexts: { db: DB },
    createD1Collections: { db: DB, copyMaxAgeMs: 1, outageMaxAgeMs: 1, clock: CLOCK },
  },
  'packages/ingest/src/idempotency/index.ts': {
    createD1IdempotencyStore: { db: DB, clock: CLOCK },
  },
  'packages/ingest/src/markdown/index.ts': {
    createMarkdownSplitter: { maxCharacters: 100, overlapCharacters: 1, htmlToMarkdown: f },
  },
  'packages/presets/src/advisory/index.ts': {
    responseQuality: { requiredFields: ['a'], optionalFields: ['b'], refuseBelow: 0.1, adviseBelow: 0.2 },
    advisory: { requiredFields: ['a'], optionalFields: ['b'], adviseBelow: 0.7, unusableBelow: 0.5 },
    advisoryConfidence: { adviseBelow: 0.7, unusableBelow: 0.5 },
  },
  'src/presets/balanced/index.ts': {
    balancedGraded: { refuseBelow: 0.5, adviseBelow: 0.6, language: english, relevanceThreshold: 2, minChunks: 1 },
  },
  'packages/presets/src/multi-gate/index.ts': {
    keywordCoverage: { adviseBelow: 0.5 },
    multiGate: {
      refuseBelow: 0.5,
      adviseBelowKeywords: 0.5,
      refuseBelowConfidence: 0.5,
      answerGrounding: 'on',
      wording: 'neutral',
      minTermShare: 0.5,
    },
  },
  'packages/presets/src/sufficiency/index.ts': {
    evidenceShare: SHARE,
    sufficiency: SUFFICIENCY,
    sufficiencyByCollection: { ...SUFFICIENCY, byCollection: { docs: 0.5 } },
    sufficiencyGate: SUFFICIENCY,
    sufficiencyThreshold: SUFFICIENCY,
  },
  'packages/presets/src/two-tier/index.ts': {
    multiPartNeedsChunks: { minChunks: 2, relevanceThreshold: 2 },
    retrievalScore: { minScore: 0.1, minRatio: 1.2, ratioWithinDocument: 'skipped' },
    twoTier: {
      relevanceThreshold: 2,
      minChunks: 1,
      minScore: 0.1,
      minRatio: 1.2,
      ratioWithinDocument: 'skipped',
      wording: 'neutral',
    },
  },
  'packages/presets/src/weighted-signals/index.ts': { legalReview: { ...SIGNALS }, weightedSignals: { ...SIGNALS } },
}

/** Options that exclude others of the same maker. */
const BESIDE: Readonly<Record<string, Options>> = { balanced: { refuse: { nearMisses: 0.1 }, language: english } }

const load = async (path: string): Promise<Readonly<Record<string, Maker>>> =>
  (await import(pathToFileURL(join(ROOT, path)).href)) as Readonly<Record<string, Maker>>

const adapters = await Promise.all(
  readdirSync(join(ROOT, 'src', 'adapters'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => load(`src/adapters/${file}`)),
)
const ofAdapters = Object.fromEntries(
  adapters.flatMap((each) => Object.entries(each).filter(([name]) => name.startsWith('create'))),
)
const ofPolicies = await Promise.all(
  Object.entries(POLICIES).map(async ([path, makers]) => {
    const from = await load(path)
    return Object.entries(makers).flatMap(([name, options]) =>
      [options, ...(BESIDE[name] ? [BESIDE[name]] : [])].map((each) => [name, from[name]!, each] as const),
    )
  }),
)
const MAKERS = [
  ...Object.entries(ADAPTERS).map(([name, options]) => [name, ofAdapters[name]!, options] as const),
  ...ofPolicies.flat(),
]

/** The code and the option that an error names. */
function faultOf(make: () => unknown): string {
  try {
    make()
  } catch (thrown) {
    const { name, code, param, message } = thrown as { name: string; code?: string; param?: string; message: string }
    if (name !== 'RagGateError' || !CODES.includes(code ?? '')) return `${name}: ${message}`
    return message.length > 10 ? `${code} ${param}` : `${code} says nothing`
  }
  return 'taken'
}

/** Wrong for every option but those whose value it is. */
function wrongFor(value: unknown): readonly unknown[] {
  if (value === null) return [undefined]
  const others = value === true ? ['yes'] : [true]
  const members = Object.values(Object(value))
  // What is called must be there: an object without its functions, or a list with a hole, is none.
  const isPart = members.some((member) => typeof member === 'function') && !members.some(isRecord)
  const parts = [...(isPart ? [{}] : []), ...(Array.isArray(value) ? [[null], [...members, undefined], [[]]] : [])]
  return [null, ...others, ...parts, ...(typeof value === 'number' ? [-2, Number.NaN, '1'] : [-1, 7])]
}

it('this file lists every maker of the adapters', () => {
  const known = [...Object.keys(ADAPTERS), ...WITHOUT_OPTIONS].sort()
  expect(Object.keys(ofAdapters).sort()).toEqual(known)
})

describe.each(MAKERS)('%s', (_, make, options) => {
  it('accepts its options', () => expect(faultOf(() => make(options))).toBe('taken'))

  it('rejects other values in place of its options', () => {
    for (const given of [null, 'options', 42, []])
      expect(faultOf(() => make(given))).toMatch(/^(?:config|policy)_invalid /)
    expect(faultOf(() => make())).toMatch(/^(?:taken$|(?:config|policy)_invalid )/)
  })

  it('rejects an unknown option', () =>
    expect(faultOf(() => make({ ...options, nonsense: 1 }))).toMatch(
      /^(?:config|policy)_invalid (?:cache\.)?nonsense$/,
    ))

  it.each(Object.keys(options))('names %s when its value is wrong', (option) => {
    const wrong = wrongFor(options[option]).map((value) => faultOf(() => make({ ...options, [option]: value })))
    const named = new RegExp(`^(?:config|policy)_invalid (?:cache\\.)?${option}(?:\\.|$)`)
    expect(wrong.filter((fault) => !named.test(fault))).toEqual([])
  })

  it('gets each of its options in this test', () => {
    let known: readonly string[] = []
    try {
      make({ ...options, nonsense: 1 })
    } catch (thrown) {
      known = (thrown as Error).message.replace(/.* known are /, '').split(', ')
    }
    const given = MAKERS.filter(([, other]) => other === make).flatMap(([, , each]) => Object.keys(each))
    expect([...new Set(given)].sort()).toEqual([...known].sort())
  })
})

describe.each(MAKERS.filter(([, , options]) => 'upstream' in options))('%s', (_, make, options) => {
  it.each([
    ['nonsense', { nonsense: 1 }],
    ['retries', { retries: 2 }],
    ['breaker.minCalls', { breaker: { minCalls: 0 } }],
    ['breaker.openFrom', { breaker: { openFrom: 0 } }],
    ['breaker.nonsense', { breaker: { nonsense: 1 } }],
    ['sleep', { sleep: 1 }],
  ])('names upstream.%s when it is wrong', (param, upstream) =>
    expect(faultOf(() => make({ ...options, upstream }))).toBe(`config_invalid upstream.${param}`),
  )
})

/** Deadlines of waits that a timer ends. */
const DEADLINES = ['timeoutMs', 'deadlineMs', 'settlePollMs', 'streamTimeoutMs', 'generationTimeoutMs']
const WITH_DEADLINES = MAKERS.flatMap(([name, make, options]) =>
  DEADLINES.filter((option) => option in options).map((option) => [name, option, make, options] as const),
)

it.each(WITH_DEADLINES)('%s rejects a %s that a timer would end at once', (_, option, make, options) => {
  expect(faultOf(() => make({ ...options, [option]: 2_000_000_000 }))).toBe('taken')
  expect(faultOf(() => make({ ...options, [option]: 2 ** 31 }))).toBe(`config_invalid ${option}`)
})

it.each(['javascript:alert(1)', 'hooks.invalid', ' '])('a webhook URL of %j is rejected', (webhookUrl) =>
  expect(faultOf(() => consoleJobs({ ...CONSOLE, alerts: { webhookUrl } }))).toBe('config_invalid alerts.webhookUrl'),
)

it.each([
  `whsec_${'!'.repeat(32)}`,
  'x'.repeat(31),
  // No library decodes these.
  `whsec_${'x'.repeat(30)}=`,
  `whsec_${'x'.repeat(31)}==`,
  `whsec_${'x'.repeat(33)}`,
])('a webhook secret of %j is rejected', (webhookSecret) =>
  expect(faultOf(() => consoleJobs({ ...CONSOLE, alerts: { webhookSecret } }))).toBe(
    'config_invalid alerts.webhookSecret',
  ),
)

it('a missing or short key is rejected', async () => {
  const { createAnswerTokens } = await load('packages/console/src/index.ts')
  for (const key of [undefined, null, 5, 'x'.repeat(31)])
    expect(faultOf(() => createAnswerTokens!(key))).toBe('secret_too_short key')
})

it('an invalid cache tier and an invalid secret are rejected', () => {
  expect(faultOf(() => ofAdapters['createTieredAnswerCache']!({ tiers: [STORE, {}] }))).toBe('config_invalid tiers')
  expect(faultOf(() => ofAdapters['createSealer']!({}))).toBe('secret_too_short hmacKey')
})

const ofAll: Readonly<Record<string, Maker>> = { ...ofAdapters, ...(await load('packages/upstream/src/index.ts')) }

it.each([
  ['createRetriever', [undefined, { scoreKind: 'bm25' }]],
  ['createRetriever', [f]],
  ['createRetriever', [f, { scoreKind: 'score' }]],
  ['createStaticCollections', []],
  ['createStaticCollections', [{ id: 'docs' }]],
  ['createStaticCollections', [[{ id: 1 }]]],
  ['createStaticCollections', [[{ id: 'docs', corpus: 1 }]]],
] as const)('%s rejects %j', (name, given) => expect(faultOf(() => ofAll[name]!(...given))).toMatch(/^config_invalid /))

it('an invalid fallback generator and an invalid token holder are rejected', () => {
  const wrong = [
    ['createFallbackGenerator', { generators: [''] }],
    ['createBearerAuthenticator', { tokens: [{ token: 't'.repeat(32) }], anonymous: null }],
    ['createBearerAuthenticator', { tokens: [{ ...HELD, token: undefined }], anonymous: null }],
  ] as const
  for (const [name, options] of wrong) {
    const [, make] = MAKERS.find(([named]) => named === name)!
    expect(faultOf(() => make(options))).toBe(`config_invalid ${Object.keys(options)[0]}`)
  }
})

it('the makers of the main package reject invalid options, policies and rules', async () => {
  const { ragGate, definePolicy, resolvePolicy, gateWith, refuseTopics, logistic } = await load('src/index.ts')
  for (const given of [undefined, null, 42, 'x', [], { nonsense: 1 }]) {
    const faults = [ragGate, definePolicy, resolvePolicy, gateWith, refuseTopics, logistic].map((make) =>
      faultOf(() => make!(given)),
    )
    expect(faults.filter((fault) => !/^(?:config|policy)_invalid /.test(fault))).toEqual([])
  }
})
