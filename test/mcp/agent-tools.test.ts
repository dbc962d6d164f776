import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { type AgentToolsOptions, createAgentTools, mcpEndpoint, toolEndpoint } from '../../packages/mcp/src/index.ts'
import { weightedSignals } from '../../packages/presets/src/weighted-signals/index.ts'
import { RagGateError } from '../../src/errors.ts'
import type { DecisionEvent, DecisionLog } from '../../src/ports/decision-log.ts'
import type { Retriever } from '../../src/ports/retriever.ts'
import type { Scope } from '../../src/ports/authenticator.ts'
import { aPassage } from '../fixtures/evidence.ts'
import { MIDDLING, POLICY, QUESTION, STRONG, WEAK } from '../fixtures/gate.ts'
import { quietErrors } from '../fixtures/quiet-console.ts'

quietErrors()

/** An app with the tools over passages that are found in this order. */
function anApp(texts: readonly string[], options: Partial<AgentToolsOptions> = {}) {
  const events: DecisionEvent[] = []
  let retrievals = 0
  const entries = texts.map((text, at) => ({
    passage: aPassage(`chunk-${at}`, { text, title: 'Engine', section: 'Keys', documentId: `doc-${at}` }),
    score: 0.9 - at * 0.3,
  }))
  const retriever = {
    retrieve: async () => {
      retrievals++
      return [{ kind: 'bm25' as const, entries }]
    },
  }
  const tools = createAgentTools({
    policy: POLICY,
    dependencies: {
      retriever,
      log: { record: async (event) => void events.push(event), flush: async () => undefined },
    },
    authenticate: (request) => {
      const scopes: Record<string, readonly Scope[]> = { 'Bearer asker': ['ask'], 'Bearer operator': ['ask', 'admin'] }
      const found = scopes[request.headers.get('authorization') ?? '']
      if (found === undefined) throw new RagGateError('unauthorized', 'The credentials are not valid')
      return { tenant: 'default', id: 'agent', scopes: found }
    },
    ...options,
  })
  const app = new Hono()
  app.all('/mcp', mcpEndpoint(tools))
  for (const name of ['search', 'assess_retrieval_confidence'] as const)
    app.post(`/tools/${name}`, toolEndpoint(tools, name))
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    app.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer asker', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return { app, events, post, retrievals: () => retrievals }
}

/** The client of the protocol's own SDK, connected. */
async function clientOf({ app }: ReturnType<typeof anApp>, token = 'asker', mode: 'legacy' | 'auto' = 'legacy') {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const transport = new StreamableHTTPClientTransport(new URL('http://gate.example/mcp'), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch: async (url, init) => app.request(String(url), init),
  })
  await client.connect(transport)
  return client
}

const SEARCHED = { policy: POLICY, dependencies: { retriever: { retrieve: async () => [] } } }
test.each<[string, object | undefined, string | undefined, RegExp]>([
  ['nothing', undefined, 'dependencies', /dependencies/],
  ['no dependencies', { policy: POLICY }, 'dependencies', /dependencies/],
  ['a key instead of a function', { ...SEARCHED, authenticate: 'key' }, 'authenticate', /authenticate/],
  ['a price instead of a function', { ...SEARCHED, costLine: 5 }, 'costLine', /costLine/],
  [
    'authenticate where `ragGate` has it, so no caller would be asked for a key',
    { policy: POLICY, dependencies: { ...SEARCHED.dependencies, authenticate: () => null } },
    'dependencies.authenticate',
    /^dependencies\.authenticate is not read here: give authenticate itself$/,
  ],
])('wrong options are an error: %s', (_, options, param, message) => {
  // As JavaScript passes them.
  expect(() => createAgentTools(options as AgentToolsOptions)).toThrow(
    expect.objectContaining({ code: 'config_invalid', param, message: expect.stringMatching(message) }),
  )
})

