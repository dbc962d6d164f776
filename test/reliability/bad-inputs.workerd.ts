/**
 * Every bad input on every route of the description: each is answered with its status and its code, in the form of the
 * route's protocol; nothing is searched for, asked of a model, stored or echoed, and each is counted once as what it was.
 */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { policySettings } from 'hono-rag-gate/core/policy'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { compositionFor } from '../../workers/gate/compose.ts'
import worker from '../../workers/gate/index.ts'
import { policyNamed } from '../../workers/gate/policies/policy-named.ts'
import { routeOf } from '../../workers/gate/statistics/count-faults.ts'
import { HANDBOOK, STRONG } from '../fixtures/corpus.ts'
import { type DescribedRoute, ROUTES, sample, type Schema, takes } from '../fixtures/described-routes.ts'
import { aPricedModel, MODEL } from '../fixtures/priced-model.ts'
import { ADMIN, post } from '../worker-requests.ts'

/** Stands in what is sent, and in nothing that is answered. */
const CANARY = 'zqcanary7421z'

type Answer = readonly [status: number, code: string | number, param?: string]

/** A bad input. */
interface Cell {
  readonly is: string
  readonly answer: Answer
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: BodyInit
  /** Whether the credentials that would do are left out. */
  readonly bare?: true
}

const [CHAT, MODELS, MCP] = ['/v1/chat/completions', '/v1/models', '/mcp']
/** Those that anyone may read, whoever they say they are. */
const OPEN = ['get /v1/openapi.json', 'get /health']
/** An asset, and what is served beside it. */
const SERVED = ROUTES.filter(({ name }) => name !== 'get /v1/openapi.json')

/** What a route takes where the description does not say it all. */
const VALID: Readonly<Record<string, object>> = {
  [`post ${CHAT}`]: { model: MODEL.LLM_MODEL, messages: [{ role: 'user', content: STRONG }] },
  [`post ${MCP}`]: { jsonrpc: '2.0', id: 1, method: 'ping' },
  'put /v1/policies/pushed': { settings: policySettings(policyNamed('balanced')) },
  'post /v1/replay': { policy: 'balanced' },
}
const validFor = ({ name, takes: schema }: DescribedRoute): object =>
  VALID[name] ?? (sample(schema!, 'required', () => STRONG) as object)

/** What a member of a body that is of another kind is answered with, by the most exact name. */
const WRONG_MEMBER: Readonly<Record<string, string | Answer>> = {
  question: 'question_type',
  'question ""': 'question_required',
  'question undefined': 'question_required',
  query: 'parameter',
  'query ""': 'question_required',
  collection: 'collection_id',
  stream: 'stream_type',
  tenant: [403, 'tenant_mismatch'],
  'post /v1/keys tenant': 'tenant_id',
  'post /v1/cache/purge tenant': 'tenant_id',
  [`post ${CHAT} model`]: [404, 'model_not_found'],
  messages: 'question_type',
  'messages []': 'question_required',
  'messages undefined': 'question_required',
  ...Object.fromEntries(
    (
      'stream_options temperature top_p max_tokens max_completion_tokens stop seed n user frequency_penalty ' +
      'presence_penalty logprobs store parallel_tool_calls response_format tools metadata safety_identifier ' +
      'prompt_cache_key k chunk_ids'
    )
      .split(' ')
      .map((name) => [name, 'parameter']),
  ),
  rag_gate: 'unknown_field',
  jsonrpc: [400, -32_600],
  id: [400, -32_600],
  method: [400, -32_600],
  params: [200, -32_602],
  without: 'without',
  documents: 'documents_required',
  'post /v1/documents documents [7]': 'document_field',
  'post /v1/cache/purge documents': 'purge_scope',
  everything: 'purge_scope',
  questions: 'purge_scope',
  answers: 'purge_scope',
  policy: 'policy_unknown',
  rollback: 'policy_unknown',
  why: 'why',
  settings: 'policy_settings',
  pin: 'policy_settings',
  name: 'key_name',
  scopes: 'key_scopes',
  expires_at: 'key_expiry',
  rating: 'rating',
  comment: 'comment_too_long',
  answer: [404, 'answer_unknown'],
}
/** `null` is as absent, though the description names the kind alone. */
const MAY_BE_NULL = ['why']

const OTHERS: readonly unknown[] = [null, true, 7, -1.5, '', [], [7], {}, { [CANARY]: CANARY }]

/** What a parameter that makes no sense is answered with. */
const WRONG_PARAMETER: Readonly<Record<string, string>> = {
  limit: 'limit',
  interval: 'interval',
  format: 'format',
  sort: 'sort',
  from: 'range',
  to: 'range',
  tenant: 'tenant_id',
}

