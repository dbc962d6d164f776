import { afterEach, describe, expect, it, vi } from 'vitest'
import { aFolder } from './folder.ts'
import { run } from './run.ts'

const folder = aFolder()
afterEach(() => void vi.unstubAllGlobals())

const CONFIG = `main = "src/index.ts"
[[d1_databases]]
binding = "RAG_GATE_DB"
migrations_dir = "node_modules/hono-rag-gate/d1/migrations"
`
const HEADER = 'pass;band=high;reason=passed;policy="balanced@1";id="1"'
const ANSWER = { answer: 'Yes.', refused: false, detail: { chunks: [{ scores: { bm25: 3, cosine: 0.5 } }] } }
const COLLECTION = {
  id: 'docs',
  corpus_version: 3,
  lexicon_id: 'l',
  embedding_model: 'e',
  dimension: 384,
  reader: null,
  policy: 'p',
}
const PIN = { collection: 'docs', corpus_version: 3, lexicon_id: 'l', embedding_model: 'e', dimension: 384 }

/** What stands at each path: a gate, an index. */
function serves(replies: Readonly<Record<string, { status?: number; body: unknown; header?: string }>>): void {
  vi.stubGlobal('fetch', async (url: string) => {
    const found = replies[new URL(url).pathname]
    if (found === undefined) return new Response('404 Not Found', { status: 404 })
    const headers = found.header === undefined ? {} : { 'rag-gate': found.header }
    return Response.json(found.body, { status: found.status ?? 200, headers })
  })
}

async function doctor(
  ...args: readonly string[]
): Promise<{ code: number; found: { check: string; state: string; text: string; todo?: string }[] }> {
  const { code, out } = await run(['doctor', folder.path, '--json', ...args])
  return { code, found: JSON.parse(out) as [] }
}