test('tools and policies that depend on the request are made from it', async () => {
  const asked: unknown[] = []
  const tools = createAgentTools({ ...SEARCHED, policy: (tenant) => (asked.push(tenant), POLICY) })
  const made = (env: object) => (asked.push(env), tools)
  const app = new Hono().all('/mcp', mcpEndpoint(made)).post('/search', toolEndpoint(made, 'search'))
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ query: QUESTION })
  const response = await app.request('/search', { method: 'POST', headers, body }, { name: 'first' })
  expect(await response.json()).toMatchObject({ success: true, metadata: { refused: true } })
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  await app.request('/mcp', { method: 'POST', headers, body: ping }, { name: 'second' })
  expect(asked).toEqual([{ name: 'first' }, 'default', { name: 'second' }])
})

test('a tool that is not there is an error for servers that call tools by name', async () => {
  const caller = { principal: { tenant: 'default', id: 'a', scopes: [] }, later: () => undefined }
  await expect(createAgentTools(SEARCHED).call('delete_everything', {}, caller)).rejects.toMatchObject({
    code: 'not_found',
    message: 'There is no such tool',
  })
})

test.each(['legacy', 'auto'] as const)('an MCP client finds both tools (%s)', async (mode) => {
  const client = await clientOf(anApp([STRONG]), 'asker', mode)
  if (mode === 'legacy') await client.ping()
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['search', 'assess_retrieval_confidence'])
  expect(client.getServerVersion()).toMatchObject({ name: 'hono-rag-gate' })
  expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25')
  await client.close()
})

test('a search returns passages, citations and confidence, and is recorded', async () => {
  const app = anApp([STRONG, MIDDLING])
  const client = await clientOf(app)
  const { structuredContent, content, isError } = await client.callTool({
    name: 'search',
    arguments: { query: QUESTION, k: 1 },
  })
  expect(isError).toBe(false)
  expect(structuredContent).toMatchObject({
    success: true,
    data: [{ chunk_id: 'chunk-0', document_id: 'doc-0', title: 'Engine', section: 'Keys', text: STRONG }],
    citations: ['[1] doc-0: Keys'],
    metadata: {
      rag_confidence: { interpretation: 'HIGH - Strong retrieval confidence', should_flag_for_review: false },
      refused: false,
      verdict: 'pass',
    },
  })
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
  expect(app.events).toMatchObject([
    { route: '/mcp', status: 200, principalId: 'agent', decision: { verdict: 'pass' } },
  ])
  const { decision_id: id } = (structuredContent as { metadata: { decision_id: string } }).metadata
  expect(app.events[0]!.decision.id).toBe(id)
})

test('a search is judged only by the passages that it returns', async () => {
  const found = async (args: object, options: Partial<AgentToolsOptions> = {}): Promise<[boolean, number]> => {
    const { post } = anApp([WEAK, WEAK, STRONG], options)
    const { metadata, data } = (await (await post('/tools/search', { query: QUESTION, ...args })).json()) as {
      metadata: { refused: boolean }
      data: unknown[]
    }
    return [metadata.refused, data.length]
  }
  expect(await found({})).toEqual([false, 3])
  expect(await found({ k: 2 })).toEqual([true, 0])
  expect(await found({ k: 5 }, { retrieval: { topK: 2 } })).toEqual([true, 0])
})

test('a flagged search begins its citations with the warning', async () => {
  const { post } = anApp([MIDDLING])
  const { citations } = (await (await post('/tools/search', { query: QUESTION })).json()) as { citations: string[] }
  expect(citations).toEqual(['⚠️ LOW - Weak retrieval, mandatory review', '[1] doc-0: Keys'])
})

test('a refused search returns no passages to anyone, and the reason', async () => {
  const app = anApp([WEAK])
  for (const token of ['asker', 'operator']) {
    const client = await clientOf(app, token)
    const { structuredContent, isError } = await client.callTool({ name: 'search', arguments: { query: QUESTION } })
    expect(isError).toBe(false)
    expect(structuredContent).toMatchObject({
      data: [],
      citations: [expect.stringMatching(/^⚠️ VERY LOW/)],
      metadata: { refused: true, verdict: 'refuse', suggestions: expect.any(Array) },
    })
    expect(JSON.stringify(structuredContent)).not.toContain(WEAK)
  }
  expect(app.events).toHaveLength(2)
})