/** The values of a parameter that are none. `undefined` for one that takes any text. */
function wrongValues(name: string, { type, enum: choices, maximum }: Schema): readonly string[] | undefined {
  if (choices !== undefined) return ['', CANARY, `${String(choices[0])} `]
  if (type === 'integer') return ['0', '-1', '1.5', '1e9', ' 1', 'x', '', String((maximum ?? 0) + 1)]
  if (type === 'number') return ['-1', 'x', '', '1e400', ...(maximum === undefined ? [] : [String(maximum + 1)])]
  if (name === 'from' || name === 'to') {
    return ['x', '-1', '1e3', 'July 2026', '2026-13-01', '2026-02-30', '0000-01-01', '1969-12-31', '2026-01-01T24:00Z']
  }
  if (name === 'tenant') return ['', '../b', 'a b', 'x'.repeat(65)]
  return undefined
}

/** What an id that nothing has is answered with. */
const WRONG_ID: Readonly<Record<string, Answer>> = {
  '/v1/collections/{id}/policy': [422, 'collection_id'],
  '/v1/models/{id}': [404, 'model_not_found'],
  '/v1/keys/{id}': [404, 'key_not_found'],
  '/v1/decisions/{id}': [404, 'decision_not_found'],
  '/v1/decisions/{id}/label': [404, 'decision_not_found'],
  '/v1/subjects/{id}': [422, 'filter'],
}

type OwnCells = readonly (readonly [body: object | string, ...answer: Answer])[]

function aText(wrong: object = {}): object {
  return { id: 'a', text: 'x', ...wrong }
}

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { a: nested(levels - 1) }
}

function ofChat(body: object): object {
  return Object.keys(body).length === 0 || 'question' in body
    ? { model: MODEL.LLM_MODEL, ...body }
    : { ...VALID[`post ${CHAT}`], ...body }
}

/** A question that ends so is answered so. */
const TEXTS: readonly (readonly [number, string])[] = [
  [400, 'invalid_unicode'],
  [422, 'control_character'],
  [422, 'question_too_long'],
]
function texts(name: string): OwnCells {
  const cases = ['\ud800', '\u0000', 'x'.repeat(2001), '\u{1f701}'.repeat(2001), '\u001b[31m', '\u009b', ' \u3000']
  const codes = [...TEXTS, TEXTS[2]!, TEXTS[1]!, TEXTS[1]!]
  return cases.map((text, at) => {
    const [status, code] = codes[at] ?? [422, 'question_required']
    return [{ [name]: at < codes.length ? `${CANARY}${text}` : text }, status, code] as const
  })
}

/** Arguments of a tool, beside those that it needs. */
function tool(needs: object, name: string, values: readonly unknown[]): OwnCells {
  return [
    [{ query: STRONG, ...needs, topK: 5 }, 422, 'parameter', 'topK'],
    [{ query: STRONG, ...needs, namespace: CANARY }, 403, 'tenant_mismatch', 'namespace'],
    [{ query: STRONG, ...needs, tenant: CANARY }, 403, 'tenant_mismatch', 'tenant'],
    [{ query: STRONG, ...needs, collection: 'nowhere' }, 404, 'collection_not_found'],
    ...values.map((value) => [{ query: STRONG, ...needs, [name]: value }, 422, 'parameter', name] as const),
    ...texts('query').map(([body, ...answer]) => [{ ...needs, ...(body as object) }, ...answer] as const),
  ]
}

function whys(body: object): OwnCells {
  return ['two\nlines', 'x'.repeat(1001), '\ud800'].map((why) => [{ ...body, why }, 422, 'why', 'why'])
}

function said(body: object): OwnCells {
  return [
    ...['up ', 'RIGHT', '\u{1f44d}', 6, -1, null, ['right']].map(
      (rating) => [{ ...body, rating }, 422, 'rating', 'rating'] as const,
    ),
    ...['x'.repeat(10_241), '\u00fc'.repeat(5121), 7].map(
      (comment) => [{ ...body, rating: 'right', comment }, 422, 'comment_too_long', 'comment'] as const,
    ),
    [{ ...body, rating: 'right', comment: `${CANARY}\ud800` }, 400, 'invalid_unicode', 'comment'],
  ]
}

/** Two system messages of that many characters, and a question. */
function chatWithInstructions(length: number): object[] {
  const system = [4000, length - 4002].map((each) => ({ role: 'system', content: CANARY.padEnd(each) }))
  return [...system, { role: 'user', content: STRONG }]
}

