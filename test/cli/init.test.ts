import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { gateModule } from '../../packages/cli/src/project/gate-module.ts'
import { aFolder } from './folder.ts'
import { run } from './run.ts'

const folder = aFolder()
const read = (name: string): string => readFileSync(join(folder.path, name), 'utf8')
const init = (...args: readonly string[]) => run(['init', folder.path, ...args])

const TOML = `# Ours
name = "shop"
main = "src/index.ts"

[[d1_databases]]
binding = "DB" # orders
database_name = "orders"

[env.staging]
vars = { A = "b" }
`
const HONO = `import { Hono } from 'hono'
import { shop } from './shop.js'

const app = new Hono<{ Bindings: Env }>()
app.route('/shop', shop)

export default app
`

function project(files: Readonly<Record<string, string>> = {}): void {
  const all = { 'package.json': '{"dependencies":{"hono":"4"}}', 'wrangler.toml': TOML, 'src/index.ts': HONO, ...files }
  for (const [name, text] of Object.entries(all)) folder.put(name, text)
}

it('the generated route answers in observe mode when nothing was found', async () => {
  const observing = gateModule('elsewhere')
    .replace('policy: balanced(),', "policy: balanced(), mode: 'observe',")
    .replace('createUpstashRetriever({ url, token })', '{ retrieve: async () => [] }')
    .replaceAll(/'(@?hono[\w/-]*)'/g, (_, name: string) => `'${import.meta.resolve(name)}'`)
  folder.put('observing.ts', observing)
  const file = pathToFileURL(join(folder.path, 'observing.ts')).href
  const { gated } = (await import(file)) as { gated: Hono }
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ question: 'How does the hatch open?' })
  const response = await gated.request('/ask', { method: 'POST', headers, body })
  expect(await response.json()).toMatchObject({ answer: '', refused: false, verdict: 'refuse' })
})

it('the generated route for documents rejects bytes that are not text, such as a PDF', async () => {
  const words = gateModule('words').replaceAll(
    /'(@?hono[\w/-]*)'/g,
    (_, name: string) => `'${import.meta.resolve(name)}'`,
  )
  folder.put('words.ts', words)
  const file = pathToFileURL(join(folder.path, 'words.ts')).href
  const { gated } = (await import(file)) as { gated: Hono }
  const token = 'x'.repeat(32)
  const headers = { authorization: `Bearer ${token}` }
  const body = Uint8Array.of(0x25, 0x50, 0x44, 0x46, 0xe2, 0xe3)
  const response = await gated.request('/documents/returns', { method: 'PUT', headers, body }, { ADMIN_TOKEN: token })
  expect(await response.json()).toMatchObject({ error: { code: 'invalid_utf8' } })
  expect(response.status).toBe(400)
})

