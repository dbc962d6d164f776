/** Tenants: keys, what they reach, policies of their own, and writes that are sent twice. */
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { POLICY_NAMES, policyNamed } from '../../../workers/gate/policies/policy-named.ts'
import { MODEL } from '../../fixtures/priced-model.ts'
import { workerOver } from '../../worker-requests.ts'
import { failingWrites } from '../../fixtures/failing-writes.ts'

const ADMIN = env.ADMIN_TOKEN

interface Sent {
  readonly body?: unknown
  readonly token?: string | undefined
  readonly headers?: Record<string, string>
  readonly bindings?: Partial<typeof env>
}

const own = { ...env }

function send(method: string, path: string, { body, token, headers, bindings }: Sent = {}): Promise<Response> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return workerOver(bindings === undefined ? own : { ...env, ...bindings }).post(
    path,
    body,
    { ...authorization, ...headers },
    method,
  )
}

async function makeKey(tenant: string, ...scopes: string[]): Promise<{ id: string; token: string }> {
  const response = await send('POST', '/v1/keys', { token: ADMIN, body: { name: 'test', tenant, scopes } })
  if (response.status !== 201) throw new Error(`No key was made: ${response.status}`)
  return response.json()
}

const codeOf = async (response: Response) => (await response.json<{ error: { code: string } }>()).error.code

const QUESTION = 'What is the launch code of the rocket?'
let acme: Record<'asker' | 'writer' | 'owner', string>
let globex: Record<'asker' | 'writer' | 'owner', string>

beforeAll(async () => {
  const keysFor = async (tenant: string) => ({
    asker: (await makeKey(tenant, 'ask')).token,
    writer: (await makeKey(tenant, 'ingest')).token,
    owner: (await makeKey(tenant, 'ask', 'ingest', 'admin')).token,
  })
  acme = await keysFor('acme')
  globex = await keysFor('globex')
  for (const [token, code] of [
    [acme.writer, '7421'],
    [globex.writer, '9999'],
  ]) {
    const documents = [{ id: 'rocket', text: `# Rocket\n\nThe launch code of the rocket is ${code}.` }]
    await send('POST', '/v1/documents', { token, body: { documents } })
  }
})

describe('a tenant', () => {
  it('gets answers only from its own documents, also from the cache', async () => {
    for (let time = 0; time < 2; time++) {
      const mine = await (await send('POST', '/ask', { token: acme.asker, body: { question: QUESTION } })).text()
      const theirs = await (await send('POST', '/ask', { token: globex.asker, body: { question: QUESTION } })).text()
      expect(mine).toContain('7421')
      expect(mine).not.toContain('9999')
      expect(theirs).toContain('9999')
      expect(theirs).not.toContain('7421')
    }
  })

  it("cannot see that another tenant's collection exists", async () => {
    const documents = [{ id: 'secret', text: 'The secret of the plan is kept in a drawer.' }]
    await send('POST', '/v1/documents', { token: acme.writer, body: { collection: 'plans', documents } })
    const body = (collection: string) => ({ question: 'Where is the secret of the plan kept?', collection })
    const theirs = await send('POST', '/ask', { token: globex.asker, body: body('plans') })
    const nowhere = await send('POST', '/ask', { token: globex.asker, body: body('never-made') })
    expect([theirs.status, nowhere.status]).toEqual([404, 404])
    const withoutId = async (response: Response) => (await response.text()).replace(/"request_id":"[^"]*"/, '')
    expect(await withoutId(theirs)).toBe(await withoutId(nowhere))
    const listed = await (await send('GET', '/v1/collections', { token: globex.writer })).text()
    expect(listed).not.toContain('plans')
    const gone = await send('DELETE', '/v1/documents?collection=plans&id=secret', { token: globex.writer })
    expect(await codeOf(gone)).toBe('document_not_found')
    expect(await (await send('GET', '/v1/documents?collection=plans', { token: globex.writer })).json()).toMatchObject({
      documents: [],
    })
    expect((await send('POST', '/ask', { token: acme.asker, body: body('plans') })).status).toBe(200)
  })

  // Routes that are never open without a key: `door.workerd.ts`.
  it.each([
    ['POST', '/ask'],
    ['GET', '/v1/models'],
  ])('with the key of its writer is rejected at %s %s', async (method, path) => {
    const body = method === 'GET' ? {} : { body: { question: QUESTION } }
    const response = await send(method, path, { token: acme.writer, ...body })
    expect([response.status, await codeOf(response)]).toEqual([403, 'forbidden'])
  })

  it('judges with a key that has only the admin scope, and may not ask with it', async () => {
    const { token } = await makeKey('acme', 'admin')
    const asked = { token, body: { question: QUESTION } }
    const judged = await send('POST', '/v1/judgements', asked)
    expect([judged.status, await judged.json()]).toMatchObject([200, { verdict: 'pass', detail: { findings: [{}] } }])
    expect(await codeOf(await send('POST', '/ask', asked))).toBe('forbidden')
  })

  it('makes and revokes only its own keys', async () => {
    const body = { name: 'a reader', scopes: ['ask'] }
    const response = await send('POST', '/v1/keys', { token: acme.owner, body })
    expect(response.headers.get('cache-control')).toBe('no-store')
    const made = await response.json<{ id: string; token: string; tenant: string }>()
    expect(made.tenant).toBe('acme')
    expect((await send('POST', '/ask', { token: made.token, body: { question: QUESTION } })).status).toBe(200)
    const elsewhere = await send('POST', '/v1/keys', { token: acme.owner, body: { ...body, tenant: 'globex' } })
    expect(await codeOf(elsewhere)).toBe('tenant_mismatch')
    const listed = await (await send('GET', '/v1/keys', { token: acme.owner })).text()
    expect(listed).toContain(made.id)
    expect(listed).not.toContain(made.token)
    const revoke = () => send('DELETE', `/v1/keys/${made.id}`, { token: acme.owner })
    expect((await revoke()).status).toBe(204)
    expect(await codeOf(await revoke())).toBe('key_not_found')
    expect((await send('POST', '/ask', { token: made.token, body: { question: QUESTION } })).status).toBe(401)
  })

  it('rejects callers without a key when anonymous questions are off', async () => {
    const asked = { body: { question: QUESTION }, bindings: { ANONYMOUS_ASK: 'off' } }
    expect((await send('POST', '/ask', asked)).status).toBe(401)
    expect((await send('POST', '/ask', { ...asked, token: acme.asker })).status).toBe(200)
    expect(await codeOf(await send('POST', '/ask', { ...asked, bindings: { ANONYMOUS_ASK: 'no' } }))).toBe(
      'config_invalid',
    )
  })
})

