import { dirname } from 'node:path'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'

/** Bundles a Worker into one file, with its WebAssembly modules beside it, like wrangler. */
export async function bundleScript(entry: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    loader: { '.wasm': 'copy' },
    logLevel: 'silent',
  })
}

/**
 * Serves a bundled Worker on a free local port.
 *
 * @param bindings values in its `env`
 * @param databases names of its databases, initially empty
 */
export function inWorkerd(
  path: string,
  bindings: Readonly<Record<string, unknown>> = {},
  databases: readonly string[] = [],
): Miniflare {
  return new Miniflare(
    convertV4MiniflareOptions({
      name: 'worker',
      modules: [{ type: 'ESModule', path }],
      modulesRoot: dirname(path),
      compatibilityDate: '2026-11-01',
      host: '127.0.0.1',
      port: 0,
      unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
      // JSON values, which Miniflare requires.
      bindings: bindings as Record<string, never>,
      d1Databases: [...databases],
    }),
  )
}

/** URL of a Worker that bypasses Miniflare's proxy, which takes several times as long as an answer. */
export async function originOf(miniflare: Miniflare, name = 'worker'): Promise<string> {
  await miniflare.ready
  return (await miniflare.unsafeGetDirectURL(name)).origin
}
