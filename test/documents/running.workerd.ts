/**
 * What the documents ask of operators: money saved, alerts, reviews, changes of thresholds, feedback, trends and
 * the audit trail. Asked of the ready Worker over HTTP and by its cron trigger, each in a tenant of its own.
 */
import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, test, vi } from 'vitest'
import type { GateBindings } from '../../workers/gate/bindings.ts'
import worker from '../../workers/gate/index.ts'
import { HANDBOOK, MIDDLING, OFF_TOPIC, STRONG } from '../fixtures/corpus.ts'
import { aPricedModel, MODEL, PRICED } from '../fixtures/priced-model.ts'
import { ADMIN, workerOver } from '../worker-requests.ts'

afterEach(() => vi.restoreAllMocks())

const AGREEMENT = {
  id: 'agreement',
  title: 'Agreement',
  text: 'A subscriber is a person or firm that has signed the agreement and receives the data.',
}
const SUBSCRIBER = 'What is a subscriber?'

/** A tenant with documents and a key for everything, and the Worker that it asks. */
async function tenantOf(tenant: string, variables: Partial<GateBindings> = {}) {
  const bindings: GateBindings = { ...env, ...variables }
  const { send, post } = workerOver(bindings)
  const made = await post('/v1/keys', { tenant, name: tenant, scopes: ['ask', 'ingest', 'admin'] }, ADMIN)
  const { id: keyId, token } = await made.json<{ id: string; token: string }>()
  const key = { authorization: `Bearer ${token}` }
  const call = async <Body>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') => {
    const response = await (body === undefined ? send(path, { headers: key }) : post(path, body, key, method))
    expect(response.status, `${path}: ${await response.clone().text()}`).toBeLessThan(300)
    return { body: await response.json<Body>(), headers: response.headers }
  }
  await call('/v1/documents', { documents: [...HANDBOOK, AGREEMENT] })
  return {
    bindings,
    keyId,
    read: async <Body>(path: string): Promise<Body> => (await call<Body>(path)).body,
    write: async <Body>(path: string, body: unknown, method?: string): Promise<Body> =>
      (await call<Body>(path, body, method)).body,
    ask: async (question: string) => {
      const { body, headers } = await call<{ verdict: string; refused: boolean }>('/ask', { question })
      const [, id = ''] = /;id="([^"]+)"/.exec(headers.get('rag-gate') ?? '') ?? []
      return { ...body, id, answer: headers.get('rag-gate-feedback') ?? '' }
    },
  }
}

test('000: a refused question calls no model, and the saving is counted (R001, R030)', async () => {
  const model = aPricedModel('A person or firm. [1]')
  const answer = model.getMockImplementation()!
  model.mockImplementation(async (...asked) => {
    await scheduler.wait(20)
    return answer(...asked)
  })
  const { ask, read, write } = await tenantOf('saves', PRICED)
  await write('/v1/policy', { policy: 'two-tier', why: 'document 000' }, 'PUT')
  const verdicts: string[] = []
  for (const question of [SUBSCRIBER, OFF_TOPIC, 'Who won the chess match in Oslo?']) {
    verdicts.push((await ask(question)).verdict)
  }
  expect([verdicts, model.mock.calls.length]).toEqual([['pass', 'refuse', 'refuse'], 1])
  const { savings } = await read<{ savings: { generation_ms_saved: number } }>('/v1/stats')
  expect(savings).toMatchObject({
    calls_avoided_by_refusal: 2,
    estimated: { calls: 2, input_tokens: 2000, output_tokens: 500 },
    // Twice 1,000 × .5 + 250 × 2 for a million, less a retrieval each.
    money: { model_cost: expect.closeTo(0.002, 12), net: expect.closeTo(0.0018, 12) },
  })
  // What one answer took, twice.
  expect(savings.generation_ms_saved).toBeGreaterThan(36)
})