describe('rag-gate doctor', () => {
  it('reports what a project lacks, and how to add it', async () => {
    folder.put('wrangler.toml', CONFIG)
    folder.put('src/rag-gate.ts', 'export interface GateEnv {\n  readonly ADMIN_TOKEN: string\n}\n')
    const { code, found } = await doctor()
    expect(code).toBe(1)
    expect(found.map(({ check, state }) => `${check} ${state}`)).toEqual([
      'packages problem',
      'bindings ok',
      'migrations (local) problem',
      'settings problem',
      'gate problem',
    ])
    for (const { state, todo } of found) if (state !== 'ok') expect(todo).toBeTruthy()
  })

  it('does not count a variable of the shell among the settings of a Worker', async () => {
    folder.put('wrangler.toml', CONFIG)
    folder.put('src/rag-gate.ts', 'export interface GateEnv {\n  readonly ADMIN_TOKEN: string\n}\n')
    const settings = async () => {
      const { out } = await run(['doctor', folder.path, '--json'], { env: { ADMIN_TOKEN: 'a'.repeat(32) } })
      return (JSON.parse(out) as { check: string; state: string }[]).find(({ check }) => check === 'settings')
    }
    expect(await settings()).toMatchObject({ state: 'problem', text: 'ADMIN_TOKEN: not set' })
    folder.put('.dev.vars', `ADMIN_TOKEN=${'b'.repeat(32)}\n`)
    expect(await settings()).toMatchObject({ state: 'ok' })
  })

  it('checks packages and settings of an app that is not a Worker, and reports a folder without Hono', async () => {
    folder.put('package.json', '{"dependencies":{"hono":"4"}}')
    folder.put('src/rag-gate.js', "const { UPSTASH_VECTOR_REST_URL: url = '', OTHER: other = '' } = process.env\n")
    folder.put('.env', 'OTHER=1\n')
    const { found } = await doctor()
    expect(found.slice(0, -1)).toEqual([
      expect.objectContaining({ check: 'packages', state: 'problem' }),
      expect.objectContaining({ check: 'settings', text: 'UPSTASH_VECTOR_REST_URL: not set', todo: expect.anything() }),
    ])
    folder.put('package.json', '{}')
    expect((await doctor()).found[0]).toMatchObject({
      check: 'project',
      text: expect.stringContaining('no app of Hono'),
    })
  })

  it('reports a database without migrations and an invalid index address, with all else', async () => {
    folder.put('package.json', '{"dependencies":{"hono":"4"}}')
    folder.put('src/index.ts', "import { Hono } from 'hono'\nconst app = new Hono()\nexport default app\n")
    const bound = '[[d1_databases]]\nbinding = "RAG_GATE_DB"\ndatabase_name = "d"\n'
    folder.put('wrangler.toml', `main = "src/index.ts"\n${bound}`)
    folder.put('.env', 'UPSTASH_VECTOR_REST_URL=here\nUPSTASH_VECTOR_REST_TOKEN=t\n')
    const { found } = await doctor()
    const todos = Object.fromEntries(found.map(({ check, todo }) => [check, todo]))
    // init would add nothing.
    expect(todos['bindings']).toContain('RAG_GATE_DB migrations_dir = "node_modules/hono-rag-gate/d1/migrations"')
    expect((await run(['init', folder.path, '--yes'])).notes).toContain('give it migrations_dir')
    expect(found.find(({ check }) => check === 'index')).toMatchObject({
      state: 'problem',
      text: expect.stringContaining('here'),
    })
    expect(found.at(-1)).toMatchObject({ check: 'gate' })
    expect((await run(['doctor', folder.path, '--index', 'here'])).code).toBe(2)
  })

  it('reports packages of different versions, secrets that are too short, and a project without the database', async () => {
    folder.put('wrangler.toml', 'main = "src/index.ts"\n')
    folder.put('.dev.vars', 'ADMIN_TOKEN="short"\n')
    folder.put('src/rag-gate.ts', 'export interface GateEnv {\n  readonly ADMIN_TOKEN: string\n}\n')
    folder.put('node_modules/hono-rag-gate/package.json', '{"version":"0.2.0"}')
    folder.put('node_modules/@hono-rag-gate/ingest/package.json', '{"version":"0.1.0"}')
    const { found } = await doctor()
    expect(found).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ check: 'packages', state: 'problem', todo: 'npm i @hono-rag-gate/ingest@0.2.0' }),
        expect.objectContaining({ check: 'bindings', state: 'warning' }),
        expect.objectContaining({
          check: 'settings',
          state: 'problem',
          text: expect.stringContaining('32 characters'),
        }),
      ]),
    )
  })

  it('reports dimension, score kinds and texts of an index', async () => {
    folder.put('wrangler.toml', CONFIG)
    folder.put('.dev.vars', 'UPSTASH_VECTOR_REST_URL="https://index.example"\nUPSTASH_VECTOR_REST_TOKEN="t"\n')
    const info = {
      denseIndex: { dimension: 384, similarityFunction: 'EUCLIDEAN', embeddingModel: '' },
      namespaces: { '': { vectorCount: 1 } },
    }
    const rows = { nextCursor: '', vectors: [{ id: 'a', metadata: { text: 'A text.' } }] }
    serves({ '/info': { body: { result: info } }, '/range': { body: { result: rows } } })
    const { found } = await doctor()
    expect(found.filter(({ check }) => ['index', 'dimension', 'score kinds', 'texts'].includes(check))).toMatchObject([
      { check: 'index', state: 'ok' },
      { check: 'dimension', state: 'warning', text: expect.stringContaining('384') },
      { check: 'score kinds', state: 'warning', text: expect.stringContaining('EUCLIDEAN') },
      { check: 'texts', state: 'ok', text: '1 of the first 1 rows have one, of 1' },
    ])
    serves({
      '/info': { body: { result: info } },
      '/range': { body: { result: { nextCursor: '', vectors: [{ id: 'a', metadata: { body_html: 'x' } }] } } },
    })
    expect((await doctor()).found).toContainEqual(
      expect.objectContaining({ check: 'texts', state: 'problem', text: expect.stringContaining('body_html') }),
    )
  })

  it('accepts a gate that answers, with its scores and pins', async () => {
    folder.put('wrangler.toml', CONFIG)
    serves({
      '/ask': { body: ANSWER, header: `${HEADER};calibration=calibrated` },
      '/v1/collections': { body: { collections: [COLLECTION] } },
      '/v1/policies/pushed': { body: { named: [], policies: [{ id: 'p', pin: PIN }], choices: [] } },
    })
    const { found } = await doctor('--key', 'k')
    expect(found.slice(-5)).toMatchObject([
      { check: 'gate', state: 'ok' },
      { check: 'score kinds', state: 'ok', text: 'passages come with bm25, cosine' },
      { check: 'scale', state: 'ok' },
      { check: 'dimension', state: 'ok', text: 'docs: e, 384 dimensions' },
      { check: 'pins', state: 'ok' },
    ])
  })

  it.each([
    [
      'a policy that was calibrated under another embedding',
      { policies: [{ id: 'p', pin: { ...PIN, embedding_model: 'f' } }] },
      'pins',
      'problem',
      'policy is chosen (rag-gate policy use); then calibrate again',
    ],
    [
      'no lexicon',
      { collections: [{ ...COLLECTION, lexicon_id: null, policy: null }] },
      'lexicon',
      'warning',
      'docs has none',
    ],
    ['no collection', { collections: [] }, 'collections', 'problem', 'there is none'],
    [
      'a confidence that nothing calibrates',
      { header: `${HEADER};calibration=uncalibrated` },
      'scale',
      'warning',
      'not calibrated',
    ],
    ['a scale that is old', { detail: { chunks: [], scale: { stale: true } } }, 'scale', 'warning', 'changed since'],
    [
      'tables that are missing',
      { status: 503, error: { code: 'schema_outdated', message: 'The schema is outdated' } },
      'gate',
      'problem',
      'outdated',
    ],
    [
      'an error that passes',
      { status: 429, error: { code: 'rate_limited', message: 'Too many requests' } },
      'gate',
      'problem',
      'Too many requests',
      'wait',
    ],
    [
      'an error of another kind',
      { status: 503, error: { code: 'llm_unavailable', message: 'The model cannot answer now' } },
      'gate',
      'problem',
      'cannot answer now',
      'http-api.md#errors',
    ],
    ['an address without a gate', { header: '' }, 'gate', 'problem', 'not as a gate does', 'rag-gate init'],
  ])('reports the state of a gate with %s', async (_what, change, check, state, text, todo = '') => {
    folder.put('wrangler.toml', CONFIG)
    const {
      collections = [COLLECTION],
      policies = [],
      header = HEADER,
      detail,
      error,
      status,
    } = change as Record<string, unknown> & { header?: string; status?: number }
    const told = header === '' || error !== undefined ? {} : { header }
    serves({
      '/ask': {
        body: error === undefined ? { ...ANSWER, ...(detail === undefined ? {} : { detail }) } : { error },
        ...(status === undefined ? {} : { status }),
        ...told,
      },
      '/v1/collections': { body: { collections } },
      '/v1/policies/pushed': { body: { named: [], policies, choices: [] } },
    })
    const { found } = await doctor('--key', 'k')
    const said = { check, state, text: expect.stringContaining(text), todo: expect.stringContaining(todo) }
    expect(found).toContainEqual(expect.objectContaining(said))
  })

  it('compares the dimension of each collection with that of the index', async () => {
    folder.put('wrangler.toml', CONFIG)
    folder.put('.dev.vars', 'UPSTASH_VECTOR_REST_URL="https://index.example"\nUPSTASH_VECTOR_REST_TOKEN="t"\n')
    const denseIndex = { dimension: 768, similarityFunction: 'COSINE', embeddingModel: 'm' }
    serves({
      '/info': { body: { result: { denseIndex, namespaces: {} } } },
      '/range': { body: { result: { nextCursor: '', vectors: [] } } },
      '/ask': { body: ANSWER, header: HEADER },
      '/v1/collections': {
        body: {
          collections: [
            COLLECTION,
            { ...COLLECTION, id: 'new', dimension: 768 },
            { ...COLLECTION, id: 'words', dimension: 0 },
          ],
        },
      },
      '/v1/policies/pushed': { body: { named: [], policies: [], choices: [] } },
    })
    const { found } = await doctor('--key', 'k')
    expect(found.filter(({ check }) => check === 'dimension')).toMatchObject([
      { state: 'ok', text: expect.stringContaining('768') },
      { state: 'problem', text: 'docs was embedded with 384 dimensions, and the index has 768' },
      { state: 'ok', text: 'new: e, 768 dimensions' },
      { state: 'warning', text: 'words is in an index of words, not in the one above' },
    ])
  })
})
