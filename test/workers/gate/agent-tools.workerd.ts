/** The tools of agents on the ready Worker. */
import { env } from 'cloudflare:workers'
import { beforeAll, expect, test } from 'vitest'
import { compositionFor } from '../../../workers/gate/compose.ts'
import { HANDBOOK, OFF_TOPIC, STRONG } from '../../fixtures/corpus.ts'
import { quietErrors } from '../../fixtures/quiet-console.ts'
import { ADMIN, isolateBindings, post, send, workerOver } from '../../worker-requests.ts'

quietErrors()

interface Told {
  readonly success: boolean
  readonly data: readonly { readonly chunk_id: string; readonly document_id: string; readonly text: string }[]
  readonly citations: readonly string[]
  readonly metadata: Readonly<Record<string, unknown>> & { readonly decision_id: string }
}

const search = async (query: string, headers?: Record<string, string>): Promise<Told> => {
  const response = await post('/v1/tools/search', { query }, headers)
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  return response.json()
}

const recorded = async (id: string) => {
  await compositionFor(isolateBindings).log.flush()
  return env.DB.prepare('SELECT route, verdict, principal_id, saved FROM decisions WHERE id = ?').bind(id).first()
}

beforeAll(async () => {
  await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
})

test('a search returns the passages that pass the gate, and is recorded', async () => {
  const { success, data, citations, metadata } = await search(STRONG)
  expect([success, data[0]!.document_id]).toEqual([true, 'retention'])
  expect(data.length).toBeLessThanOrEqual(5)
  expect(citations.at(-1)).toMatch(/^\[\d\] [\w-]+(: .+)?$/)
  expect(metadata).toMatchObject({ verdict: 'pass', refused: false, rag_confidence: { should_flag_for_review: false } })
  expect(JSON.stringify({ ...metadata, decision_id: '' })).not.toMatch(/\d/)
  expect(await recorded(metadata.decision_id)).toMatchObject({
    route: '/mcp',
    verdict: 'pass',
    principal_id: 'anonymous',
  })
})

test('a refused search returns no passages, even to operators, and is counted as a refusal that saved no model call', async () => {
  const { data, citations, metadata } = await search(OFF_TOPIC, ADMIN)
  expect(data).toEqual([])
  expect(citations).toHaveLength(1)
  expect(metadata).toMatchObject({ refused: true, rag_confidence: { overall_confidence: expect.any(Number) } })
  expect(await recorded(metadata.decision_id)).toMatchObject({ verdict: 'refuse', principal_id: 'admin', saved: null })
})

test('an assessment shows operators the figures of the passages', async () => {
  const { data } = await search(STRONG)
  const asked = { query: STRONG, chunk_ids: data.map(({ chunk_id: id }) => id) }
  const assessed = await post('/v1/tools/assess_retrieval_confidence', asked, ADMIN)
  expect(await assessed.json()).toMatchObject({
    success: true,
    data: { details: { total_chunks: data.length }, top_score: expect.any(Number), recommendations: expect.any(Array) },
  })
})

test('the tools require the keys of the deployment, and reach only the tenant of the key', async () => {
  const made = await post('/v1/keys', { tenant: 'tools-tenant', name: 'agent', scopes: ['ask'] }, ADMIN)
  const { token } = await made.json<{ token: string }>()
  const key = { authorization: `Bearer ${token}` }
  const elsewhere = await post('/v1/tools/search', { query: STRONG }, key)
  expect([elsewhere.status, await elsewhere.json()]).toMatchObject([404, { error: { code: 'collection_not_found' } }])
  expect((await post('/v1/tools/search', { query: STRONG }, { authorization: `Bearer ${token}x` })).status).toBe(401)
  const ingest = await post('/v1/keys', { name: 'ingest', scopes: ['ingest'] }, ADMIN)
  const { token: other } = await ingest.json<{ token: string }>()
  expect(
    (await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, { authorization: `Bearer ${other}` })).status,
  ).toBe(403)
  const closed = workerOver({ ...isolateBindings, ANONYMOUS_ASK: 'off' })
  expect((await closed.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(401)
})

test('MCP answers 405 to GET and DELETE, without streams and sessions', async () => {
  for (const method of ['GET', 'DELETE']) {
    const response = await send('/mcp', { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  }
})

test('a call reports its cost to operators when prices are set', async () => {
  const prices = { PRICE_INPUT_PER_MILLION: '1', PRICE_OUTPUT_PER_MILLION: '1', PRICE_PER_RETRIEVAL: '0.0162' }
  const model = { LLM_BASE_URL: 'https://model.test/v1', LLM_API_KEY: 'key', LLM_MODEL: 'm' }
  const costIn = async (currency: string, query = STRONG): Promise<unknown> => {
    const priced = workerOver({ ...isolateBindings, ...model, ...prices, PRICE_CURRENCY: currency })
    const response = await priced.post('/v1/tools/search', { query }, ADMIN)
    return (await response.json<Told>()).metadata['cost']
  }
  expect([await costIn('USD'), await costIn('EUR')]).toEqual(['This message: $0.0162', 'This message: 0.0162 EUR'])
  // Refused for itself, nothing is retrieved for it.
  expect(await costIn('USD', 'how is it?')).toBe('This message: $0.0000')
  const asked = workerOver({ ...isolateBindings, ...model, ...prices, PRICE_CURRENCY: 'USD' })
  const costOf = async (question: string): Promise<unknown> =>
    (await (await asked.post('/ask', { question }, ADMIN)).json<{ cost: string }>()).cost
  expect(await costOf('how is it?')).toBe('This message: $0.0000')
  expect(await costOf(OFF_TOPIC)).toBe('This message: $0.0162')
})
