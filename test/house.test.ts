import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { PACKAGE_FOLDERS } from '../scripts/build.ts'
import { circlesAmong, impuritiesOf, packageSources, violationsOf } from '../scripts/import-rules.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Imports that no rule allows: one planted in each room. */
const FORBIDDEN: readonly (readonly [file: string, module: string])[] = [
  ['src/errors.ts', './core/lib/json.ts'],
  ['src/core/lib/x.ts', '../text/terms.ts'],
  ['src/core/text/x.ts', '../evidence/chunk.ts'],
  ['src/core/evidence/x.ts', '../signals/measure.ts'],
  ['src/core/signals/x.ts', '../gates/gate.ts'],
  ['src/core/answer/x.ts', '../gates/gate.ts'],
  ['src/core/gates/x.ts', '../policy/policy.ts'],
  ['src/core/gates/x.ts', 'hono'],
  ['src/core/policy/x.ts', '../../presets/balanced/balanced.ts'],
  ['src/core/policy/x.ts', '../../index.ts'],
  ['src/core/reports/x.ts', '../../presets/sufficiency/texts.ts'],
  ['src/presets/balanced/x.ts', '../../pipeline/retrieve.ts'],
  ['src/core/text/x.ts', '../../language/english/stem.ts'],
  ['src/core/signals/x.ts', '../../language/english/english.ts'],
  ['src/middleware/x.ts', '../language/english/english.ts'],
  ['src/middleware/x.ts', '../presets/balanced/balanced.ts'],
  ['src/language/english/x.ts', '../../core/evidence/chunk.ts'],
  ['src/ports/x.ts', '../errors.ts'],
  ['src/ports/x.ts', '../pipeline/x.ts'],
  ['src/pipeline/x.ts', '../http/deadline.ts'],
  ['src/pipeline/x.ts', '../adapters/x.ts'],
  ['src/pipeline/x.ts', 'hono'],
  ['src/http/x.ts', '../core/x.ts'],
  ['src/middleware/x.ts', '../adapters/x.ts'],
  ['src/middleware/x.ts', '../../workers/gate/compose.ts'],
  ['src/middleware/x.ts', '../cache/answer-cache.ts'],
  ['src/pipeline/x.ts', '../cache/lookup.ts'],
  ['src/cache/x.ts', '../middleware/exchange.ts'],
  ['src/cache/x.ts', 'hono'],
  ['src/cache/x.ts', '../adapters/x.ts'],
  ['src/cache/x.ts', '../presets/balanced/balanced.ts'],
  ['src/adapters/x.ts', './y.ts'],
  ['src/adapters/x.ts', 'hono'],
  ['src/adapters/x.ts', '../pipeline/retrieve.ts'],
  ['src/adapters/d1/x.ts', '@upstash/vector'],
  ['packages/vectorize/src/x.ts', '@upstash/vector'],
  ['packages/vectorize/src/x.ts', 'hono-rag-gate/pipeline'],
  ['packages/models/src/x.ts', 'hono'],
  ['src/adapters/d1/x.ts', '../memory-coalescer.ts'],
  ['packages/upstash/src/x.ts', '@hono-rag-gate/vectorize'],
  ['src/adapters/d1/x.ts', '../../../d1/schema.ts'],
  ['src/adapters/d1/x.ts', 'drizzle-orm'],
  ['src/pipeline/x.ts', '@hono-rag-gate/ingest'],
  ['src/pipeline/x.ts', 'hono-rag-gate/core/policy'],
  ['src/core/policy/x.ts', '../../../packages/presets/src/two-tier/two-tier.ts'],
  ['d1/x.ts', '@hono-rag-gate/console'],
  ['packages/calibration/src/x.ts', '../../../src/core/policy/policy.ts'],
  ['packages/calibration/src/x.ts', 'hono-rag-gate/pipeline'],
  ['packages/presets/src/two-tier/x.ts', 'hono-rag-gate'],
  ['packages/presets/src/two-tier/x.ts', 'hono-rag-gate/balanced'],
  ['packages/vector-index/src/x.ts', 'hono-rag-gate/ports'],
  ['packages/vector-index/src/x.ts', 'node:fs'],
  ['packages/vector-index/src/x.ts', 'cloudflare:workers'],
  ['packages/ingest/src/x.ts', '../../console/src/index.ts'],
  ['packages/ingest/src/x.ts', '@hono-rag-gate/console'],
  ['packages/console/src/x.ts', '@hono-rag-gate/ingest'],
  ['packages/console/src/x.ts', '../../../workers/gate/compose.ts'],
  ['packages/cli/src/x.ts', 'hono-rag-gate/pipeline'],
  ['packages/cli/src/x.ts', 'hono'],
  ['workers/gate/x.ts', '../../src/errors.ts'],
  ['workers/gate/statistics/x.ts', '../../../packages/console/src/index.ts'],
  ['workers/gate/x.ts', '../../d1/schema.ts'],
  ['workers/gate/x.ts', 'drizzle-orm'],
  ['workers/gate/x.ts', 'node:fs'],
  ['src/elsewhere/x.ts', '../core/lib/json.ts'],
]