test('001: operators see the cost of a message beside its answer (R086)', async () => {
  // 800 × 12.75 + 40 × 147.5 for a million, and one retrieval of .0001.
  const prices = { PRICE_CURRENCY: 'USD', PRICE_INPUT_PER_MILLION: '12.75', PRICE_OUTPUT_PER_MILLION: '147.5' }
  const model = aPricedModel('A person or firm. [1]')
  const { write, bindings } = await tenantOf('paying', { ...PRICED, ...prices })
  const ask = async (question: string) => write<{ cost?: string; usage?: object }>('/ask', { question })
  expect(await ask(SUBSCRIBER)).toMatchObject({
    cost: 'This message: $0.0162',
    usage: { prompt_tokens: 800, completion_tokens: 40, total_tokens: 840 },
  })
  expect((await ask(OFF_TOPIC)).cost).toBe('This message: $0.00010')
  // From the cache, it cost nothing.
  expect(await ask(SUBSCRIBER)).toMatchObject({ cost: 'This message: $0.0000', usage: { total_tokens: 840 } })
  const chat = { model: 'm', messages: [{ role: 'user', content: SUBSCRIBER }] }
  expect(await write('/v1/chat/completions', chat)).toMatchObject({
    usage: { total_tokens: 840 },
    rag_gate: { cost: 'This message: $0.0162' },
  })
  // An answer that its policy refuses was paid for.
  await write('/v1/policy', { policy: 'sufficiency', why: 'document 004' }, 'PUT')
  model.mockRestore()
  aPricedModel('Pineapples grow in Greenland.')
  expect(await ask(SUBSCRIBER)).toMatchObject({ refused: true, cost: 'This message: $0.0162' })
  // Others are told no price.
  const { post } = workerOver(bindings)
  const made = await write<{ token: string }>('/v1/keys', { name: 'asker', scopes: ['ask'] })
  const told = await post('/ask', { question: OFF_TOPIC }, { authorization: `Bearer ${made.token}` })
  expect(await told.json()).not.toHaveProperty('cost')
})

test('000, 004: a refusal rate that is too high or too low raises an alert until it is neither (R031, R154)', async () => {
  const { ask, read, bindings } = await tenantOf('watched', { ALERT_REFUSED_AT_LEAST: '0.3' })
  const alerts = async () => {
    // What the isolate still holds is written before the next question.
    await read('/v1/stats')
    await worker.scheduled(createScheduledController({ cron: '*/15 * * * *' }), bindings)
    const { alerts: all } = await read<{ alerts: { kind: string; closed: string | null }[] }>('/v1/alerts')
    return all.flatMap(({ kind, closed }) => (closed === null ? [kind] : [])).sort()
  }
  for (let at = 0; at < 40; at++) await ask(`What is the weather in Chicago on day ${at}?`)
  for (let at = 0; at < 10; at++) await ask(STRONG)
  expect(await alerts()).toEqual(['insufficiency_high', 'refusals_high'])
  for (let at = 0; at < 50; at++) await ask(STRONG)
  expect(await alerts()).toEqual(['insufficiency_high'])
  for (let at = 0; at < 50; at++) await ask(STRONG)
  expect(await alerts()).toEqual(['insufficiency_high', 'refusals_low'])
}, 60_000)

test('000: refusals can be reviewed with measured values, thresholds and reasons (R019, R032)', async () => {
  const { ask, read, write } = await tenantOf('reviews')
  await write('/v1/policy', { policy: 'two-tier' }, 'PUT')
  await ask(SUBSCRIBER)
  const { id } = await ask(OFF_TOPIC)
  const { decisions } = await read<{ decisions: { id: string; reason: string }[] }>('/v1/decisions?verdict=refuse')
  expect(decisions.map((each) => [each.id, each.reason])).toEqual([[id, 'no_clear_winner']])
  const { findings } = await read<{ findings: object[] }>(`/v1/decisions/${id}`)
  expect(findings).toMatchObject([
    { gate: 'graded-relevance', outcome: 'skip', code: 'not_graded' },
    {
      gate: 'retrieval-score',
      outcome: 'refuse',
      message: expect.stringMatching(/^Top-1\/Top-2 ratio \(1\.[01]\d\) below threshold \(1\.2\)$/),
      actual: expect.any(Number),
      threshold: 1.2,
    },
  ])
})