describe('a policy', () => {
  const policyOf = async (token: string, question: string, collection = 'default') => {
    const response = await send('POST', '/ask', { token, body: { question, collection } })
    return /policy="([^"@]+)@/.exec(response.headers.get('rag-gate') ?? '')?.[1]
  }

  it('is chosen by the collection, else by its tenant, else by the deployment', async () => {
    const { token } = await makeKey('chooser', 'ask', 'ingest', 'admin')
    for (const collection of ['one', 'two']) {
      const documents = [{ id: 'd', text: 'The bridge opens at noon every day.' }]
      await send('POST', '/v1/documents', { token, body: { collection, documents } })
    }
    const put = (path: string, policy: unknown) => send('PUT', path, { token, body: { policy } })
    const both = async () => [await policyOf(token, 'When?', 'one'), await policyOf(token, 'When?', 'two')]
    expect(await both()).toEqual(['balanced', 'balanced'])
    expect((await put('/v1/policy', 'weighted-signals')).status).toBe(200)
    expect(await both()).toEqual(['weighted-signals', 'weighted-signals'])
    expect((await put('/v1/collections/two/policy', 'two-tier')).status).toBe(200)
    expect(await both()).toEqual(['weighted-signals', 'two-tier'])
    await put('/v1/collections/two/policy', null)
    expect(await both()).toEqual(['weighted-signals', 'weighted-signals'])
    expect(await policyOf(acme.asker, QUESTION)).toBe('balanced')
  })

  it.each([
    ['/v1/policy', { policy: 'multi-gate' }, 'policy_unfit'],
    ['/v1/policy', { policy: 'advisory' }, 'policy_unfit'],
    ['/v1/policy', { policy: 'sufficiency' }, 'policy_unfit'],
    ['/v1/policy', { policy: 'legal-review' }, 'policy_unfit'],
    ['/v1/policy', { policy: null, tenant: 'somebody-else' }, 'tenant_mismatch'],
    ['/v1/collections/never-made/policy', { policy: 'two-tier' }, 'collection_not_found'],
  ])('is rejected at %s with %j: %s', async (path, body, code) => {
    expect(await codeOf(await send('PUT', path, { token: acme.owner, body }))).toBe(code)
  })

  it('that cannot work in this deployment is rejected with the reason', async () => {
    const put = (policy: string, bindings: object = {}) =>
      send('PUT', '/v1/policy', { token: acme.owner, body: { policy }, bindings })
    expect(await (await put('sufficiency')).text()).toContain('LLM_MODEL')
    expect((await put('sufficiency', MODEL)).status).toBe(200)
    expect(await (await put('advisory')).text()).toContain('RERANKER')
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => env.VECTOR_INDEX.getByName('embedding').fetch(url, init))
    const upstash = { UPSTASH_VECTOR_REST_URL: 'https://index.example', UPSTASH_VECTOR_REST_TOKEN: 'token' }
    for (const policy of ['multi-gate', 'advisory']) {
      expect(await (await put(policy, upstash)).text(), policy).toContain('LLM_MODEL')
      expect((await put(policy, { ...upstash, ...MODEL })).status, policy).toBe(200)
    }
    vi.unstubAllGlobals()
    expect((await put('balanced')).status).toBe(200)
  })

  it.each(POLICY_NAMES)('named %s answers a plain question, or is rejected naming what it needs', async (name) => {
    const { token } = await makeKey(`named-${name}`, 'ask', 'ingest', 'admin')
    const documents = [
      { id: 'bridge', text: `# Bridge\n\n${'The bridge over the river opens at noon. '.repeat(6)}` },
      // Some profiles want a clear best passage, and some others that agree with it.
      ...(name.startsWith('weighted-signals') ? ['Ferry', 'Boats'] : []).map((id) => ({
        id,
        text: `# ${id}\n\n${'The river: over it the bridge opens at noon. '.repeat(6)}`,
      })),
      { id: 'tower', text: '# Tower\n\nNobody may climb the tower in winter.' },
      { id: 'market', text: '# Market\n\nFish is sold from stalls beside the church.' },
    ]
    await send('POST', '/v1/documents', { token, body: { documents } })
    const put = await send('PUT', '/v1/policy', { token, body: { policy: name } })
    const { preset, gates } = policyNamed(name)
    const isUnfit =
      preset?.needsOneOf?.includes('words') === false || gates.some(({ gate }) => gate.stage === 'post-generation')
    expect(put.status).toBe(isUnfit ? 422 : 200)
    if (isUnfit) return
    const asked = await send('POST', '/ask', { token, body: { question: 'When does the bridge over the river open?' } })
    const reply = await asked.json<object>()
    expect(reply).toMatchObject({ passages: expect.any(Array) })
    expect(JSON.stringify(reply)).toContain('noon')
    expect(reply).not.toMatchObject({ usable: false })
  })

  it('with a name unknown to the deployment causes an error for questions', async () => {
    await env.DB.prepare("INSERT INTO tenants (id, policy_id) VALUES ('lost', 'gone')").run()
    const { token } = await makeKey('lost', 'ask', 'ingest')
    await send('POST', '/v1/documents', {
      token,
      body: { documents: [{ id: 'd', text: 'The bridge opens at noon.' }] },
    })
    const response = await send('POST', '/ask', { token, body: { question: 'When does the bridge open?' } })
    expect(response.status).toBe(500)
    expect(await codeOf(response)).toBe('config_invalid')
  })
})

