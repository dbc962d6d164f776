/** A Workers project of a user, with the packages in it as npm packs them. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { inject } from 'vitest'
import { builtAt, PACKAGE_FOLDERS } from '../../../scripts/build.ts'
import { ROOT } from '../../../scripts/local-gate.ts'
import { DEEP } from '../../deep-run.ts'

const MODULES = join(ROOT, 'node_modules')
export const WORKERS_TYPES = '@cloudflare/workers-types'
export const NODE_TYPES = '@types/node'

/** What of the package's own package.json is looked at. */
export interface PackedManifest {
  readonly name: string
  readonly private?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string } | null>>
}

/** How a command ended, with all that it printed. */
export interface Ended {
  readonly ok: boolean
  readonly output: string
}

/** Runs a script with the Node of the tests. */
export function runNode(cwd: string, script: string, ...args: string[]): Ended {
  // Of every entry point attw tells more than a megabyte.
  return ended(spawnSync(process.execPath, [script, ...args], { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }))
}

function ended({ status, stdout, stderr }: { status: number | null; stdout: string; stderr: string }): Ended {
  return { ok: status === 0, output: `${stdout}\n${stderr}` }
}

/** Files of tests run beside each other: a build that takes longer than this has died. */
const LONGEST_BUILD_MS = 300_000

/** Builds the packages and packs them, once for all files of tests. @returns paths of the tarballs, by the name of the package */
export function packPackages(): ReadonlyMap<string, string> {
  const folder = inject('tarballs')
  const done = join(folder, 'done')
  if (mkdirSync(folder, { recursive: true }) === undefined) {
    // Another file makes them.
    for (let waitedMs = 0; !existsSync(done); waitedMs += 200) {
      if (waitedMs > LONGEST_BUILD_MS) throw new Error('The packages were not built')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    }
  } else {
    try {
      pack(folder)
    } finally {
      writeFileSync(done, '')
    }
  }
  return new Map(PACKAGE_FOLDERS.map((each) => tarballOf(builtAt(each), folder)))
}

function pack(folder: string): void {
  const built = runNode(ROOT, join(ROOT, 'scripts', 'build.ts'))
  if (!built.ok) throw new Error(built.output)
  const folders = PACKAGE_FOLDERS.map((each) => builtAt(each))
  const args = ['pack', ...folders, '--ignore-scripts', '--loglevel=error', '--json', '--pack-destination', folder]
  const { ok, output } = ended(
    spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8', shell: process.platform === 'win32' }),
  )
  if (!ok) throw new Error(output)
}

function tarballOf(packed: string, folder: string): readonly [name: string, tarball: string] {
  const { name } = manifestIn(packed)
  const file = `${name.replace('@', '').replace('/', '-')}-`
  const [tarball] = readdirSync(folder).filter((each) => each.startsWith(file) && /^\d/.test(each.slice(file.length)))
  if (tarball === undefined) throw new Error(`npm pack wrote nothing for ${name}`)
  return [name, join(folder, tarball)]
}

function manifestIn(folder: string): PackedManifest {
  // npm wrote it, or the build.
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackedManifest
}

/**
 * Installs tarballs, without network: what the packages want of their user is linked from this checkout. In deep runs npm does
 * it, and checks that against their bounds; else they are unpacked as npm would, for a tenth of the time.
 *
 * @param types folder in node_modules of the runtime's types
 */
export function createProject(folder: string, tarballs: ReadonlyMap<string, string>, types: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'shop', private: true, type: 'module' }))
  const peers = PACKAGE_FOLDERS.flatMap((each) => Object.keys(manifestIn(join(ROOT, each)).peerDependencies ?? {}))
  const wanted = new Map(
    peers
      .filter((name) => !tarballs.has(name) && name !== WORKERS_TYPES)
      .map((name) => [name, join(MODULES, ...name.split('/'))]),
  )
  wanted.set(types === NODE_TYPES ? NODE_TYPES : WORKERS_TYPES, join(MODULES, ...types.split('/')))
  if (DEEP) install(folder, [...tarballs.values(), ...wanted.values()])
  else {
    for (const [name, tarball] of tarballs) unpack(tarball, folderOf(folder, name))
    for (const [name, linked] of wanted) symlinkSync(linked, folderOf(folder, name), 'junction')
  }
  copyFileSync(join(import.meta.dirname, 'worker.ts.txt'), join(folder, 'worker.ts'))
  copyFileSync(join(import.meta.dirname, 'console-worker.ts.txt'), join(folder, 'console-worker.ts'))
  const entries = [...tarballs.keys()].flatMap((name) => modulesOf(folder, name))
  writeImports(
    join(folder, 'every-entry.ts'),
    entries.filter((entry) => !OVER_DRIZZLE.test(entry)),
  )
  writeImports(
    join(folder, 'stores.ts'),
    entries.filter((entry) => OVER_DRIZZLE.test(entry)),
  )
  writeImports(
    join(folder, 'without-workers.ts'),
    entries.filter((entry) => !OF_WORKERS.test(entry)),
  )
}