/** Imports that are allowed. */
const ALLOWED: readonly (readonly [file: string, module: string])[] = [
  ['src/core/text/y.ts', '../../errors.ts'],
  ['src/core/policy/y.ts', '../gates/gate.ts'],
  ['src/presets/balanced/y.ts', '../../core/policy/policy.ts'],
  ['src/ports/y.ts', '../core/evidence/chunk.ts'],
  ['src/pipeline/y.ts', '../ports/retriever.ts'],
  ['src/middleware/y.ts', '../pipeline/gate-question.ts'],
  ['src/cache/y.ts', '../pipeline/gate-cache.ts'],
  ['src/middleware/y.ts', 'hono/utils/http-status'],
  ['src/adapters/y.ts', '../http/bounded-fetch.ts'],
  ['packages/vectorize/src/index.ts', './vectorize/y.ts'],
  ['packages/upstash/src/y.ts', '@upstash/vector'],
  ['d1/y.ts', '../src/core/policy/decision.ts'],
  ['packages/presets/src/two-tier/y.ts', 'hono-rag-gate/core/policy'],
  ['packages/presets/src/named/y.ts', '../two-tier/two-tier.ts'],
  ['packages/ingest/src/markdown/y.ts', './html/y.ts'],
  ['packages/ingest/src/d1/y.ts', 'hono-rag-gate/d1/schema'],
  ['packages/vector-index/src/y.ts', 'hono-rag-gate/core/text'],
  ['packages/vector-index/src/worker/y.ts', 'cloudflare:workers'],
  ['packages/cli/src/y.ts', 'node:fs'],
  ['workers/gate/y.ts', '@hono-rag-gate/console'],
  ['workers/gate/statistics/y.ts', '../settings.ts'],
]

describe('import rules', () => {
  const planted = (file: string, module: string): number =>
    violationsOf(file, `import type { Other } from '${module}'\n`).length

  test.each(FORBIDDEN)('%s may not import %s', (file, module) => expect(planted(file, module)).toBe(1))
  test.each(ALLOWED)('%s may import %s', (file, module) => expect(planted(file, module)).toBe(0))

  test('include re-exports, imports for side effects and dynamic imports', () => {
    for (const source of ["export { x } from 'hono'", "import 'hono'", "const x = await import('hono')"]) {
      expect(violationsOf('src/core/lib/x.ts', source)).toEqual([{ file: 'src/core/lib/x.ts', imported: 'hono' }])
    }
  })

  test('hold for every file of every package and the ready Worker, type imports included, without a circle', () => {
    const sources = packageSources()
    expect([...sources].flatMap(([file, source]) => violationsOf(file, source))).toEqual([])
    expect(circlesAmong(sources)).toEqual([])
    const circle = new Map([
      ['src/a.ts', "import type { B } from './b.ts'"],
      ['src/b.ts', "import type { A } from './a.ts'"],
    ])
    expect(circlesAmong(circle)).toEqual([['src/a.ts', 'src/b.ts', 'src/a.ts']])
  })
})

describe('deciding code', () => {
  test.each([
    'const at = Date.now()',
    'const { nowMs = Date.now } = options',
    'const at = new Date()',
    'const at = new Date',
    'const at = Date()',
    'const at = performance.now()',
    'const draw = Math.random()',
    'const id = crypto.randomUUID()',
    'let last = 0',
    'export var last = 0',
    'const known = new Map()',
    'export const known: Map<string, string> = new Map<string, string>()',
    'const seen = new WeakSet<object>()',
  ])('rejects a clock, randomness or module state: %s', (planted) => {
    for (const file of ['src/core/lib/x.ts', 'src/presets/balanced/x.ts']) {
      expect(impuritiesOf(file, `import { x } from './y.ts'\n${planted}\n`), file).toHaveLength(1)
    }
    expect(impuritiesOf('src/pipeline/x.ts', planted)).toEqual([])
  })

  test.each(['const at = new Date(atMs)', 'const KNOWN = new Set([1, 2])', 'function f() {\n  let last = 0\n}'])(
    'accepts constants and local variables: %s',
    (planted) => expect(impuritiesOf('src/core/lib/x.ts', planted)).toEqual([]),
  )

  test('contains no clock, randomness or module state', () => {
    const sources = [...packageSources()]
    expect(sources.flatMap(([file, source]) => impuritiesOf(file, source).map((found) => [file, found]))).toEqual([])
    expect(
      sources.filter(([file]) => /^(?:src\/(?:core|presets)|packages\/(?:calibration|presets))\//.test(file)).length,
    ).toBeGreaterThan(80)
  })
})

describe('the published package', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, string | null>
  }

  test('exports at most sixty names from its index', () => {
    const door = readFileSync(join(ROOT, 'src', 'index.ts'), 'utf8')
    const names = Array.from(door.matchAll(/export (?:type )?\{([^}]*)\}/g), ([, list = '']) => list.split(',')).flat()
    const exported = names.map((name) => name.trim()).filter((name) => name !== '')
    expect(exported.length).toBeLessThanOrEqual(60)
    expect(exported.length).toBeGreaterThan(30)
  })

  test('closes every folder of adapters in its exports', () => {
    const folders = readdirSync(join(ROOT, 'src', 'adapters'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `./adapters/${name}/*`)
    const closed = Object.entries(manifest.exports).flatMap(([path, target]) => (target === null ? [path] : []))
    expect(closed.sort()).toEqual(folders.sort())
  })

  test('has a source file for every export of every package', () => {
    for (const folder of PACKAGE_FOLDERS) {
      const { exports } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as typeof manifest
      for (const [path, target] of Object.entries(exports)) {
        if (target === null) continue
        expect(globSync(target, { cwd: join(ROOT, folder) }).length, `${folder} ${path}`).toBeGreaterThan(0)
      }
    }
  })
})

