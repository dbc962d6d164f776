/**
 * `npm run build`: every package as it is published, in `dist/npm`: JavaScript with its types, compiled kernels, a
 * package.json whose doors lead there, licence and README. What was there before goes.
 *
 * In the checkout the doors of the packages lead to their sources, so that nothing has to be built to work on them. Types are
 * written and not checked, which takes twice as long: `npm run typecheck` does that.
 */
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { build } from 'esbuild'
import { runChecks } from './check.ts'
import { ROOT } from './local-gate.ts'

/** A package.json, as far as it is looked at. */
interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, string | null>>
  readonly bin?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly repository?: { readonly url: string }
  readonly engines?: Readonly<Record<string, string>>
}

/** What only a checkout needs. */
const OF_CHECKOUT = ['private', 'scripts', 'workspaces', 'devDependencies', 'allowScripts', 'cloudflare']

/** Folders of the packages, from the root of the project; the gate itself first. */
export const PACKAGE_FOLDERS: readonly string[] = ['.', ...globSync('packages/*', { cwd: ROOT }).sort()]

/** Where a package is built to, absolute. */
export function builtAt(folder: string): string {
  return join(ROOT, 'dist', 'npm', folder === '.' ? 'hono-rag-gate' : folder.replace('packages/', ''))
}

/** Sources of a package, from its folder. */
function sourcesOf(folder: string): readonly string[] {
  return folder === '.' ? ['src', 'd1'] : ['src']
}

/** `./src/x.ts` as a built package has it; what is no source stays. */
function built(door: string): string | { readonly types: string; readonly default: string } {
  if (!door.endsWith('.ts')) return door
  const path = door.slice(0, -'.ts'.length)
  return { types: `${path}.d.ts`, default: `${path}.js` }
}

/**
 * A README as a tarball has it: a link to a file of the repository leads there, at `main`. While the package.json of the
 * project names no `repository`, its text stands alone, and pictures are left out.
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

/** Which of the packages the built sources import: they are peers, at this very version. */
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
  // The form that npm asks for.
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
  // In one file with what it needs: it depends on nothing.
  await build({
    entryPoints: [join(ROOT, 'packages', 'cli', 'src', 'main.ts')],
    outfile: join(builtAt('packages/cli'), 'src', 'main.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // The CommonJS of one asks for its files by names that no bundler can know.
    mainFields: ['module', 'main'],
    // A library in it is CommonJS, and asks Node for its own modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  rmSync(join(dist, 'compiled'), { recursive: true })
  return failed === 0
}

if (import.meta.main) process.exitCode = (await buildPackages()) ? 0 : 1
