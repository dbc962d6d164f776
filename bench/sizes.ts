/**
 * `npm run bench -- sizes`: the size of the gate in a bundle, minified and gzipped.
 *
 * The middleware is bundled with one adapter, as in an application; Hono and the vendor's client are excluded, because
 * such an application has them anyway. The ready Worker is bundled by wrangler as for deployment, including its
 * compiled kernel. `npm test` fails above the limits.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { ROOT } from '../scripts/local-gate.ts'
import { bundle } from '../scripts/bundle.ts'
import { markdownTable } from './markdown-table.ts'

/** Maximum gzipped sizes, bytes. */
export const LIMITS = { own: 30_000, balanced: 42_000, worker: 200_000 } as const

/** A bundle and its size in bytes. */
export interface BundleSize {
  readonly name: string
  readonly minified: number
  readonly gzipped: number
  readonly limit: number
}

/** Adapters to measure with the middleware, by file and export. */
const ADAPTERS = [
  ['packages/upstash/src/index.ts', 'createUpstashRetriever'],
  ['packages/vectorize/src/index.ts', 'createVectorizeRetriever'],
  ['packages/word-index/src/index.ts', 'createWordRetriever'],
] as const

/** Policies to measure with it: a custom one with a gate for one cosine, and the ready-made one. */
const POLICIES = [
  ['a policy of one cosine', 'definePolicy, minTopCosine', LIMITS.own],
  ['balanced', 'balanced', LIMITS.balanced],
] as const

/** Dependencies of every application with the gate; not counted. */
const THEIRS = ['hono', 'hono/*', '@upstash/vector']

/** Bundles everything and measures the sizes. */
export async function measureSizes(): Promise<BundleSize[]> {
  const gates = ADAPTERS.flatMap(([file, maker]) =>
    POLICIES.map(async ([policy, names, limit]): Promise<BundleSize> => {
      const code = await middlewareWith(names, file, maker)
      return { name: `ragGate, ${policy} and ${maker}`, ...weigh([code]), limit }
    }),
  )
  const folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-sizes-'))
  try {
    const modules = bundle('workers/gate/index.ts', folder).map((module) => readFileSync(module.path))
    return [...(await Promise.all(gates)), { name: 'the ready Worker', ...weigh(modules), limit: LIMITS.worker }]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function middlewareWith(names: string, file: string, maker: string): Promise<Uint8Array> {
  const contents = `export { ragGate, ${names} } from './src/index.ts'; export { ${maker} } from './${file}'`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    external: THEIRS,
    // The conditions of a Worker's bundler.
    conditions: ['workerd', 'worker', 'browser'],
    write: false,
    logLevel: 'silent',
  })
  const [output] = outputFiles
  if (output === undefined) throw new Error('esbuild wrote nothing')
  return output.contents
}

/** Modules are compressed together, as in wrangler's report. */
function weigh(modules: readonly Uint8Array[]): { readonly minified: number; readonly gzipped: number } {
  const all = Buffer.concat(modules)
  return { minified: all.length, gzipped: gzipSync(all, { level: 9 }).length }
}

if (import.meta.main) {
  const inKilobytes = (bytes: number): string => (bytes / 1000).toFixed(1)
  const rows = (await measureSizes()).map(({ name, minified, gzipped, limit }) => [
    name,
    inKilobytes(minified),
    inKilobytes(gzipped),
    inKilobytes(limit),
  ])
  console.log(markdownTable(['bundle', 'minified, kB', 'gzipped, kB', 'limit, kB'], rows))
}
