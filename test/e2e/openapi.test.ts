/** The description of the API against what the Worker really answers: every route, every member, every parameter. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policySettings } from '../../src/core/policy/policy.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { type BundledGate, startBundledGate } from './bundled-gate.ts'

interface Operation {
  readonly security: readonly Record<string, unknown>[]
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> }
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: Schema }> }>
}
type Schema = Readonly<Record<string, unknown>>
interface Description {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly schemas: Record<string, Schema>; readonly responses: Record<string, unknown> }
}

let gate: BundledGate
let description: Description
let validators: Ajv2020
const stateDirectory = mkdtempSync(join(tmpdir(), 'rag-gate-openapi-'))
/** Operations and statuses that were seen. */
const seen = new Set<string>()

/** A schema without room for what it does not name, so that no member goes undescribed. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.fromEntries(Object.entries(schema).map(([name, member]) => [name, closed(member)]))
  return 'properties' in members && !('additionalProperties' in members)
    ? { ...members, additionalProperties: false }
    : members
}

const compiled = new Map<string, ValidateFunction>()

/** Compiled once for each schema: many routes answer the same. */
function validator(schema: Schema): ValidateFunction {
  const key = JSON.stringify(schema)
  const made = compiled.get(key) ?? validators.compile(JSON.parse(named(JSON.stringify(closed(schema)))) as Schema)
  compiled.set(key, made)
  return made
}

/** References to the components of the description. */
const named = (json: string): string => json.replaceAll('"#/components/', '"api#/components/')