/** Of a chat: what is sent beside what is needed, or in its place. */
const OF_CHAT: OwnCells = [
  [{}, 422, 'question_required', 'messages'],
  [{ question: STRONG }, 422, 'question_type', 'messages'],
  ...[
    [{ role: 'wizard', content: CANARY }],
    [{ content: CANARY }],
    [{ role: '__proto__', content: CANARY }],
    [{ role: 'user', content: 7 }],
    [{ role: 'user', content: [{ type: 'image_url', image_url: { url: CANARY } }] }],
    [{ role: 'user', parts: [{ type: 'text', text: CANARY }] }],
  ].map((messages) => [{ messages }, 422, 'question_type', 'messages'] as const),
  [{ messages: [{ role: 'assistant', content: CANARY }] }, 422, 'question_required', 'messages'],
  [{ messages: [{ role: 'user', content: '' }] }, 422, 'question_required', 'messages'],
  [{ messages: chatWithInstructions(8001) }, 422, 'parameter', 'messages'],
  [{ functions: [] }, 422, 'unknown_field', 'functions'],
  [{ minScore: 0 }, 422, 'unknown_field', 'minScore'],
  [{ max_tokens: 0 }, 422, 'parameter', 'max_tokens'],
  [{ response_format: { type: 'json_object' } }, 422, 'parameter', 'response_format'],
  [{ tools: [{ type: 'function' }] }, 422, 'parameter', 'tools'],
  [{ stop: ['a', 'b', 'c', 'd', 'e'] }, 422, 'parameter', 'stop'],
  [{ rag_gate: { gate: false } }, 422, 'unknown_field', 'rag_gate'],
  [{ rag_gate: { collection: '../x' } }, 422, 'collection_id', 'collection'],
  [{ rag_gate: { collection: 'nowhere' } }, 404, 'collection_not_found'],
  ...['\ud800', '\u0000', 'x'.repeat(2001)].map((content, at) => {
    const [status, code] = TEXTS[at]!
    return [{ messages: [{ role: 'user', content: `${CANARY}${content}` }] }, status, code, 'messages'] as const
  }),
]

