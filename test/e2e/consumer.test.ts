import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { readD1Migrations } from '@cloudflare/vitest-plugin'
import { build } from 'esbuild'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleScript, inWorkerd } from '../../scripts/in-workerd.ts'
import { ROOT } from '../../scripts/local-gate.ts'
import {
  createProject,
  entryPoints,
  modulesOf,
  NODE_TYPES,
  packedManifest,
  packPackages,
  runNode,
  typeCheck,
  type TypeSettings,
  WORKERS_TYPES,
} from './consumer/project.ts'
import { DEEP } from '../deep-run.ts'

const folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-consumer-'))
const current = join(folder, 'current')
const lastYear = join(folder, 'last-year')
const node = join(folder, 'node')
let tarballs: ReadonlyMap<string, string>

beforeAll(() => {
  tarballs = packPackages()
  createProject(current, tarballs, WORKERS_TYPES)
  createProject(node, tarballs, NODE_TYPES)
  if (DEEP) createProject(lastYear, tarballs, 'workers-types-last-year')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What bundles for workerd from these entry points need beside `hono`: names of packages. */
async function peersOf(entries: readonly string[]): Promise<string[][]> {
  const { metafile } = await build({
    absWorkingDir: current,
    entryPoints: entries.map((entry, at) => ({ in: entry, out: String(at) })),
    outdir: 'bundles',
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*'],
    logLevel: 'silent',
    plugins: [
      {
        name: 'peers are left out',
        setup: (bundle) => {
          bundle.onResolve(
            { filter: /^(?:@upstash\/vector|drizzle-orm|entities|markdown-it)(?:\/|$)/ },
            ({ path }) => ({
              path,
              external: true,
            }),
          )
        },
      },
    ],
  })
  return entries.map((_, at) => {
    const names = metafile.outputs[`bundles/${at}.js`]!.imports.map(({ path }) => path)
      .filter((path) => !path.startsWith('cloudflare:'))
      .map((path) => /^(?:@[^/]+\/)?[^/]+/.exec(path)![0])
    return [...new Set(names)].sort()
  })
}

const bin = (name: string): string => join(ROOT, 'node_modules', ...name.split('/'))
/** Terminal colours. */
// oxlint-disable-next-line no-control-regex -- they begin with a control character
const COLOURS = /\u001B\[\d+m/g

/** What is published, by its name, and what its tarball holds beside licence, README and manifest. */
const PACKAGES: readonly (readonly [name: string, ...holds: string[]])[] = [
  ['hono-rag-gate', 'd1', 'src'],
  ['@hono-rag-gate/calibration', 'src'],
  ['@hono-rag-gate/chat', 'src'],
  ['@hono-rag-gate/mcp', 'src'],
  ['@hono-rag-gate/messages', 'src'],
  ['@hono-rag-gate/cli', 'src'],
  ['@hono-rag-gate/console', 'src'],
  ['@hono-rag-gate/ingest', 'src'],
  ['@hono-rag-gate/models', 'src'],
  ['@hono-rag-gate/presets', 'src'],
  ['@hono-rag-gate/cloudflare', 'src'],
  ['@hono-rag-gate/redis', 'src'],
  ['@hono-rag-gate/upstash', 'src'],
  ['@hono-rag-gate/upstream', 'src'],
  ['@hono-rag-gate/vector-index', 'src'],
  ['@hono-rag-gate/vectorize', 'src'],
  ['@hono-rag-gate/word-index', 'src'],
]

describe.each(PACKAGES)('%s as npm packs it', (name, ...holds) => {
  test('can be published, has no dependencies, and contains its licence but neither sources nor tests', () => {
    const { private: closed, dependencies, bin: commands = {} } = packedManifest(current, name)
    expect(closed).toBeUndefined()
    expect(dependencies).toBeUndefined()
    const root = join(current, 'node_modules', ...name.split('/'))
    expect(readdirSync(root).sort()).toEqual(['LICENSE', 'README.md', 'package.json', ...holds].sort())
    const strangers = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /(^|\/)(test|bench|scripts)\//.test(file) || (file.endsWith('.ts') && !file.endsWith('.d.ts')),
    )
    expect(strangers).toEqual([])
    for (const file of Object.values(commands)) {
      expect(readFileSync(join(root, file), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
    }
  })

  test('has no declaration that refers to a file of another package', () => {
    const root = join(current, 'node_modules', ...name.split('/'), 'src')
    const outside = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.d.ts'))
      .flatMap((file) =>
        Array.from(
          readFileSync(join(root, file), 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]*)/g),
          ([, to = '']) => posix.join('package/src', posix.dirname(file), to),
        ),
      )
      .filter((path) => !path.startsWith('package/'))
    expect(outside).toEqual([])
  })

  test('has a README of one screen', () => {
    const page = readFileSync(join(current, 'node_modules', ...name.split('/'), 'README.md'), 'utf8')
    expect(page).toMatch(new RegExp(`^# ${name}\n`))
    expect(page).not.toMatch(/\]\((?!https?:|#)/)
    if (name !== 'hono-rag-gate') expect(page.split('\n').length).toBeLessThanOrEqual(60)
  })

  test('passes publint', async () => {
    const tarball = readFileSync(tarballs.get(name)!)
    expect(await publint({ pack: { tarball: Uint8Array.from(tarball).buffer }, strict: true })).toMatchObject({
      messages: [],
    })
  })
})

// The other packages are built by the same hand, and their entries are type-checked below.
describe('hono-rag-gate', () => {
  const NAME = 'hono-rag-gate'

  test.runIf(DEEP)('passes attw for every entry point', () => {
    const entries = modulesOf(current, NAME).map((entry) => entry.slice(NAME.length + 1) || '.')
    const settings = ['--profile', 'esm-only', '--format', 'json', '--entrypoints', ...entries]
    const script = bin('@arethetypeswrong/cli/dist/index.js')
    const { ok, output } = runNode(current, script, tarballs.get(NAME)!, ...settings)
    expect(ok, output.replaceAll(COLOURS, '').slice(0, 4000)).toBe(true)
    for (const entry of entries) expect(output).toContain(entry === '.' ? '"."' : `"./${entry}"`)
  })

  test('contains the migrations', () => {
    const migrations = readdirSync(join(ROOT, 'd1', 'migrations'))
    expect(readdirSync(join(current, 'node_modules', 'hono-rag-gate', 'd1', 'migrations'))).toEqual(migrations)
    expect(entryPoints(current)).toContain(`hono-rag-gate/d1/migrations/${migrations[0]}`)
  })
})

describe('the ready Worker', () => {
  test.runIf(DEEP)('compiles against the packed packages', () => {
    cpSync(join(ROOT, 'workers', 'gate'), join(current, 'gate'), {
      recursive: true,
      filter: (path) => !path.includes('public'),
    })
    const settings = { compiler: 'typescript', moduleResolution: 'bundler', declarations: 'believed' } as const
    expect(typeCheck(current, settings, ['gate/index.ts', 'stores.ts'])).toMatchObject({ output: '\n', ok: true })
  })
})

test("a user's Node project type-checks with only Node's types", () => {
  const settings = { compiler: 'typescript', moduleResolution: 'nodenext', types: NODE_TYPES } as const
  expect(typeCheck(node, settings, ['without-workers.ts'])).toMatchObject({ output: '\n', ok: true })
})

describe("a user's Workers project", () => {
  // Both compilers and both ways to resolve, without every pair of them.
  const SETTINGS: readonly TypeSettings[] = [
    { compiler: 'typescript', moduleResolution: 'nodenext' },
    ...(DEEP ? [{ compiler: 'typescript-5', moduleResolution: 'bundler' } as const] : []),
  ]

  test.each(SETTINGS)('type-checks with $compiler under $moduleResolution', (settings) => {
    expect(typeCheck(current, settings)).toMatchObject({ output: '\n', ok: true })
  })

  test.runIf(DEEP)("type-checks with last year's Worker types", () => {
    const types = join(lastYear, 'node_modules', '@cloudflare', 'workers-types', 'package.json')
    expect(JSON.parse(readFileSync(types, 'utf8'))).toMatchObject({ version: expect.stringMatching(/^4\.2025/) })
    expect(typeCheck(lastYear, { compiler: 'typescript', moduleResolution: 'bundler' })).toMatchObject({
      output: '\n',
      ok: true,
    })
  })

  test.runIf(DEEP)('gets a type error for an unknown option', () => {
    const file = join(current, 'worker.ts')
    const source = readFileSync(file, 'utf8')
    writeFileSync(file, source.replace("scope: 'public'", "scope: 'public', cashScope: 'public'"))
    const { ok, output } = typeCheck(current, { compiler: 'typescript', moduleResolution: 'nodenext' }, ['worker.ts'])
    writeFileSync(file, source)
    expect(output).toContain('cashScope')
    expect(ok).toBe(false)
  })

  test('bundles every entry point with hono alone, except the drizzle tables', async () => {
    const entries = modulesOf(current, 'hono-rag-gate')
    const peers = await peersOf(entries)
    const needs = entries.map((entry, at) => [entry.replace(/^hono-rag-gate\/?/, ''), peers[at]!] as const)
    expect(needs.length).toBeGreaterThan(30)
    expect(Object.fromEntries(needs.filter(([, peers]) => peers.length > 0))).toEqual({
      'd1/schema': ['drizzle-orm'],
    })
  })

  test("answers and refuses in the project's Node and in the one that started the tests", () => {
    copyFileSync(join(import.meta.dirname, 'consumer', 'in-node.mjs'), join(current, 'in-node.mjs'))
    for (const node of new Set([process.execPath, process.env['npm_node_execpath'] ?? process.execPath])) {
      const { stdout, stderr } = spawnSync(node, ['in-node.mjs'], { cwd: current, encoding: 'utf8' })
      expect(stderr).toBe('')
      expect(JSON.parse(stdout)).toMatchObject({ refusedAnswerable: false, refusedForeign: true, policies: 10 })
    }
  })

  test('bundles with esbuild, and answers and refuses in workerd', async () => {
    const outfile = join(current, 'bundled.js')
    await bundleScript(join(current, 'worker.ts'), outfile)
    const miniflare = inWorkerd(outfile)
    try {
      const { origin } = await miniflare.ready
      const ask = async (question: string): Promise<Record<string, unknown>> => {
        const body = JSON.stringify({ question })
        const headers = { 'content-type': 'application/json' }
        const response = await fetch(`${origin}/ask`, { method: 'POST', headers, body })
        expect(response.status).toBe(200)
        // The Worker above answers an object.
        return (await response.json()) as Record<string, unknown>
      }
      const answered = await ask('How many days after delivery are returns accepted?')
      expect(answered).toMatchObject({ refused: false, answer: expect.stringContaining('within fourteen days') })
      expect(await ask('Who painted the ceiling of the chapel?')).toMatchObject({ refused: true, sources: [] })
    } finally {
      await miniflare.dispose()
    }
  })

  test.runIf(DEEP)('type-checks with the console', () => {
    const settings = { compiler: 'typescript', moduleResolution: 'nodenext', declarations: 'believed' } as const
    expect(typeCheck(current, settings, ['console-worker.ts'])).toMatchObject({ output: '\n', ok: true })
  })

  test('mounts the console over its own D1, and finds the decisions of its gate', async () => {
    const outfile = join(current, 'console.js')
    await bundleScript(join(current, 'console-worker.ts'), outfile)
    const miniflare = inWorkerd(outfile, {}, ['DB'])
    try {
      const { origin } = await miniflare.ready
      const db = await miniflare.getD1Database('DB')
      const migrations = await readD1Migrations(join(current, 'node_modules', 'hono-rag-gate', 'd1', 'migrations'))
      // In one call, of a statement a line: each that Miniflare prepares is a call of its own.
      const lines = migrations.flatMap(({ queries }) => queries.map((query) => query.replaceAll(/--.*|\s+/g, ' ')))
      await db.exec(lines.map((line) => `${line};`).join('\n'))

      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ question: 'How many days after delivery are returns accepted?' })
      const asked = await fetch(`${origin}/ask`, { method: 'POST', headers, body })
      expect(await asked.json()).toMatchObject({ refused: false })

      const token = { authorization: 'Bearer a-token-of-a-shop--32-characters' }
      expect((await fetch(`${origin}/console/stats`)).status).toBe(401)
      const stats = await (await fetch(`${origin}/console/stats`, { headers: token })).json()
      expect(stats).toMatchObject({
        version: 1,
        decisions: 1,
        by_verdict: { refuse: 0 },
        by_tenant: [{ name: 'shop' }],
      })
      const said = await fetch(`${origin}/console/feedback`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ answer: asked.headers.get('rag-gate-feedback'), rating: 'wrong' }),
      })
      expect(said.status).toBe(201)
      const page = await fetch(`${origin}/console`)
      expect([page.url, page.headers.get('content-type')]).toEqual([
        `${origin}/console/dashboard`,
        'text/html; charset=utf-8',
      ])
      const script = await fetch(new URL('./dashboard.js', page.url))
      expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
    } finally {
      await miniflare.dispose()
    }
  })
})
