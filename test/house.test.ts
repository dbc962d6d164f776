import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Imports that STYLE forbids: from the file, of the module. */
const FORBIDDEN: readonly (readonly [file: string, module: string])[] = [
  ['src/errors.ts', './core/chunk.ts'],
  ['src/core/x.ts', 'hono'],
  ['src/core/x.ts', '../ports/retriever.ts'],
  ['src/core/gates/x.ts', '../../adapters/x.ts'],
  ['src/ports/x.ts', '../errors.ts'],
  ['src/ports/x.ts', '../pipeline/x.ts'],
  ['src/http/x.ts', '../core/x.ts'],
  ['src/adapters/vectorize/x.ts', '../upstash-vector.ts'],
  ['src/vector-index/x.ts', '../ports/retriever.ts'],
  ['src/vector-index/x.ts', 'node:fs'],
  ['src/adapters/x.ts', './y.ts'],
  ['src/adapters/x.ts', '../pipeline/x.ts'],
  ['src/adapters/x.ts', 'hono'],
  ['src/adapters/d1/x.ts', '../upstash-vector.ts'],
  ['src/adapters/d1/x.ts', '../../middleware/x.ts'],
  ['src/pipeline/x.ts', 'hono'],
  ['src/pipeline/x.ts', '../adapters/x.ts'],
  ['src/middleware/x.ts', '../adapters/x.ts'],
  ['src/middleware/x.ts', '../../workers/gate/compose.ts'],
]

/** Imports that it allows. */
const ALLOWED: readonly (readonly [file: string, module: string])[] = [
  ['src/core/y.ts', '../errors.ts'],
  ['src/core/gates/y.ts', '../../errors.ts'],
  ['src/ports/y.ts', '../core/chunk.ts'],
  ['src/adapters/y.ts', '../http/bounded-fetch.ts'],
  ['src/adapters/y.ts', 'openai'],
  ['src/adapters/vectorize.ts', './vectorize/y.ts'],
  ['src/http/y.ts', '../errors.ts'],
  ['src/adapters/d1/y.ts', './json-batches.ts'],
  ['src/adapters/d1/y.ts', '../../../d1/schema.ts'],
  ['src/pipeline/y.ts', '../ports/retriever.ts'],
  ['src/middleware/y.ts', '../pipeline/gate-question.ts'],
  ['src/middleware/y.ts', 'hono'],
]

describe('who may import whom', () => {
  const house = mkdtempSync(join(tmpdir(), 'hono-rag-gate-house-'))
  beforeAll(() => copyFileSync(join(ROOT, '.oxlintrc.json'), join(house, '.oxlintrc.json')))
  afterAll(() => rmSync(house, { recursive: true }))

  function lint(file: string, module: string): string {
    const path = join(house, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `import * as other from '${module}'\n\nexport const kept = other\n`)
    const oxlint = join(ROOT, 'node_modules', 'oxlint', 'bin', 'oxlint')
    const { stdout } = spawnSync(process.execPath, [oxlint, '-f', 'unix', file], { cwd: house, encoding: 'utf8' })
    rmSync(path)
    return stdout
  }

  test.each(FORBIDDEN)('%s may not import %s', (file, module) => {
    expect(lint(file, module)).toContain('no-restricted-imports')
  })

  test.each(ALLOWED)('%s may import %s', (file, module) => {
    expect(lint(file, module)).not.toContain('no-restricted-imports')
  })
})

describe('what is installed', () => {
  interface Lockfile {
    packages: Record<string, { version: string; integrity?: string; resolved?: string; link?: boolean }>
  }
  interface Manifest {
    name: string
    workspaces?: string[]
    dependencies?: Record<string, string>
    devDependencies?: Record<string, string>
    optionalDependencies?: Record<string, string>
    peerDependencies?: Record<string, string>
  }
  const readJson = <Read>(file: string): Read => JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Read
  const { packages } = readJson<Lockfile>('package-lock.json')
  const root = readJson<Manifest>('package.json')
  const folders = (root.workspaces ?? []).filter((folder) => folder !== '.')
  const manifests = new Map(folders.map((folder) => [folder, readJson<Manifest>(join(folder, 'package.json'))]))

  test('has one workerd', () => {
    const runtimes = Object.keys(packages).filter((path) => path.endsWith('node_modules/workerd'))
    expect(runtimes).toHaveLength(1)
    expect(
      readdirSync(join(ROOT, 'node_modules', '@cloudflare')).filter((name) => name.startsWith('workerd-')),
    ).toHaveLength(1)
  })

  test('is pinned to exact versions, each with its hash, and the package itself depends on nothing', () => {
    expect(root.dependencies).toBeUndefined()
    expect(root.optionalDependencies).toBeUndefined()
    for (const { dependencies, devDependencies, optionalDependencies } of [root, ...manifests.values()]) {
      expect(dependencies).toBeUndefined()
      for (const version of Object.values({ ...devDependencies, ...optionalDependencies })) {
        expect(version).toMatch(/^(npm:(@[\w-]+\/)?[\w-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/)
      }
    }
    const own = new Set(['', ...folders])
    for (const [path, entry] of Object.entries(packages)) {
      if (!own.has(path) && entry.link !== true) expect(entry.integrity, path).toMatch(/^sha512-/)
    }
  })

  test('stands in one tree, so that tests and sources mean the same copy', () => {
    const own = new Set(['', ...folders])
    const elsewhere = Object.keys(packages).filter((path) => !own.has(path) && !path.startsWith('node_modules/'))
    expect(elsewhere).toEqual([])
  })

  test('is for a start what a start needs: the rest stands in the folders that need it', () => {
    const forStart = reachable(Object.keys(root.devDependencies ?? {}))
    for (const [folder, { devDependencies = {} }] of manifests) {
      for (const name of Object.keys(devDependencies)) expect([folder, name, forStart.has(name)]).toContain(false)
    }
    expect(forStart).toContain('workerd')
  })

  test('has both bounds where the user brings it', () => {
    for (const [name, range] of Object.entries(root.peerDependencies ?? {})) {
      expect(`${name} ${range}`).toMatch(/ (\^\d+\.\d+\.\d+|>=\d+\.\d+\.\d+ <\d+)$/)
    }
  })

  /** Names of what the lockfile installs for these. */
  function reachable(names: readonly string[]): ReadonlySet<string> {
    // The lockfile's own form.
    const entries = packages as unknown as Record<string, Pick<Manifest, 'dependencies' | 'optionalDependencies'>>
    const found = new Set<string>()
    const open = [...names]
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (found.has(name)) continue
      found.add(name)
      const { dependencies, optionalDependencies } = entries[`node_modules/${name}`] ?? {}
      open.push(...Object.keys({ ...dependencies, ...optionalDependencies }))
    }
    return found
  }
})