function install(folder: string, wanted: readonly string[]): void {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts']
  const args = ['install', '--offline', '--no-install-links', ...quiet, ...wanted]
  const { ok, output } = ended(
    spawnSync('npm', args, { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' }),
  )
  if (!ok) throw new Error(output)
}

/** Where a package of a project is, its parent made. */
function folderOf(project: string, name: string): string {
  const folder = join(project, 'node_modules', ...name.split('/'))
  mkdirSync(dirname(folder), { recursive: true })
  return folder
}

function unpack(tarball: string, to: string): void {
  mkdirSync(to)
  const { ok, output } = ended(
    spawnSync('tar', ['-xzf', tarball, '-C', to, '--strip-components=1'], { encoding: 'utf8' }),
  )
  if (!ok) throw new Error(output)
}

/** Modules whose types name those of drizzle, which are not without faults: they are checked for their own alone. */
const OVER_DRIZZLE = /\/(?:d1\/schema|console(?:\/options)?|ingest\/(?:d1|idempotency))$/

/** Modules whose types name those of Workers, an optional peer. */
const OF_WORKERS =
  /^hono-rag-gate\/(?:adapters\/d1|d1\/.+)$|\/(?:console|ingest|vector-index|word-index)(?:\/.+)?$|\/durable-object-coalescer$/

function writeImports(file: string, entries: readonly string[]): void {
  const lines = entries.map((entry, at) => `import * as entry${at} from '${entry}'`)
  const all = `export const all: readonly object[] = [${entries.map((_, at) => `entry${at}`).join(', ')}]`
  writeFileSync(file, [...lines, all, ''].join('\n'))
}

/** Every specifier of a package that can be imported as a module. */
export function modulesOf(folder: string, name: string): string[] {
  return entryPoints(folder, name).filter((entry) => !/\.(?:json|sql)$/.test(entry))
}

/** The package.json that came with a tarball. */
export function packedManifest(folder: string, name = 'hono-rag-gate'): PackedManifest {
  return manifestIn(join(folder, 'node_modules', ...name.split('/')))
}

/** Every specifier that the exports map opens: a pattern stands for the files that it matches, unless another closes them. */
export function entryPoints(folder: string, name = 'hono-rag-gate'): string[] {
  const { exports } = packedManifest(folder, name)
  const root = join(folder, 'node_modules', ...name.split('/'))
  const closed = Object.keys(exports).filter((key) => exports[key] === null)
  return Object.entries(exports)
    .flatMap(([key, target]) => {
      const file = typeof target === 'string' ? target : target?.default
      if (file === undefined) return []
      if (!key.includes('*')) return [key]
      const [before = '', after = ''] = file.split('*')
      const base = join(root, before)
      return readdirSync(base, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(base, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
        .filter((match) => match.endsWith(after))
        .map((match) => key.replace('*', match.slice(0, match.length - after.length)))
    })
    .filter((key) => !closed.some((pattern) => matchesPattern(key, pattern)))
    .map((key) => `${name}${key.slice(1)}`)
}

function matchesPattern(key: string, pattern: string): boolean {
  const [before = '', after] = pattern.split('*')
  return after === undefined ? key === pattern : key.startsWith(before) && key.endsWith(after)
}

/** How a project resolves and checks. */
export interface TypeSettings {
  /** Folder of the compiler in node_modules. */
  readonly compiler: string
  readonly moduleResolution: 'bundler' | 'nodenext'
  /** Whether declarations of packages are checked as well. @default 'checked' */
  readonly declarations?: 'checked' | 'believed'
  /** Types of the runtime; there are none of a browser. @default '@cloudflare/workers-types' */
  readonly types?: string
}

/** Type-checks files of the project, the package's declarations included. */
export function typeCheck(
  folder: string,
  { compiler, moduleResolution, declarations = 'checked', types = WORKERS_TYPES }: TypeSettings,
  files: readonly string[] = ['worker.ts', 'every-entry.ts'],
): Ended {
  const file = `tsconfig.${compiler}.${moduleResolution}.json`
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2022', 'ESNext.Disposable'],
    types: [types.replace('@types/', '')],
    module: moduleResolution === 'nodenext' ? 'nodenext' : 'esnext',
    moduleResolution,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: declarations === 'believed',
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    noEmit: true,
  }
  writeFileSync(join(folder, file), JSON.stringify({ compilerOptions, files }))
  return runNode(folder, join(MODULES, compiler, 'bin', 'tsc'), '-p', file)
}
