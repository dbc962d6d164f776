import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inWorkerd } from '../../bench/in-workerd.ts'
import { ROOT } from '../../scripts/local-gate.ts'
import { everyExample, writeExamples } from '../docs/compile.ts'
import { read } from '../docs/pages.ts'
import {
  createProject,
  entryPoints,
  packedManifest,
  packPackage,
  runNode,
  typeCheck,
  type TypeSettings,
} from './consumer/project.ts'

const folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-consumer-'))
const current = join(folder, 'current')
const lastYear = join(folder, 'last-year')
let tarball: string

beforeAll(() => {
  tarball = packPackage(folder)
  createProject(current, tarball, '@cloudflare/workers-types')
  createProject(lastYear, tarball, 'workers-types-last-year')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What a bundle for workerd from this entry point needs beside `hono`: names of packages. */
async function peersOf(entry: string): Promise<string[]> {
  const { metafile } = await build({
    stdin: { contents: `export * from '${entry}'`, resolveDir: current },
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
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  const names = imported
    .filter((path) => !path.startsWith('cloudflare:'))
    .map((path) => /^(?:@[^/]+\/)?[^/]+/.exec(path)![0])
  return [...new Set(names)].sort()
}

const bin = (name: string): string => join(ROOT, 'node_modules', ...name.split('/'))
/** Terminal colours. */
// oxlint-disable-next-line no-control-regex -- they begin with a control character
const COLOURS = /\u001B\[\d+m/g

describe('the package as npm packs it', () => {
  test('may be published, depends on nothing, and brings its licence and the migrations, but neither sources nor tests', () => {
    const { private: closed, dependencies, bin: commands } = packedManifest(current)
    expect(closed).toBeUndefined()
    expect(dependencies).toBeUndefined()
    const root = join(current, 'node_modules', 'hono-rag-gate')
    expect(readdirSync(root).sort()).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'd1', 'dist', 'package.json']),
    )
    const migrations = readdirSync(join(ROOT, 'd1', 'migrations'))
    expect(readdirSync(join(root, 'd1', 'migrations'))).toEqual(migrations)
    const strangers = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (name) => /(^|\/)(test|bench|scripts)\//.test(name) || (name.endsWith('.ts') && !name.endsWith('.d.ts')),
    )
    expect(strangers).toEqual([])
    for (const file of Object.values(commands)) {
      expect(readFileSync(join(root, file), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
    }
  })

  test('is clean under publint', () => {
    const { ok, output } = runNode(current, bin('publint/src/cli.js'), tarball, '--strict')
    expect(output).toContain('All good!')
    expect(ok).toBe(true)
  })

  test('is clean under attw, at every entry point', () => {
    const entries = entryPoints(current).map((entry) => entry.slice('hono-rag-gate'.length + 1) || '.')
    const settings = ['--profile', 'esm-only', '--format', 'json', '--entrypoints', ...entries]
    const { ok, output } = runNode(current, bin('@arethetypeswrong/cli/dist/index.js'), tarball, ...settings)
    expect(ok, output.replaceAll(COLOURS, '').slice(0, 4000)).toBe(true)
    for (const entry of entries) expect(output).toContain(entry === '.' ? '"."' : `"./${entry}"`)
  })
})

describe("somebody else's Workers project", () => {
  const SETTINGS: readonly TypeSettings[] = ['typescript', 'typescript-5'].flatMap((compiler) => [
    { compiler, moduleResolution: 'bundler' },
    { compiler, moduleResolution: 'nodenext' },
  ])

  test.each(SETTINGS)('type-checks with $compiler under $moduleResolution', (settings) => {
    expect(typeCheck(current, settings)).toMatchObject({ output: '\n', ok: true })
  })

  test.each(SETTINGS)('type-checks every example of the docs with $compiler under $moduleResolution', (settings) => {
    const files = writeExamples(join(current, 'examples'), everyExample()).map((name) => join('examples', name))
    expect(files.length).toBeGreaterThan(50)
    expect(typeCheck(current, settings, files)).toMatchObject({ output: '\n', ok: true })
  })

  test.each(['typescript', 'typescript-5'])("type-checks with %s and last year's Worker types", (compiler) => {
    const types = join(lastYear, 'node_modules', '@cloudflare', 'workers-types', 'package.json')
    expect(JSON.parse(readFileSync(types, 'utf8'))).toMatchObject({ version: expect.stringMatching(/^4\.2025/) })
    expect(typeCheck(lastYear, { compiler, moduleResolution: 'bundler' })).toMatchObject({ output: '\n', ok: true })
  })

  test('is told by the types of an option that there is not', () => {
    const file = join(current, 'worker.ts')
    const source = readFileSync(file, 'utf8')
    writeFileSync(file, source.replace("scope: 'public'", "scope: 'public', cashScope: 'public'"))
    const { ok, output } = typeCheck(current, { compiler: 'typescript', moduleResolution: 'nodenext' })
    writeFileSync(file, source)
    expect(output).toContain('cashScope')
    expect(ok).toBe(false)
  })

  test('bundles from every entry point, of which four need more than hono, as the docs say', async () => {
    const needs = await Promise.all(
      entryPoints(current)
        .filter((entry) => !entry.endsWith('.json'))
        .map(async (entry) => [entry.replace(/^hono-rag-gate\/?/, ''), await peersOf(entry)] as const),
    )
    expect(needs.length).toBeGreaterThan(35)
    expect(Object.fromEntries(needs.filter(([, peers]) => peers.length > 0))).toEqual({
      'adapters/d1': ['drizzle-orm'],
      'adapters/html-to-markdown': ['entities', 'markdown-it'],
      'adapters/markdown-splitter': ['markdown-it'],
      'adapters/upstash-vector': ['@upstash/vector'],
    })
    const [, sentence = ''] = /^All of them run with `hono` alone but four: (.*)$/m.exec(
      read('docs/reference/adapters.md'),
    )!
    for (const [entry, peers] of needs.filter((each) => each[1].length > 0)) {
      const names = peers.toReversed().map((name) => `\`${name}\``)
      expect(sentence).toContain(`\`${entry.replace('adapters/', '')}\` needs ${names.join(' and ')}`)
    }
  })

  test('bundles with esbuild, and answers and refuses inside workerd', async () => {
    const outfile = join(current, 'bundled.js')
    await build({
      entryPoints: [join(current, 'worker.ts')],
      outfile,
      bundle: true,
      format: 'esm',
      target: 'es2022',
      conditions: ['workerd', 'worker', 'browser'],
      logLevel: 'silent',
    })
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
})
