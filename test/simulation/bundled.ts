/** Bundles `runs.ts` into one file: a process that loads it starts two seconds sooner than with a thousand modules. */
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { changesOf, type PlantedBug } from './planted.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** The Worker's replacements for modules of drizzle, by module name. */
const PARTS = new Map(
  [...readFileSync(join(ROOT, 'wrangler.toml'), 'utf8').matchAll(/^"(\S+)" = "(\S+\/drizzle-\S+)"$/gm)].map(
    ([, name = '', part = '']) => [name, part],
  ),
)

/**
 * Bundles the simulation, with a planted bug if one is given.
 *
 * @param name of the file, without extension; must be unique among concurrent bundles
 * @returns path of the file, under `node_modules`, so that packages resolve
 */
export async function bundledRun(name: string, bug?: PlantedBug): Promise<string> {
  const folder = join(ROOT, 'node_modules', '.simulation')
  mkdirSync(folder, { recursive: true })
  const outfile = join(folder, `${name}.mjs`)
  const changed = new Map(changesOf(bug).map(({ path, source }) => [path, source]))
  await build({
    entryPoints: [join(import.meta.dirname, 'runs.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external: ['esbuild'],
    conditions: ['import'],
    logLevel: 'silent',
    // Required by CommonJS in a module.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" },
    plugins: [
      {
        name: 'sources',
        setup(bundler) {
          // The Worker's replacements for parts of drizzle.
          bundler.onResolve({ filter: /^\.\.?\// }, ({ path, importer }) => {
            const part = importer.includes('/drizzle-orm/') ? PARTS.get(path) : undefined
            return part === undefined ? undefined : { path: join(ROOT, part) }
          })
          bundler.onLoad({ filter: /\.ts$/ }, ({ path }) => ({
            loader: 'ts',
            // Paths resolve relative to the source, not to the bundle.
            contents: (changed.get(path) ?? readFileSync(path, 'utf8'))
              .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
              .replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
          }))
        },
      },
    ],
  })
  return outfile
}