/** What each route refuses beside that. */
const OWN: Readonly<Record<string, OwnCells>> = {
  'post /ask': [
    ['{"question":"a","minScore":0}', 422, 'unknown_field'],
    ['{"question":"a","topK":5}', 422, 'unknown_field'],
    ['{"question":"a","filter":"a = 1 OR 1=1"}', 422, 'unknown_field'],
    [{ question: 'a', namespace: CANARY }, 403, 'tenant_mismatch', 'namespace'],
    [{ question: 'a', tenant: CANARY }, 403, 'tenant_mismatch', 'tenant'],
    [{ question: STRONG, collection: 'nowhere' }, 404, 'collection_not_found'],
    ...['../x', 'a b', '.a', 'a\u0000', 'x'.repeat(65)].map(
      (collection) => [{ question: 'a', collection }, 422, 'collection_id', 'collection'] as const,
    ),
    ...texts('question'),
  ],
  [`post ${CHAT}`]: OF_CHAT.map(([body, ...answer]) => [ofChat(body as object), ...answer] as const),
  [`post ${MCP}`]: [
    [{ id: 1, method: 'ping' }, 400, -32_600],
    [{ jsonrpc: '2.0', id: 1, method: 'resources/list' }, 200, -32_601],
    [{ jsonrpc: '2.0', id: 1, method: '__proto__' }, 200, -32_601],
    [{ jsonrpc: '2.0', id: 1, method: 'tools/call' }, 200, -32_602],
    [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: CANARY } }, 200, -32_602],
  ],
  'post /v1/tools/search': tool({}, 'k', [0, -1, 1.5, '5', 21]),
  'post /v1/tools/assess_retrieval_confidence': tool({ chunk_ids: ['a'] }, 'chunk_ids', [
    Array.from({ length: 101 }, () => 'a'),
  ]),
  'post /v1/judgements': [
    ...texts('question'),
    [{ question: 'a', without: Array.from({ length: 201 }, () => 'x') }, 422, 'without', 'without'],
    [{ question: 'a', topK: 3 }, 422, 'unknown_field'],
    [{ question: STRONG, collection: 'nowhere' }, 404, 'collection_not_found'],
  ],
  'post /v1/documents': [
    [{}, 422, 'documents_required', 'documents'],
    [{ documents: Array.from({ length: 1001 }, (_, at) => aText({ id: `${at}` })) }, 413, 'too_many_documents'],
    [{ documents: [aText(), aText({ text: 'y' })] }, 422, 'document_duplicate', 'documents[1].id'],
    [{ documents: [aText({ id: 'e\u0301' }), aText({ id: '\u00e9' })] }, 422, 'document_duplicate', 'documents[1].id'],
    ...['', '.', '..', 'a\u0000', '\ud800', 'x'.repeat(513), '\u00e9'.repeat(257), 7].map(
      (id) => [{ documents: [aText(), aText({ id })] }, 422, 'document_id', 'documents[1].id'] as const,
    ),
    ...['', ' \n', 7, null].map(
      (text) =>
        [{ documents: [aText(), aText({ id: 'b', text })] }, 422, 'document_text', 'documents[1].text'] as const,
    ),
    [{ documents: [aText({ text: `${CANARY}\ud800` })] }, 400, 'invalid_unicode', 'documents[0].text'],
    [{ documents: [aText({ text: 'x'.repeat(2_000_001) })] }, 413, 'document_too_large', 'documents[0].text'],
    [{ documents: [aText({ text: '\u00e9'.repeat(1_000_001) })] }, 413, 'document_too_large', 'documents[0].text'],
    ...['javascript:alert(1)', 'data:text/html,x', '//evil.example', 'https:///x'].map(
      (source) => [{ documents: [aText({ source })] }, 422, 'source_url', 'documents[0].source'] as const,
    ),
    ...[
      { format: 'pdf' },
      { title: 'x'.repeat(1001) },
      { title: 7 },
      { version: 'a\u0000' },
      { metadata: [] },
      { metadata: { a: 'x'.repeat(16_001) } },
      { metadata: nested(9) as object },
    ].map((wrong) => {
      const [member] = Object.keys(wrong)
      return [{ documents: [aText(wrong)] }, 422, 'document_field', `documents[0].${member}`] as const
    }),
    [{ documents: [aText({ vector: [1] })] }, 422, 'unknown_field', 'documents[0]'],
    [{ documents: [aText({ tenant: CANARY })] }, 403, 'tenant_mismatch'],
    [{ documents: [aText({ namespace: 'n' })] }, 403, 'tenant_mismatch'],
    [{ documents: [aText()], namespace: 'n' }, 403, 'tenant_mismatch', 'namespace'],
    [{ documents: [aText()], collection: '../b' }, 422, 'collection_id', 'collection'],
  ],
  'put /v1/policies/pushed': [
    [{ settings: { ...policySettings(policyNamed('balanced')), gates: [] } }, 422, 'policy_settings'],
    [{ settings: { ...policySettings(policyNamed('balanced')), gates: [{ gate: CANARY }] } }, 422, 'policy_settings'],
    [
      { settings: { ...policySettings(policyNamed('balanced')), dangerouslyDisableGates: true } },
      422,
      'policy_settings',
    ],
    [{ ...VALID['put /v1/policies/pushed'], pin: { collection: 'default' } }, 422, 'policy_settings', 'pin'],
    ...whys(VALID['put /v1/policies/pushed']!),
  ],
  'put /v1/policy': [
    ...['__proto__', CANARY, 'mine@0000000000000000', '\ud800'].map(
      (policy) => [{ policy }, 422, 'policy_unknown', 'policy'] as const,
    ),
    [{ policy: 'multi-gate' }, 422, 'policy_unfit'],
    [{ rollback: true, policy: null }, 422, 'policy_unknown', 'rollback'],
    [{ rollback: true }, 409, 'nothing_to_roll_back'],
    [{ policy: null, refuseBelow: 0 }, 422, 'unknown_field'],
    ...whys({ policy: null }),
  ],
  'put /v1/collections/{id}/policy': [[{ policy: CANARY }, 422, 'policy_unknown', 'policy'], ...whys({ policy: null })],
  'post /v1/keys': [
    ...[' ', 'a\u0007', '\ud800', 'x'.repeat(101)].map(
      (name) => [{ name, scopes: ['ask'] }, 422, 'key_name', 'name'] as const,
    ),
    ...[['root'], ['ask', 'ask'], 'ask'].map((scopes) => [{ name: 'a', scopes }, 422, 'key_scopes', 'scopes'] as const),
    [{ name: 'a', scopes: ['ask'], tenant: '../b' }, 422, 'tenant_id', 'tenant'],
    [{ name: 'a', scopes: ['ask'], expires_at: '2020-01-01' }, 422, 'key_expiry', 'expires_at'],
    [{ name: 'a', scopes: ['ask'], token: CANARY }, 422, 'unknown_field'],
  ],
  'post /v1/cache/purge': [
    [{}, 422, 'purge_scope'],
    [{ questions: ['a'] }, 422, 'purge_scope'],
    [{ documents: ['a'] }, 422, 'purge_scope'],
    [{ answers: ['a'] }, 422, 'purge_scope'],
    [{ answers: [`${CANARY}-0000`] }, 422, 'purge_scope'],
    [{ answers: ['a'], collection: 'default', documents: ['a'] }, 422, 'purge_scope'],
    [{ everything: true, tenant: 'default' }, 422, 'purge_scope'],
    [{ collection: '../x' }, 422, 'collection_id', 'collection'],
    [{ collection: 'default', questions: [7] }, 422, 'question_type', 'questions[0]'],
    [{ collection: 'default', documents: [7] }, 422, 'document_id', 'documents[0]'],
    [{ collection: 'default', documents: [] }, 422, 'purge_scope'],
    [{ collection: 'default', documents: Array.from({ length: 1001 }, (_, at) => `${at}`) }, 422, 'purge_scope'],
    [{ tenant: 'a/b' }, 422, 'tenant_id', 'tenant'],
  ],
  'post /v1/replay': [
    [{ policy: '\ud800' }, 422, 'policy_unknown', 'policy'],
    [{ policy: '__proto__' }, 422, 'policy_unknown', 'policy'],
  ],
  'put /v1/decisions/{id}/label': said({}),
  'post /v1/feedback': [
    ...said({ answer: 'a' }),
    [{ answer: CANARY, rating: 'right' }, 404, 'answer_unknown', 'answer'],
    [{ answer: '01890000-0000-7000-8000-000000000000.0', rating: 'right' }, 404, 'answer_unknown', 'answer'],
  ],
}