describe('an Idempotency-Key', () => {
  const ingest = (key: string, text: string, token = acme.writer) =>
    send('POST', '/v1/documents', {
      token,
      headers: { 'idempotency-key': key },
      body: { collection: 'named', documents: [{ id: 'd', text }] },
    })

  it('lets a write run once, and repeats its first answer', async () => {
    const first = await ingest('k1', 'One.')
    const said = await first.text()
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    await ingest('k2', 'Two.')
    const again = await ingest('k1', 'One.')
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
    expect(await again.text()).toBe(said)
    const { results } = await env.DB.prepare(
      "SELECT corpus_version FROM collections WHERE tenant = 'acme' AND id = 'named'",
    ).all()
    expect(results).toEqual([{ corpus_version: 2 }])
  })

  it('is rejected with another body, but another tenant may use it', async () => {
    await ingest('k3', 'Three.')
    expect(await codeOf(await ingest('k3', 'Four.'))).toBe('idempotency_key_reused')
    expect((await ingest('k3', 'Four.', globex.writer)).status).toBe(200)
  })

  it('answers 409 with Retry-After while the first request runs', async () => {
    const [one, two] = await Promise.all([ingest('k5', 'Five.'), ingest('k5', 'Five.')])
    const late = [one, two].find(({ status }) => status === 409)
    expect([one.status, two.status].sort()).toEqual([200, 409])
    expect(late?.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await codeOf(late!)).toBe('idempotency_in_progress')
  })

  it('can be used again when the write failed', async () => {
    const bad = { documents: [{ id: 'd', text: 'Six.' }], collection: 'named' }
    const headers = { 'idempotency-key': 'k6' }
    const bindings = { DB: failingWrites(env.DB, 1, 2) }
    expect((await send('POST', '/v1/documents', { token: acme.writer, headers, body: bad, bindings })).status).toBe(503)
    expect((await send('POST', '/v1/documents', { token: acme.writer, headers, body: bad })).status).toBe(200)
  })
})