/** Sends a request and holds both of its bodies against the description. */
async function call(
  method: string,
  path: string,
  {
    at = path.replace(/\?.*/, ''),
    body,
    token = gate.adminToken,
  }: { at?: string; body?: unknown; token?: string } = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const operation = description.paths[at]?.[method]
  if (operation === undefined) throw new Error(`${method} ${at} is not described`)
  const response = await fetch(`${gate.url}${path}`, {
    method: method.toUpperCase(),
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';')
  const described = operation.responses[String(response.status)] ?? operation.responses['default']
  expect(described, `${method} ${at} ${response.status}`).toBeDefined()
  const content =
    '$ref' in described!
      ? { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
      : described!.content
  if (content === undefined) {
    expect(await response.text()).toBe('')
    seen.add(`${method} ${at} ${response.status}`)
    return { status: response.status, body: {} }
  }
  expect(Object.keys(content), `${method} ${at}`).toContain(type)
  seen.add(
    `${method} ${at} ${response.status in operation.responses ? response.status : 'default'}${type === 'text/csv' ? ' csv' : ''}`,
  )
  if (type === 'text/csv') {
    expect(await response.text()).toMatch(/^\w+(,[\w-]+)+\r\n/)
    return { status: response.status, body: {} }
  }
  if (type === 'application/x-ndjson') {
    // It goes on for a minute.
    const reader = response.body!.getReader()
    const { value } = await reader.read()
    await reader.cancel()
    expect(new TextDecoder().decode(value)).toMatch(/\n$/)
    return { status: response.status, body: {} }
  }
  const received = (await response.json()) as Record<string, unknown>
  for (const [name, member] of Object.entries(received)) {
    // What is empty shows nothing.
    if (Array.isArray(member) && member.length > 0) seen.add(`${method} ${at} ${name}`)
  }
  const valid = validator(content[type]!.schema)
  expect(valid(received) ? [] : valid.errors, `${method} ${path}: ${JSON.stringify(received).slice(0, 600)}`).toEqual(
    [],
  )
  if (body !== undefined && response.ok) {
    const takes = validator(operation.requestBody!.content['application/json']!.schema)
    expect(takes(body) ? [] : takes.errors, `the body of ${method} ${path}`).toEqual([])
  }
  return { status: response.status, body: received }
}

beforeAll(async () => {
  gate = await startBundledGate({ stateDirectory })
  description = (await (await fetch(`${gate.url}/v1/openapi.json`)).json()) as Description
  validators = new Ajv2020({
    strict: false,
    allErrors: true,
    // Each is used a few times: to optimize them takes longer.
    code: { optimize: false },
    formats: { 'date-time': (value: string) => new Date(value).toISOString() === value },
  })
  validators.addSchema({ components: { schemas: closed(description.components.schemas) } }, 'api')
})

afterAll(async () => {
  await gate?.stop()
  rmSync(stateDirectory, { recursive: true, force: true })
})

describe('GET /v1/openapi.json', () => {
  it('is OpenAPI 3.1 with unique operation ids and existing schema names', () => {
    expect(description.openapi).toMatch(/^3\.1\./)
    const ids = Object.values(description.paths).flatMap((path) =>
      Object.values(path).map((operation) => (operation as unknown as { operationId: string }).operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
    for (const [, name = ''] of JSON.stringify(description).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      expect(Object.keys(description.components.schemas)).toContain(name)
    }
  })

  it('describes the responses of every route', async () => {
    await call('get', '/v1/openapi.json', { token: '' })
    await call('get', '/health', { token: '' })
    const documents = [
      {
        id: 'a/rocket',
        title: 'Rocket',
        source: 'a.md',
        text: '# Rocket\n\n## Launch\n\nThe launch code of the rocket is 7421.',
      },
      { id: 'b', text: 'The airlock is painted green.' },
    ]
    await call('post', '/v1/documents', { body: { documents } })
    const { body: collections } = await call('get', '/v1/collections')
    await call('get', '/v1/documents?limit=1')
    const asked = await call('post', '/ask', { body: { question: 'What is the launch code of the rocket?' } })
    await call('post', '/ask', { body: { question: 'What is the launch code of the rocket?' }, token: '' })
    const refused = await call('post', '/ask', { body: { question: 'Who won the cup in 1974?' }, token: '' })
    expect([asked.body['refused'], refused.body['refused']]).toEqual([false, true])
    await call('get', '/v1/models', { token: '' })
    await call('get', '/v1/models/search', { at: '/v1/models/{id}', token: '' })
    const chat = (content: string, more: object = {}): object => ({
      body: { model: 'search', messages: [{ role: 'user', content }], ...more },
    })
    await call('post', '/v1/chat/completions', chat('What is the launch code of the rocket?', { temperature: 0 }))
    await call('post', '/v1/chat/completions', chat('Who won the cup in 1974?'))
    for (const refuse_as of ['refusal', 'error']) {
      await call('post', '/v1/chat/completions', chat('Who won the cup in 1974?', { rag_gate: { refuse_as } }))
    }
    const tool = (method: string, params = {}): object => ({ body: { jsonrpc: '2.0', id: 1, method, params } })
    await call('post', '/mcp', tool('tools/list'))
    await call('post', '/mcp', tool('resources/list'))
    await call('post', '/mcp', { body: { jsonrpc: '2.0', method: 'notifications/initialized' } })
    const query = 'What is the launch code of the rocket?'
    const searched = await call('post', '/v1/tools/search', { body: { query } })
    await call('post', '/v1/tools/search', { body: { query: 'Who won the cup in 1974?' }, token: '' })
    const chunk_ids = (searched.body['data'] as { chunk_id: string }[]).map(({ chunk_id }) => chunk_id)
    for (const token of [gate.adminToken, '']) {
      await call('post', '/v1/tools/assess_retrieval_confidence', { body: { query, chunk_ids }, token })
    }
    await call('post', '/v1/judgements', {
      body: { question: 'What is the launch code of the rocket?', without: ['a/rocket'] },
    })

    const { lexicon_id, embedding_model, dimension, corpus_version } = (
      collections['collections'] as Record<string, unknown>[]
    )[0]!
    const pin = { collection: 'default', lexicon_id, embedding_model, dimension, corpus_version }
    const settings = { ...policySettings(balanced({ refuseBelow: 0.9, adviseBelow: 0.9 })), name: 'mine' }
    const { body: pushed } = await call('put', '/v1/policies/pushed', {
      body: { settings, pin, evidence: { n: 1 }, why: 'a try' },
    })
    const at = '/v1/collections/{id}/policy'
    await call('put', '/v1/collections/default/policy', { at, body: { policy: pushed['id'], why: 'a try' } })
    await call('put', '/v1/collections/default/policy', { at, body: { policy: null } })
    await call('put', '/v1/policy', { body: { policy: null } })
    await call('get', '/v1/policies/pushed')
    await call('get', '/v1/policies')

    const key = await call('post', '/v1/keys', { body: { name: 'one', scopes: ['ask'], expires_at: null } })
    await call('get', '/v1/keys')
    await call('delete', `/v1/keys/${String(key.body['id'])}`, { at: '/v1/keys/{id}' })

    for (const query of ['', '?tenant=*&interval=day', '?format=csv']) await call('get', `/v1/stats${query}`)
    for (const query of ['', '?format=csv']) await call('get', `/v1/stats/content-gaps${query}`)
    for (const query of ['', '?format=csv']) await call('get', `/v1/stats/documents${query}`)
    for (const query of ['?limit=1', '', '?format=csv']) await call('get', `/v1/decisions${query}`)
    for (const { body } of [asked, refused]) {
      await call('get', `/v1/decisions/${String(body['decision_id'])}`, { at: '/v1/decisions/{id}' })
    }
    const label = { at: '/v1/decisions/{id}/label', body: { rating: 'wrong', comment: 'no' } }
    await call('put', `/v1/decisions/${String(refused.body['decision_id'])}/label`, label)
    const answered = await fetch(`${gate.url}/ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: 'What is the launch code?' }),
    })
    const answer = answered.headers.get('rag-gate-feedback')
    await call('post', '/v1/feedback', { body: { answer, rating: 'right' }, token: '' })
    for (const query of ['', '?format=csv']) await call('get', `/v1/feedback${query}`)
    await call('get', `/v1/decisions/${String(refused.body['decision_id'])}`, { at: '/v1/decisions/{id}' })
    await call('get', '/v1/decisions/live?since=none')
    await call('get', '/v1/labels')
    await call('get', '/v1/alerts')
    await call('get', '/v1/audit')
    await call('post', '/v1/replay', { body: { policy: 'balanced-strict' } })
    await call('post', '/v1/replay', { body: { policy: 'sufficiency' } })
    await call('post', '/v1/cache/purge', { body: { collection: 'default', documents: ['b'] } })
    await call('delete', '/v1/subjects/anonymous', { at: '/v1/subjects/{id}' })
    await call('delete', '/v1/documents?id=a%2Frocket&id=b')
  })

  it('is covered by the test above: every route, table and status', () => {
    // An upstream that fails halfway, and an erasure of ten thousand rows, have tests of their own.
    const elsewhere = ['post /v1/documents 207', 'delete /v1/subjects/{id} 202']
    const described = Object.entries(description.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { responses }]) =>
        Object.entries(responses).flatMap(([status, { content = {} }]) => [
          ...(status === 'default' ? [] : [`${method} ${path} ${status}`]),
          ...('text/csv' in content ? [`${method} ${path} ${status} csv`] : []),
        ]),
      ),
    )
    expect(described.length).toBeGreaterThan(30)
    for (const list of [
      'get /v1/stats series',
      'get /v1/stats/content-gaps content_gaps',
      'get /v1/stats/documents documents',
      'get /v1/decisions decisions',
      'get /v1/decisions/{id} labels',
      'get /v1/policies changes',
      'get /v1/policies/pushed choices',
      'get /v1/feedback policies',
      'get /v1/feedback labels',
      'get /v1/audit events',
    ]) {
      expect(seen).toContain(list)
    }
    expect(described.filter((each) => !seen.has(each)).sort()).toEqual(elsewhere.sort())
  })

  it('names exactly the parameters that each statistics route accepts', async () => {
    for (const [path, operations] of Object.entries(description.paths)) {
      for (const [method, { parameters = [] }] of Object.entries(operations)) {
        const names = parameters.filter((each) => each.in === 'query').map(({ name }) => name)
        const told = await fetch(`${gate.url}${path.replace('{id}', 'x')}?nothing=1`, {
          method: method.toUpperCase(),
          headers: { authorization: `Bearer ${gate.adminToken}`, 'content-type': 'application/json' },
          ...(method === 'get' || method === 'delete' ? {} : { body: '{}' }),
        })
        if (!told.headers.get('content-type')?.startsWith('application/json')) continue
        const { error } = (await told.json()) as { error?: { message: string } }
        const [, allowed] = /^There is no parameter of this name; there are (.*)$/.exec(error?.message ?? '') ?? []
        if (allowed === undefined) continue
        expect(names.filter((name) => name !== 'tenant').sort(), `${method} ${path}`).toEqual(
          allowed
            .split(', ')
            .filter((name) => name !== '')
            .sort(),
        )
      }
    }
  })

  it('names the routes that need a key', async () => {
    for (const [path, operations] of Object.entries(description.paths)) {
      for (const [method, { security }] of Object.entries(operations)) {
        const { status } = await fetch(`${gate.url}${path.replace('{id}', 'x')}`, {
          method: method.toUpperCase(),
          headers: { 'content-type': 'application/json' },
          ...(method === 'get' || method === 'delete' ? {} : { body: '{}' }),
        })
        const open = security.some((each) => Object.keys(each).length === 0)
        expect(status === 401, `${method} ${path}: ${status}`).toBe(!open)
      }
    }
  })

  it('describes errors too', async () => {
    await call('get', '/v1/stats?interval=week')
    await call('get', '/v1/stats', { token: 'wrong' })
    await call('post', '/ask', { body: {} })
    expect(seen).toContain('get /v1/stats default')
  })
})