/** Addresses that are refused as they stand. */
const ADDRESSES: Readonly<Record<string, readonly (readonly [query: string, ...answer: Answer])[]>> = {
  'get /v1/stats': [
    ['from=2026-01-02&to=2026-01-01', 422, 'range', 'from'],
    ['from=2016-01-01&to=2026-01-01', 422, 'range_too_large', 'from'],
    ['to=999999999999999', 422, 'range', 'to'],
    ['to=1800000000', 422, 'range', 'to'],
    ['to=9999-12-31T23:59:59-00:01', 422, 'range', 'to'],
    ['from=2026-01-01&to=2026-06-01&interval=hour', 422, 'range_too_large', 'interval'],
    ['collection=', 422, 'filter', 'collection'],
    [`reason=${'x'.repeat(201)}`, 422, 'filter', 'reason'],
  ],
  'get /v1/stats/documents': [['sort=n;DROP%20TABLE%20decisions', 422, 'sort', 'sort']],
  'get /v1/decisions': [
    ['tenant=*', 422, 'tenant_id', 'tenant'],
    ...['', 'x', '0.0', `${CANARY}.0000000000000000`].map((at) => [`cursor=${at}`, 400, 'cursor', 'cursor'] as const),
  ],
  'get /v1/documents': [
    ['collection=../b', 422, 'collection_id', 'collection'],
    ...['', '%00', '%F0%9F%98%80'.repeat(129)].map((at) => [`cursor=${at}`, 422, 'document_id', 'cursor'] as const),
  ],
  'delete /v1/documents': [
    ['collection=default', 422, 'document_id', 'id[0]'],
    ...['', '..', '%00', '%E2%80%82'.repeat(171)].map((id) => [`id=a&id=${id}`, 422, 'document_id', 'id[1]'] as const),
    ["id='%20OR%201=1", 404, 'document_not_found', 'id[0]'],
    ['collection=../b&id=a', 422, 'collection_id', 'collection'],
  ],
}

const JSON_TYPE = { 'content-type': 'application/json' }
const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...new TextEncoder().encode(part)] : part)))

/** Bodies that are no JSON object in UTF-8, whatever route they are sent to. */
function bodyCells(route: DescribedRoute): Cell[] {
  const valid = JSON.stringify(validFor(route))
  const rest = valid.slice(1)
  const isLarge = route.path === '/v1/documents'
  const media = [415, 'unsupported_media_type'] as const
  const type = (value: string) => ({ 'content-type': value })
  const typed = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/json']
  const noJson = [
    '',
    '  \n ',
    `${valid} x`,
    valid.slice(0, -1),
    `[${valid}]`,
    `"${CANARY}"`,
    'null',
    'NaN',
    '{"a":NaN}',
  ]
  const twice = [`{"${CANARY}":1,"${CANARY}":2,${rest}`, String.raw`{"a":{"b":1,"\u0062":2},${rest}`]
  const noUtf8 = bytes(`{"${CANARY}":"`, [0xff], `",${rest}`)
  return [
    ...[...typed, 'application/json; charset=utf-16', ''].map((value) => ({
      is: `a body of type ${value}`,
      headers: type(value),
      body: valid,
      answer: media,
    })),
    ...['gzip', 'br', 'identity, gzip'].map((encoding) => ({
      is: `a body encoded as ${encoding}`,
      headers: { ...JSON_TYPE, 'content-encoding': encoding },
      body: valid,
      answer: media,
    })),
    ...[...noJson, ...twice].map((body) => ({
      is: `the body ${body.slice(0, 40)}`,
      body,
      answer: [400, 'invalid_json'] as const,
    })),
    { is: 'no body', answer: [400, 'invalid_json'] },
    ...[{}, { 'content-length': String(noUtf8.length) }].map((length) => ({
      is: 'bytes that are no UTF-8',
      headers: { ...JSON_TYPE, ...length },
      body: noUtf8,
      answer: [400, 'invalid_utf8'] as const,
    })),
    {
      is: '33 levels',
      body: `{"a":${'['.repeat(32)}${']'.repeat(32)},${rest}`,
      answer: [400, 'too_deep'],
    },
    {
      is: 'a million levels',
      body: `{"a":${'['.repeat(1_000_000)}`,
      answer: isLarge ? [400, 'too_deep'] : [413, 'body_too_large'],
    },
    {
      is: 'a length of 100 MB',
      body: valid,
      headers: { ...JSON_TYPE, 'content-length': '100000000' },
      answer: [413, 'body_too_large'],
    },
    { is: '100 MB in pieces', body: endless(), answer: [413, 'body_too_large'] },
  ]
}