test('the public gets no figures, and operators get the twelve fields', async () => {
  const app = anApp([STRONG, MIDDLING])
  for (const tool of ['search', 'assess_retrieval_confidence']) {
    const asked = { query: QUESTION, ...(tool === 'search' ? {} : { chunk_ids: ['chunk-0', 'chunk-1'] }) }
    const told = (await (await app.post(`/tools/${tool}`, asked)).json()) as { data: object; metadata: object }
    const metadata = { ...told.metadata, decision_id: '' }
    expect(JSON.stringify({ metadata, data: tool === 'search' ? [] : told.data })).not.toMatch(/\d/)
    const response = await app.post(`/tools/${tool}`, asked, { authorization: 'Bearer operator' })
    const { data, metadata: shown } = (await response.json()) as { data: object; metadata: { rag_confidence: object } }
    const record = tool === 'search' ? shown.rag_confidence : data
    expect(Object.keys(record).filter((name) => name !== 'recommendations')).toEqual([
      'overall_confidence',
      'top_score',
      'score_gap',
      'score_spread',
      'consensus_count',
      'bm25_dense_agreement',
      'reranker_impact',
      'graph_support',
      'document_diversity',
      'interpretation',
      'should_flag_for_review',
      'details',
    ])
    expect(record).toMatchObject({ overall_confidence: expect.any(Number), details: { total_chunks: 2 } })
    expect((record as { top_score: number }).top_score).toBeGreaterThan(0)
  }
})

test('an assessment reads only the given passages', async () => {
  const { post, events } = anApp([STRONG, MIDDLING, WEAK], { policy: weightedSignals() })
  const operator = { authorization: 'Bearer operator' }
  const assess = async (chunk_ids: readonly string[]) => {
    const response = await post('/tools/assess_retrieval_confidence', { query: QUESTION, chunk_ids }, operator)
    return (await response.json()) as { success: boolean; data: Record<string, unknown>; metadata: object }
  }
  const all = await assess(['chunk-0', 'chunk-1', 'chunk-2'])
  expect(all).toMatchObject({ success: true, data: { details: { total_chunks: 3 } } })
  expect(all.metadata).toMatchObject({ recommendations: all.data['recommendations'], refused: true })
  expect(all.data['recommendations']).toEqual(expect.arrayContaining([expect.stringMatching(/./)]))
  const weakest = await assess(['chunk-2'])
  expect(weakest.data).toMatchObject({ details: { total_chunks: 1 } })
  expect(Number(weakest.data['top_score'])).toBeLessThan(Number(all.data['top_score']))
  expect((await assess(['unknown'])).data).toMatchObject({
    overall_confidence: 0,
    interpretation: expect.stringMatching(/^NO RESULTS/),
    should_flag_for_review: true,
  })
  expect(events.map(({ decision }) => decision.signals.chunkCount)).toEqual([3, 1, 0])
})

test('the consensus is counted as the policy counts it', async () => {
  const counted = async (consensusFrom: number): Promise<unknown> => {
    const { post } = anApp([STRONG, MIDDLING, WEAK], { policy: weightedSignals({ consensusFrom }) })
    const response = await post('/tools/search', { query: QUESTION }, { authorization: 'Bearer operator' })
    const { metadata } = (await response.json()) as { metadata: { rag_confidence: { consensus_count: number } } }
    return metadata.rag_confidence.consensus_count
  }
  expect([await counted(0), await counted(1)]).toEqual([3, 0])
})

test('a passage without a section is cited by its document', async () => {
  const passage = aPassage('chunk-0', { text: STRONG, documentId: 'doc-0' })
  const retrieve: Retriever['retrieve'] = async () => [{ kind: 'bm25', entries: [{ passage, score: 1 }] }]
  const { post } = anApp([], { dependencies: { retriever: { retrieve } } })
  const response = await post('/tools/search', { query: QUESTION })
  expect(await response.json()).toMatchObject({ citations: ['[1] doc-0'] })
})

test('every passage that a search returned can be assessed', async () => {
  const entries = Array.from({ length: 20 }, (_, at) => ({
    passage: aPassage(`chunk-${at}`, { text: STRONG, documentId: `doc-${at}` }),
    score: 20 - at,
  }))
  const retrieve: Retriever['retrieve'] = async ({ topK }) => [{ kind: 'bm25', entries: entries.slice(0, topK) }]
  const counts: unknown[] = []
  const record: DecisionLog['record'] = async ({ decision }) => void counts.push(decision.signals.chunkCount)
  const { post } = anApp([], { dependencies: { retriever: { retrieve }, log: { record, flush: async () => {} } } })
  const found = await post('/tools/search', { query: QUESTION, k: 20 })
  const { data } = (await found.json()) as { data: { chunk_id: string }[] }
  await post('/tools/assess_retrieval_confidence', { query: QUESTION, chunk_ids: data.map((each) => each.chunk_id) })
  expect(counts).toEqual([20, 20])
})