describe('the scripts of package.json', () => {
  test('are at most twenty', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }
    expect(Object.keys(scripts).length).toBeLessThanOrEqual(20)
  })
})

describe('installed packages', () => {
  interface Lockfile {
    packages: Record<
      string,
      { version: string; integrity?: string; resolved?: string; link?: boolean; optional?: boolean }
    >
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

  test('include a single workerd', () => {
    const runtimes = Object.keys(packages).filter((path) => path.endsWith('node_modules/workerd'))
    expect(runtimes).toHaveLength(1)
    expect(
      readdirSync(join(ROOT, 'node_modules', '@cloudflare')).filter((name) => name.startsWith('workerd-')),
    ).toHaveLength(1)
  })

  test('have exact versions and a hash each, and the package itself has no dependencies', () => {
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
      if (own.has(path) || entry.link === true) continue
      // Named for npm ci; the lockfile was written where packages of other platforms cannot be had.
      const elsewhere = entry.optional === true && entry.integrity === undefined
      if (elsewhere)
        expect(path).toMatch(
          /-(?:darwin|win32|windows|android|freebsd|openharmony|linux-(?!x64-gnu|64$))|\/(?:darwin|win32)-/,
        )
      else expect(entry.integrity, path).toMatch(/^sha512-/)
    }
  })

  test('form a single tree, so that tests and sources use the same copy', () => {
    const own = new Set(['', ...folders])
    const elsewhere = Object.keys(packages).filter((path) => !own.has(path) && !path.startsWith('node_modules/'))
    expect(elsewhere).toEqual([])
  })

  test('for `npm start` are only those it needs: others are in the folders that need them', () => {
    const forStart = reachable(Object.keys(root.devDependencies ?? {}))
    for (const [folder, { devDependencies = {} }] of manifests) {
      // Installed without the root.
      if (folder === 'scripts/lint' || folder === 'test/unit') continue
      for (const name of Object.keys(devDependencies)) expect([folder, name, forStart.has(name)]).toContain(false)
    }
    expect(forStart).toContain('workerd')
  })

  test('as peers have a lower and an upper bound, and lie between them', () => {
    const numbers = (version: string): readonly number[] => version.split('.').map(Number)
    const isBefore = (one: readonly number[], other: readonly number[]): boolean => {
      const at = other.findIndex((number, place) => number !== (one[place] ?? 0))
      return at >= 0 && (one[at] ?? 0) < other[at]!
    }
    for (const { peerDependencies = {} } of [root, ...manifests.values()]) {
      for (const [name, range] of Object.entries(peerDependencies)) {
        const [, caret, least = '', most] = /^(?:(\^)|>=)(\d+\.\d+\.\d+)(?: <(\d+))?$/.exec(range) ?? []
        expect([name, range, (caret === undefined) === (most !== undefined)]).toEqual([name, range, true])
        const above = most === undefined ? [numbers(least)[0]! + 1] : numbers(most)
        const installed = numbers(packages[`node_modules/${name}`]!.version)
        expect([name, range, isBefore(installed, numbers(least)), isBefore(installed, above)]).toEqual([
          name,
          range,
          false,
          true,
        ])
      }
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

test('src has at most 15,000 lines', () => {
  const lines = globSync('src/**/*.ts', { cwd: ROOT }).map(
    (file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1,
  )
  // The goal. It is only ever lowered.
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(15_000)
})
