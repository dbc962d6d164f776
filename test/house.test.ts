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
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lockfile
  const { devDependencies, dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
    dependencies?: Record<string, string>
  }

  test('has one workerd', () => {
    const runtimes = Object.keys(packages).filter((path) => path.endsWith('node_modules/workerd'))
    expect(runtimes).toHaveLength(1)
    expect(
      readdirSync(join(ROOT, 'node_modules', '@cloudflare')).filter((name) => name.startsWith('workerd-')),
    ).toHaveLength(1)
  })

  test('is pinned to exact versions, each with its hash, and the package itself depends on nothing', () => {
    expect(dependencies).toBeUndefined()
    for (const version of Object.values(devDependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
    for (const [path, entry] of Object.entries(packages)) {
      if (path !== '') expect(entry.integrity, path).toMatch(/^sha512-/)
    }
  })
})