test('a failed retriever is reported as an error, not as an empty result', async () => {
  const retrieve = () => Promise.reject(new RagGateError('retriever_unavailable', 'The index does not answer', {}))
  const app = anApp([], { dependencies: { retriever: { retrieve } } })
  const client = await clientOf(app)
  const { isError, content, structuredContent } = await client.callTool({
    name: 'search',
    arguments: { query: QUESTION },
  })
  expect(isError).toBe(true)
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
  expect(structuredContent).toEqual({
    success: false,
    error: { code: 'retriever_unavailable', message: 'The index does not answer' },
  })
  expect((await app.post('/tools/search', { query: QUESTION })).status).toBe(503)
})

test('an unexpected failure is an HTTP error without its text', async () => {
  const costLine = () => {
    throw new Error('secret')
  }
  const { post } = anApp([STRONG], { costLine })
  const response = await post('/mcp', call('search', { query: QUESTION }), { authorization: 'Bearer operator' })
  expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('secret')])
})

const call = (name: string, args: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
})

test.each([
  ['no query', {}, 'parameter', 'query', 'query must be a text'],
  ['a query of another type', { query: 5 }, 'parameter', 'query'],
  ['an empty query', { query: '' }, 'question_required', undefined],
  ['a query that is too long', { query: 'a'.repeat(2001) }, 'question_too_long', undefined],
  ['a control character', { query: 'a\u0000b' }, 'control_character', undefined],
  ['a lone surrogate', { query: '\ud800' }, 'invalid_unicode', undefined],
  ['k 0', { query: QUESTION, k: 0 }, 'parameter', 'k', 'k must be a whole number from 1 to 20'],
  ['k 21', { query: QUESTION, k: 21 }, 'parameter', 'k'],
  ['k 1.5', { query: QUESTION, k: 1.5 }, 'parameter', 'k'],
  ['k as a string', { query: QUESTION, k: '5' }, 'parameter', 'k'],
  ['topK', { query: QUESTION, topK: 5 }, 'parameter', 'topK', 'topK must be left out'],
  ['a threshold', { query: QUESTION, minScore: 0 }, 'parameter', 'minScore'],
  ['another tenant', { query: QUESTION, tenant: 'acme' }, 'tenant_mismatch', 'tenant'],
  ['a namespace', { query: QUESTION, namespace: 'n1' }, 'tenant_mismatch', 'namespace'],
  ['a collection of another type', { query: QUESTION, collection: 5 }, 'collection_id', undefined],
  ['a collection that is not open', { query: QUESTION, collection: 'secret' }, 'collection_not_found', undefined],
  ['arguments that are a list', [], 'parameter', undefined, 'arguments must be an object'],
])('wrong arguments are reported to the model: %s', async (_, args, code, param?, message?) => {
  const { post, events, retrievals } = anApp([STRONG])
  const { result } = (await (await post('/mcp', call('search', args))).json()) as { result: Record<string, never> }
  expect(result).toMatchObject({ isError: true, structuredContent: { success: false, error: { code } } })
  if (param !== undefined) expect(result['structuredContent']).toMatchObject({ error: { param } })
  if (message !== undefined) expect(result['structuredContent']).toMatchObject({ error: { message } })
  expect([events.length, retrievals()]).toEqual([0, 0])
})

test.each([
  ['no ids', {}],
  ['an empty list', { chunk_ids: [] }],
  ['too many', { chunk_ids: Array.from({ length: 101 }, () => 'a') }],
  ['a number', { chunk_ids: ['a', 1] }],
])('ids are checked: %s', async (_, more) => {
  const { post } = anApp([STRONG])
  const response = await post('/tools/assess_retrieval_confidence', { query: QUESTION, ...more })
  expect(response.status).toBe(422)
  const message = 'chunk_ids must be a list of 1 to 100 ids'
  expect(await response.json()).toMatchObject({ error: { code: 'parameter', param: 'chunk_ids', message } })
  const ids = Array.from({ length: 100 }, () => 'a')
  expect((await post('/tools/assess_retrieval_confidence', { query: QUESTION, chunk_ids: ids })).status).toBe(200)
})