/** Pieces of 64 KiB up to 100 MB, as they are asked for. */
function endless(): ReadableStream<Uint8Array> {
  const piece = new Uint8Array(65_536).fill(0x20)
  let left = 1526
  return new ReadableStream({
    pull: (controller) => (left-- > 0 ? controller.enqueue(piece) : controller.close()),
  })
}

/** Members of another kind, and such that there are not. */
function memberCells(route: DescribedRoute): Cell[] {
  const { name, takes: schema } = route
  const valid = validFor(route)
  const answerTo = (member: string, value: unknown): Answer => {
    const exact = `${member} ${JSON.stringify(value)}`
    const found = [`${name} ${exact}`, `${name} ${member}`, exact, member].find((each) =>
      Object.hasOwn(WRONG_MEMBER, each),
    )
    if (found === undefined) throw new Error(`Say in WRONG_MEMBER what ${name} answers to a wrong ${member}`)
    const code = WRONG_MEMBER[found]!
    return typeof code === 'string' ? [422, code] : code
  }
  const wrong = Object.entries(schema!.properties ?? {}).flatMap(([member, of]) =>
    [...OTHERS.filter((value) => !takes(of, value)), ...(schema!.required?.includes(member) ? [undefined] : [])]
      .filter((value) => !(value === null && MAY_BE_NULL.includes(member)))
      .map((value) => ({
        is: `${member} of ${JSON.stringify(value)}`,
        body: JSON.stringify({ ...valid, [member]: value }),
        answer: answerTo(member, value),
      })),
  )
  if (schema!.additionalProperties === true) return wrong
  const unknown = route.path.startsWith('/v1/tools') ? 'parameter' : 'unknown_field'
  const rest = JSON.stringify(valid)
    .slice(1)
    .replace(/^(?=.)(?!\})/, ',')
  // The name of an argument or parameter is told back.
  const more = [
    `"${/tools|chat/.test(name) ? 'topK' : CANARY}":1`,
    '"__proto__":{"admin":true}',
    '"constructor":{"prototype":{}}',
    '"gate":false',
  ]
  return [
    ...wrong,
    ...more.map((member) => ({
      is: `the member ${member}`,
      body: `{${member}${rest}`,
      answer: [422, unknown] as const,
    })),
  ]
}

/** Credentials that are none: never taken for none at all. */
function credentialCells({ name, scope }: DescribedRoute): Cell[] {
  if (OPEN.includes(name)) return []
  const wrong = [
    `Bearer ${CANARY}`,
    'Bearer',
    'Bearer ',
    'Bearerx',
    `Bearerx${env.ADMIN_TOKEN}`,
    `Bearer ${env.ADMIN_TOKEN}, Bearer ${env.ADMIN_TOKEN}`,
    `Bearer ${env.ADMIN_TOKEN} x`,
    `Basic ${btoa(`admin:${env.ADMIN_TOKEN}`)}`,
    `Bearer ${'a'.repeat(10_000)}`,
    // As a client that breaks the rules writes it.
    'Bearer \u00e4',
    `Bearer ${[{ alg: 'none' }, { sub: 'admin' }, {}].map((part) => btoa(JSON.stringify(part))).join('.')}`,
  ]
  const unauthorized = [401, 'unauthorized'] as const
  return [
    ...wrong.map((authorization) => ({
      is: `the credentials ${authorization.slice(0, 30)}`,
      bare: true as const,
      headers: { ...JSON_TYPE, authorization },
      answer: unauthorized,
    })),
    ...(scope === undefined
      ? []
      : ['', `?token=${env.ADMIN_TOKEN}`, `?access_token=${env.ADMIN_TOKEN}`].map((path) => ({
          is: `no credentials${path.slice(0, 8)}`,
          bare: true as const,
          path,
          answer: unauthorized,
        }))),
  ]
}

