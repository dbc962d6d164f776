/**
 * `npm run build`: builds every package for publication into `dist/npm`: JavaScript with types, compiled kernels,
 * package.json with matching exports, licence and README. Previous output is deleted.
 *
 * In the checkout, exports lead to the sources, so that no build is needed to work on them. Types are emitted without
 * being checked, which would take twice as long: `npm run typecheck` does that.
 */
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { build } from 'esbuild'
import { runChecks } from './check.ts'
import { ROOT } from './local-gate.ts'

/** The fields of package.json that are used. */
interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, string | null>>
  readonly bin?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly repository?: { readonly url: string }
  readonly engines?: Readonly<Record<string, string>>
}

/** Fields only for the checkout. */
const OF_CHECKOUT = ['private', 'scripts', 'workspaces', 'devDependencies', 'allowScripts', 'cloudflare']

/** Folders of the packages, relative to the project root; the gate itself first. */
export const PACKAGE_FOLDERS: readonly string[] = ['.', ...globSync('packages/*', { cwd: ROOT }).sort()]

/** Absolute output folder of a package. */
export function builtAt(folder: string): string {
  return join(ROOT, 'dist', 'npm', folder === '.' ? 'hono-rag-gate' : folder.replace('packages/', ''))
}

/** Source folders of a package. */
function sourcesOf(folder: string): readonly string[] {
  return folder === '.' ? ['src', 'd1'] : ['src']
}

/** The exports entry of `./src/x.ts` in a built package; other files are unchanged. */
function built(door: string): string | { readonly types: string; readonly default: string } {
  if (!door.endsWith('.ts')) return door
  const path = door.slice(0, -'.ts'.length)
  return { types: `${path}.d.ts`, default: `${path}.js` }
}

/**
 * A README for publication: links to repository files become links to the repository at `main`. While the project's
 * package.json has no `repository`, links become plain text, and images are removed.
 */
export function withLinksThatHold(page: string, folder: string, repository?: Manifest['repository']): string {
  const address = repository?.url.replace(/^git\+/, '').replace(/\.git$/, '')
  return page.replaceAll(
    /(!?)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)/g,
    (_, picture: string, text: string, to: string) => {
      if (address === undefined) return picture === '' ? text : ''
      return `${picture}[${text}](${address}/${picture === '' ? 'blob' : 'raw'}/main/${posix.join(folder, to)})`
    },
  )
}

/** The project's own packages that the built sources import: peer dependencies, at exactly this version. */
function ownPeers(name: string, to: string, version: string): Readonly<Record<string, string>> {
  const sources = globSync('**/*.{js,d.ts}', { cwd: to }).map((file) => readFileSync(join(to, file), 'utf8'))
  const named = sources.flatMap((source) =>
    Array.from(
      source.matchAll(/(?:from |import\()['"]((?:@hono-rag-gate\/[\w-]+|hono-rag-gate))/g),
      ([, found = '']) => found,
    ),
  )
  return Object.fromEntries(
    [...new Set(named)]
      .filter((found) => found !== name)
      .sort()
      .map((found) => [found, version]),
  )
}

function writeManifest(folder: string, to: string, { version, engines }: Manifest): void {
  // The documented format of package.json.
  const manifest = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest
  const kept = Object.entries(manifest).filter(([name]) => !OF_CHECKOUT.includes(name))
  const doors = Object.entries(manifest.exports).map(([door, file]) => [door, file === null ? null : built(file)])
  const peers = { ...manifest.peerDependencies, ...ownPeers(manifest.name, to, version) }
  const published = {
    ...Object.fromEntries(kept),
    version,
    engines,
    ...(Object.keys(peers).length > 0 && { peerDependencies: peers }),
    exports: Object.fromEntries(doors),
    ...(manifest.bin && {
      bin: Object.fromEntries(Object.entries(manifest.bin).map(([name, file]) => [name, file.replace(/\.ts$/, '.js')])),
    }),
    publishConfig: { access: 'public', provenance: true },
  }
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
}

async function buildPackages(): Promise<boolean> {
  const dist = join(ROOT, 'dist')
  rmSync(dist, { recursive: true, force: true })
  const { failed } = runChecks([
    ['build: types and JavaScript', 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'],
  ])
  const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest
  for (const folder of PACKAGE_FOLDERS) {
    const to = builtAt(folder)
    mkdirSync(to, { recursive: true })
    for (const sources of sourcesOf(folder)) {
      const compiled = join(dist, 'compiled', folder, sources)
      // The command line is bundled below.
      if (folder !== 'packages/cli') cpSync(compiled, join(to, sources), { recursive: true })
      for (const file of globSync(['**/*.wasm', '**/*.sql'], { cwd: join(ROOT, folder, sources) })) {
        mkdirSync(dirname(join(to, sources, file)), { recursive: true })
        copyFileSync(join(ROOT, folder, sources, file), join(to, sources, file))
      }
    }
    writeManifest(folder, to, root)
    copyFileSync(join(ROOT, 'LICENSE'), join(to, 'LICENSE'))
    writeFileSync(
      join(to, 'README.md'),
      withLinksThatHold(readFileSync(join(ROOT, folder, 'README.md'), 'utf8'), folder, root.repository),
    )
  }
  // One file with its dependencies, so that the package has none.
  await build({
    entryPoints: [join(ROOT, 'packages', 'cli', 'src', 'main.ts')],
    outfile: join(builtAt('packages/cli'), 'src', 'main.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // The CommonJS build of a dependency loads its files by computed names, which a bundler cannot resolve.
    mainFields: ['module', 'main'],
    // A bundled CommonJS library requires Node's built-in modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  rmSync(join(dist, 'compiled'), { recursive: true })
  return failed === 0
}

if (import.meta.main) process.exitCode = (await buildPackages()) ? 0 : 1