test.each([
  ['no JSON', '{', 400, -32_700],
  ['a list of messages', '[]', 400, -32_700],
  ['no version of JSON-RPC', { id: 1, method: 'ping' }, 400, -32_600, 'This is no JSON-RPC 2.0 message'],
  ['a response without a version', { id: 7, result: {} }, 400, -32_600],
  ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }, 400, -32_600],
  ['no method', { jsonrpc: '2.0', method: 5, id: 1 }, 400, -32_600],
  [
    'a method that is not there',
    { jsonrpc: '2.0', id: 1, method: 'resources/list' },
    200,
    -32_601,
    'This method is not spoken here',
  ],
  ['a method of Object', { jsonrpc: '2.0', id: 1, method: '__proto__' }, 200, -32_601],
  [
    'params that are a list',
    { jsonrpc: '2.0', id: 1, method: 'ping', params: [] },
    200,
    -32_602,
    'params must be an object',
  ],
  ['a tool that is not there', call('delete_everything', {}), 200, -32_602, 'There is no such tool'],
])('an invalid message gets a JSON-RPC error: %s', async (_, body, status, code, message?) => {
  const response = await anApp([STRONG]).post('/mcp', body)
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({
    jsonrpc: '2.0',
    error: { code, message: message ?? expect.stringMatching(/./) },
  })
})

test('notifications are accepted without an answer', async () => {
  const { post } = anApp([STRONG])
  for (const body of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 7, result: {} },
  ]) {
    const response = await post('/mcp', body)
    expect([response.status, await response.text()]).toEqual([202, ''])
  }
})

test('an unknown version is answered with a supported one, and rejected in the header', async () => {
  const { post } = anApp([STRONG])
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '1999-01-01' } }
  expect(await (await post('/mcp', initialize)).json()).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
  const known = { ...initialize, params: { protocolVersion: '2025-03-26' } }
  expect(await (await post('/mcp', known)).json()).toMatchObject({ result: { protocolVersion: '2025-03-26' } })
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const rejected = await post('/mcp', ping, { 'mcp-protocol-version': '1999-01-01' })
  const message = 'Versions that are spoken here: 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26'
  expect([rejected.status, await rejected.json()]).toMatchObject([400, { error: { message } }])
  expect((await post('/mcp', ping, { 'mcp-protocol-version': '2025-03-26' })).status).toBe(200)
})

test('callers are authenticated before a message is read, and other origins are rejected', async () => {
  const { app, post, retrievals } = anApp([STRONG])
  const wrong = await post('/mcp', '{', { authorization: 'Bearer wrong' })
  expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  expect((await post('/mcp', ping, { origin: 'http://localhost' })).status).toBe(200)
  const foreign = await post('/mcp', call('search', { query: QUESTION }), { origin: 'https://evil.example' })
  const forbidden = { message: 'Pages of other origins are not allowed' }
  expect([foreign.status, await foreign.json()]).toMatchObject([403, { error: forbidden }])
  const got = await app.request('/mcp')
  expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST'])
  expect(await got.json()).toMatchObject({ error: { message: 'Use POST: streams are not supported' } })
  expect((await post('/mcp', 'x'.repeat(70_000))).status).toBe(413)
  expect((await post('/mcp', call('search', {}), { 'content-type': 'text/plain' })).status).toBe(415)
  expect(retrievals()).toBe(0)
})

test('the cost of a call is shown only to operators', async () => {
  const app = anApp([STRONG], { costLine: (retrievals) => `This message: $${(retrievals * 0.0162).toFixed(4)}` })
  const costOf = async (token: string): Promise<unknown> => {
    const response = await app.post('/tools/search', { query: QUESTION }, { authorization: `Bearer ${token}` })
    return ((await response.json()) as { metadata: { cost?: string } }).metadata.cost
  }
  expect([await costOf('operator'), await costOf('asker')]).toEqual(['This message: $0.0162', undefined])
})
