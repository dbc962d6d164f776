/** The part of the Cloudflare API that a deployment calls, on loopback. It records what it receives. */
import { createServer } from 'node:http'

/** An account of the API, and its recorded calls. */
export interface CloudflareAccount {
  /** For `CLOUDFLARE_API_BASE_URL`. */
  readonly url: string
  /** Method and path of every call, in order. */
  readonly calls: string[]
  /** SQL sent to databases. */
  readonly queries: string[]
  /** Calls that this fake does not implement. */
  readonly unexpected: string[]
  /** Ids of databases by name. */
  readonly databases: Map<string, string>
  /** Metadata of the last upload. */
  upload: UploadMetadata | undefined
  close(): Promise<void>
}

/** `metadata` of an upload, as far as tests read it. */
export interface UploadMetadata {
  readonly bindings: readonly { readonly name: string; readonly type: string; readonly [field: string]: unknown }[]
}

/** The expected `CLOUDFLARE_ACCOUNT_ID`. */
export const ACCOUNT = 'account-1'

/** Starts an empty account. */
export async function startCloudflareApi(): Promise<CloudflareAccount> {
  const applied: { id: number; name: string; applied_at: string }[] = []
  const secrets = new Set<string>()
  const account: Omit<CloudflareAccount, 'url' | 'close'> = {
    calls: [],
    queries: [],
    unexpected: [],
    databases: new Map(),
    upload: undefined,
  }

  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? '/', 'http://api')
      const path = url.pathname.replace(`/accounts/${ACCOUNT}`, '')
      const call = `${request.method} ${path}`
      account.calls.push(call)
      const pieces: Buffer[] = []
      for await (const piece of request) pieces.push(Buffer.from(piece))
      const body = Buffer.concat(pieces)
      const [status, answer] = await answerTo(call, url, body, request.headers['content-type'] ?? '')
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer))
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as { port: number }
  return Object.assign(account, {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  })

  async function answerTo(call: string, url: URL, body: Buffer, type: string): Promise<[number, unknown]> {
    if (call === 'GET /d1/database') return done(databaseList(url.searchParams.get('name')))
    if (call === 'POST /d1/database') return done(createDatabase(textOf(body)))
    if (/^GET \/d1\/database\/[^/]+$/.test(call)) return oneDatabase(call.split('/').at(-1) ?? '')
    if (/^POST \/d1\/database\/[^/]+\/query$/.test(call)) return done(query(textOf(body)))
    if (/^GET \/workers\/(scripts|services|workers)\//.test(call)) return script(call)
    if (/^PUT \/workers\/scripts\/[^/]+(\/versions)?$/.test(call)) return upload(body, type)
    if (call.endsWith('/assets-upload-session')) return done({ jwt: 'done', buckets: [] })
    if (call.endsWith('/subdomain')) return done({ subdomain: 'someone', enabled: true, previews_enabled: true })
    if (call.endsWith('/schedules')) return done({ schedules: [] })
    account.unexpected.push(call)
    return [404, { success: false, errors: [{ code: 1, message: `no ${call} here` }], result: null }]
  }

  function databaseList(name: string | null): readonly { uuid: string; name: string }[] {
    return [...account.databases]
      .filter(([known]) => name === null || known === name)
      .map(([known, uuid]) => ({ uuid, name: known }))
  }

  function createDatabase(text: string): { uuid: string; name: string } {
    const { name } = JSON.parse(text) as { name: string }
    const uuid = '11111111-2222-3333-4444-555555555555'
    account.databases.set(name, uuid)
    return { uuid, name }
  }

  function oneDatabase(wanted: string): [number, unknown] {
    const found = databaseList(null).find(({ uuid, name }) => [uuid, name].includes(decodeURIComponent(wanted)))
    return found === undefined ? missing(7404, 'no such database') : done(found)
  }

  /** Answers wrangler's queries of its migrations table. */
  function query(text: string): readonly unknown[] {
    const { sql } = JSON.parse(text) as { sql: string }
    account.queries.push(sql)
    const inserted = /INSERT INTO "?d1_migrations"?[^']*'([^']+)'/i.exec(sql)?.[1]
    if (inserted !== undefined) applied.push({ id: applied.length + 1, name: inserted, applied_at: '2026-01-01' })
    const results = /^\s*SELECT/i.test(sql) ? applied : []
    return [{ success: true, results, meta: { duration: 1 } }]
  }

  function script(call: string): [number, unknown] {
    if (account.upload === undefined) return missing(10_007, 'This Worker does not exist on your account.')
    if (call.endsWith('/secrets')) return done([...secrets].map((name) => ({ name, type: 'secret_text' })))
    if (call.endsWith('/deployments')) return done({ deployments: [DEPLOYED] })
    if (call.endsWith('/versions/version-1'))
      return done({ id: 'version-1', metadata: {}, resources: { bindings: [] } })
    if (call.startsWith('GET /workers/workers/')) return done({ subdomain: { enabled: true, previews_enabled: true } })
    if (call.endsWith('/settings')) return done({ bindings: account.upload.bindings })
    if (call.endsWith('/subdomain')) return done({ enabled: true, previews_enabled: true })
    return done({ default_environment: { environment: 'production', script: { last_deployed_from: 'wrangler' } } })
  }

  async function upload(body: Buffer, type: string): Promise<[number, unknown]> {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
    // wrangler's own upload format.
    const metadata = JSON.parse(String(form.get('metadata'))) as UploadMetadata
    for (const { name, type: kind } of metadata.bindings) if (kind === 'secret_text') secrets.add(name)
    const before = new Map((account.upload?.bindings ?? []).map((binding) => [binding.name, binding]))
    account.upload = {
      bindings: metadata.bindings.map((given) =>
        given.type === 'inherit' ? (before.get(given.name) ?? given) : given,
      ),
    }
    return done({ id: 'version-1', startup_time_ms: 9, deployment_id: 'deployment-1', has_assets: true })
  }
}

/** The only deployment after an upload, made by wrangler. */
const DEPLOYED = {
  id: 'deployment-1',
  source: 'wrangler',
  created_on: '2026-01-01T00:00:00Z',
  author_email: 'someone@example.com',
  versions: [{ version_id: 'version-1', percentage: 100 }],
}

function textOf(body: Buffer): string {
  return body.toString('utf8')
}

function done(result: unknown): [number, unknown] {
  return [200, { success: true, errors: [], messages: [], result, result_info: { page: 1, total_pages: 1 } }]
}

function missing(code: number, message: string): [number, unknown] {
  return [404, { success: false, errors: [{ code, message }], messages: [], result: null }]
}
