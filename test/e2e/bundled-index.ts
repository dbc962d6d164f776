/** The vector index Worker that end-to-end tests ask, by the bindings of its wrangler.toml. That wrangler serves it is tested in `start-index.deep.test.ts`. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { inject } from 'vitest'
import { bundleScript } from '../../scripts/in-workerd.ts'
import { ROOT } from '../../scripts/local-gate.ts'
import type { LocalIndex } from '../../scripts/local-index.ts'

export type BundledIndex = Pick<LocalIndex, 'url' | 'tokens' | 'stop'>

/**
 * Serves indexes on loopback.
 *
 * @param indexes settings by name
 * @param stateDirectory where the rows are stored
 * @param port by default a free one
 */
export async function startBundledIndex(
  indexes: Readonly<Record<string, object>>,
  stateDirectory: string,
  port = 0,
): Promise<BundledIndex> {
  const bundle = join(stateDirectory, 'bundle')
  await bundleScript(join(ROOT, 'packages', 'vector-index', 'src', 'worker', 'index.ts'), join(bundle, 'index.js'))
  const compiled = readdirSync(bundle).filter((name) => name.endsWith('.wasm'))
  const tokens = new Map(Object.keys(indexes).map((name) => [name, name.padEnd(32, '-token')]))
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...inject('indexOptions'),
      name: 'vector-index',
      modules: [
        { type: 'ESModule', path: join(bundle, 'index.js') },
        ...compiled.map((name) => ({ type: 'CompiledWasm', path: join(bundle, name) }) as const),
      ],
      modulesRoot: bundle,
      host: '127.0.0.1',
      port,
      resourcePersistencePath: join(stateDirectory, 'rows'),
      bindings: { INDEX_TOKENS: JSON.stringify(Object.fromEntries(tokens)), VECTOR_INDEXES: JSON.stringify(indexes) },
    }),
  )
  const { origin } = await miniflare.ready
  return { url: origin, tokens, stop: () => miniflare.dispose() }
}