/** Addresses: parameters of another kind, twice, or such that there are not, and ids that nothing has. */
function addressCells(route: DescribedRoute): Cell[] {
  const { name, method, path, scope, query } = route
  const cells: Cell[] = [
    { is: 'an address of 20 KB', path: `?${CANARY}=${'a'.repeat(20_000)}`, answer: [414, 'uri_too_long'] },
    { is: 'a method that nothing is served for', method: 'PATCH', answer: [405, 'method_not_allowed'] },
    ...(ADDRESSES[name] ?? []).map(([at, ...answer]) => ({ is: at, path: `?${at}`, answer })),
  ]
  for (const [parameter, schema] of Object.entries(query)) {
    const code = WRONG_PARAMETER[parameter] ?? 'filter'
    for (const value of wrongValues(parameter, schema) ?? []) {
      const at = `?${parameter}=${encodeURIComponent(value)}`
      cells.push({ is: at, path: at, answer: [422, code, parameter] })
    }
  }
  const [first = 'tenant'] = Object.keys(query)
  if (scope !== undefined && (method === 'GET' || method === 'DELETE' || query[first] !== undefined)) {
    for (const at of [`?${CANARY}=1`, '?x=.js', `?${first}=default&${first}=default`]) {
      cells.push({ is: at, path: at, answer: [422, 'unknown_field'] })
    }
  }
  if (path.includes('{id}')) {
    const answer = WRONG_ID[path]
    if (answer === undefined) throw new Error(`Say in WRONG_ID what ${path} answers to an id that nothing has`)
    const ids = ['x'.repeat(600), ...(path.startsWith('/v1/subjects') ? [] : ['%00', '%ff', "'%20OR%201=1"])]
    for (const id of ids) {
      cells.push({ is: `the id ${id.slice(0, 9)}`, path: path.replace('{id}', id), answer })
    }
  }
  return route.takes === undefined ? cells : cells.map((cell) => ({ ...cell, body: JSON.stringify(validFor(route)) }))
}

/** Headers that make no sense, and pages of other sites. */
const HEADERS: Readonly<Record<string, readonly (readonly [name: string, value: string, ...answer: Answer])[]>> = {
  'post /v1/documents': ['', 'a b', 'x'.repeat(256)].map((key) => ['idempotency-key', key, 422, 'idempotency_key']),
  [`post ${MCP}`]: [
    ['mcp-protocol-version', '1999-01-01', 400, -32_600],
    ['origin', 'https://evil.example', 403, 'forbidden'],
  ],
}