test('000: a change of thresholds is recorded with who, when and why, and its impact can be measured (R034)', async () => {
  const { ask, read, write, keyId } = await tenantOf('changes')
  const before = [await ask(STRONG), await ask(MIDDLING)]
  expect(before.map(({ verdict }) => verdict)).toEqual(['pass', 'advise'])
  expect(await write('/v1/replay', { policy: 'balanced-strict' })).toMatchObject({
    before: { pass: 1, advise: 1, refuse: 0 },
    after: { pass: 1, advise: 0, refuse: 1 },
    changed: { decisions: [{ id: before[1]!.id, from: 'advise', to: 'refuse' }] },
  })
  await write('/v1/policy', { policy: 'balanced-strict', why: 'too many wrong answers' }, 'PUT')
  expect((await ask(MIDDLING)).verdict).toBe('refuse')
  const { changes } = await read<{ changes: { policy_id: string }[] }>('/v1/policies')
  expect(changes).toMatchObject([
    { policy: 'balanced-strict', why: 'too many wrong answers', by: `key:${keyId}`, at: expect.any(String) },
  ])
  const { by_policy: counted } = await read<{ by_policy: { name: string; decisions: number }[] }>('/v1/stats')
  expect(counted.map(({ decisions }) => decisions)).toEqual([2, 1])
  expect(counted[1]!.name).toBe(changes[0]!.policy_id)
})

test('001: corrections by users are stored beside the decisions, and become labels (R077)', async () => {
  const { ask, read, write } = await tenantOf('feedback', { STORE_QUESTIONS_DAYS: '30' })
  for (const [question, rating] of [
    [MIDDLING, 'wrong'],
    [STRONG, 'right'],
    [OFF_TOPIC, 'right'],
    ['Who won the chess match in Oslo?', 'wrong'],
  ]) {
    const { answer } = await ask(question!)
    await write('/v1/feedback', { answer, rating })
  }
  expect(await read('/v1/feedback')).toMatchObject({
    policies: [{ answers: { right: 1, wrong: 1 }, refusals: { right: 1, wrong: 1 }, suggestion: { action: 'keep' } }],
  })
  const { labels } = await read<{ labels: { question: string; answerable: boolean }[] }>('/v1/labels')
  expect(Object.fromEntries(labels.map(({ question, answerable }) => [question, answerable]))).toEqual({
    [MIDDLING]: false,
    [STRONG]: true,
    [OFF_TOPIC]: false,
    'Who won the chess match in Oslo?': true,
  })
})

test('001: documents whose evidence stays weak are listed by week (R078)', async () => {
  const { ask, read } = await tenantOf('trends')
  for (const thing of ['phones', 'tablets', 'cameras', 'badges', 'bicycles']) {
    await ask(`Who encrypts and locks ${thing} in the vault of the cellar?`)
  }
  for (const days of ['ten', 'thirty-five', 'forty', 'fifty', 'sixty']) {
    await ask(`Are nightly backups of the billing database kept for ${days} days?`)
  }
  const documents = async () => (await read<{ documents: object[] }>('/v1/stats/documents?weak_below=0.9')).documents
  const week = { decisions: 5 }
  expect(await documents()).toMatchObject([
    { document_id: 'security', decisions: 5, weeks: [week], consistently_weak: false },
    { document_id: 'retention', decisions: 5, weeks: [week], consistently_weak: false },
  ])
  await env.DB.prepare(
    `INSERT INTO document_weeks SELECT tenant, week_ms - 604800000, collection, document_id, decisions, advised, refused, iif(document_id = 'retention', 0, confidence_sum)
    FROM document_weeks WHERE tenant = 'trends'`,
  ).run()
  expect(await documents()).toMatchObject([
    { document_id: 'security', weeks: [week, week], consistently_weak: true },
    { document_id: 'retention', weeks: [week, week], consistently_weak: false },
  ])
})