describe('rag-gate init', () => {
  it('shows what it would change, and changes nothing without confirmation', async () => {
    project()
    const { out, notes } = await run(['init', folder.path], { tty: true, types: 'n\n' })
    expect(out).toContain('+++ src/rag-gate.ts')
    expect(out).toContain('+[[d1_databases]]')
    expect(out).toContain("+app.route('/', gated)")
    expect(notes).toContain('Nothing was changed')
    expect([read('wrangler.toml'), read('src/index.ts'), existsSync(join(folder.path, 'src/rag-gate.ts'))]).toEqual([
      TOML,
      HONO,
      false,
    ])
    expect(await init()).toMatchObject({ code: 2, notes: expect.stringContaining('add --yes') })
  })

  it('adds to existing files in the style of the project, and only once', async () => {
    project()
    expect((await run(['init', folder.path], { tty: true, types: 'y\n' })).code).toBe(0)
    expect(read('wrangler.toml').startsWith(TOML)).toBe(true)
    expect(read('wrangler.toml').slice(TOML.length)).toContain('binding = "RAG_GATE_DB"')
    expect(read('src/index.ts')).toBe(
      `import { gated } from './rag-gate.js'\n${HONO.replace('export default', "app.route('/', gated)\n\nexport default")}`,
    )
    const again = await init()
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Nothing to change') })
    expect(again.notes).toContain('The environment staging inherits no bindings')
  })

  it('adds what is missing, and keeps what the owner changed', async () => {
    project()
    await init('--yes')
    folder.put('src/rag-gate.ts', '// ours by now\n')
    folder.put('wrangler.toml', TOML)
    expect((await init('--yes')).code).toBe(0)
    expect(read('src/rag-gate.ts')).toBe('// ours by now\n')
    expect(read('wrangler.toml')).toContain('RAG_GATE_DB')
    expect(read('src/index.ts').match(/route\('\/', gated\)/g)).toHaveLength(1)
  })

  it('keeps the comments of a JSONC file, and adds to its list of databases', async () => {
    const jsonc = `{
  // Ours
  "name": "shop",
  "main": "src/index.ts",
  "d1_databases": [{ "binding": "DB", "database_name": "orders" }], // orders
}
`
    project({ 'wrangler.jsonc': jsonc })
    await init('--yes')
    expect(read('wrangler.jsonc')).toContain('// Ours')
    expect(read('wrangler.jsonc')).toContain('// orders')
    expect(read('wrangler.jsonc')).toMatch(/"DB"[^]*"RAG_GATE_DB"/)
    // wrangler reads the JSONC before the TOML.
    expect(read('wrangler.toml')).toBe(TOML)
  })

  it('adds a Worker in front of a Worker without Hono', async () => {
    project({ 'src/index.ts': 'export default {\n  fetch: () => new Response("Hello"),\n}\n' })
    await init('--yes')
    expect(read('wrangler.toml')).toContain('main = "src/rag-gate-worker.ts"')
    expect(read('src/rag-gate-worker.ts')).toContain("import worker from './index'")
    expect(await init()).toMatchObject({ code: 0, out: expect.stringContaining('Nothing to change') })
  })

  it('uses an Upstash index when the project has its client, or on request', async () => {
    project({ 'package.json': '{"dependencies":{"@upstash/vector":"1"}}' })
    await init('--yes')
    expect(read('src/rag-gate.ts')).toContain('createUpstashRetriever')
    expect((await run(['init', folder.path, '--index', 'words', '--json'])).out).toContain('"index": "words"')
    expect(await init('--index', 'pinecone')).toMatchObject({ code: 2, notes: expect.stringContaining('pinecone') })
  })

  it.each([
    ['a file that is no TOML', { 'wrangler.toml': 'name = "a\nmain = 1' }, 'wrangler.toml cannot be read'],
    [
      'databases in one line',
      { 'wrangler.toml': 'main = "src/index.ts"\nd1_databases = [{ binding = "DB" }]\n' },
      'Add by hand',
    ],
    ['assets alone', { 'wrangler.toml': 'name = "a"\n' }, 'names no main'],
    ['an entry point that is not there', { 'wrangler.toml': 'main = "src/gone.ts"\n' }, 'cannot be read'],
    ['an entry point outside', { 'wrangler.toml': 'main = "../index.ts"\n' }, 'run init where it is'],
    ['a class', { 'src/index.ts': 'export default class extends WorkerEntrypoint {}\n' }, 'mount it'],
    [
      'an app made elsewhere',
      { 'src/index.ts': "import app from './app'\nexport default app\n" },
      "app.route('/', gated)",
    ],
    [
      'two apps',
      {
        'src/index.ts': `const one = new Hono()\nconst two = new Hono()\nexport default { fetch: one.fetch, scheduled: two }\n`,
      },
      'mount it',
    ],
  ])('rejects %s, and changes nothing', async (_what, files, message) => {
    project(files)
    const { code, notes } = await init('--yes')
    expect(notes).toContain(message)
    expect(code).toBe(1)
    expect(existsSync(join(folder.path, 'src/rag-gate.ts'))).toBe(false)
  })

  it('reports a folder without a project', async () => {
    expect(await init()).toMatchObject({ code: 1, notes: expect.stringContaining('package.json cannot be read') })
    folder.put('package.json', '{}')
    expect(await init()).toMatchObject({ code: 1, notes: expect.stringContaining('is no Workers project') })
  })

  describe('in a Hono app that is not a Worker', () => {
    const APP = "import { serve } from '@hono/node-server'\nimport { Hono } from 'hono'\n\nconst app = new Hono()\n"
    const put = (name: string, served: string): void => {
      folder.put('package.json', '{"dependencies":{"hono":"4"}}')
      folder.put(name, `${APP}\n${served}\n`)
    }

    it.each([
      ['src/index.ts', 'serve(app, ({ port }) => console.log(port))', 'src/rag-gate.ts', './rag-gate.js'],
      ['server.mjs', 'const server = serve({ fetch: app.fetch })', 'rag-gate.mjs', './rag-gate.mjs'],
      ['index.ts', 'Deno.serve(app.fetch)', 'rag-gate.ts', './rag-gate.js'],
      ['src/app.js', 'export default { port: 3000, fetch: app.fetch }', 'src/rag-gate.js', './rag-gate.js'],
    ])('mounts the routes in %s before %s, once', async (entry, served, module, specifier) => {
      put(entry, served)
      const { code, out } = await init('--yes')
      expect(code).toBe(0)
      expect(out).not.toMatch(/wrangler|d1_databases|drizzle/)
      expect(read(entry)).toBe(`import { gated } from '${specifier}'\n${APP}\napp.route('/', gated)\n\n${served}\n`)
      // A module that Node runs as it stands.
      expect(read(module)).toContain("UPSTASH_VECTOR_REST_URL: url = '', UPSTASH_VECTOR_REST_TOKEN: token = ''")
      expect(read(module)).not.toMatch(/interface|D1|Bindings/)
      expect(await init()).toMatchObject({ code: 0, out: expect.stringContaining('Nothing to change') })
    })

    it('imports the module with its extension when Node runs TypeScript directly', async () => {
      put('src/index.ts', 'serve(app)')
      folder.put('package.json', '{"dependencies":{"hono":"4"},"scripts":{"dev":"node --watch src/index.ts"}}')
      await init('--yes')
      expect(read('src/index.ts')).toContain("import { gated } from './rag-gate.ts'")
    })

    it('offers the word index only to Workers, and reports where it looked for the app', async () => {
      put('src/index.ts', 'serve(app)')
      expect(await init('--index', 'words')).toMatchObject({ code: 2, notes: expect.stringContaining('D1') })
      folder.put('src/index.ts', 'export const app = 1\n')
      expect(await init('--yes')).toMatchObject({ code: 1, notes: expect.stringContaining('mount it') })
      rmSync(join(folder.path, 'src/index.ts'))
      expect(await init('--yes')).toMatchObject({ code: 1, notes: expect.stringContaining('src/server.ts') })
    })
  })
})