const cellsOf = (route: DescribedRoute): Cell[] => [
  ...addressCells(route),
  ...credentialCells(route),
  ...(route.takes === undefined ? [] : [...bodyCells(route), ...memberCells(route)]),
  ...(HEADERS[route.name] ?? []).map(([name, value, ...answer]) => ({
    is: `the header ${name}: ${value.slice(0, 20)}`,
    headers: { ...JSON_TYPE, [name]: value },
    body: JSON.stringify(validFor(route)),
    answer,
  })),
  ...(OWN[route.name] ?? []).map(([body, ...answer], at) => ({
    is: `its own ${at}: ${JSON.stringify(body).slice(0, 60)}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    answer,
  })),
]

/** Everything that is stored, but what tells of rejected requests. */
async function stored(): Promise<Record<string, string>> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'",
  ).all<{ name: string }>()
  const tables = await env.DB.batch(results.map(({ name }) => env.DB.prepare(`SELECT * FROM "${name}"`)))
  return Object.fromEntries(results.map(({ name }, at) => [name, JSON.stringify(tables[at]!.results)]))
}

/** Its answers are no other file's, to which one may be left that is stored late. */
const isolate = { ...env, ...MODEL, DEPLOYMENT: 'bad-inputs' }
const { faults, gate, log } = compositionFor(isolate)
const counted = vi.spyOn(faults, 'count')
const retrieve = vi.spyOn(gate.retriever, 'retrieve')
const put = vi.spyOn(Cache.prototype, 'put')

beforeAll(async () => {
  await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
})

beforeEach(() => {
  vi.clearAllMocks()
  counted.mockResolvedValue()
  vi.spyOn(console, 'warn').mockReturnValue()
})

/** Each address its own: ten wrong tokens of one would be the end of it. */
let sent = 0

async function send(
  route: DescribedRoute,
  { method, path = '', headers = JSON_TYPE, body, bare }: Cell,
): Promise<Response> {
  const at = path.startsWith('/') ? path : `${route.path.replace('{id}', 'default')}${path}`
  const from = { 'cf-connecting-ip': `2001:db8:${(++sent).toString(16)}::1` }
  const needsKey = route.scope !== undefined && bare === undefined
  const context = createExecutionContext()
  const given = body ?? (bare && route.takes !== undefined ? JSON.stringify(validFor(route)) : undefined)
  const request = new Request(`https://gate.test${at}`, {
    method: method ?? route.method,
    headers: { ...(needsKey ? ADMIN : {}), ...headers, ...from },
    ...(given === undefined ? {} : { body: given }),
  })
  const response = await worker.fetch(request, isolate, context)
  await waitOnExecutionContext(context)
  return response
}

/** What is wrong with the answer to a bad input; empty where nothing is. */
async function wrongIn(route: DescribedRoute, cell: Cell): Promise<string> {
  counted.mockClear()
  const response = await send(route, cell)
  const text = await response.text()
  const [status, code, param] = cell.answer
  const isMcp = route.path === MCP && (typeof code === 'number' || ![401, 403, 405, 414].includes(status))
  const error = isMcp
    ? {
        jsonrpc: '2.0',
        error: {
          code: typeof code === 'number' ? code : -32_700,
          message: expect.any(String),
          ...(typeof code === 'string' && {
            data: { code, message: expect.any(String), request_id: expect.any(String) },
          }),
        },
      }
    : {
        error: {
          code,
          message: expect.stringMatching(/./),
          request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          ...(param !== undefined && { param }),
          ...([CHAT, MODELS, `${MODELS}/{id}`].includes(route.path) && {
            type: 'invalid_request_error',
            param: param ?? expect.toSatisfy((value) => value === null || typeof value === 'string'),
          }),
        },
      }
  try {
    expect([response.status, JSON.parse(text)]).toMatchObject([status, error])
    expect(text + JSON.stringify([...response.headers])).not.toContain(CANARY)
    expect(response.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
    if (route.path !== '/health') expect(response.headers.get('cache-control')).toBe('no-store')
    const at = new URL(`https://gate.test${cell.path?.startsWith('/') ? cell.path : route.path}`).pathname
    expect(counted.mock.calls).toEqual(status < 400 ? [] : [[routeOf(at, status), status, String(code)]])
    return ''
  } catch (thrown) {
    return `${cell.is.replaceAll(/\p{C}/gu, '?')}: ${cell.answer.join(' ')}, but ${response.status} ${text.slice(0, 200)} ${thrown instanceof Error ? thrown.message.slice(0, 600) : ''}`
  }
}

test('there are bad inputs for every route, and every route in the lists exists', () => {
  for (const route of SERVED) expect(cellsOf(route).length, route.name).toBeGreaterThan(1)
  const names = SERVED.map(({ name }) => name)
  for (const name of Object.keys({ ...OWN, ...ADDRESSES, ...HEADERS, ...VALID })) expect(names).toContain(name)
})

test.each(SERVED)('$name rejects bad inputs', async (route) => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('Nothing is asked'))
  const before = await stored()
  const wrong: string[] = []
  for (const cell of cellsOf(route)) wrong.push(await wrongIn(route, cell))
  await log.flush()
  expect(wrong.filter((each) => each !== '')).toEqual([])
  expect(await stored()).toEqual(before)
  for (const untouched of [retrieve, fetched, put]) expect(untouched).not.toHaveBeenCalled()
})

/** The same arguments by MCP: what is wrong with them is told to the model, which can mend it. */
test.each(SERVED.filter(({ path }) => path.startsWith('/v1/tools/')))(
  'MCP rejects the bad arguments of $name',
  async (route) => {
    const mcp = ROUTES.find(({ path }) => path === MCP)!
    const name = route.path.split('/').at(-1)
    const cells = cellsOf(route).filter(
      ({ body, answer: [status] }) => body !== undefined && [403, 422].includes(status),
    )
    expect(cells.length).toBeGreaterThan(20)
    for (const { is, body, answer } of cells) {
      const params = `{"name":"${name}","arguments":${String(body)}}`
      const called = { is, answer, body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}` }
      const response = await send(mcp, called)
      const [, code, param] = answer
      const structuredContent = { success: false, error: { code, ...(param !== undefined && { param }) } }
      const result = { isError: true, structuredContent }
      expect([response.status, await response.json()], is).toMatchObject([200, { jsonrpc: '2.0', id: 1, result }])
    }
    for (const untouched of [retrieve, counted]) expect(untouched).not.toHaveBeenCalled()
  },
)

test('a good input causes a search, a model call, a stored answer and a count, unlike the bad ones', async () => {
  const fetched = aPricedModel('For thirty-five days.')
  const before = await stored()
  const ask = SERVED.find(({ path }) => path === '/ask')!
  const headers = {
    ...JSON_TYPE,
    'x-rag-gate': 'off',
    'x-http-method-override': 'DELETE',
    'x-original-url': '/v1/keys',
  }
  const response = await send(ask, {
    is: 'good',
    body: JSON.stringify({ question: STRONG }),
    answer: [200, ''],
    headers,
  })
  expect([response.status, (await response.json<{ verdict: string }>()).verdict]).toEqual([200, 'pass'])
  await log.flush()
  expect(await stored()).not.toEqual(before)
  for (const used of [retrieve, fetched, put]) expect(used).toHaveBeenCalled()
  expect(counted).not.toHaveBeenCalled()
})