test('002: false refusals are estimated from records, by policy and with intervals (R096)', async () => {
  const { ask, read, write } = await tenantOf('monitored')
  for (const [question, rating] of [
    [STRONG, 'right'],
    ['How long are access logs kept?', 'right'],
    [OFF_TOPIC, 'right'],
    ['Who won the chess match in Oslo?', 'wrong'],
  ]) {
    const { id } = await ask(question!)
    await write(`/v1/decisions/${id}/label`, { rating }, 'PUT')
  }
  const { policies } = await read<{ policies: { false_refusals: Record<'rate' | 'low' | 'high', number> }[] }>(
    '/v1/feedback',
  )
  expect(policies).toMatchObject([
    {
      policy_id: expect.stringMatching(/^balanced@/),
      refusals: { right: 1, wrong: 1 },
      false_refusals: { rate: expect.closeTo(1 / 3, 9) },
      suggestion: { action: 'keep', because: 'Too few labels' },
    },
  ])
  const [{ false_refusals: rate }] = policies as [(typeof policies)[number]]
  expect([rate.low < rate.rate, rate.rate < rate.high]).toEqual([true, true])
})

test('003: an advisory with the confidence .5 is in the audit trail (R120, R126)', async () => {
  aPricedModel('A person or firm. [1]')
  vi.spyOn(console, 'warn').mockReturnValue()
  /** A reranker that is as sure as not. */
  const AI: GateBindings['AI'] = {
    run: async (_model: string, input: { contexts?: readonly object[] }) => ({
      response: (input.contexts ?? []).map((_, id) => ({ id, score: 0 })),
    }),
  }
  const { ask, read, write } = await tenantOf('audited', { ...MODEL, AI, RERANKER: 'workers-ai' })
  await write('/v1/policy', { policy: 'advisory' }, 'PUT')
  const { id, verdict } = await ask(SUBSCRIBER)
  expect(verdict).toBe('advise')
  expect(await read('/v1/audit?type=RAG_ADVISORY_LOW_CONFIDENCE')).toMatchObject({
    events: [
      {
        type: 'RAG_ADVISORY_LOW_CONFIDENCE',
        decision_id: id,
        payload: { confidence: 0.5, threshold: 0.7, summary: expect.stringContaining('0.50 < 0.7') },
      },
    ],
  })
})

test('004: a rejection is in the audit trail, counts in pass rate and mean share, and saves no call (R030, R144, R147)', async () => {
  const model = aPricedModel('A subscriber is a person or firm that has signed the agreement. [1]')
  const { ask, read, write } = await tenantOf('sufficient', MODEL)
  await write('/v1/policy', { policy: 'sufficiency', why: 'document 004' }, 'PUT')
  const passed = await ask(SUBSCRIBER)
  model.mockRestore()
  aPricedModel('Pineapples grow in Greenland.')
  const rejected = await ask('Who receives the data of the agreement?')
  expect([passed.verdict, rejected.verdict]).toEqual(['pass', 'refuse'])
  expect(await read('/v1/stats')).toMatchObject({
    by_verdict: { pass: 1, refuse: 1 },
    // All of one answer, and nothing of the other.
    answer_gates: { 'evidence-share': { counted: 2, mean: 0.5 } },
    savings: { calls_avoided_by_refusal: 0 },
  })
  expect(await read('/v1/audit?type=RAG_EVIDENCE_INSUFFICIENT')).toMatchObject({
    events: [
      {
        decision_id: rejected.id,
        payload: { gate: 'evidence-share', deficit: 0.5, timestamp: expect.any(String) },
      },
    ],
  })
})
