import { dirname } from 'node:path'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'

/** Bundles a Worker into one file, and what it compiles from WebAssembly beside it, as wrangler would. */
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
 * Serves a bundled Worker on a free port of loopback.
 *
 * @param bindings values that its `env` has
 * @param databases names of its empty databases
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
      // JSON, as Miniflare wants it.
      bindings: bindings as Record<string, never>,
      d1Databases: [...databases],
    }),
  )
}

/** Where a Worker is reached without Miniflare's own, which takes several times as long as an answer. */
export async function originOf(miniflare: Miniflare, name = 'worker'): Promise<string> {
  await miniflare.ready
  return (await miniflare.unsafeGetDirectURL(name)).origin
}
